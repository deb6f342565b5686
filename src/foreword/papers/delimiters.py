r"""`\DeclarePairedDelimiter` and its kin, of the package mathtools, as definitions."""

import re

from foreword.latex.arguments import Arguments
from foreword.latex.comments import strip_comments
from foreword.latex.expand import join
from foreword.papers.definitions import Definition, with_signature

_CHARACTER = re.compile(r"\s*[^\s\\{}%#]")
_FIRST = re.compile(r"\s*(?:\\[A-Za-z@]+|\\(?s:.)|(?s:.))")
_PARAMETER = re.compile(r"#([1-9])")
_SIZE = re.compile(r"\\delimsize(?![A-Za-z@])\s*")
_MOST = 7
_LEFT = r"( [ \{ \lbrace \lbrack \langle \lvert \lVert \lfloor \lceil \lgroup \ulcorner \llcorner"
_RIGHT = r") ] \} \rbrace \rbrack \rangle \rvert \rVert \rfloor \rceil \rgroup \urcorner \lrcorner"
_OPENS, _CLOSES = frozenset(_LEFT.split()), frozenset(_RIGHT.split())
"""Delimiters that open, and that close, by themselves."""
_BARS = {"|": "vert", r"\vert": "vert", r"\|": "Vert", r"\Vert": "Vert"}


def paired(name: str, definer: str, arguments: Arguments) -> Definition | None:
    r"""What a definer of a pair of delimiters defines; None where its arguments are not there.

    The star stretches the pair, an option gives its size: the body says both in xparse's words.

    >>> from foreword.latex.arguments import brace_pairs
    >>> source = r"{\lVert}{\rVert}"
    >>> read = Arguments(source, 0, brace_pairs(source))
    >>> print(paired("norm", "DeclarePairedDelimiter", read).body.replace("{\\If", "\n  {\\If"))
    \IfBooleanTF{#1}{\left\lVert#3\right\rVert}
      {\IfNoValueTF{#2}{\lVert#3\rVert}{\mathopen#2\lVert#3\mathclose#2\rVert}}
    """
    is_simple, has_around = definer == "DeclarePairedDelimiter", definer.endswith("XPP")
    number = "1" if is_simple else (arguments.option() or "").strip()
    before = arguments.group() if has_around else ""
    left, right = _delimiter(arguments), _delimiter(arguments)
    after = arguments.group() if has_around else ""
    inside = "#1" if is_simple else arguments.group()
    if None in (before, left, right, after, inside) or not re.fullmatch(f"[1-{_MOST}]", number):
        return None
    around = (before or "", left or "", right or "", after or "")
    parts = [_PARAMETER.sub(_shifted, strip_comments(part)) for part in (*around, inside or "")]
    starred = _whole(parts, r"\left", r"\right", r"\middle")
    plain = _whole(parts, "", "", "")
    sized = _whole(parts, r"\mathopen#2", r"\mathclose#2", "#2")
    body = rf"\IfBooleanTF{{#1}}{{{starred}}}{{\IfNoValueTF{{#2}}{{{plain}}}{{{sized}}}}}"
    return with_signature(Definition(name, body, is_new=True), "s o" + " m" * int(number))


def _delimiter(arguments: Arguments) -> str | None:
    """A group, a control word or one character."""
    found = arguments.group()
    if found is None:
        word = arguments.token()
        found = arguments.pattern(_CHARACTER) if word is None else f"\\{word}"
    return None if found is None else found.strip()


def _shifted(match: re.Match[str]) -> str:
    """The star and the option come before the arguments of the paper."""
    return f"#{int(match[1]) + 2}" if int(match[1]) <= _MOST else match[0]


def _whole(parts: list[str], opening: str, closing: str, size: str) -> str:
    before, left, right, after, inside = parts
    if not opening:
        left, right = _as_class(left, _OPENS, "l"), _as_class(right, _CLOSES, "r")
    made = ""
    for part in (before, opening, left, inside, closing, right, after):
        made = join(made, _SIZE.sub(lambda _: size, part))
    return made


def _as_class(delimiter: str, known: frozenset[str], side: str) -> str:
    r"""A delimiter that is one by itself: `|` is `\lvert`, `/` needs a `\mathopen`."""
    first = _FIRST.match(delimiter)
    if delimiter in _BARS:
        return f"\\{side}{_BARS[delimiter]}"
    if not delimiter or (first and first.group().strip() in known):
        return delimiter
    return join(r"\mathopen" if side == "l" else r"\mathclose", delimiter)
