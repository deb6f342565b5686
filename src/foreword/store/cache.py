"""Results of all studies of this machine, each under the hash of everything that could change it.

One SQLite file, safe with several processes and threads, and bounded. It only ever saves time:
where it can't be used (damaged, locked, no place, not allowed), work goes on without it, and that
is said once.

Nothing else in a process may open and close the file: POSIX then drops SQLite's locks on it.
"""

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import TypeVar

from foreword.errors import ForewordError, UsageError
from foreword.store import cache_file
from foreword.store.cache_file import Held
from foreword.store.files import JSON

Result = TypeVar("Result")
GIB = 2**30
_TRIMMED = 0.9  # of the bound, so that not every row that is added makes room for itself
_log = logging.getLogger(__name__)


class Cache:
    """Rows by key in one file; `get`, `missing` and `add` never fail, they only stop being of use.

    Nothing is opened, and no folder made, before there is something to write.
    """

    def __init__(
        self,
        folder: Path,
        *,
        max_bytes: int = 2 * GIB,
        wait_s: float = 20.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """A cache in a folder.

        Args:
            folder: where the file is, or will be.
            max_bytes: what it may grow to; then the least recently used rows make room.
            wait_s: how long to wait for other processes.
            clock: seconds since 1970.
        """
        self.path = folder / "scores-2.sqlite"
        """The number is the schema's: a version of foreword with another one has its own file."""
        self.max_bytes = max_bytes
        self._wait_s = wait_s
        self._clock = clock
        self._given_up = False
        self._lock = Lock()

    def get(self, keys: Sequence[str]) -> dict[str, JSON]:
        """The rows that are there, by key. One that can't be read counts as not there."""
        found: dict[str, JSON] = {}
        now = int(self._clock())
        if self._exists:
            self._attempt(lambda file: cache_file.read(file, keys, now, found), None)
        return found

    def missing(self, keys: Sequence[str]) -> list[str]:
        """Those of the keys that have no row; none, where the cache can't be used."""
        if not self._exists:
            return list(keys)
        return self._attempt(lambda file: cache_file.missing(file, keys), [])

    def add(self, scorer_id: str, rows: Mapping[str, JSON]) -> None:
        """Keep rows, on disk before this returns: all of them, or none where it can't be used."""

        def write(file: sqlite3.Connection) -> None:
            cache_file.write(file, scorer_id, rows, int(self._clock()))
            if cache_file.used_bytes(file) > self.max_bytes:
                cache_file.trim(file, int(_TRIMMED * self.max_bytes))

        if rows:
            self._attempt(write, None)

    def trim(self, max_bytes: int) -> int:
        """Remove the least recently used rows until the file is no larger; how many went.

        Raises:
            ForewordError: the file can't be used.
        """

        def shrink(file: sqlite3.Connection) -> int:
            gone = cache_file.trim(file, max_bytes)
            cache_file.give_back(file)
            return gone

        return self._insist(shrink, 0)

    def clear(self, scorer_id: str | None = None) -> int:
        """Remove the rows of a scorer, or all; how many went. A damaged file is deleted.

        Raises:
            ForewordError: the file can't be used.
        """

        def empty(file: sqlite3.Connection) -> int:
            gone = cache_file.clear(file, scorer_id)
            cache_file.give_back(file)
            return gone

        try:
            return self._insist(empty, 0)
        except ForewordError as error:
            if scorer_id is not None or not cache_file.is_damage(error.__cause__):
                raise
            for path in (self.path, self.path.with_name(f"{self.path.name}-journal")):
                path.unlink(missing_ok=True)
            return 0

    def sizes(self) -> list[Held]:
        """What is held of each scorer, the most first.

        Raises:
            ForewordError: the file can't be used.
        """
        return self._insist(cache_file.sizes, [])

    @property
    def size_bytes(self) -> int:
        """What the file takes on disk; 0 where there is none."""
        return self.path.stat().st_size if self._exists else 0

    @property
    def _exists(self) -> bool:
        return os.path.exists(self.path)  # in a forbidden folder too it is just not there

    def _attempt(self, work: Callable[[sqlite3.Connection], Result], otherwise: Result) -> Result:
        """What the work gives; once anything failed the other result, then and from then on."""
        if self._given_up:
            return otherwise
        try:
            with cache_file.connected(self.path, self._wait_s) as file:
                return work(file)
        except (sqlite3.Error, OSError) as error:
            with self._lock:
                said, self._given_up = self._given_up, True
            if not said:
                _log.warning("going on without the score cache: %s", self._reason(error))
            return otherwise

    def _insist(self, work: Callable[[sqlite3.Connection], Result], otherwise: Result) -> Result:
        """What the work gives; the other result where there is no file."""
        if not self._exists:
            return otherwise
        try:
            with cache_file.connected(self.path, self._wait_s) as file:
                return work(file)
        except (sqlite3.Error, OSError) as error:
            raise ForewordError(self._reason(error)) from error

    def _reason(self, error: BaseException) -> str:
        """What is wrong and what to do, in one sentence."""
        if cache_file.is_damage(error):
            return f"{self.path} is damaged; `foreword cache --clear` removes it"
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
            return f"{self.path} was in use by another process for {self._wait_s:g} seconds"
        words = (error.strerror if isinstance(error, OSError) else None) or str(error)
        return (
            f"can't use {self.path}: {words.lower()}; choose another folder with FOREWORD_CACHE, "
            "or do without one: FOREWORD_CACHE=off"
        )


def find_cache() -> Cache | None:
    """The cache that the environment asks for; None where it says `FOREWORD_CACHE=off`.

    It is in the folder FOREWORD_CACHE, else in `foreword` of XDG_CACHE_HOME or `~/.cache`, and of
    FOREWORD_CACHE_GIB gibibytes, else 2.

    Raises:
        UsageError: FOREWORD_CACHE_GIB is no number above 0.
    """
    asked = os.environ.get("FOREWORD_CACHE", "")
    if asked.lower() == "off":
        return None
    base = os.environ.get("XDG_CACHE_HOME", "")
    parent = Path(base) if Path(base).is_absolute() else Path("~/.cache")
    try:
        folder = (Path(asked) if asked else parent / "foreword").expanduser()
    except RuntimeError:
        _log.warning("going on without a score cache: no home folder; set FOREWORD_CACHE to one")
        return None
    return Cache(folder, max_bytes=_max_bytes(os.environ.get("FOREWORD_CACHE_GIB", "")))


def _max_bytes(words: str) -> int:
    try:
        gib = float(words or 2)
    except ValueError:
        gib = -1.0
    if not 0 < gib < float("inf"):
        raise UsageError(
            f"FOREWORD_CACHE_GIB is '{words}' and must be a number above 0; to do without a "
            "cache: FOREWORD_CACHE=off"
        )
    return int(gib * GIB)
