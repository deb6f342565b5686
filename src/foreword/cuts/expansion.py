r"""A paper with its macros written out in every formula: the same mathematics without a preamble.

Displays, `$…$` and `\(…\)` are written out, each on its own; words, names and listings stay as they
are. What can't be written out stays too, and a display among it is not cut.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from foreword.cuts.prose import Formula, Prose
from foreword.cuts.rewriting import Rewriting
from foreword.latex.expand import Expander, ExpansionError, join
from foreword.latex.expandable import body_of
from foreword.records import OWN_WORD, Display, Macro, Paper

_WORK_PER_CHARACTER = 4
_LEAST_WORK = 100_000
"""Tokens that may be read for one paper, besides; real papers need one or two a character."""
_BODY = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands for a display's body while what opens and closes it is written out."""
_OPENS = re.compile(r"\\begin\s*\{\s*([^{}]*?)\s*\}|\\(\[)|(\$\$)")
_CLOSES = re.compile(r"\\end\s*\{\s*([^{}]*?)\s*\}|\\(\])|(\$\$)")


@dataclass(frozen=True, slots=True)
class Expanded:
    """A paper with its macros written out."""

    paper: Paper
    """Its displays are those of the original, in order; each place leads back to the source."""
    problems: Mapping[int, str]
    """The displays that could not be written out, and why."""
    _starts: tuple[int, ...]
    _origins: tuple[int, ...]

    def origin(self, offset: int) -> int:
        """The offset in the original of what a character of the text was made from.

        A formula that was written out counts as one: each character leads to its beginning.
        """
        at = bisect_right(self._starts, offset) - 1
        if at % 2:
            return self._origins[at]
        return self._origins[at] + offset - self._starts[at]


def expand_paper(paper: Paper) -> Expanded:
    r"""A paper whose formulas mean the same without its preamble.

    >>> from foreword.records import Macro
    >>> half = Macro(name="half", num_args=0, default=None, body=r"\tfrac12")
    >>> paper = Paper(id="p", text=r"By $x^\half$ we have \[\half+\half\]", macros=(half,),
    ...               displays=(Display(environment="[", start=21, body_start=23, body_end=34,
    ...                                 end=36),))
    >>> expand_paper(paper).paper.text
    'By $x^{\\tfrac12}$ we have \\[\\tfrac12+\\tfrac12\\]'
    """
    work = _LEAST_WORK + _WORK_PER_CHARACTER * len(paper.text)
    book = _Book(
        Expander([*paper.wrappers, *paper.macros], work=work),
        Expander([*paper.macros, *paper.wrappers], displays=True, work=work),
    )
    # in words, only what takes its arguments in the plain way can be a formula
    plain = tuple(macro for macro in paper.macros if not macro.arguments)
    prose, text = Prose(replace(paper, macros=plain)), Rewriting(paper)
    displays: list[Display] = []
    problems: dict[int, str] = {}
    at = 0
    for index, display in enumerate(paper.displays):
        for formula in prose.formulas(at, display.start):
            text.replace(formula.start, formula.end, book.formula(formula))
        parts = [
            paper.text[display.start : display.body_start],
            paper.text[display.body_start : display.body_end],
            paper.text[display.body_end : display.end],
        ]
        try:
            parts = book.display(display.environment, *parts)
        except ExpansionError as error:
            problems[index] = str(error)
        displays.append(text.display(display, parts))
        at = display.end
    for formula in prose.formulas(at, len(paper.text)):
        text.replace(formula.start, formula.end, book.formula(formula))
    made, macros = text.finish(), _without_own(paper.macros)
    return Expanded(
        replace(
            paper, text=made, displays=tuple(displays), segments=text.segments(), macros=macros
        ),
        problems,
        tuple(text.starts),
        tuple(text.origins),
    )


def _without_own(macros: Sequence[Macro]) -> tuple[Macro, ...]:
    r"""Without those whose names are LaTeX's own now: `\let\old\phi` was written out as `\phi`."""
    named = {macro.name: macro for macro in macros}
    own = {
        macro.body[1:]
        for macro in macros
        if macro.arguments == OWN_WORD and body_of(macro, named).kept is None
    }
    return tuple(macro for macro in macros if macro.name not in own)


@dataclass(frozen=True, slots=True)
class _Book:
    """How the formulas of one paper are written out."""

    inner: Expander
    outer: Expander
    """Knows the macros that open and close displays as well."""

    def formula(self, formula: Formula) -> str:
        """An inline formula; as it is where it can't be written out."""
        try:
            inside = self.inner.expand(formula.body, math=formula.opening != "")
        except ExpansionError:
            inside = formula.body
        return f"{formula.opening}{inside}{formula.closing}"

    def display(self, environment: str, opening: str, body: str, closing: str) -> list[str]:
        r"""Opening, body and closing of a display.

        Raises:
            ExpansionError: one of them can't be written out.
        """
        around = self.outer.expand(f"{opening}{_BODY}{closing}", math=False)
        begin, body_is_there, end = around.partition(_BODY)
        if not body_is_there or not _is_display(begin, end, environment):
            raise ExpansionError(
                f"what {opening.strip()[:40]} and {closing.strip()[:40]} stand for is not known"
            )
        inside = self.inner.expand(body)
        begin = join(begin, inside).removesuffix(inside)
        return [begin, inside, join(inside, end)[len(inside) :]]


def _is_display(begin: str, end: str, environment: str) -> bool:
    """Whether all that opens and closes a display is LaTeX's own."""
    opened = {name for match in _OPENS.findall(begin) for name in match if name}
    closed = {name.replace("]", "[") for match in _CLOSES.findall(end) for name in match if name}
    return opened == closed and bool(opened & {environment, "empheq", "empheq*"})
