"""The mean over cuts and how far to trust it, when cuts of one paper resemble each other.

Shapes: N cuts, in G papers.
"""

import math
from collections.abc import Hashable, Sequence

import numpy as np

from foreword.records import Estimate

CONFIDENCE = 0.95


def clustered_mean(values: Sequence[float], clusters: Sequence[Hashable]) -> Estimate:
    """The mean of values that come in clusters, with its CRV1 standard error and t interval.

    With m the mean of all N values d, and clusters g = 1…G:

        SE = sqrt( G/(G−1) · Σ_g ( Σ_{i in g} (d_i − m) )² ) / N
        interval = m ± t(0.975; G − 1) · SE

    It is the sandwich estimator of a regression on a constant alone (Liang and Zeger 1986), with
    the usual correction for few clusters; papers with more cuts weigh more. With one value a
    cluster it is the ordinary standard error. All numbers have the unit of the values.

    Args:
        values: one number a cut, N of them.
        clusters: the paper of each, N of them.

    Returns:
        The estimate. No value: no mean, no median, no share. Fewer than two clusters: no standard
        error and no interval, for one paper can't tell how papers differ.

    Raises:
        ValueError: the lengths differ, a value is not finite, or a cluster is None, "" or nan.

    >>> two_papers = clustered_mean([0.1, 0.3, 0.2, 0.6], ["a", "a", "b", "b"])
    >>> round(two_papers.mean, 3), round(two_papers.standard_error, 3), two_papers.num_papers
    (0.3, 0.1, 2)
    >>> clustered_mean([0.1, 0.3], ["a", "a"]).standard_error is None
    True
    """
    d = np.asarray(values, dtype=np.float64)
    _check(d, clusters)
    codes: dict[Hashable, int] = {}
    of_cluster = [codes.setdefault(cluster, len(codes)) for cluster in clusters]
    num_cuts, num_papers = len(d), len(codes)
    if num_cuts == 0:
        return Estimate(
            num_cuts=0,
            num_papers=0,
            mean=None,
            standard_error=None,
            low=None,
            high=None,
            median=None,
            share_positive=None,
        )
    mean = math.fsum(d) / num_cuts  # the same in any order of the cuts, so that equal means tie
    error = half = None
    if num_papers > 1:
        sums = np.bincount(of_cluster, weights=d - mean)
        error = float(np.sqrt(num_papers / (num_papers - 1) * (sums**2).sum()) / num_cuts)
        half = t_quantile(num_papers - 1) * error
    return Estimate(
        num_cuts=num_cuts,
        num_papers=num_papers,
        mean=mean,
        standard_error=error,
        low=None if half is None else mean - half,
        high=None if half is None else mean + half,
        median=float(np.median(d)),
        share_positive=float((d > 0).mean()),
    )


def t_quantile(degrees: int) -> float:
    """How many standard errors a two-sided 95 % interval reaches, from the t distribution.

    >>> round(t_quantile(24), 3), round(t_quantile(137), 3)
    (2.064, 1.977)
    """
    from scipy.special import stdtrit  # a second to import, so not with the package

    return float(stdtrit(degrees, 0.5 + CONFIDENCE / 2))


def _check(d: np.ndarray, clusters: Sequence[Hashable]) -> None:
    if d.shape != (len(clusters),):
        raise ValueError(f"values of shape {d.shape} can't belong to {len(clusters)} clusters")
    if not np.isfinite(d).all():
        at = int(np.flatnonzero(~np.isfinite(d))[0])
        raise ValueError(f"value {at} is {d[at]}; leave out what is missing")
    for at, cluster in enumerate(clusters):
        nan = cluster != cluster
        if cluster is None or cluster == "" or nan:
            raise ValueError(f"value {at} has no cluster")
