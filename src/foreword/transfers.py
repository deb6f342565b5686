"""HTTP requests that end in time, whatever the other side does.

A time limit on each read is none: who sends a byte a second, in the headers or in the body, is read
for ever. Here a request is a task of an event loop, which can be ended wherever it stands.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import CancelledError
from typing import Any, NamedTuple

import httpx2


class TooLongError(Exception):
    """An answer is longer than is read."""


class PackedError(Exception):
    """An answer is compressed, though that was not asked for: a megabyte can hold a thousand."""


class Answer(NamedTuple):
    """What a server answered, as it was sent."""

    status: int
    headers: Mapping[str, str]
    data: bytes
    is_whole: bool = True
    """False where `data` ends at a limit."""


class Transfers:
    """Requests to a server, from any number of threads.

    Args:
        headers: of every request.
        max_connections: kept open at most.
        timeout_s: for one request, from its first byte to the last of the answer.
        most_bytes: of an answer to `request`.
        idle_s: for one read; by default as long as for the whole.
    """

    def __init__(
        self,
        *,
        headers: Mapping[str, str],
        max_connections: int,
        timeout_s: float,
        most_bytes: int = 0,
        idle_s: float | None = None,
    ) -> None:
        self._timeout_s = timeout_s
        self._most_bytes = most_bytes
        self._client = httpx2.AsyncClient(
            headers=dict(headers) | {"Accept-Encoding": "identity"},
            timeout=httpx2.Timeout(idle_s or timeout_s, connect=min(timeout_s, 30.0)),
            limits=httpx2.Limits(
                max_connections=max_connections, max_keepalive_connections=max_connections
            ),
        )
        self._lock = threading.Lock()
        self._is_closed = False
        self._asked: set[asyncio.Task[Any]] = set()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._run, name="foreword-transfers", daemon=True).start()

    def _run(self) -> None:
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    def request(
        self,
        method: str,
        url: str,
        *,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request and its whole answer, whatever its status. No redirection is followed.

        Raises:
            TimeoutError: it was not over in time.
            httpx2.RequestError: there is no connection, or it was dropped.
            TooLongError, PackedError: the answer is not read.
        """
        return self._wait_for(self._request(method, url, content, headers))

    def download(
        self, url: str, *, most_bytes: int, slowest: float, wanted: Callable[[int], bool]
    ) -> Answer:
        """What is at an address, as it is stored there, up to a limit. No redirection is followed.

        It takes at most `timeout_s` and, for each byte that came, 1/`slowest` seconds more. So a
        large file has its time where it comes at a bearable speed, and whatever the server says of
        its size, a trickle ends about as soon as silence.

        Args:
            url: the address.
            most_bytes: where to stop reading; nothing is read if more is announced.
            slowest: speed, in bytes a second.
            wanted: given a status, whether its body is worth reading; others are empty.

        Raises:
            TimeoutError: it was not over in time.
            httpx2.RequestError: there is no connection, or it was dropped.
        """
        return self._wait_for(self._download(url, most_bytes, slowest, wanted))

    def _wait_for(self, asking: Coroutine[Any, Any, Answer]) -> Answer:
        with self._lock:  # what is handed to a loop that ends would be waited for for ever
            if self._is_closed:
                asking.close()
                raise httpx2.RequestError("it was closed here")
            asked = asyncio.run_coroutine_threadsafe(self._noted(asking), self._loop)
        try:
            return asked.result()
        except CancelledError:
            raise httpx2.RequestError("it was closed here") from None
        finally:
            asked.cancel()

    async def _noted(self, asking: Coroutine[Any, Any, Answer]) -> Answer:
        """A request that `_end` knows of: what was handed over before it has begun by then."""
        task = asyncio.current_task()
        assert task is not None
        self._asked.add(task)
        try:
            return await asking
        finally:
            self._asked.discard(task)

    async def _request(
        self, method: str, url: str, content: bytes | None, headers: Mapping[str, str] | None
    ) -> Answer:
        data = bytearray()
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                self._client.stream(method, url, content=content, headers=headers) as response,
            ):
                if response.headers.get("Content-Encoding", "identity") != "identity":
                    raise PackedError
                async for chunk in response.aiter_raw():
                    data += chunk
                    if len(data) > self._most_bytes:
                        raise TooLongError
        except httpx2.TimeoutException as error:
            raise TimeoutError from error
        return Answer(response.status_code, response.headers, bytes(data))

    async def _download(
        self, url: str, most_bytes: int, slowest: float, wanted: Callable[[int], bool]
    ) -> Answer:
        data = bytearray()
        first_end = self._loop.time() + self._timeout_s
        try:
            async with (
                asyncio.timeout_at(first_end) as limit,
                self._client.stream("GET", url) as response,
            ):
                status, headers = response.status_code, response.headers
                if not wanted(status):
                    return Answer(status, headers, b"")
                if _announced(headers) > most_bytes:
                    return Answer(status, headers, b"", is_whole=False)
                async for chunk in response.aiter_raw():
                    data += chunk
                    if len(data) > most_bytes:
                        return Answer(status, headers, bytes(data[:most_bytes]), is_whole=False)
                    limit.reschedule(first_end + len(data) / slowest)
        except httpx2.TimeoutException as error:
            raise TimeoutError from error
        return Answer(status, headers, bytes(data))

    def close(self) -> None:
        """End what is under way, and close the connections. Nothing can be asked any more."""
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                asyncio.run_coroutine_threadsafe(self._end(), self._loop)

    async def _end(self) -> None:
        # These alone: what they began to connect ends with them, and ended first it would complain.
        for task in self._asked:
            task.cancel()
        await asyncio.gather(*self._asked, return_exceptions=True)
        await self._client.aclose()
        self._loop.stop()


def _announced(headers: Mapping[str, str]) -> int:
    """How many bytes an answer says it has; 0 where it says no number."""
    said = headers.get("Content-Length", "")
    return int(said[:18]) if said.isdecimal() else 0
