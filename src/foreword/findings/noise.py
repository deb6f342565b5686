"""Where the uncertainty of a mean comes from."""

from dataclasses import dataclass
from typing import Literal

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
