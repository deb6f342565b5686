"""What stands before every route: the token, the count, and the last place an error can reach."""

import asyncio
import hmac
import logging
import time

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from foreword.serve.meters import Meters
from foreword.serve.refusal import CLIENT_GONE, RefusedError

_log = logging.getLogger(__name__)
_SEND_S = 60
"""A client that takes in nothing for so many seconds is let go."""
OPEN = "/health"
"""What is answered without a token."""


class Guard:
    """An application that answers only who has the token, and counts what it answers."""

    def __init__(
        self, app: ASGIApp, *, token: str | None, meters: Meters, routes: frozenset[str]
    ) -> None:
        self._app = app
        self._token = token
        self._meters = meters
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        route = scope["path"] if scope["path"] in self._routes else "other"
        status = CLIENT_GONE
        start = time.monotonic()

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            async with asyncio.timeout(_SEND_S):
                await send(message)

        try:
            await self._answer(scope, receive, counted)
        except TimeoutError:
            _log.warning("a client of %s took in nothing for %d s", route, _SEND_S)
        finally:
            self._meters.requests.labels(route, str(status)).inc()
            self._meters.request_seconds.labels(route).observe(time.monotonic() - start)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._may_enter(scope):
            error = RefusedError(401, "the bearer token is missing or wrong")
            error.headers["WWW-Authenticate"] = "Bearer"
            await error.response(scope, receive, send)
            return
        try:
            await self._app(scope, receive, send)
        except TimeoutError:
            raise
        except Exception as error:  # noqa: BLE001 - our own bug: the answer was sent, a 500
            # Not the message, nor the values: there can be text of a prompt in them.
            _log.error("a request failed: %s in %s", type(error).__name__, _place(error))

    def _may_enter(self, scope: Scope) -> bool:
        if self._token is None or scope["path"] == OPEN:
            return True
        given = dict(scope["headers"]).get(b"authorization", b"")
        kind, _, token = given.partition(b" ")
        right = hmac.compare_digest(token.strip(), self._token.encode("utf-8", "surrogateescape"))
        return kind.lower() == b"bearer" and right


def _place(error: BaseException) -> str:
    """File and line that an error comes from."""
    place = error.__traceback__
    while place and place.tb_next:
        place = place.tb_next
    return f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place else "nowhere"
