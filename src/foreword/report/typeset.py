r"""An equation as MathML, with the cut marked; or, in words, why there is none.

The whole equation is typeset, prefix and ending together, for a prefix alone is rarely balanced.
"""

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from markupsafe import Markup

from foreword.latex.expand import ExpansionError, expand, join
from foreword.latex.tokens import tokens
from foreword.records import Cut
from foreword.report import mathml
from foreword.report.environments import display
from foreword.report.visible import hidden_character

if TYPE_CHECKING:
    from math_core import LatexToMathML

_ENVIRONMENT = re.compile(r"[A-Za-z]{1,40}\*?|\[|\(|\$\$")
_MAX_DEPTH = 100
_MAX_NESTING = 1_500
"""Of groups, scripts and commands together. The typesetter recurses once for each, on the stack:
in 8 MB, 3,000 levels of `\\frac` were seen to work and 4,000 to end the process."""
_MAX_BYTES = 60_000


class TypesettingError(ValueError):
    """The typesetter can't read an equation, or must not be given it."""


@dataclass(frozen=True, slots=True)
class Typeset:
    """What became of one equation."""

    markup: Markup | None
    """MathML, made of allowed elements only."""
    marked: bool
    """Whether the cut is marked in it."""
    problem: str | None
    """Why there is no markup."""


def typeset(cut: Cut, ending: str) -> Typeset:
    r"""A cut's equation with the given ending, typeset.

    >>> cut = Cut(id="p/0/2", paper_id="p", environment="equation", context="", opening="",
    ...           prefix="x=", hidden="y", closing="")
    >>> print(typeset(cut, "1").markup.removeprefix('<math display="block">'))
    <mi class="p">x</mi><mo class="p">=</mo><mtext class="cut">▏</mtext><mn>1</mn></math>
    >>> typeset(cut, r"\frac{1}").problem
    'the typesetter says: Expected argument but reached end of input.'
    """
    try:
        plain = _tree(cut, _source(cut, join(cut.prefix, ending)))
        marked = _mark(plain, cut, ending)
        written = mathml.write(plain)
    except (ExpansionError, mathml.RefusedError, TypesettingError) as error:
        return Typeset(None, False, str(error))
    if len(written) > _MAX_BYTES:
        return Typeset(None, False, "it is too long when typeset")
    return Typeset(written, marked, None)


def _mark(plain: Element, cut: Cut, ending: str) -> bool:
    """Mark the cut in the tree, if the equation stays the same equation with a mark in it."""
    try:
        with_mark = _tree(cut, expand(cut.prefix + mathml.MARK + ending, cut.macros))
    except (ExpansionError, mathml.RefusedError, TypesettingError):
        return False  # between a command and its argument, say: the source shows where it is
    return mathml.place_mark(plain, with_mark)


def _source(cut: Cut, body: str) -> str:
    """The body with the paper's macros written out, and nothing in it that can't be seen."""
    expanded = expand(body, cut.macros)
    hidden = hidden_character(expanded)
    if hidden:
        raise TypesettingError(f"it holds the character {hidden}")
    return expanded


def _tree(cut: Cut, expanded: str) -> Element:
    from math_core import LatexError

    if not _ENVIRONMENT.fullmatch(cut.environment):
        raise TypesettingError("its environment is not one of LaTeX's")
    _check_nesting(expanded)
    try:
        markup = _typesetter().convert_with_local_state(
            display(cut.environment, expanded), displaystyle=True
        )
    except LatexError as error:
        reason = str(error).partition(": ")[2] or str(error)
        raise TypesettingError(f"the typesetter says: {reason}") from error
    return mathml.parse(markup)


def _check_nesting(latex: str) -> None:
    depth = deepest = nesting = 0
    for token in tokens(latex):
        opens = token.kind == "open" or token.text in (r"\left", r"\begin")
        closes = token.kind == "close" or token.text in (r"\right", r"\end")
        depth = max(0, depth + opens - closes)
        deepest = max(deepest, depth)
        nesting += opens or token.kind == "word" or token.text in ("^", "_")
    if deepest > _MAX_DEPTH or nesting > _MAX_NESTING:
        raise TypesettingError("it is nested too deeply")


@cache
def _typesetter() -> "LatexToMathML":
    from math_core import LatexToMathML

    return LatexToMathML(fancy_error=False)
