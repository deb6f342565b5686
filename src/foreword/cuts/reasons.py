"""Why an equation, or the end of a sentence, was not cut, and how that is told."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Reason = Literal[
    "nested",
    "early",
    "section",
    "diagram",
    "not expanded",
    "unbalanced",
    "repeated",
    "no site",
    "too short",
    "too long",
    "answer in context",
    "not chosen",
]
"""In the order in which they are looked for: an equation, or the end of a sentence, has the first
that holds. `nested` and `section` are of sentences alone."""

REASONS: dict[Reason, str] = {
    "nested": "it stands inside of an environment, a formula or a group",
    "early": "less text stands before it than a predictor is to be shown",
    "section": "it stands in a part of the paper that is left out, or what follows runs into one",
    "diagram": "it is a picture, a diagram, a proof tree or a table, not a formula",
    "not expanded": "its macros can't be written out: they do not end, or an argument is lacking",
    "unbalanced": r"a brace, a \left or an environment in it has no partner",
    "repeated": "the same qualified before, in this paper or in one before it",
    "no site": "no relation, and no plus or minus between terms, in its middle third at top level",
    "too short": "what would be hidden is shorter than asked for",
    "too long": "what would be hidden is longer than asked for",
    "answer in context": "the hidden rest stands word for word in the text that is shown",
    "not chosen": "it qualifies, but the paper has more such than are taken from one",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """One displayed equation, or one end of a sentence, that was not cut."""

    paper_id: str
    display: int
    """Which of the paper's displays, from 0; of a sentence where it ends in the clean text."""
    environment: str
    """Empty for a sentence."""
    file: str
    """Empty where the paper has no map back to its source."""
    line: int
    """Where it opens, or ends, in the source, from 1; 0 where that is not known."""
    reason: Reason
    detail: str
    """The numbers or the place behind the reason."""


def count_reasons(rejected: Iterable[Rejection]) -> dict[Reason, int]:
    """How many were rejected for each reason that occurs, in the order of `REASONS`."""
    counts = Counter(rejection.reason for rejection in rejected)
    return {reason: counts[reason] for reason in REASONS if counts[reason]}


def explain(rejected: Iterable[Rejection]) -> list[str]:
    r"""Lines of text: each reason with its count and meaning, then each of them with its place.

    Names that come from a paper's source are shown with unprintable characters escaped.

    >>> print(*explain([Rejection(paper_id="p", display=3, environment="align", file="a.tex",
    ...     line=71, reason="early", detail="812 of 10000 characters")]), sep="\n")
    1 early: less text stands before it than a predictor is to be shown
    p a.tex:71 equation 3 (align): early, 812 of 10000 characters
    """
    rejected = tuple(rejected)
    totals = [
        f"{count} {reason}: {REASONS[reason]}" for reason, count in count_reasons(rejected).items()
    ]
    return totals + [_line(rejection) for rejection in rejected]


def _line(rejection: Rejection) -> str:
    place = f"{rejection.file}:{rejection.line} " if rejection.file else ""
    return _printable(
        f"{rejection.paper_id} {place}{_named(rejection)}: {rejection.reason}, {rejection.detail}"
    )


def _named(rejection: Rejection) -> str:
    if rejection.environment:
        return f"equation {rejection.display} ({rejection.environment})"
    return f"end of a sentence at character {rejection.display}"


def _printable(text: str) -> str:
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )
