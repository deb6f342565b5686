"""A TOML file that a user writes: its text, and each fault with its line and a sentence."""

import difflib
import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from foreword.errors import UsageError

if TYPE_CHECKING:
    from pydantic import BaseModel

Where = tuple[str | int, ...]
"""A field by the keys that lead to it; of a table in a list its number, from 0."""

_KINDS = {
    "tuple_type": "it should be a list, as in ['a', 'b']",
    "dict_type": "it should be a table, as in { a = 'b' }",
    "model_type": "it should be a table of its own, under a heading in brackets",
    "string_type": "it should be text in quotes",
}


def read_toml(path: Path, what: str) -> tuple[str, dict[str, Any]]:
    """The text of a TOML file, and what it says.

    Args:
        path: the file.
        what: what it should be, as `study file`, for the messages.

    Raises:
        UsageError: it is not there, not UTF-8 text, or not TOML.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        return text, tomllib.loads(text)
    except RecursionError as error:
        raise UsageError(f"{path} is nested too deeply to be a {what}") from error
    except FileNotFoundError as error:
        raise UsageError(f"there is no {what} {path}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} can't be read as UTF-8 text: {error}") from error
    except tomllib.TOMLDecodeError as error:
        hint = ". LaTeX goes into single quotes: '\\nabla'" if "Unescaped" in str(error) else ""
        raise UsageError(f"{path} is not TOML: {error}{hint}") from error


def explain(
    error: Any, model_at: Callable[[Where], "type[BaseModel]"], message: str | None = None
) -> tuple[Where, str]:
    """Where a field is wrong, and a sentence: what it should be, or the nearest right name.

    Args:
        error: one of a ValidationError's.
        model_at: the model of the table that a place is.
        message: to be said in place of pydantic's.
    """
    where: Where = tuple(error["loc"])
    name = ".".join(str(part) for part in where)
    if error["type"] == "extra_forbidden":
        known = list(model_at(where[:-1]).model_fields)
        near = difflib.get_close_matches(str(where[-1]), known, n=1)
        hint = f"did you mean '{near[0]}'? " if near else ""
        return where, f"there is no field {name}; {hint}It can be {', '.join(known)}"
    if message is None:
        message = _KINDS.get(error["type"], error["msg"].removeprefix("Value error, "))
    quiet = error["type"] in ("missing", "base_url") or isinstance(error["input"], dict)
    given = "" if quiet else f", not {error['input']!r:.80}"
    named = f"{name}: {message[:1].lower()}" if name else message[:1]
    return where, f"{named}{message[1:]}{given}"


def reports(path: Path, text: str, wrong: Iterable[tuple[Where, str]]) -> list[str]:
    r"""A line for each fault, `file:line: what`, in the order of the lines.

    >>> reports(Path("a.toml"), "x = 1\n[t]\ny = 2", [(("t", "y"), "no"), (("x",), "nor this")])
    ['a.toml:1: nor this', 'a.toml:3: no']
    """
    lines = _lines(text)
    placed = sorted((_line(lines, where), what) for where, what in wrong)
    return [f"{path}:{line}: {what}" for line, what in placed]


def _lines(text: str) -> dict[Where, int]:
    """The line of every table and key of a TOML file, by its path.

    Keys inside of inline tables and multi-line strings are not found; `_line` falls back to the
    line of what holds them.
    """
    lines: dict[Where, int] = {}
    table: Where = ()
    counts: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if match := re.match(r"\s*\[\[\s*([\w.-]+)\s*\]\]", line):
            counts[match[1]] = counts.get(match[1], -1) + 1
            table = (*match[1].split("."), counts[match[1]])
            lines[table] = number
        elif match := re.match(r"\s*\[\s*([\w.-]+)\s*\]", line):
            table = tuple(match[1].split("."))
            lines[table] = number
        elif match := re.match(r"\s*([\w.-]+|\"[^\"]*\"|'[^']*')\s*=", line):
            lines.setdefault((*table, *match[1].strip("\"'").split(".")), number)
    return lines


def _line(lines: dict[Where, int], where: Where) -> int:
    for length in range(len(where), 0, -1):
        if where[:length] in lines:
            return lines[where[:length]]
    return min((line for key, line in lines.items() if key[:1] == where[:1]), default=1)
