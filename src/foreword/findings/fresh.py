"""Which papers a model can have read."""

from dataclasses import dataclass
from typing import Literal

from foreword.findings.estimates import Estimate

Group = Literal["before", "after", "unknown"]
"""Where a paper's first public date lies from a model's stated knowledge cutoff: on it or before,
after it, or not known, which is never counted as either."""


DateSource = Literal["listing", "stated", "identifier"]
"""Who tells a paper's date: arXiv's listing, the user, or the identifier that is its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperDate:
    """When a paper was first public: a day, or the days between which it was."""

    paper_id: str
    first: str | None = None
    """`2026-04-01`, in UTC; None where nothing is known, as `last`."""
    last: str | None = None
    source: DateSource | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLift:
    """The papers of one group, and what a predictor gains on them over `same-budget`."""

    group: Group
    num_papers: int
    """Of the study, with a lift or without; as the cuts."""
    num_cuts: int
    lift: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpaired:
    """The difference of two means over different papers."""

    mean: float
    standard_error: float
    low: float
    high: float
    """95 % interval from t."""
    degrees: float
    """Of freedom, after Welch and Satterthwaite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshLift:
    """One predictor's lift on the papers before, after and unknown of one cutoff."""

    condition: str
    by_scorer: bool
    """Whether the cutoff is the scorer's; else it is the predictor's own."""
    cutoff: str | None
    """As stated, `2025-06-01` or `2025-06`; None where none is."""
    has_model: bool
    """Whether there is a model that can have read anything; without one each dated paper is
    after."""
    groups: tuple[GroupLift, ...]
    """Before, after, unknown."""
    after_minus_before: Unpaired | None
    """None where either has fewer than two papers, or no spread at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """Which papers a model can have read."""

    papers: tuple[PaperDate, ...]
    """Of the study, in the order of the cuts."""
    lifts: tuple[FreshLift, ...]
    """Of each predictor, by its own cutoff and then by the scorer's, best first."""
