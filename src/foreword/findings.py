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


Level = Literal["paper", "cut", "sample", "repeat"]
"""Where noise comes from, from the outermost to the innermost: papers, the cuts in a paper, a
predictor's samples of a cut, a scorer's repeats of a sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """The variance that one level adds, in the squared unit of the values."""

    levels: tuple[Level, ...]
    """Usually one. More where the inner ones have no repeats: their sum is all that can be told."""
    variance: float
    """Never below 0."""
    is_negative: bool
    """The estimate came out below 0, which no variance is, and 0 stands in its place: it is small
    against its own error."""
    num_units: int
    """How many papers, cuts, samples or repeats there are of the first of `levels`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One more unit of a level, and what it is worth."""

    level: Level
    saved: float
    """By how much the variance of the mean falls, in the squared unit of the values."""
    cost: float
    """Of the unit with all that is in it, in the unit of the costs given."""

    @property
    def saved_per_cost(self) -> float:
        """What the steps are ordered by."""
        return self.saved / self.cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What one level adds to the uncertainty of a predictor's mean lift."""

    component: Component
    degrees: int
    """Of freedom that the component's estimate rests on: its units − those of the level around."""
    adds: float
    """To the variance of the mean: the component's variance · Σ over its units of the square of
    their weight in the mean."""
    share: float | None
    """Of the variance of the mean; None where that is 0."""
    error_if_doubled: float
    """The standard error with twice as many units of it, each with as much inside as these have;
    no fewer of the levels outside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Advised:
    """One more unit of a level: what it costs and saves."""

    step: Step
    error_falls_by: float
    """Of the mean lift, by the balanced formula of `variance.advice`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncertainty:
    """Where the uncertainty of one predictor's lift over `same-budget` comes from."""

    condition: str
    num_cuts: int
    """With a lift."""
    num_samples: int
    """Forecasts that these lifts are means of."""
    most_samples: int
    """Forecasts of one cut, at most; missing ones count."""
    num_missing: int
    """Samples that are missing, of all cuts."""
    num_failed: int
    """Samples that are not, and that were not scored."""
    sources: tuple[Source, ...]
    """Outermost first. None with fewer than two papers."""
    standard_error: float | None
    """Of the mean, by these sources: √Σ adds. CRV1 needs no model, and is the one to quote."""
    repeats: float | None
    """The variance that the scorer's repeats add to the lift of one forecast, were every token as
    noisy as the noisiest of the probe, and independent. It is a part of the innermost source and
    of that of the cuts. None where no probe is on record, or the rule has no bounded slope."""
    advised: tuple[Advised, ...] = ()
    """Best first. Only where costs were stated."""
    not_advised: str | None = None
    """Why there is no advice, though costs were stated."""


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
    windows: tuple[WindowLift, ...] = ()
    """Of prose: each condition over `same-budget` by the number of tokens that count."""
    verdicts: tuple[Contrast, ...] = ()
    """Each predictor minus each trained control, `trained:NAME`, on papers that it was not trained
    on; the tests are corrected for each other."""
    scorers: tuple[OtherScorer, ...] = ()
    """The study by its other scorers."""
    freshness: Freshness | None = None
    """None where there is no cut."""
    advantages: tuple[Contrast, ...] = ()
    """Each predictor minus each control, on the cuts that both have; the best predictor first."""
    uncertainty: tuple[Uncertainty, ...] = ()
    """Of each predictor with a lift, in the order of the leaderboard."""
    repeat_noise: float | None = None
    """Of the scorer: the largest difference, in nats, of a token's values when the same requests
    were made again; None where that is not on record."""

    @property
    def uneven(self) -> Steadiness | None:
        """The line whose papers differ most in cuts, if so much that CRV1 is not to be trusted."""
        known = [(one.evenness, one) for one in self.steadiness if one.evenness is not None]
        share, least = min(known, key=lambda each: each[0], default=(1.0, None))
        return least if share < UNEVEN else None
