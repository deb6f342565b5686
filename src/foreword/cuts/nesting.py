r"""Where in a paper something is open: an environment, a formula, a group, an option, a listing."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from foreword.cuts.prose import Prose
from foreword.latex.arguments import brace_pairs
from foreword.latex.environments import VERBATIM
from foreword.records import Macro, Paper

_LISTINGS = "|".join(re.escape(name) for name in sorted(VERBATIM, key=len, reverse=True))
_LISTING = re.compile(
    r"\\(?:verb|lstinline)(?![A-Za-z])\*?(?P<bar>[^\sA-Za-z*\[{])[^\n]{0,1000}?(?P=bar)"
    rf"|\\begin\s*\{{(?P<name>{_LISTINGS})\}}|\\(?s:.)"
)
_NO_LINE_END = re.compile(r"[^\n]")
_SIDE = re.compile(
    r"\\(?P<side>begin|end)\s*\{\s*(?P<environment>[^{}\\\n#]{1,100}?)\s*\}"
    r"|\\(?P<word>[A-Za-z@]+)|\\(?s:.)"
)
_OPTIONS = re.compile(r"\\[A-Za-z@]+\*?\s*(?:\[[^\[\]]{0,500}\]\s*)+")
_MOST_SIDES = 20
"""Openings and closings in one macro, those of the macros in it included; with more it has none."""

Side = tuple[Literal["begin", "end"], str]
"""The opening, or the closing, of an environment by its name."""

_OF_GROUPS: dict[str, Side] = {
    "begingroup": ("begin", "{"),
    "bgroup": ("begin", "{"),
    "endgroup": ("end", "{"),
    "egroup": ("end", "{"),
}
"""TeX's own words for a group; no environment has a brace in its name."""


class Stretch(NamedTuple):
    """A run of the text from where something opens to where it closes."""

    start: int
    end: int


def without_listings(text: str) -> str:
    r"""The text with a letter in place of every character of a listing, and of a `\verb`.

    The listing's own `\begin` and `\end` stay.

    >>> without_listings(r"\verb|{| and \begin{verbatim}$\end{verbatim}")
    'xxxxxxxx and \\begin{verbatim}x\\end{verbatim}'
    """
    parts: list[str] = []
    endless: set[str] = set()
    at = copied = 0
    while match := _LISTING.search(text, at):
        at = match.end()
        if match["bar"]:
            start, end = match.span()
        elif match["name"] and match["name"] not in endless:
            start, end = at, text.find(f"\\end{{{match['name']}}}", at)
            if end < 0:
                endless.add(match["name"])
                continue
        else:
            continue
        parts += (text[copied:start], _NO_LINE_END.sub("x", text[start:end]))
        at = copied = end
    return "".join(parts) + text[copied:]


def open_stretches(paper: Paper, text: str) -> list[Stretch]:
    """Where anything is open, in order, none in another.

    A closing without an opening is passed over; an opening without a closing is open to the end of
    the paper, so that nothing is cut behind it.

    Args:
        paper: whose displays and macros count too.
        text: its clean text without listings (`without_listings`).
    """
    found = [Stretch(display.start, display.end) for display in paper.displays]
    found += [Stretch(start, end + 1) for start, end in brace_pairs(text).items()]
    found += [Stretch(*match.span()) for match in _OPTIONS.finditer(text)]
    found += _formulas(paper)
    found += _environments(text, paper.macros)
    return _outermost(found)


def is_inside(at: int, stretches: Sequence[Stretch]) -> bool:
    """Whether something is open at an offset; at its very edges nothing is.

    >>> [is_inside(at, [Stretch(3, 5)]) for at in (3, 4, 5)]
    [False, True, False]
    """
    before = bisect_left(stretches, (at, 0)) - 1  # the last that starts before it
    return before >= 0 and at < stretches[before].end


def _outermost(found: Iterable[Stretch]) -> list[Stretch]:
    """Stretches that overlap as one."""
    kept: list[Stretch] = []
    for stretch in sorted(found):
        if kept and stretch.start < kept[-1].end:
            kept[-1] = Stretch(kept[-1].start, max(kept[-1].end, stretch.end))
        else:
            kept.append(stretch)
    return kept


def _formulas(paper: Paper) -> Iterator[Stretch]:
    """The inline formulas between the displays."""
    prose, at = Prose(paper), 0
    edges = [(display.start, display.end) for display in paper.displays]
    for start, end in (*sorted(edges), (len(paper.text), len(paper.text))):
        for formula in prose.formulas(at, max(at, start)):
            yield Stretch(formula.start, formula.end)
        at = max(at, end)


def _environments(text: str, macros: Iterable[Macro]) -> Iterator[Stretch]:
    """From each opening to its closing, whether written out or by a macro of the paper."""
    sides = _Sides(macros)
    waiting: list[tuple[str, int]] = []
    counts: Counter[str] = Counter()
    for match in _SIDE.finditer(text):
        for side, name in sides.of(match):
            if side == "begin":
                waiting.append((name, match.start()))
                counts[name] += 1
            while side == "end" and counts[name]:  # what is open in it is closed with it
                last, start = waiting.pop()
                counts[last] -= 1
                if last == name:
                    yield Stretch(start, match.end())
                    break
    for _, start in waiting:
        yield Stretch(start, len(text) + 1)


class _Sides:
    """What openings and closings a word stands for."""

    def __init__(self, macros: Iterable[Macro]) -> None:
        self._bodies = {macro.name: macro.body for macro in macros}
        self._known: dict[str, list[Side]] = {name: [side] for name, side in _OF_GROUPS.items()}

    def of(self, match: re.Match[str]) -> list[Side]:
        """Those of one match of `_SIDE`."""
        if match["environment"]:
            return [("begin" if match["side"] == "begin" else "end", match["environment"])]
        return self._by(match["word"]) if match["word"] else []

    def _by(self, name: str) -> list[Side]:
        if name not in self._known:
            self._known[name] = []  # a macro that comes up in itself has none there
            if body := self._bodies.get(name):
                found = [side for match in _SIDE.finditer(body) for side in self.of(match)]
                left = _without_pairs(found)
                self._known[name] = left if len(left) <= _MOST_SIDES else []
        return self._known[name]


def _without_pairs(sides: Iterable[Side]) -> list[Side]:
    """What is left of openings and closings that follow each other: first the closings."""
    left: list[Side] = []
    for side in sides:
        if side[0] == "end" and left and left[-1] == ("begin", side[1]):
            left.pop()
        else:
            left.append(side)
    return left
