"""Text of a paper's other equations, with which the `reveal:P` conditions fill their gaps."""

from random import Random

from foreword.cuts.content import bare, tidy
from foreword.latex.diagrams import Diagrams
from foreword.records import Display, Paper

NEAR = 2_000
"""Characters before an equation whose own equations are used only when there are no others."""
MOST_TRIED = 1_000
MOST_CHARACTERS_TRIED = 300_000
"""Equations that are tried for one gap, and characters in them; mostly five or ten are enough."""


def filler_for(
    paper: Paper,
    display: Display,
    hidden: str,
    length: int,
    random: Random,
    diagrams: Diagrams | None = None,
) -> str:
    """Bodies of the paper's other displays in a drawn order, until there are `length` characters.

    Diagrams are left out, and whatever would bring in the hidden rest. Shorter than `length` where
    the paper has no more.

    Args:
        paper: the paper.
        display: the equation that is cut.
        hidden: its hidden rest.
        length: in characters.
        random: draws the order.
        diagrams: of the paper, where they are known.
    """
    answer = bare(hidden)
    diagrams = diagrams or Diagrams(paper.macros)
    others = [other for other in paper.displays if other is not display]
    order = [(_is_near(other, display), random.random(), i) for i, other in enumerate(others)]
    text, room = "", MOST_CHARACTERS_TRIED
    for *_, i in sorted(order)[:MOST_TRIED]:
        other = others[i]
        if len(text) >= length:
            break
        if other.body_end - other.body_start > room:
            continue
        room -= other.body_end - other.body_start
        body = paper.text[other.body_start : other.body_end]
        longer = tidy(f"{text} {body}")
        if answer not in bare(longer) and not diagrams.has(other.environment, body):
            text = longer
    return text


def _is_near(other: Display, display: Display) -> bool:
    return display.start - NEAR < other.end <= display.start
