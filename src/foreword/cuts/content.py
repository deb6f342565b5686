r"""What a stretch of an equation holds: its substance, the macros it uses, whether it is a picture.

Bookkeeping (`\label{…}`, `\tag{…}`, `\nonumber`, `\notag`) is no substance.
"""

import re
from collections.abc import Iterable

from foreword.cuts.symbols import DIAGRAM_ENVIRONMENTS, DIAGRAM_WORDS
from foreword.latex.tokens import group_end, tokens
from foreword.records import Macro

BOOKKEEPING = (r"\label", r"\tag", r"\nonumber", r"\notag")

_NAME = re.compile(r"%[^\n]*|\\([A-Za-z]+|(?s:.))")
_BEGIN = re.compile(r"\\begin\s*\{([^{}]*)\}")
_UNREAD = re.compile(
    r"\\(?:label|tag\*?)\s*\{[^{}]*\}|\\(?:nonumber|notag|q?quad)(?![A-Za-z])|\\[,;:!>]|[\s~]+"
)


def tidy(text: str) -> str:
    """The text with each run of white space as one space, and none at its ends."""
    return " ".join(text.split())


def without_bookkeeping(text: str) -> str:
    r"""The text without labels, tags and what turns numbers off.

    >>> without_bookkeeping(r"x=1 \label{eq:x} \nonumber\\ y \tag*{A}")
    'x=1  \\\\ y '
    """
    if not any(word in text for word in BOOKKEEPING):
        return text
    kept: list[str] = []
    skip_to = 0
    for token in tokens(text):
        if token.start < skip_to:
            continue
        if token.text in (r"\label", r"\tag"):
            brace = token.end + text.startswith("*", token.end)
            closed = group_end(text, brace) if text.startswith("{", brace) else None
            skip_to = closed or token.end
        elif token.text not in BOOKKEEPING:
            kept.append(token.text)
    return "".join(kept)


def bare(text: str) -> str:
    r"""What a formula says: no white space, no bookkeeping, no punctuation at its end.

    Two stretches that are equal here are the same mathematics, written with other spaces or labels.

    >>> bare(r"x + 1 \,. \label{eq:x} \nonumber")
    'x+1'
    """
    return _UNREAD.sub("", text).rstrip(".,;:")


def substance(text: str) -> int:
    r"""How many characters a formula has besides white space and bookkeeping.

    >>> substance(r" x = 1 \label{eq:x}")
    3
    """
    return len("".join(without_bookkeeping(text).split()))


def used_macros(text: str, macros: Iterable[Macro]) -> tuple[Macro, ...]:
    r"""The definitions that a text uses, directly or through each other, in the order of names.

    Where a name is defined twice the later definition holds.

    >>> macros = [Macro(name=n, num_args=0, default=None, body=b) for n, b in
    ...           [("H", r"\hat{\K}"), ("K", "K"), ("L", "L")]]
    >>> [macro.name for macro in used_macros(r"\H=1", macros)]
    ['H', 'K']
    """
    defined = {macro.name: macro for macro in macros}
    found: dict[str, Macro] = {}
    waiting = [text]
    while waiting:
        for name in _names(waiting.pop()):
            if name in defined and name not in found:
                found[name] = defined[name]
                waiting.append(f"{found[name].default or ''} {found[name].body}")
    return tuple(found[name] for name in sorted(found))


def is_diagram(environment: str, body: str, macros: Iterable[Macro]) -> bool:
    r"""Whether a display is a picture, a proof tree or a table, by its words or its environments.

    >>> is_diagram("[", r"\xymatrix{A \ar[r] & B}", []), is_diagram("equation", r"\xi=y", [])
    (True, False)

    Args:
        environment: of the display.
        body: its body.
        macros: the paper's definitions that it uses.
    """
    macros = tuple(macros)
    own = {macro.name for macro in macros}
    texts = [body, *(macro.body for macro in macros)]
    environments = {environment}.union(*(_BEGIN.findall(text) for text in texts))
    words = set[str]().union(*(_names(text) for text in texts)) - own
    return bool(
        words & DIAGRAM_WORDS
        or {name.strip().rstrip("*") for name in environments} & DIAGRAM_ENVIRONMENTS
    )


def _names(text: str) -> set[str]:
    """The control words and symbols of a text, without their backslashes; comments left out."""
    return set(_NAME.findall(text)) - {""}
