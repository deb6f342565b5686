"""How small a difference a study can see, and how many papers a smaller one would take."""

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import Literal, get_args

from foreword.analysis.estimates import CONFIDENCE, t_quantile
from foreword.records import Estimate

Law = Literal["t", "normal"]
"""Whose quantiles: `t` allows for an error that is itself estimated, from few papers; `normal` does
not, and is what published power calculations mostly use."""


def smallest_difference(estimate: Estimate, power: float = 0.8, law: Law = "t") -> float | None:
    """The difference that a study like this one would find in a share `power` of repetitions.

        t:       (t(0.975; ν) + t(power; ν)) · SE,  ν the estimate's degrees of freedom
        normal:  (z(0.975) + z(power)) · SE  =  2.8016 · SE  for 80 %

    "Find" means: the 95 % interval leaves 0 out. Source: Bloom (1995), Minimum detectable
    effects. For 138 papers the first is 0.7 % larger, for 20 papers 5 %, for 3 papers 91 %.

    Args:
        estimate: the lift or the paired difference, for its standard error.
        power: between 0.5 and 1, both excluded.
        law: whose quantiles.

    Returns:
        In the unit of the estimate; None where it has no standard error.

    Raises:
        ValueError: no such power or law, or an error without its degrees of freedom.

    >>> from foreword.analysis.estimates import clustered_mean
    >>> ten_papers = clustered_mean([0.1, 0.3] * 5, range(10))
    >>> round(smallest_difference(ten_papers) / ten_papers.standard_error, 4)
    3.1456
    >>> round(smallest_difference(ten_papers, law="normal") / ten_papers.standard_error, 4)
    2.8016
    """
    _check(power, law)
    if estimate.standard_error is None:
        return None
    return _reach(_degrees(estimate, law), power) * estimate.standard_error


def papers_needed(
    estimate: Estimate, difference: float, power: float = 0.8, law: Law = "t"
) -> int | None:
    """How many papers like these it takes to find a difference in a share `power` of repetitions.

    The smallest G' ≥ 2 whose own smallest difference is no larger, the error being SE · √(G/G'):

        t:       G' ≥ ((t(0.975; ν') + t(power; ν')) · SE / difference)² · G,  ν' = ν (G'−1)/(G−1)
        normal:  G' ≥ ((z(0.975) + z(power)) · SE / difference)² · G

    ν' is G' − 1 where ν is G − 1. The papers are to have as many cuts each, and to vary as these
    do. Where the difference is the estimate's own mean, the answer is as rough as that mean.

    Args:
        estimate: of G papers.
        difference: to be found, in the unit of the estimate; its sign does not matter.
        power: between 0.5 and 1, both excluded.
        law: whose quantiles.

    Returns:
        None where the estimate has no standard error.

    Raises:
        ValueError: no such power or law, the difference is 0 or not finite, or an error without
            its degrees of freedom.

    >>> from foreword.analysis.estimates import clustered_mean
    >>> ten_papers = clustered_mean([0.1, 0.3] * 5, range(10))
    >>> half = smallest_difference(ten_papers) / 2
    >>> papers_needed(ten_papers, half), papers_needed(ten_papers, half * 2)
    (34, 10)
    >>> papers_needed(ten_papers, smallest_difference(ten_papers, law="normal") / 2, law="normal")
    40
    """
    _check(power, law)
    if difference == 0 or not math.isfinite(difference):
        raise ValueError(f"no number of papers finds a difference of {difference}")
    if estimate.standard_error is None:
        return None
    per_paper = _degrees(estimate, law) / (estimate.num_papers - 1)
    one = (estimate.standard_error / difference) ** 2 * estimate.num_papers

    def is_enough(papers: int) -> bool:
        reach = _reach(per_paper * (papers - 1), power)
        return papers >= reach**2 * one * (1 - 1e-12)  # a whole number, but for rounding, is meant

    return _first(is_enough)


def _first(holds: Callable[[int], bool]) -> int:
    """The first number from 2 on for which a thing holds that holds for all later ones too.

    >>> _first(lambda number: number >= 1_000)
    1000
    """
    below, high = 1, 2
    while not holds(high):
        below, high = high, 2 * high
    while high - below > 1:
        middle = (below + high) // 2
        below, high = (below, middle) if holds(middle) else (middle, high)
    return high


def _reach(degrees: float, power: float) -> float:
    """How many standard errors the smallest difference is."""
    shares = (0.5 + CONFIDENCE / 2, power)
    if math.isinf(degrees):
        return sum(NormalDist().inv_cdf(share) for share in shares)
    return sum(t_quantile(degrees, share) for share in shares)


def _degrees(estimate: Estimate, law: Law) -> float:
    if law == "normal":
        return math.inf
    if estimate.degrees is None:
        raise ValueError("the estimate does not say its degrees of freedom; make it again")
    return estimate.degrees


def _check(power: float, law: Law) -> None:
    if not 0.5 < power < 1:
        raise ValueError(f"a power of {power} can't be; it lies between 0.5 and 1")
    if law not in get_args(Law):
        raise ValueError(f"no law is called {law!r}; there are {', '.join(get_args(Law))}")
