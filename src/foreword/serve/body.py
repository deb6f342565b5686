"""The body of a request: read within bounds, and JSON without surprises."""

import asyncio
import json
from contextlib import suppress
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from foreword.serve.refusal import RefusedError

_BODY_S = 60
"""Within so many seconds a body must be here."""
_DRAIN_S = 2
"""For so long what is too much is read and dropped: while they send, clients read no answer."""
_NAMED = 3
"""Faults of a body that are named."""
Kind = TypeVar("Kind", bound=BaseModel)


async def read_body(request: Request, most: int) -> bytes:
    """The body, if it is no larger than `most` bytes; no more than that is ever held.

    Raises:
        RefusedError: it is larger, or doesn't come.
        ClientDisconnect: the client is gone.
    """
    declared = request.headers.get("content-length", "0")
    too_large = not declared.isdecimal() or int(declared[:20]) > most
    data = bytearray()
    try:
        async with asyncio.timeout(_BODY_S):
            stream = request.stream()
            if not too_large:
                async for chunk in stream:
                    if len(data) + len(chunk) > most:
                        too_large = True
                        break
                    data += chunk
            if too_large:
                data.clear()
                await _drop(stream)
    except TimeoutError:
        raise _closing(RefusedError(408, f"the body did not come within {_BODY_S} s")) from None
    if too_large:
        raise _closing(RefusedError(413, f"the body is larger than {most:,} bytes"))
    return bytes(data)


async def _drop(stream: Any) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_S):
            async for _ in stream:
                continue


def _closing(error: RefusedError) -> RefusedError:
    """The connection ends with this answer, as the rest of the body may be on its way."""
    error.headers["Connection"] = "close"
    return error


def parsed(body: bytes, kind: type[Kind]) -> Kind:
    """What a body says.

    Raises:
        RefusedError: it is no JSON, or not of this kind; the message names what is wrong, and
            repeats no value.
    """
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_number)
        if b"\\u" in body:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise RefusedError(400, "the body is nested too deeply") from None
    except UnicodeEncodeError:
        raise RefusedError(400, "the body holds half a surrogate pair, which is no text") from None
    except UnicodeDecodeError as error:
        raise RefusedError(400, f"the body is not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise RefusedError(400, f"the body is not JSON: {error.msg.lower()} at {where}") from None
    except ValueError as error:
        raise RefusedError(400, f"the body holds a number that can't be: {error}") from None
    if not isinstance(value, dict):
        raise RefusedError(400, "the body must be a JSON object")
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False, include_context=False)
    raise RefusedError(
        400,
        "; ".join(_sentence(fault) for fault in faults[:_NAMED]),
        param=_where(faults[0]["loc"][:1]) or None,
    )


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


def _sentence(fault: Any) -> str:
    where = _where(fault["loc"])
    if fault["type"] == "extra_forbidden":
        return f"this server has no field {where}"
    if fault["type"] == "missing":
        return f"{where} is missing"
    message = fault["msg"].removeprefix("Value error, ")
    return f"{where}: {message[:1].lower()}{message[1:]}" if where else message


def _where(location: Any) -> str:
    """A place in the body; a name that the client chose is cut."""
    return "".join(f"[{at}]" if isinstance(at, int) else f".{at}" for at in location)[1:80]
