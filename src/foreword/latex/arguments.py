"""The arguments of a command: groups in braces, options in brackets, control words."""

import re
from collections import deque
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

_BRACE = re.compile(r"[^\\%{}]*(?:(?P<open>\{)|(?P<close>\})|\\(?s:.)?|%[^\n]*|\Z)")
_BLANKS = re.compile(r"(?:\s|%[^\n]*\n)*")
_CONTROL = re.compile(r"\\(?P<name>[A-Za-z@]+|[^A-Za-z@])", re.DOTALL)
_IN_OPTION = re.compile(r"(?:[^\\%{}\]]+|\\(?s:.)|%[^\n]*)*")
_LONGEST_OPTION = 500
_MOST_GROUPS = 20
_DEEPEST = 250
"""Groups that are open at once; TeX itself takes 255 and no more."""
_MARK = r"[^\sA-Za-z0-9\\{}#%]"
_KIND = re.compile(rf"[\s+]*(?:[msoO]|t\s*{_MARK}|[dDrR]\s*{_MARK}\s*{_MARK})")
_MOST_PARAMETERS = 9


def brace_pairs(text: str) -> dict[int, int]:
    r"""Offset of each `{` that is closed, with the offset of its `}`.

    Where more are open than TeX can bear, the outermost count as never closed: so a text can be
    looked through group by group, each whole, and takes no longer than that many passes over it.

    >>> brace_pairs(r"{a\}{b}}")
    {4: 6, 0: 7}
    """
    pairs: dict[int, int] = {}
    waiting: deque[int] = deque(maxlen=_DEEPEST)
    for match in _BRACE.finditer(text):
        kind = match.lastgroup
        if kind == "open":
            waiting.append(match.end() - 1)
        elif kind == "close" and waiting:
            pairs[waiting.pop()] = match.end() - 1
    return pairs


class Arguments:
    r"""Reads one argument after the other, from `at` on; what is not there leaves `at` alone.

    >>> source = r"*{\half}[1]{\frac{1}{#1}} and so on"
    >>> read = Arguments(source, 0, brace_pairs(source))
    >>> read.star(), read.control(), read.option(), read.group(), source[read.at:]
    (True, 'half', '1', '\\frac{1}{#1}', ' and so on')
    """

    def __init__(self, text: str, at: int, pairs: Mapping[int, int]) -> None:
        self._text = text
        self.pairs = pairs
        self.at = at

    def _next(self) -> int:
        """Offset of what comes after blanks and comments."""
        return _BLANKS.match(self._text, self.at).end()  # type: ignore[union-attr]

    def star(self) -> bool:
        """Whether a `*` comes next."""
        return self.literal("*")

    def literal(self, text: str) -> bool:
        """Whether these characters come next."""
        start = self._next()
        if not self._text.startswith(text, start):
            return False
        self.at = start + len(text)
        return True

    def group(self) -> str | None:
        """What stands in the braces that come next."""
        start = self._next()
        end = self.pairs.get(start)
        if end is None:
            return None
        self.at = end + 1
        return self._text[start + 1 : end]

    def option(self) -> str | None:
        """What stands in the brackets that come next; brackets in braces close nothing."""
        start = self._next()
        if not self._text.startswith("[", start):
            return None
        at, limit = start + 1, start + _LONGEST_OPTION
        if self._text.find("]", at, limit + 1) < 0:
            return None
        for _ in range(_MOST_GROUPS):
            at = _IN_OPTION.match(self._text, at, limit).end()  # type: ignore[union-attr]
            if self._text.startswith("]", at):
                self.at = at + 1
                return self._text[start + 1 : at]
            if at not in self.pairs:
                return None
            at = self.pairs[at] + 1
        return None

    def token(self) -> str | None:
        r"""The control word or symbol that comes next, bare, without its backslash."""
        match = _CONTROL.match(self._text, self._next())
        if match is None:
            return None
        self.at = match.end()
        return match["name"]

    def control(self) -> str | None:
        r"""The control word or symbol that comes next, as `\name` or as `{\name}`."""
        before = self.at
        inside = self.literal("{")
        name = self.token()
        if name is None or (inside and not self.literal("}")):
            self.at = before
            return None
        return name

    def pattern(self, pattern: re.Pattern[str]) -> str | None:
        """What matches right here, blanks not skipped."""
        match = pattern.match(self._text, self.at)
        if match is None:
            return None
        self.at = match.end()
        return match.group()


class Parameter(NamedTuple):
    """One argument that a macro takes."""

    kind: Literal["group", "option", "mark", "needed"]
    """`{…}` or one token; what stands between two delimiters; a star or the like; an option that
    must be there."""
    delimiters: str = ""
    """The two of an option; the one character of a mark."""
    default: str | None = None
    """Of an option that is not there; None where that can be asked (`\\IfNoValueTF`)."""


@lru_cache(maxsize=1000)
def signature(specification: str) -> tuple[Parameter, ...] | None:
    r"""What a macro takes, by its xparse specification; None for what we do not know how to read.

    >>> [(one.kind, one.delimiters, one.default) for one in signature("s O{1} +m")]
    [('mark', '*', None), ('option', '[]', '1'), ('group', '', None)]
    >>> signature("v") is None
    True
    """
    read = Arguments(specification, 0, brace_pairs(specification))
    found: list[Parameter] = []
    while text := read.pattern(_KIND):
        bare = "".join(text.split()).lstrip("+")
        letter, marks = bare[0], bare[1:]
        default = read.group() if letter in "ODR" else None
        if letter in "ODR" and (
            default is None or "#" in default or len(default) > _LONGEST_OPTION
        ):
            return None
        found.append(_parameter(letter, marks, default))
        if len(found) > _MOST_PARAMETERS:
            return None
    is_whole = not specification[read.at :].strip()
    return tuple(found) if is_whole else None


def _parameter(letter: str, marks: str, default: str | None) -> Parameter:
    if letter == "m":
        return Parameter("group")
    if letter in "st":
        return Parameter("mark", marks or "*")
    return Parameter("needed" if letter in "rR" else "option", marks or "[]", default)
