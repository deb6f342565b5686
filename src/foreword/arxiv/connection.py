"""One connection that asks politely and again, and never for more than it can hold."""

from collections.abc import Callable
from types import TracebackType
from typing import NamedTuple, Self, TypeVar
from urllib.parse import urljoin, urlsplit

import httpx2

from foreword.arxiv.pace import MAX_WAIT_S, Pace, Tell, refused, silent, wants_rest
from foreword.arxiv.site import is_arxiv
from foreword.errors import FetchError
from foreword.remote import retry_after_s
from foreword.transfers import Transfers

Read = TypeVar("Read")

MAX_TRIES = 8
"""With doubling pauses, more than six minutes."""
_MAX_TRIES_IN_VAIN = 4
"""Where no connection comes about, or nothing whole comes in time: a try takes long."""
_FIRST_PAUSE_S = 3.0
_MAX_HOPS = 5
_BUSY = frozenset({408, 425, 429, 502, 503, 504})
_MOVED = frozenset({301, 302, 303, 307, 308})
_TIMEOUT_S = 120.0
"""For a request, and a second more for as many bytes as `_SLOWEST` says: 200 MB have 5.6 hours."""
_SLOWEST = 10_000.0
_SILENCE_S = 60.0
"""No connection is held for longer that sends nothing."""


class Answer(NamedTuple):
    """What a server sent; `data` ends at the limit where `is_whole` is false."""

    status: int
    data: bytes
    is_whole: bool = True


class UnusableAnswerError(Exception):
    """An answer that a second try may better: empty, torn, or something else altogether."""


class NoUseError(FetchError):
    """Every try brought an answer that can't be used."""


class _Again(Exception):  # noqa: N818 - no error, a turn that was spent for nothing
    def __init__(
        self,
        why: str,
        *,
        wait_s: float,
        max_tries: int = MAX_TRIES,
        kind: type[FetchError] = FetchError,
    ) -> None:
        super().__init__(why)
        self.wait_s = wait_s
        self.max_tries = max_tries
        self.kind = kind


class _Moved(Exception):  # noqa: N818
    def __init__(self, url: str) -> None:
        self.url = url


class Connection:
    """A connection to one site, for one request at a time. Use it in a `with` block.

    Args:
        pace: whose turn it is.
        user_agent: how to name this program.
        tell: is told, in words, why it takes longer.
    """

    def __init__(self, pace: Pace, *, user_agent: str, tell: Tell = silent) -> None:
        self._pace = pace
        self._tell = tell
        self._transfers = Transfers(
            # asks for nothing packed: a source is kept as it is stored, and what is unpacked has
            # no size to check
            headers={"User-Agent": user_agent},
            max_connections=1,
            timeout_s=_TIMEOUT_S,
            idle_s=_SILENCE_S,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._transfers.close()

    def ask(
        self,
        url: str,
        read: Callable[[Answer], Read],
        *,
        limit_bytes: int,
        max_tries: int = MAX_TRIES,
    ) -> Read:
        """What `read` makes of the answer, after as many tries as are decent.

        A busy server, a dropped connection and an answer that `read` can't use are tried again,
        each time after a longer pause, or after the one that the server asks for.

        Args:
            url: what to ask for.
            read: raises `UnusableAnswerError` where another try may help.
            limit_bytes: where to stop reading.
            max_tries: for answers that `read` can't use.

        Raises:
            FetchError: the site refuses (403: at once), is not there, or had all its tries.
            NoUseError: it answers, with nothing that `read` can use.
        """
        hops = tries = 0
        while True:
            try:
                return self._once(url, read, limit_bytes, max_tries, _FIRST_PAUSE_S * 2**tries)
            except _Moved as moved:
                hops += 1
                if hops > _MAX_HOPS:
                    raise FetchError(f"{url} leads round in circles; try again later") from None
                url = moved.url
            except _Again as again:
                tries += 1
                if tries >= again.max_tries:
                    raise again.kind(
                        f"{url}: {again}, {tries} times over. What was finished is kept: "
                        "run the same command later"
                    ) from None
                self._tell(f"{urlsplit(url).hostname}: {again}; next try in {again.wait_s:.0f} s")

    def _once(
        self,
        url: str,
        read: Callable[[Answer], Read],
        limit_bytes: int,
        max_tries: int,
        pause_s: float,
    ) -> Read:
        """One turn, one request; where it was for nothing, the next turn comes later."""
        with self._pace.turn():
            try:
                return read(self._get(url, limit_bytes, pause_s))
            except httpx2.ConnectError as error:
                words = f"no connection ({error})"
                again = _Again(words, wait_s=pause_s, max_tries=_MAX_TRIES_IN_VAIN)
            except TimeoutError:
                words = "nothing whole came in time"
                again = _Again(words, wait_s=pause_s, max_tries=_MAX_TRIES_IN_VAIN)
            except httpx2.RequestError as error:
                again = _Again(f"the connection was dropped ({error})", wait_s=pause_s)
            except UnusableAnswerError as error:
                again = _Again(str(error), wait_s=pause_s, max_tries=max_tries, kind=NoUseError)
            except _Again as busy:
                again = busy
            self._pace.postpone(again.wait_s)
            raise again

    def _get(self, url: str, limit_bytes: int, pause_s: float) -> Answer:
        said = self._transfers.download(
            url, most_bytes=limit_bytes, slowest=_SLOWEST, wanted=_is_an_answer
        )
        if said.status == 403:
            self._pace.refuse()
            raise FetchError(refused(MAX_WAIT_S))
        if said.status in _BUSY:
            asked_s = retry_after_s(said.headers.get("Retry-After"), self._pace.clock())
            if asked_s is not None and asked_s > MAX_WAIT_S:
                self._pace.postpone(asked_s)
                raise FetchError(wants_rest(asked_s))
            raise _Again(
                f"the server is busy ({said.status})",
                wait_s=pause_s if asked_s is None else asked_s,
            )
        if said.status in _MOVED:
            raise _Moved(_followed(url, said.headers.get("Location", "")))
        return Answer(said.status, said.data, said.is_whole)


def _is_an_answer(status: int) -> bool:
    return status != 403 and status not in _BUSY and status not in _MOVED


def _followed(url: str, location: str) -> str:
    """Where a redirection leads; never to a stranger.

    Raises:
        FetchError: it leads to another site, or nowhere.
    """
    try:
        target = urljoin(url, location)
        here, there = urlsplit(url), urlsplit(target)
        httpx2.URL(target)
    except (ValueError, httpx2.InvalidURL):
        words = f"{url} sends to {location[:200]}, which is no address; nothing was read"
        raise FetchError(words) from None
    same = there.netloc == here.netloc or (
        is_arxiv(here.hostname or "") and is_arxiv(there.hostname or "")
    )
    if not same or there.scheme not in ("http", "https"):
        raise FetchError(f"{url} sends to {target[:200]}, which is another site; nothing was read")
    return target
