"""Requests to one server, again where it has no answer, and never for more than can be held."""

import json
import logging
import random
import threading
import time
from collections.abc import Callable
from importlib.metadata import version

import httpx2

from foreword.errors import ModelError
from foreword.remote import one_line, plain_url, retry_after_s
from foreword.store import JSON
from foreword.transfers import Answer, PackedError, TooLongError, Transfers

MAX_TRIES = 8
_MAX_TRIES_IN_TIME = 3
"""For a server that takes a request and then says nothing: a try takes minutes."""
_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 30.0
_LONGEST_WAIT_S = 120.0
"""Longer than this no request waits, even if the server asks for it: it has no answer this time."""
_LARGEST_ANSWER = 64 * 2**20
_MOST_LOST = 16
"""After so many requests in a row without an answer the run ends: the server is down."""
_AGAIN = frozenset({408, 409, 425, 429})
_NO_USE = frozenset({401, 403, 404, 405, 407, 410, 501})
_KEY = "FOREWORD_SCORER_KEY"
_log = logging.getLogger(__name__)


class NoAnswerError(Exception):
    """Every try was for nothing; another run may have more luck."""


class NoUseError(ModelError):
    """The server says no to every request of this kind; the message says what to do."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class RejectedError(ValueError):
    """The server answered that it won't do this request."""


class _Again(Exception):  # noqa: N818 - no error, a try that was for nothing
    def __init__(self, why: str, asked_s: float | None = None, max_tries: int = MAX_TRIES) -> None:
        super().__init__(why)
        self.asked_s = asked_s
        self.max_tries = max_tries


class Link:
    """What asks one server, from any number of threads. The payload is the same at every try.

    Args:
        url: the base URL, to which paths are added.
        key: sent as a bearer token; nothing shows it.
        max_connections: kept open at most.
        timeout_s: for one try.
        sleep: waits, given seconds.
        clock: seconds since 1970.
        seed: of the pauses' random part.
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        max_connections: int = 8,
        timeout_s: float = 300.0,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
        seed: int = 0,
    ) -> None:
        self.url = plain_url(url)
        self.max_connections = max_connections
        self._has_key = key is not None
        self._timeout_s = timeout_s
        self._sleep = sleep
        self._clock = clock
        self._random = random.Random(seed)  # noqa: S311 (no secret)
        self._lost = 0
        self._lock = threading.Lock()
        headers = {"User-Agent": f"foreword/{version('foreword')}"}
        self._transfers = Transfers(
            headers=headers | ({"Authorization": f"Bearer {key}"} if key else {}),
            max_connections=max_connections,
            timeout_s=timeout_s,
            most_bytes=_LARGEST_ANSWER,
        )

    def close(self) -> None:
        """Close the connections."""
        self._transfers.close()

    def ask(self, path: str, body: JSON = None, *, max_tries: int = MAX_TRIES) -> JSON:
        """The JSON that the server answers: to a POST of the body, or to a GET without one.

        Raises:
            NoAnswerError: it had all its tries, or wants to be left alone for long.
            RejectedError: it says no to this request.
            ModelError: it says no to all such requests (`NoUseError`), or is down.
        """
        content = None if body is None else json.dumps(body).encode()
        for tries in range(1, max_tries + 1):
            pause_s = min(_FIRST_PAUSE_S * 2 ** (tries - 1), _LONGEST_PAUSE_S)
            try:
                answer = self._once(path, content)
            except _Again as again:
                if (again.asked_s or 0) > _LONGEST_WAIT_S:
                    self._lose(f"{again}, and asks to be left alone for {again.asked_s:.0f} s")
                if tries >= min(max_tries, again.max_tries):
                    self._lose(f"{again}, {tries} times over" if tries > 1 else str(again))
                wait_s = self._wait_s(again.asked_s, pause_s)
                _log.info("%s: %s; next try in %.1f s", self.url, again, wait_s)
            except RejectedError:
                self._lost = 0
                raise
            else:
                self._lost = 0
                return answer
            self._sleep(wait_s)
        raise AssertionError("a request has one try at least")

    def _wait_s(self, asked_s: float | None, pause_s: float) -> float:
        """Never sooner than the server asks; a random part keeps threads from coming at once."""
        with self._lock:
            part = self._random.random()
        return asked_s * (1 + part / 4) if asked_s else pause_s * (1 + part) / 2

    def _lose(self, why: str) -> None:
        with self._lock:
            self._lost += 1
            lost = self._lost
        if lost >= _MOST_LOST:
            raise ModelError(
                f"{self.url} gave no answer to the last {lost} requests ({why}). "
                "What was finished is kept: run the same command later"
            ) from None
        raise NoAnswerError(why) from None

    def _once(self, path: str, content: bytes | None) -> JSON:
        headers = {} if content is None else {"Content-Type": "application/json"}
        method = "GET" if content is None else "POST"
        try:
            said = self._transfers.request(
                method, self.url + path, content=content, headers=headers
            )
        except TimeoutError:
            words = f"no whole answer came within {self._timeout_s:g} s"
            raise _Again(words, max_tries=_MAX_TRIES_IN_TIME) from None
        except PackedError:
            raise RejectedError("the answer is compressed, which was not asked for") from None
        except TooLongError:
            raise RejectedError(f"the answer is longer than {_LARGEST_ANSWER:,} bytes") from None
        except (httpx2.ConnectError, httpx2.ProxyError) as error:
            raise _Again(f"no connection ({one_line(str(_first_cause(error)), 100)})") from None
        except httpx2.RequestError as error:
            words = one_line(str(error), 100) or type(error).__name__
            raise _Again(f"the connection was dropped ({words})") from None
        if said.status != 200:
            raise self._refusal(said)
        try:
            return json.loads(said.data)
        except (ValueError, RecursionError):
            raise _Again("the answer is no JSON") from None

    def _refusal(self, said: Answer) -> Exception:
        """What an answer with another status than 200 is raised as."""
        status, words = said.status, _words(said.data)
        because = f" ({status}): {words}" if words else f" ({status})"
        if status in _AGAIN or (status >= 500 and status not in _NO_USE):
            wait_s = retry_after_s(said.headers.get("Retry-After"), self._clock())
            return _Again(f"the server has no answer{because}", wait_s)
        if status == 401:
            what = "does not take this key" if self._has_key else "wants a key"
            what = f"{what}{because}: set {_KEY} in the environment"
            return NoUseError(f"{self.url} {what}", status)
        if status < 400:
            what = f"sends elsewhere ({status}): give the URL it leads to"
            return NoUseError(f"{self.url} {what}", status)
        if status in _NO_USE or b'"model_not_found"' in said.data:
            what = "check the URL, which ends in /v1 as a rule, and the model after the '#'"
            return NoUseError(f"{self.url} refuses{because}: {what}", status)
        return RejectedError(f"the server refused it{because}")


def _first_cause(error: BaseException) -> BaseException:
    """What the system said, under the words of the libraries that passed it on."""
    while cause := error.__cause__ or error.__context__:
        error = cause.exceptions[0] if isinstance(cause, BaseExceptionGroup) else cause
    return error


def _words(data: bytes) -> str:
    """What an answer that is none says, in a line: OpenAI's shape, or FastAPI's, or plain text."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return one_line(data[:20_000].decode("utf-8", "replace"), 200)
    for name in ("error", "detail", "message", "msg"):
        while isinstance(found, list) and found:
            found = found[0]
        found = found.get(name, found) if isinstance(found, dict) else found
    return one_line(found, 200) if isinstance(found, str) else ""
