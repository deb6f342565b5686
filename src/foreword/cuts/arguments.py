r"""Where the arguments of a control word end: `{…}`, `[…]`, `^x`, `\left(`."""

import re
from collections.abc import Iterable

from foreword.latex.arguments import Parameter
from foreword.latex.tokens import group_end

LONGEST_OPTION = 400
"""Characters within which a `[…]` must end to be an argument; else its `[` is a bracket."""

SHORT_SCRIPT = r"\s*(?:\{[^\\{}%]*\}|[^\\{}$&%\s])"
r"""An argument of `^` or `_` that needs no second look, as a pattern: see `script_end`."""

_SPACE = re.compile(r"\s*")
_TOKEN = re.compile(r"\s*(?:\\(?:[A-Za-z]+|(?s:.)|\Z)|%[^\n]*|\S)")
_BRACKET = re.compile(
    r"(?:[^\\{}\]%]|\\(?s:.))*(?:(?P<open>\{)|(?P<close>\})|(?P<bracket>\])|%[^\n]*|\\?\Z)"
)
r"""The next brace or bracket; with `\\?\Z` it always matches, so that it never has to go back."""
_BEFORE_OPTION = re.compile(r"\s*\[")
_LENGTH = re.compile(r"\s*\[\s*[+-]?(?:[\d.]+\s*(?:pt|em|ex|mm|cm|in|pc|mu)\b|[\d.]*\\)")


class UnbalancedError(ValueError):
    r"""A brace, a `\left` or an environment has no partner."""


def skip_space(text: str, at: int) -> int:
    """Offset of what stands next, white space passed over."""
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()


def braced_end(text: str, at: int) -> int:
    """Offset after the group that stands next; `at` itself where none does.

    Raises:
        UnbalancedError: the group does not end.
    """
    start = skip_space(text, at)
    if not text.startswith("{", start):
        return at
    end = group_end(text, start)
    if end is None:
        raise UnbalancedError(f"the brace at character {start} of the body is not closed")
    return end


def token_end(text: str, at: int) -> int:
    r"""Offset after the one token that stands next, as the delimiter after a `\left` does."""
    match = _TOKEN.match(text, at)
    return at if match is None else match.end()


def argument_end(text: str, at: int) -> int:
    r"""Offset after the argument that stands next: a group, or one token; `at` where there is none.

    >>> argument_end(r"\frac{1}2", 5), argument_end(r"\frac 12", 5), argument_end(r"\vec\ell x", 4)
    (8, 7, 8)

    Raises:
        UnbalancedError: a group does not end.
    """
    end = braced_end(text, at)
    if end > at:
        return end
    start, end = skip_space(text, at), token_end(text, at)
    return at if text[start:end] in ("}", "&", "$", r"\\") else end


def script_end(text: str, at: int) -> int:
    r"""Offset after the argument of a `^` or `_`; a word in it keeps its own groups.

    >>> script_end(r"x_\mathrm{eff}+1", 2), script_end("x_i+1", 2), script_end("x_{i+1}+1", 2)
    (14, 3, 7)

    Raises:
        UnbalancedError: a group does not end.
    """
    end = argument_end(text, at)
    if text.startswith("\\", skip_space(text, at)):
        while text.startswith("{", end):
            end = braced_end(text, end)
    return end


def option_end(text: str, at: int, *, sure: bool) -> int:
    r"""Offset after the `[…]` right at `at`; `at` itself where no optional argument stands there.

    Args:
        text: where to look.
        at: where the control word ends.
        sure: the word takes an optional argument. Otherwise only a `[…]` with a group right after
            it is one: `\E[X=1]` is a formula, `\cmd[a=1]{x}` is not.
    """
    last = text.rfind("]", at, at + LONGEST_OPTION) if text.startswith("[", at) else -1
    if last < 0 or not (sure or text.find("]{", at, last + 2) >= 0):
        return at
    depth = 0
    for match in _BRACKET.finditer(text, at + 1, last + 1):
        kind = match.lastgroup
        depth += (kind == "open") - (kind == "close")
        if depth < 0:
            break
        if kind == "bracket" and depth == 0:
            return match.end() if sure or text.startswith("{", match.end()) else at
    return at


def row_end(text: str, at: int) -> int:
    r"""Offset after the star and the `[2pt]` of a row's `\\`."""
    at += text.startswith("*", at)
    if _BEFORE_OPTION.match(text, at) is None:
        return at
    return option_end(text, skip_space(text, at) if _LENGTH.match(text, at) else at, sure=True)


def call_end(parameters: Iterable[Parameter], text: str, at: int) -> int:
    r"""Offset after the arguments of a macro that takes these; what is not there is passed over.

    >>> from foreword.latex.arguments import signature
    >>> text = r"\norm*[\big]{x}+1"
    >>> text[call_end(signature("s o m"), text, 5):]
    '+1'

    Raises:
        UnbalancedError: a group does not end.
    """
    for parameter in parameters:
        if parameter.kind == "group":
            at = argument_end(text, at)
        elif parameter.kind == "mark":
            start = skip_space(text, at)
            at = start + 1 if text.startswith(parameter.delimiters, start) else at
        elif parameter.delimiters == "[]":
            at = option_end(text, skip_space(text, at), sure=True)
        else:
            at = _delimited_end(text, at, *parameter.delimiters)
    return at


def _delimited_end(text: str, at: int, opening: str, closing: str) -> int:
    """Offset after an option between other delimiters; `at` itself where there is none."""
    start = skip_space(text, at)
    if not text.startswith(opening, start):
        return at
    end = text.find(closing, start + 1, start + LONGEST_OPTION)
    return end + 1 if end >= 0 else at
