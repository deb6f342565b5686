"""Tests that were planned before the numbers were seen: p-values, their correction, a trend."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from foreword.analysis.estimates import clustered_mean
from foreword.analysis.pairing import shared_cuts
from foreword.records import Estimate


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for their number, in the order given (Holm 1979).

    With p_(1) ≤ … ≤ p_(m):  adjusted p_(k) = max over j ≤ k of min(1, (m − j + 1) · p_(j))

    Rejecting what is at most 0.05 makes a false rejection in at most 5 % of studies, whatever the
    dependence between the tests. All planned tests belong in it, not those alone that came out.

    Raises:
        ValueError: a p-value is not between 0 and 1; leave out what is missing.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    for at, p in enumerate(p_values):
        if not 0 <= p <= 1:  # nor if it is nan
            raise ValueError(f"p-value {at} is {p}; it has to be between 0 and 1")
    adjusted = [0.0] * len(p_values)
    so_far = 0.0
    for place, at in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        so_far = max(so_far, min(1.0, (len(p_values) - place) * p_values[at]))
        adjusted[at] = so_far
    return adjusted


def t_p(estimate: Estimate, null: float = 0.0) -> float | None:
    """Two-sided p of an estimate's mean being `null`: P(|T| ≥ |mean − null| / SE).

    T has the t distribution with the estimate's degrees of freedom, as its interval has: p is
    below 0.05 just where the interval leaves the null out.

    Args:
        estimate: of `clustered_mean`.
        null: in the unit of the mean.

    Returns:
        p; None where there is no standard error or it is 0, so that there is no t.

    Raises:
        ValueError: there is an error, but not its degrees of freedom.

    >>> round(t_p(clustered_mean([0.1, 0.3, 0.2, 0.6], ["a", "b", "c", "d"])), 3)
    0.069
    """
    from scipy.special import stdtr  # a second to import, so not with the package

    if estimate.mean is None or not estimate.standard_error:
        return None
    if estimate.degrees is None:
        raise ValueError("the estimate does not say its degrees of freedom; make it again")
    t = abs(estimate.mean - null) / estimate.standard_error
    return float(2 * stdtr(estimate.degrees, -t))


def trend(
    values: Mapping[str, Mapping[str, float]], order: Sequence[str], papers: Mapping[str, str]
) -> Estimate:
    """By how much each step up a family of efforts raises the value: a slope, averaged over cuts.

    With K conditions from the least effort to the most, on each cut i that has all of them:

        slope_i = Σ_k c_k y_ik / Σ_k c_k²,    c_k = k − (K + 1)/2,    k = 1…K

    It is the least-squares line through equally spaced efforts, so its unit is nats per step; with
    two conditions it is their difference. That steps are equal is a choice: efforts have names, no
    numbers. One test with one direction, it sees a steady rise that no single step shows; it does
    not say that every step rises. The cuts' slopes are then averaged by `clustered_mean`.

    Args:
        values: condition → cut → nats per token.
        order: the conditions, from least effort to most; others in `values` do not matter.
        papers: cut → its paper.

    Returns:
        The mean slope, its paper-clustered error and interval; empty where no cut has all.

    Raises:
        ValueError: fewer than two conditions, one named twice or not in `values`, a cut without a
            paper, or a value that is not finite.

    >>> values = {"low": {"x": 0.1, "y": 0.2}, "mid": {"x": 0.2}, "high": {"x": 0.5, "y": 0.4}}
    >>> rise = trend(values, ["low", "mid", "high"], {"x": "p", "y": "q"})
    >>> round(rise.mean, 3), rise.num_cuts
    (0.2, 1)
    """
    if len(order) < 2 or len(set(order)) < len(order):
        raise ValueError(f"a trend needs two different conditions at least, not {list(order)}")
    for name in order:
        if name not in values:
            there = ", ".join(values) or "none"
            raise ValueError(f"no values are of condition {name!r}; the conditions are: {there}")
    cuts = shared_cuts([values[name] for name in order])
    places = np.arange(len(order)) - (len(order) - 1) / 2
    weights = (places / (places**2).sum()).tolist()
    slopes = [math.fsum(w * values[n][cut] for n, w in zip(order, weights, strict=True))
              for cut in cuts]  # fmt: skip
    return clustered_mean(slopes, [papers.get(cut) for cut in cuts])
