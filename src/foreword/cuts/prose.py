r"""The formulas in a stretch of prose: `$…$`, `\(…\)`, and macros that stand for one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from foreword.latex.arguments import Arguments, brace_pairs
from foreword.latex.environments import VERBATIM
from foreword.latex.tokens import group_end, tokens
from foreword.records import Macro, Paper

LONGEST_FORMULA = 2_000
"""Characters within which an inline formula must end."""

_LISTINGS = "|".join(re.escape(name) for name in sorted(VERBATIM, key=len, reverse=True))
_STOP = re.compile(
    r"\\(?:verb|lstinline)(?![A-Za-z])\*?(?P<bar>[^\sA-Za-z*\[{])[^\n]{0,1000}?(?P=bar)"
    rf"|\\begin\s*\{{(?P<listing>{_LISTINGS})\}}"
    r"|\\(?:url|label|ref|eqref|cite[a-z]*|href|path|nolinkurl)(?![A-Za-z])\s*\{[^{}]{0,1000}\}"
    r"|\\(?P<word>[A-Za-z]+)|(?P<opening>\$(?!\$)|\\\()|\\(?s:.)|\$\$|%[^\n]*"
)
_EMPTY_LINE = re.compile(r"\n\s*\n")
_SHIFTED = re.compile(r"\s*\$[^$]+\$\s*(?:\\xspace\s*)?\Z")
_ENSURED = re.compile(r"\s*\\ensuremath\s*(?=\{)")
_XSPACE = re.compile(r"\s*(?:\\xspace\s*)?\Z")


@dataclass(frozen=True, slots=True)
class Formula:
    """One inline formula."""

    start: int
    end: int
    opening: str
    r"""`$` or `\(`; empty for a macro that stands for a formula, `$` and all."""
    body: str
    closing: str


class Prose:
    r"""Finds the inline formulas of a paper.

    One that does not end in its paragraph is none: all of it is prose.

    >>> paper = Paper(id="p", text=r"costs \$5, $n$, \verb|$x$| and \(m\)")
    >>> [formula.body for formula in Prose(paper).formulas(0, len(paper.text))]
    ['n', 'm']
    """

    def __init__(self, paper: Paper) -> None:
        self._text = paper.text
        self._words = {macro.name: macro for macro in paper.macros if is_formula(macro)}

    def formulas(self, start: int, end: int) -> Iterator[Formula]:
        """Those between two displays, in order."""
        at = start
        while match := _STOP.search(self._text, at, end):
            at = match.end()
            if match["listing"]:
                closed = self._text.find(f"\\end{{{match['listing']}}}", at, end)
                at = end if closed < 0 else closed
            elif match["word"] in self._words:
                call_end = self._call_end(self._words[match["word"]], at, end)
                if call_end:
                    at = call_end
                    yield Formula(match.start(), at, "", self._text[match.start() : at], "")
            elif match["opening"]:
                closing = "$" if match["opening"] == "$" else r"\)"
                at, is_closed = self._formula_end(at, end, closing)
                if is_closed:
                    body = self._text[match.end() : at - len(closing)]
                    yield Formula(match.start(), at, match["opening"], body, closing)

    def _formula_end(self, at: int, end: int, closing: str) -> tuple[int, bool]:
        """Where the formula ends that began before `at`; or where it is sure to be none."""
        depth = 0
        stop = min(end, at + LONGEST_FORMULA)
        for token in tokens(self._text, at, stop):
            if token.kind == "open":
                depth += 1
            elif token.kind == "close":
                depth -= 1
            if depth == 0 and token.text == closing:
                return token.end, True
            if depth < 0 or (token.kind == "space" and _EMPTY_LINE.search(token.text)):
                return token.end, False
        return stop, False

    def _call_end(self, macro: Macro, at: int, end: int) -> int | None:
        """Offset after the arguments of a macro whose name ends at `at`; None where one lacks."""
        if not macro.num_args:
            return at
        stretch = self._text[at : min(end, at + LONGEST_FORMULA)]
        read = Arguments(stretch, 0, brace_pairs(stretch))
        if macro.default is not None:
            read.option()
        for _ in range(macro.num_args - (macro.default is not None)):
            if read.group() is None:
                return None
        return at + read.at


def is_formula(macro: Macro) -> bool:
    r"""Whether a macro stands for one formula in the middle of words.

    >>> bodies = [r"\ensuremath{\mathbb{R}}\xspace", "$x$", r"\mathbb{R}"]
    >>> [is_formula(Macro(name="R", num_args=0, default=None, body=body)) for body in bodies]
    [True, True, False]
    """
    ensured = _ENSURED.match(macro.body)
    if ensured is None:
        return bool(_SHIFTED.match(macro.body))
    closed = group_end(macro.body, ensured.end())
    return closed is not None and bool(_XSPACE.match(macro.body, closed))
