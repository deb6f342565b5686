"""How small a difference a study can see, and how many papers a smaller one would take."""

import math
from statistics import NormalDist

from foreword.analysis.estimates import CONFIDENCE
from foreword.records import Estimate


def smallest_difference(estimate: Estimate, power: float = 0.8) -> float | None:
    """The difference that a study like this one would find in a share `power` of repetitions.

        (z(0.975) + z(power)) · SE  =  2.8016 · SE  for 80 %

    "Find" means: the 95 % interval leaves 0 out. Source: Bloom (1995), Minimum detectable
    effects. The quantiles are the normal ones. With G papers those of t with G − 1 degrees of
    freedom would be more exact: for 138 papers 0.8 % larger, for 10 papers 12 %.

    Args:
        estimate: the lift or the paired difference, for its standard error.
        power: between 0.5 and 1, both excluded.

    Returns:
        In the unit of the estimate; None where it has no standard error.

    Raises:
        ValueError: no such power.

    >>> from foreword.analysis.estimates import clustered_mean
    >>> ten_papers = clustered_mean([0.1, 0.3] * 5, range(10))
    >>> round(smallest_difference(ten_papers) / ten_papers.standard_error, 4)
    2.8016
    """
    reach = _reach(power)
    return None if estimate.standard_error is None else reach * estimate.standard_error


def papers_needed(estimate: Estimate, difference: float, power: float = 0.8) -> int | None:
    """How many papers like these it takes to find a difference in a share `power` of repetitions.

        ⌈ ((z(0.975) + z(power)) · SE / difference)² · G ⌉;  2 at least

    The papers are to have as many cuts each, and to vary as these do. Where the difference is the
    estimate's own mean, the answer is as rough as that mean.

    Args:
        estimate: of G papers.
        difference: to be found, in the unit of the estimate; its sign does not matter.
        power: between 0.5 and 1, both excluded.

    Returns:
        None where the estimate has no standard error.

    Raises:
        ValueError: no such power, or the difference is 0 or not finite.

    >>> from foreword.analysis.estimates import clustered_mean
    >>> ten_papers = clustered_mean([0.1, 0.3] * 5, range(10))
    >>> papers_needed(ten_papers, smallest_difference(ten_papers) / 2)
    40
    """
    reach = _reach(power)
    if difference == 0 or not math.isfinite(difference):
        raise ValueError(f"no number of papers finds a difference of {difference}")
    if estimate.standard_error is None:
        return None
    papers = (reach * estimate.standard_error / difference) ** 2 * estimate.num_papers
    return max(2, math.ceil(papers * (1 - 1e-12)))  # a whole number, but for rounding, is meant


def _reach(power: float) -> float:
    if not 0.5 < power < 1:
        raise ValueError(f"a power of {power} can't be; it lies between 0.5 and 1")
    quantile = NormalDist().inv_cdf
    return quantile(0.5 + CONFIDENCE / 2) + quantile(power)
