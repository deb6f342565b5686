"""Text of a paper's other equations, with which the `reveal:P` conditions fill their gaps."""

from random import Random

from foreword.cuts.content import bare, tidy
from foreword.latex.diagrams import is_diagram
from foreword.records import Display, Paper

NEAR = 2_000
"""Characters before an equation whose own equations are used only when there are no others."""


def filler_for(paper: Paper, display: Display, hidden: str, length: int, random: Random) -> str:
    """Bodies of the paper's other displays in a drawn order, until there are `length` characters.

    Diagrams are left out, and whatever would bring in the hidden rest. Shorter than `length` where
    the paper has no more.

    Args:
        paper: the paper.
        display: the equation that is cut.
        hidden: its hidden rest.
        length: in characters.
        random: draws the order.
    """
    answer = bare(hidden)
    others = [other for other in paper.displays if other is not display]
    order = {id(other): (_is_near(other, display), random.random()) for other in others}
    text = ""
    for other in sorted(others, key=lambda other: order[id(other)]):
        if len(text) >= length:
            break
        body = paper.text[other.body_start : other.body_end]
        longer = tidy(f"{text} {body}")
        if answer not in bare(longer) and not is_diagram(other.environment, body, paper.macros):
            text = longer
    return text


def _is_near(other: Display, display: Display) -> bool:
    return display.start - NEAR < other.end <= display.start
