"""Every predictor over every control, paired: what a forecast is worth that the control is not."""

from collections.abc import Mapping, Sequence

from foreword.analysis.pairing import Means, differences, estimate
from foreword.findings import Contrast, Rule


def advantages(
    predictors: Sequence[str],
    controls: Sequence[str],
    means: Means,
    papers: Mapping[str, str],
    rule: Rule,
) -> tuple[Contrast, ...]:
    """Predictor minus control on the cuts that both have, as in table 9 of arXiv 2605.10810.

    A control that was scored on some cuts alone is compared on those, so that rows can be of
    unequal cuts; each says of how many. Over `true-suffix` the advantage is below zero: what a
    forecast still lacks.

    Args:
        predictors: conditions, best first.
        controls: conditions.
        means: condition → cut → mean score under the rule.
        papers: cut → its paper.
        rule: under which the means are.

    Returns:
        A contrast a predictor and control with a cut in common: all controls of the first
        predictor, then of the next.

    >>> means = {"forecast:mine": {"x": -0.5}, "empty": {"x": -0.75}, "same-budget": {"y": -1.0}}
    >>> (one,) = advantages(["forecast:mine"], ["empty", "same-budget"], means, {"x": "p"}, "clip2")
    >>> one.second, one.difference.mean
    ('empty', 0.25)
    """
    return tuple(
        Contrast(first=predictor, second=control, rule=rule, difference=estimate(values, papers))
        for predictor in predictors
        for control in controls
        if (values := differences(means, predictor, control))
    )
