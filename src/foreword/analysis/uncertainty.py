"""Where the uncertainty of each predictor's lift comes from, and where the next dollar goes.

A value here is the lift of one forecast: its mean score minus the baseline's of the same cut.
"""

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from foreword.analysis.pairing import PREDICTOR, sample_scores
from foreword.analysis.variance import LEVELS, advice, variance_components
from foreword.errors import UsageError
from foreword.findings import Advised, Component, Level, Source, Uncertainty
from foreword.records import Forecast, Score

_LIPSCHITZ = ("raw", "clip2", "clip3", "clip5", "log1p")
"""Rules under which two values of a token are never further apart than before."""


@dataclass(frozen=True, slots=True)
class _Values:
    """The lifts of one predictor's forecasts; one entry a forecast."""

    lifts: Sequence[float]
    cuts: Sequence[str]
    samples: Sequence[int]
    papers: Sequence[str]


def uncertainties(
    predictors: Sequence[str],
    forecasts: Sequence[Forecast],
    scores: Sequence[Score],
    papers: Mapping[str, str],
    *,
    over: str,
    rule: str,
    repeat_noise: float | None = None,
    costs: Mapping[Level, float] = {},
) -> tuple[Uncertainty, ...]:
    """Each predictor's variance by paper, cut and sample, and what more of each would save.

    Args:
        predictors: conditions, in the order wanted; one without a lift has no row.
        forecasts: of all predictors, missing ones included.
        scores: of one scorer.
        papers: cut → its paper.
        over: the baseline, a condition.
        rule: one of `RULES`.
        repeat_noise: the largest difference of a token's values between repeats, in nats.
        costs: of one more of each level, as `advice` takes them; empty where none is stated.
            Without that of a sample, it is the mean `cost_usd` of the predictor's forecasts.

    Raises:
        UsageError: some costs are stated, and not all that are needed, or one can't be a cost.
    """
    check_costs(costs)
    lifts = _lifts(scores, papers, over, rule)
    sizes = {score.cut_id: len(score.logprobs) for score in scores if score.failure is None}
    noise = repeat_noise if rule in _LIPSCHITZ else None
    of: dict[str, list[Forecast]] = {}
    for forecast in forecasts:
        of.setdefault(PREDICTOR + forecast.predictor, []).append(forecast)
    scored = {(s.condition, s.cut_id, s.sample) for s in scores if s.failure is None}
    return tuple(
        _uncertainty(
            condition, lifts[condition], of.get(condition, ()), scored, sizes, noise, costs
        )
        for condition in predictors
        if condition in lifts
    )


def check_costs(costs: Mapping[Level, float]) -> None:
    """See that costs are numbers, and that none is left out but that of a sample.

    >>> check_costs({"paper": 1.0, "cut": 0.0})
    Traceback (most recent call last):
    foreword.errors.UsageError: the cost of one repeat is not stated: advice needs it too, 0 or more

    Raises:
        UsageError: they are not.
    """
    for level, cost in costs.items():
        if not 0 <= cost < math.inf:
            raise UsageError(f"the cost of one {level} is {cost}; give a number from 0 up")
    for level in LEVELS:
        if costs and level not in costs and level != "sample":
            raise UsageError(
                f"the cost of one {level} is not stated: advice needs it too, 0 or more"
            )


def _lifts(
    scores: Sequence[Score], papers: Mapping[str, str], over: str, rule: str
) -> dict[str, _Values]:
    """Each condition's, but for those without any."""
    found = sample_scores(scores, rule)
    baseline = {cut: of_cut[0] for cut, of_cut in found.get(over, {}).items()}
    lifts: dict[str, _Values] = {}
    for condition, of_cuts in found.items():
        rows = [
            (value - baseline[cut], cut, sample, papers[cut])
            for cut, of_cut in of_cuts.items()
            if cut in baseline
            for sample, value in of_cut.items()
        ]
        if rows:
            lifts[condition] = _Values(*zip(*rows, strict=True))
    return lifts


def _uncertainty(
    condition: str,
    values: _Values,
    forecasts: Sequence[Forecast],
    scored: set[tuple[str, str, int]],
    sizes: Mapping[str, int],
    noise: float | None,
    costs: Mapping[Level, float],
) -> Uncertainty:
    components = variance_components(values.lifts, values.papers, values.cuts, values.samples)
    sources = _sources(components or (), values)
    given = [one for one in forecasts if not one.is_missing]
    counts = Counter([one.cut_id for one in forecasts]) | Counter(values.cuts)
    inverse = sum(1 / sizes[cut] for cut in values.cuts) / len(values.cuts)
    advised, why_not = _advised(components, forecasts, costs)
    return Uncertainty(
        condition=condition,
        num_cuts=len(set(values.cuts)),
        num_samples=len(values.lifts),
        most_samples=max(counts.values()),
        num_missing=len(forecasts) - len(given),
        num_failed=sum((condition, one.cut_id, one.sample) not in scored for one in given),
        sources=sources,
        standard_error=math.sqrt(sum(one.adds for one in sources)) if sources else None,
        repeats=None if noise is None else noise**2 * inverse,
        advised=advised,
        not_advised=why_not,
    )


def _sources(components: Sequence[Component], values: _Values) -> tuple[Source, ...]:
    """What each component adds to the variance of the mean over cuts, outermost first.

    With w_i = 1 / (cuts · samples of the cut) the weight of value i, a unit's weight is the sum of
    its values', and a component adds σ² Σ_units weight². Twice as many units of a level halve what
    it and all inside of it add.
    """
    times = Counter(values.cuts)
    weights = [1 / (len(times) * times[cut]) for cut in values.cuts]
    units: dict[Level, Sequence[Hashable]] = {
        "paper": values.papers,
        "cut": values.cuts,
        "sample": range(len(values.cuts)),
    }
    adds = [one.variance * _squares(weights, units[one.levels[0]]) for one in components]
    sizes = [1, *(one.num_units for one in components)]
    return tuple(
        Source(
            component=one,
            degrees=inner - outer,
            adds=adds[at],
            share=adds[at] / sum(adds) if any(adds) else None,
            error_if_doubled=math.sqrt(sum(adds[:at]) + sum(adds[at:]) / 2),
        )
        for at, (one, (outer, inner)) in enumerate(zip(components, pairwise(sizes), strict=True))
    )


def _squares(weights: Sequence[float], units: Sequence[Hashable]) -> float:
    """Σ over units of the square of the unit's weight."""
    of_unit: dict[Hashable, float] = {}
    for weight, unit in zip(weights, units, strict=True):
        of_unit[unit] = of_unit.get(unit, 0.0) + weight
    return math.fsum(weight**2 for weight in of_unit.values())


def _advised(
    components: Sequence[Component] | None,
    forecasts: Sequence[Forecast],
    costs: Mapping[Level, float],
) -> tuple[tuple[Advised, ...], str | None]:
    """What to add next, best first; or why that can't be told."""
    if not costs:
        return (), None
    if components is None:
        return (), "one paper can't tell how papers differ"
    known = [one.cost_usd for one in forecasts if one.cost_usd is not None]
    if "sample" not in costs and not known:
        return (), "what one of its forecasts costs is not known: state the cost of a sample"
    mean = sum(known) / len(known) if known else 0.0
    try:
        steps = advice(components, {"sample": mean, **costs})
    except ValueError as error:
        return (), str(error)
    variance = sum(one.variance / one.num_units for one in components)
    return tuple(
        Advised(
            step=step,
            error_falls_by=math.sqrt(variance) - math.sqrt(max(0.0, variance - step.saved)),
        )
        for step in steps
    ), None
