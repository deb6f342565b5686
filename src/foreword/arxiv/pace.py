"""Turns: one request at a time and a pause after it, over all processes of a machine."""

import fcntl
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from foreword.errors import FetchError

Tell = Callable[[str], None]
MAX_WAIT_S = 3600.0
"""Longer than this nobody waits: the run ends, and the same command goes on later."""
_REFUSED = "refused"
_REFUSED_S = 3600.0
_DAY_S = 86_400.0
_MAX_REST_S = _DAY_S
"""Whatever a server asked for, after a day it may be asked whether it still wants that."""


def silent(words: str) -> None:
    """Tells nobody."""


class Pace:
    """Whose turn it is to ask a site, and when.

    The turn is a lock on a file, which the operating system takes back however a process ends. The
    file says when the last request ended and how long to wait after it, so that what a server asked
    of one process (`Retry-After`, a refusal) holds for all of them.
    """

    def __init__(
        self,
        path: Path,
        *,
        pause_s: float,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
        tell: Tell = silent,
    ) -> None:
        self._path = path
        self._pause_s = pause_s
        self._wait_s = pause_s
        self._why = ""
        self.clock = clock
        self._sleep = sleep
        self._tell = tell

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for this process's turn; nobody else asks while the block runs.

        Raises:
            FetchError: the site refused this machine not long ago, or wants to be left alone for
                long.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            self._rest(file)
            self._wait_s, self._why = self._pause_s, ""
            self._note(file)  # a kill in the middle of a request does not shorten the pause
            try:
                yield
            finally:
                self._note(file)

    def postpone(self, wait_s: float) -> None:
        """Let the next turn, of whatever process, come no sooner than this."""
        self._wait_s = max(wait_s, self._pause_s)

    def refuse(self) -> None:
        """Let nobody ask for an hour."""
        self._wait_s, self._why = _REFUSED_S, _REFUSED

    def _rest(self, file: IO[bytes]) -> None:
        ended, wait_s, why = _read(file)
        # A clock that was set back makes the pause whole again, never longer.
        left = wait_s - max(self.clock() - ended, 0.0)
        if left <= 0:
            return
        if why == _REFUSED:
            raise FetchError(refused(left))
        if left > MAX_WAIT_S:
            raise FetchError(wants_rest(left))
        if left > 10 * max(self._pause_s, 1):
            self._tell(f"waiting {left:.0f} s until the next request may go out")
        self._sleep(left)

    def _note(self, file: IO[bytes]) -> None:
        file.seek(0)
        file.truncate()
        file.write(f"{self.clock():.3f} {self._wait_s:.3f} {self._why}\n".encode())
        file.flush()


def refused(left_s: float) -> str:
    """The sentence for a 403."""
    return (
        "arXiv refuses this machine (403), and takes further requests for an attack: nothing is "
        f"asked for the next {_in_words(left_s)}. If it goes on, write to arXiv, or "
        "read the papers from a mirror (--base-url) or from files that you have. "
        "What was finished is kept"
    )


def wants_rest(left_s: float) -> str:
    """The sentence for a server that wants to be left alone longer than anybody waits."""
    return (
        f"the server asks to be left alone for {_in_words(left_s)}: "
        "run the same command then. What was finished is kept"
    )


def _in_words(seconds: float) -> str:
    """A time as one says it, rounded up.

    >>> _in_words(5_400), _in_words(86_400), _in_words(86_400 * 9.5)
    ('90 minutes', '24 hours', '10 days')
    """
    if seconds > 60 * _DAY_S:
        return "more than two months"
    if seconds > 2 * _DAY_S:
        return f"{math.ceil(seconds / _DAY_S)} days"
    if seconds > 2 * 3600:
        return f"{math.ceil(seconds / 3600)} hours"
    return f"{math.ceil(seconds / 60)} minutes"


def _read(file: IO[bytes]) -> tuple[float, float, str]:
    file.seek(0)
    words = file.read(200).decode("ascii", "replace").split()
    try:
        return float(words[0]), min(float(words[1]), _MAX_REST_S), "".join(words[2:3])
    except (IndexError, ValueError):  # new, or damaged: as if nobody had asked
        return 0.0, 0.0, ""
