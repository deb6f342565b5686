"""What forecasts cost: reasoning tokens and dollars, as far as they are on record."""

from collections.abc import Mapping, Sequence

from foreword.analysis.absences import PREDICTOR
from foreword.analysis.estimates import clustered_mean
from foreword.findings import Estimate, Usage
from foreword.records import Forecast


def usages(
    predictors: Sequence[str], forecasts: Sequence[Forecast], papers: Mapping[str, str]
) -> tuple[Usage, ...]:
    """Mean reasoning tokens and cost of a forecast, in the order of the predictors.

    Forecasts that came to nothing were paid for too, so they count; those whose number is not known
    do not. The mean over what is known is the mean over all only if the rest is like it.

    Args:
        predictors: conditions.
        forecasts: of all predictors, missing ones included.
        papers: cut → its paper.

    >>> row = Forecast(cut_id="p/0/1", predictor="mine", text="y", reasoning_tokens=40)
    >>> (one,) = usages(["forecast:mine"], [row], {"p/0/1": "p"})
    >>> one.reasoning_tokens.mean, one.cost_usd.num_cuts
    (40.0, 0)
    """
    of: dict[str, list[Forecast]] = {}
    for forecast in forecasts:
        of.setdefault(PREDICTOR + forecast.predictor, []).append(forecast)
    return tuple(
        Usage(
            condition=condition,
            num_forecasts=len(of.get(condition, [])),
            reasoning_tokens=_mean(
                [(one.cut_id, one.reasoning_tokens) for one in of.get(condition, [])], papers
            ),
            cost_usd=_mean([(one.cut_id, one.cost_usd) for one in of.get(condition, [])], papers),
        )
        for condition in predictors
    )


def _mean(spent: Sequence[tuple[str, float | None]], papers: Mapping[str, str]) -> Estimate:
    """Over forecasts, each with its cut."""
    known = [(papers[cut], float(number)) for cut, number in spent if number is not None]
    return clustered_mean([number for _, number in known], [paper for paper, _ in known])
