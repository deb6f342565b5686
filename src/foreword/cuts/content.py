r"""What a stretch of an equation holds: its substance.

Bookkeeping (`\label{…}`, `\tag{…}`, `\nonumber`, `\notag`) is no substance.
"""

import re

from foreword.latex.tokens import group_end, tokens

BOOKKEEPING = (r"\label", r"\tag", r"\nonumber", r"\notag")

_UNREAD = re.compile(
    r"\\(?:label|tag\*?)\s*\{[^{}]*\}|\\(?:nonumber|notag|q?quad)(?![A-Za-z])|\\[,;:!>]|[\s~]+"
)

_LAYOUT = re.compile(
    r"\\(?:left|right|middle|[bB]igg?[lrm]?|display(?:style|limits)|limits|nolimits|mspace\{[^{}]*\}"
    r"|hspace\*?\{[^{}]*\}|allowbreak|noindent|hfill|strut)(?![A-Za-z])"
    r"|\\\\(?:\*?\[[^\[\]]*\])?|\\[ !]|[&~]"
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


def likeness(text: str) -> str:
    r"""What two near-duplicates of a formula have in common: no layout, sizes or alignment either.

    >>> likeness(r"x &= \left(\frac{1}{2}\right) \\ & + 1,") == likeness(r"x = (\frac{1}{2})+1")
    True
    """
    return _LAYOUT.sub("", bare(text)).rstrip(".,;:")


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
