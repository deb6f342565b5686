"""What a client is told when it is not given what it asked for, in the shape of OpenAI's errors."""

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

CLIENT_GONE = 499
"""What is counted for a request whose client went away; nobody is there to read it."""
_KINDS = {401: "authentication_error", 429: "rate_limit_error"}


class RefusedError(Exception):
    """A request that is not answered; `str()` is a sentence that says why, for the client."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str | None = None,
        param: str | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.param = param
        self.headers: dict[str, str] = {}
        if retry_after_s is not None:
            self.headers["Retry-After"] = str(retry_after_s)

    @property
    def response(self) -> Response:
        """The answer that says so."""
        return _response(
            self.status, str(self), code=self.code, param=self.param, headers=self.headers
        )


def _response(
    status: int,
    message: str,
    *,
    code: str | None = None,
    param: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    kind = _KINDS.get(status, "server_error" if status >= 500 else "invalid_request_error")
    error = {"message": message, "type": kind, "param": param, "code": code}
    return JSONResponse({"error": error}, status, headers)


async def refused(_: Request, error: Exception) -> Response:
    """The answer to a request that a route refused."""
    assert isinstance(error, RefusedError)
    return error.response


async def no_such_route(request: Request, error: Exception) -> Response:
    """The answer where the address or the method is not one of ours."""
    assert isinstance(error, HTTPException)
    where = f"{request.method} {request.url.path}"[:200]
    return _response(error.status_code, f"there is no {where} here", headers=error.headers)


async def gone(*_: Any) -> Response:
    """No answer: the client went away."""
    return Response(status_code=CLIENT_GONE)


async def broken(*_: Any) -> Response:
    """The answer where we have a bug; what the bug is, is not for the client."""
    return _response(500, "the server has a fault that it did not expect; its log says where")
