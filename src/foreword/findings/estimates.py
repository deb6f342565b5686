"""Means, contrasts and rankings, each with its uncertainty."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

Rule = Literal["raw", "clip2", "clip3", "clip5", "sqrt", "log1p"]
"""How a token's log-probability is softened before it is averaged; `clip2` is the headline."""


Kind = Literal["crv1", "cr2", "jackknife", "papers"]
"""Which mean and which error: the first three are standard errors of the mean over cuts; `papers`
is the mean over papers, each the mean of its cuts, with a standard error of its own."""


FEW_PAPERS = 20
"""With fewer, intervals of whole papers resampled are too narrow: so few can't be drawn in enough
ways, and no quantile of t makes up for it."""


UNEVEN = 0.7
"""Where CR2 has a smaller share of G − 1 degrees of freedom, intervals by CRV1 are too narrow: they
hold the truth in some 93 % of drawn studies at best, with few papers in far fewer
(docs/design/coverage.md)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A mean over cuts, with the uncertainty that comes from having these papers and no others."""

    num_cuts: int
    num_papers: int
    mean: float | None
    """None where there is no cut."""
    standard_error: float | None
    """Paper-clustered, as `kind` says. None with fewer than two papers."""
    low: float | None
    high: float | None
    """95 % interval from the t distribution with `degrees` degrees of freedom."""
    median: float | None
    share_positive: float | None
    """Of cuts; like the median, of papers' means where `kind` is `papers`."""
    degrees: float | None = None
    """Of freedom: `num_papers` − 1; for `cr2` fewer, and no whole number, where papers differ in
    size. None where there is no standard error."""
    kind: Kind = "crv1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a contrast can tell, and what it could have told."""

    p_t: float | None
    """Two-sided, of no difference, from t; None where there is no standard error or it is 0."""
    p_wild: float | None
    """The same from the wild cluster bootstrap."""
    p_holm: float | None
    """`p_t`, corrected for all the tests of its table."""
    num_tests: int
    """How many those are."""
    smallest_difference: float | None
    """What this study would find in 80 % of repetitions, by quantiles of t; None where there is no
    error."""
    papers_needed: int | None
    """To find the difference seen in 80 % of repetitions; None where it is 0 or has no error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Two predictors on the cuts that both have: first minus second, paired."""

    first: str
    second: str
    rule: Rule
    difference: Estimate
    evidence: Evidence | None = None
    """Under the headline rule alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampled:
    """A number without a formula for its error, and its interval when whole papers are resampled.

    Where no cut, or every cut, has what is counted, the interval has no width: resampling can't
    show what was never drawn.
    """

    value: float
    low: float | None
    high: float | None
    """95 % interval; None where there is one paper."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankInterval:
    """A condition's rank, 1 the best, and where it lies when whole papers are resampled."""

    rank: int
    """1 + how many conditions have a higher mean; equal ones share a rank."""
    low: int | None
    high: int | None
    """95 % interval, the best rank first; None where there is one paper."""
    num_cuts: int
    num_papers: int
    """Those that the ranks rest on, the same for all conditions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Influence:
    """What one paper does to the mean."""

    cluster: Hashable
    """The paper."""
    num_cuts: int
    """Of this paper."""
    mean_without: float
    """Over the cuts of all other papers."""
    move: float | None
    """How many standard errors (CRV1, of the whole) the mean moves when the paper goes, with its
    sign; None where the error is 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Steadiness:
    """How far a predictor's line on the leaderboard can be trusted."""

    condition: str
    rank: RankInterval | None
    """On the cuts that all ranked predictors have; None where there is no such cut."""
    median: Resampled | None
    """Of the lift over `same-budget`, as are the others down to the influence."""
    share_positive: Resampled | None
    others: tuple[Estimate, ...]
    """The same lift with the errors of CR2 and of the jackknife, and the mean over papers."""
    influence: Influence | None
    """The paper whose removal moves the mean most; None with fewer than two papers."""
    near_ceiling: Resampled | None
    """The share of all cuts scored with this forecast whose clip2 mean is −0.10 or more."""

    @property
    def by_cr2(self) -> Estimate | None:
        """The lift with the error and the interval of CR2."""
        return next((one for one in self.others if one.kind == "cr2"), None)

    @property
    def evenness(self) -> float | None:
        """CR2's degrees of freedom over G − 1: 1 where papers have equally many cuts."""
        cr2 = self.by_cr2
        return cr2.degrees / (cr2.num_papers - 1) if cr2 and cr2.degrees else None


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowLift:
    """One condition over a baseline, over the first tokens of each target."""

    condition: str
    over: str
    rule: Rule
    window: int
    lift: Estimate
    num_short: int
    """Cuts that are scored, but whose target has fewer tokens than the window."""
