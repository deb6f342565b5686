"""What the study says by effort, by clip, by cost, and of parts of its cuts."""

from dataclasses import dataclass

from foreword.findings.estimates import Contrast, Estimate, Resampled


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
