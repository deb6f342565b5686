"""What a reader of a paper's source set apart, and why: none of it counts as the paper's text."""

from dataclasses import dataclass
from typing import Literal

LONGEST_SHOWN = 120
"""Characters of what was set apart that are kept to show."""

Why = Literal[
    "definition",
    "verbatim",
    "comment environment",
    "false conditional",
    "behind the end",
    "diagram",
    "hidden: white",
    "hidden: tiny",
    "hidden: no width",
]
"""Why a stretch of source is no text of the paper; what is verbatim stays and is no LaTeX."""


@dataclass(frozen=True, slots=True)
class Apart:
    """A stretch of source that was set apart."""

    reason: Why
    file: str
    line: int
    """Where it begins, from 1."""
    text: str
    """Its beginning, on one line."""


def shown(text: str) -> str:
    """The beginning of a text on one line, what has no width as its code points."""
    line = " ".join(text[: 2 * LONGEST_SHOWN].split())
    if len(line) > LONGEST_SHOWN or len(text) > 2 * LONGEST_SHOWN:
        line = line[:LONGEST_SHOWN] + "…"
    return "".join(letter if letter.isprintable() else f"<U+{ord(letter):04X}>" for letter in line)
