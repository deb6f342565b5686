"""The same study by several scorers."""

from dataclasses import dataclass

from foreword.findings.estimates import Estimate, Resampled


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedLift:
    """One predictor's lift over `same-budget` under two scorers, on the cuts that both scored."""

    condition: str
    mine: Estimate
    """By the scorer of the analysis."""
    theirs: Estimate
    my_ceiling: Resampled | None
    """As `Steadiness.near_ceiling`: of all cuts that this scorer scored."""
    their_ceiling: Resampled | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedContrast:
    """One contrast of two predictors under two scorers, on the cuts that both scored."""

    first: str
    second: str
    mine: Estimate
    theirs: Estimate
    same_sign: Resampled | None
    """The share of cuts, of those with a difference under both, where it has the same sign."""
    correlation: float | None
    """Pearson's, of the differences of single cuts; None where they don't vary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherScorer:
    """The same study by another scorer, and how far the two agree."""

    name: str
    scorer_id: str
    order: Resampled | None
    """Kendall's tau (a) between the orders of the predictors, 1 for the same order, −1 for the
    opposite one, on the cuts that all have; None with fewer than two predictors."""
    lifts: tuple[SharedLift, ...]
    """In the order of the analysis."""
    contrasts: tuple[SharedContrast, ...]
    """Neighbours on the ranking of the analysis."""
