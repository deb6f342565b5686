r"""TeX's own words: control words whole, escaped characters, groups, comments.

`\le` never matches inside `\left` or `\lesssim` when text is read through these tokens.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["word", "symbol", "open", "close", "shift", "comment", "space", "char"]


class Token(NamedTuple):
    """One token of LaTeX source."""

    kind: Kind
    r"""`word` \alpha, `symbol` \{, `open` {, `close` }, `shift` $, `comment` %… to the line's end
    (without the line end), `space` a run of white space, `char` any other character."""
    start: int
    end: int
    text: str


_TOKEN = re.compile(
    r"(?P<word>\\[A-Za-z]+)|(?P<symbol>\\(?s:.)|\\\Z)|(?P<open>\{)|(?P<close>\})|(?P<shift>\$)"
    r"|(?P<comment>%[^\n]*)|(?P<space>\s+)|(?P<char>.)"
)
_BRACE = re.compile(r"[^\\{}%]*(?:(?P<open>\{)|(?P<close>\})|\\(?s:.)|%[^\n]*|\Z)")
r"""The next brace, or what could hide one; `\Z` so that no run of text is gone through twice."""


def tokens(text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    r"""The tokens of a stretch of LaTeX source, in order, without gaps.

    >>> [token.text for token in tokens(r"\left\{x\le% half" + "\n" + r"y\}")]
    ['\\left', '\\{', 'x', '\\le', '% half', '\n', 'y', '\\}']
    """
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        kind: Kind = match.lastgroup  # type: ignore[assignment]
        yield Token(kind, match.start(), match.end(), match.group())


def token_at(text: str, start: int) -> Token:
    r"""The token that starts at an offset before the text's end.

    >>> token_at(r"a\le b", 1).text
    '\\le'
    """
    match = _TOKEN.match(text, start)
    if match is None:
        raise IndexError(f"no token starts at offset {start}")
    kind: Kind = match.lastgroup  # type: ignore[assignment]
    return Token(kind, match.start(), match.end(), match.group())


def group_end(text: str, start: int, end: int | None = None) -> int | None:
    r"""Offset just after the `}` that closes the group which opens at `start`; None if none does.

    >>> group_end(r"{a\}{b}}c", 0)
    8

    Raises:
        ValueError: there is no `{` at `start`.
    """
    if text[start : start + 1] != "{":
        raise ValueError(f"no group opens at offset {start}")
    depth = 0
    for match in _BRACE.finditer(text, start, len(text) if end is None else end):
        kind = match.lastgroup
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth -= 1
            if depth == 0:
                return match.end()
    return None
