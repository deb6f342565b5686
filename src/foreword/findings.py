"""What the analysis finds: means with their uncertainty, and how far each of them can be trusted.

`records.Analysis` holds these records; the report shows them, and computes none of them. An
interval of whole papers resampled is a `Resampled`, one from the t distribution is in `Estimate`.
"""

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
class Family:
    """One model at several reasoning efforts, all else equal."""

    model: str
    conditions: tuple[str, ...]
    """From the least effort to the most."""
    efforts: tuple[str, ...]
    """Of the conditions, one each."""
    slope: Estimate
    """Nats per token and step of effort."""
    p: float | None
    """Two-sided, of no slope, from t."""
    steps: tuple[Contrast, ...]
    """Each effort minus the one below it: planned before any score was seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clipped:
    """One condition under one clip rule."""

    condition: str
    rule: str
    """`clip2`, `clip3`, `clip5`, or `clip:K` with any K."""
    floor: float
    """−K, in nats."""
    lift: Estimate | None
    """Over `same-budget`; None for `same-budget` itself."""
    num_tokens: int
    """Of all cuts that this condition was scored on."""
    at_floor: Resampled
    """The share of them at the floor: −K nats or less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a predictor spent on a forecast, missing ones included, as far as it is known."""

    condition: str
    num_forecasts: int
    """All of them. How many are known, the estimates say."""
    reasoning_tokens: Estimate
    cost_usd: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class HardCuts:
    """The cuts that a reference predictor does worst on, and how the others do on them."""

    reference: str
    """A condition; it is in none of the contrasts."""
    over: str
    """The baseline of its lift."""
    share: float
    """Of the cuts with a lift of the reference that are taken, the lowest."""
    num_ranked: int
    """Those cuts."""
    highest: float
    """The reference's highest lift among the cuts taken."""
    cut_ids: tuple[str, ...]
    """The cuts taken, hardest first."""
    contrasts: tuple[Contrast, ...]
    """Neighbours on the ranking without the reference, on these cuts alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """One cut whose answer, or nearly, stands before it."""

    cut_id: str
    paper_id: str
    is_exact: bool
    """The whole of Y, white space, labels and final punctuation apart."""
    in_context: bool
    """Whether it stands so in what the cut itself holds, context and prefix; else it is in the
    paper before that."""
    shared: float
    """The share of Y's runs of 20 characters that stand before the cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyLift:
    """One predictor's lift over `same-budget`, with cuts that could be copied and without."""

    condition: str
    every: Estimate
    without_exact: Estimate
    without: Estimate
    """Without exact and near copies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """Which answers stand, exactly or nearly, before their cut in the same paper."""

    run: int
    """Characters of a run."""
    threshold: float
    """The share of shared runs from which on a cut counts as a near copy."""
    num_searched: int
    """Cuts whose text is here."""
    num_whole: int
    """Those searched back to the start of the paper, not in the context alone."""
    num_unknown: int
    """Cuts whose text is not here; they count neither as copies nor as clean."""
    found: tuple[Copy, ...]
    """Exact and near copies, in the order of the cuts."""
    lifts: tuple[CopyLift, ...]
    """Of cuts that were searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What the analysis says beyond means and contrasts."""

    seed: int = 0
    """Of every draw."""
    draws: int = 2_000
    """Of papers, for medians, shares and ranks."""
    steadiness: tuple[Steadiness, ...] = ()
    """Of each predictor, in the order of the leaderboard."""
    families: tuple[Family, ...] = ()
    clipped: tuple[Clipped, ...] = ()
    """Conditions in the order of the standings, each under every clip rule."""
    usage: tuple[Usage, ...] = ()
    hard: HardCuts | None = None
    """None where no predictor has a lift."""
    copies: Copies | None = None
    """None where there is no cut."""

    @property
    def uneven(self) -> Steadiness | None:
        """The line whose papers differ most in cuts, if so much that CRV1 is not to be trusted."""
        known = [(one.evenness, one) for one in self.steadiness if one.evenness is not None]
        share, least = min(known, key=lambda each: each[0], default=(1.0, None))
        return least if share < UNEVEN else None
