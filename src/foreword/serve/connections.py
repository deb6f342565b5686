"""Connections to the server: no more than there is room for, and none that only waits."""

import asyncio
import logging
import resource
import time
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_HEADERS_S = 30
"""Within so many seconds of its first byte, or of the connection, a request's headers are here."""
ACCEPTED_AT_ONCE = 64
"""Connections taken in one turn of the event loop; it takes four turns to close one again."""
_MOST = 2048
_SPARE = 64 + 4 * ACCEPTED_AT_ONCE
"""Open files left for all but connections that are kept."""
_QUIET_S = 60
_log = logging.getLogger(__name__)


class BoundedProtocol(H11Protocol):
    """One connection. Uvicorn itself has no limit but that of open files, where it fails."""

    _last_told = float("-inf")

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take it, or close it at once where there are too many."""
        super().connection_made(transport)
        most = most_connections()
        if len(self.connections) > most:
            self._tell(most)
            transport.abort()
        else:
            self._wait_for_headers()

    def data_received(self, data: bytes) -> None:
        """Bytes of a request."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._waiting is None:
            self._wait_for_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_headers(self) -> None:
        self._waiting = self.loop.call_later(_HEADERS_S, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._waiting:
            self._waiting.cancel()
            self._waiting = None

    @classmethod
    def _tell(cls, most: int) -> None:
        """Once a minute: who opens thousands must not fill the disk."""
        now = time.monotonic()
        if now - cls._last_told >= _QUIET_S:
            cls._last_told = now
            _log.warning("more than %d connections are open: new ones are closed at once", most)


def most_connections() -> int:
    """As many as there may be open files, less some for the rest."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return _MOST
    return min(_MOST, max(files - _SPARE, files // 4))
