r"""What a stretch of an equation holds: its substance.

Bookkeeping (`\label{…}`, `\tag{…}`, `\nonumber`, `\notag`) is no substance.
"""

import re
from bisect import bisect_left, bisect_right

from foreword.latex.tokens import group_end

BOOKKEEPING = (r"\label", r"\tag", r"\nonumber", r"\notag")

_BOOKKEEPING = re.compile(
    r"\\(?:(?P<held>label|tag)|(?P<alone>nonumber|notag))(?![A-Za-z])|\\(?s:.)|%[^\n]*"
)
_HELD = re.compile(r"\\(?:label|tag\*?)\s*\{[^{}]*\}")
_UNREAD = re.compile(rf"{_HELD.pattern}|\\(?:nonumber|notag|q?quad)(?![A-Za-z])|\\[,;:!>]")
_LAYOUT = re.compile(
    r"\\(?:left|right|middle|[bB]igg?[lrm]?|display(?:style|limits)|limits|nolimits|mspace\{[^{}]*\}"
    r"|hspace\*?\{[^{}]*\}|allowbreak|noindent|hfill|strut)(?![A-Za-z])"
    r"|\\\\(?:\*?\[[^\[\]]*\])?|\\[ !]"
)
_END = ".,;:"

_SEAM = re.compile(r"[}$]|(?=\\)")
r"""Where a text can be read in parts but for labels: behind a `}` or a `$`, before a backslash."""
_PART = 250


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
    at = copied = 0
    while match := _BOOKKEEPING.search(text, at):
        at = match.end()
        if match.lastgroup is not None:
            kept.append(text[copied : match.start()])
            at = copied = _held_end(text, at) if match["held"] else at
    return "".join(kept) + text[copied:]


def _held_end(text: str, at: int) -> int:
    r"""Offset after what a `\label` or a `\tag` holds; `at` itself where that does not end."""
    brace = at + text.startswith("*", at)
    return (group_end(text, brace) if text.startswith("{", brace) else None) or at


def likeness(text: str) -> str:
    r"""What two near-duplicates of a formula have in common: no layout, sizes or alignment either.

    >>> likeness(r"x &= \left(\frac{1}{2}\right) \\ & + 1,") == likeness(r"x = (\frac{1}{2})+1")
    True
    """
    return _LAYOUT.sub("", bare(text)).replace("&", "").rstrip(_END)


def bare(text: str) -> str:
    r"""What a formula says: no white space, no bookkeeping, no punctuation at its end.

    Two stretches that are equal here are the same mathematics, written with other spaces or labels.

    >>> bare(r"x + 1 \,. \label{eq:x} \nonumber")
    'x+1'
    """
    return _said(text).rstrip(_END)


def _said(text: str) -> str:
    return "".join(_UNREAD.sub("", text).replace("~", " ").split())


class BareText:
    r"""What any stretches of one text say, each part of it read but once.

    >>> text = r"so {x} + 1 \label{eq:x} holds"
    >>> BareText(text).between(3, 24) == bare(text[3:24]) == "{x}+1"
    True
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._seams = _seams(text)
        self._parts: dict[int, str] = {}

    def between(self, start: int, end: int) -> str:
        """What `bare` gives for the stretch between two offsets."""
        first, last = bisect_left(self._seams, start), bisect_right(self._seams, end) - 1
        if first >= last:
            return bare(self._text[start:end])
        before = _said(self._text[start : self._seams[first]])
        after = _said(self._text[self._seams[last] : end])
        return "".join([before, *map(self._part, range(first, last)), after]).rstrip(_END)

    def _part(self, number: int) -> str:
        part = self._parts.get(number)
        if part is None:
            part = _said(self._text[self._seams[number] : self._seams[number + 1]])
            self._parts[number] = part
        return part


def _seams(text: str) -> list[int]:
    r"""Offsets that nothing `bare` leaves out goes across, whatever stretch it is read in.

    Only what a label holds may go on behind a `}` or a `$`, or have a backslash in its middle.
    """
    seams: list[int] = []
    labels = _HELD.finditer(text)
    label = next(labels, None)
    at = 0
    while match := _SEAM.search(text, at):
        seam = match.end()
        while label is not None and label.end() <= seam:
            label = next(labels, None)
        if label is not None and label.start() < seam:
            seam = label.end()
        seams.append(seam)
        at = seam + _PART
    return seams


def substance(text: str) -> int:
    r"""How many characters a formula has besides white space and bookkeeping.

    >>> substance(r" x = 1 \label{eq:x}")
    3
    """
    return len("".join(without_bookkeeping(text).split()))
