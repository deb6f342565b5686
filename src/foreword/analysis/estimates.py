"""The mean over cuts and how far to trust it, when cuts of one paper resemble each other.

Shapes: N cuts, in G papers.
"""

import math
from collections.abc import Hashable, Sequence
from typing import get_args

import numpy as np

from foreword.records import Estimate, Kind

CONFIDENCE = 0.95
_ROUNDING = 1e-12
"""Of the largest value: an error no larger is the rounding of sums."""


def clustered_mean(
    values: Sequence[float], clusters: Sequence[Hashable], kind: Kind = "crv1"
) -> Estimate:
    """The mean of values that come in clusters, with its standard error and t interval.

    With m the mean of all N values d, clusters g = 1…G of n_g values, S_g = Σ_{i in g} (d_i − m):

        crv1:      SE² = G/(G−1) · Σ_g S_g² / N²
        cr2:       SE² = Σ_g S_g² / (1 − n_g/N) / N²
        jackknife: SE² = (G−1)/G · Σ_g S_g² / (1 − n_g/N)² / N²  =  (G−1)/G · Σ_g (m₋g − m)²
        interval = m ± t(0.975; ν) · SE,   ν = G − 1, and for cr2 that of `satterthwaite`

    m₋g is the mean without cluster g. `crv1` is the sandwich estimator of a regression on a
    constant alone (Liang and Zeger 1986), with the usual correction for few clusters; `cr2` is
    that of Bell and McCaffrey (2002), without bias where values are independent with one variance,
    and has their degrees of freedom, which are fewer the more some papers outweigh the others.
    `jackknife` leaves one cluster out at a time and is centred on m: (G−1)/G times their CR3, and
    what MacKinnon, Nielsen and Webb (2023) call CRV3. With clusters of one size the three are the
    same; with unequal ones crv1 ignores that a large paper pulls the mean towards itself. Papers
    with more cuts weigh more, but not so in

        papers:    m = mean of the G cluster means;  SE = sd(cluster means, ddof=1) / √G

    which is another mean: its error belongs to it alone. All numbers have the unit of the values.

    Args:
        values: one number a cut, N of them.
        clusters: the paper of each, N of them.
        kind: which mean and which error, as above.

    Returns:
        The estimate. No value: no mean, no median, no share. Fewer than two clusters: no standard
        error and no interval, for one paper can't tell how papers differ.

    Raises:
        ValueError: the lengths differ, a value is not finite, a cluster is None, "" or nan, or
            there is no such kind.

    >>> two_papers = clustered_mean([0.1, 0.3, 0.2, 0.6], ["a", "a", "b", "b"])
    >>> round(two_papers.mean, 3), round(two_papers.standard_error, 3), two_papers.num_papers
    (0.3, 0.1, 2)
    >>> clustered_mean([0.1, 0.3], ["a", "a"]).standard_error is None
    True
    >>> round(clustered_mean([0.1, 0.3, 0.6], ["a", "a", "b"], "papers").mean, 3)
    0.4
    """
    if kind not in get_args(Kind):
        raise ValueError(f"no error is called {kind!r}; there are {', '.join(get_args(Kind))}")
    d, paper_of, papers = numbered(values, clusters)
    num_cuts, num_papers = len(d), len(papers)
    if num_cuts == 0:
        return _nothing(kind)
    if kind == "papers":  # each paper as one value, a cluster of its own
        d, paper_of = paper_means(d, paper_of), np.arange(num_papers)
    mean = math.fsum(d) / len(d)  # the same in any order of the cuts, so that equal means tie
    error = half = degrees = None
    if num_papers > 1:
        error = _standard_error(d - mean, paper_of, kind)
        if error <= _ROUNDING * float(np.abs(d).max()):
            error = 0.0  # what a sum leaves behind is no spread
        degrees = satterthwaite(np.bincount(paper_of)) if kind == "cr2" else num_papers - 1
        half = t_quantile(degrees) * error
    return Estimate(
        num_cuts=num_cuts,
        num_papers=num_papers,
        mean=mean,
        standard_error=error,
        low=None if half is None else mean - half,
        high=None if half is None else mean + half,
        median=float(np.median(d)),
        share_positive=float((d > 0).mean()),
        degrees=degrees,
        kind=kind,
    )


def satterthwaite(sizes: Sequence[int] | np.ndarray) -> float:
    """The degrees of freedom of CR2's error of a mean, from the sizes of the clusters alone.

    With w_g = n_g/N and a_g = w_g²/(1 − w_g):

        ν = 1 / ( Σ_g w_g² + (Σ_g a_g)² − Σ_g a_g² )

    Where values are independent with one variance σ², CR2's SE² is the sum of the squares of
    z_g = S_g/√(1 − w_g)/N, and, as S_g = Σ_{i in g} (d_i − m),

        Cov(z_g, z_h) = (w_g [g = h] − w_g w_h) / √((1 − w_g)(1 − w_h)) · σ²/N

    The trace of this matrix B is σ²/N: no bias. Twice (tr B)² over the variance 2 tr(B²) of such a
    sum is Satterthwaite's ν = (tr B)²/tr(B²), the line above: on B's diagonal are the w_g, off it
    the squares are a_g a_h. It is G − 1 for clusters of one size, and less for others. This is the
    closed form, for a mean, of Bell and McCaffrey (2002), "BM" in Imbens and Kolesár (2016), with
    Pustejovsky and Tipton's (2018) working model of independence. Values that are alike within
    papers make the true number smaller still where papers differ much in size.

    Args:
        sizes: n_g, shape (G,): two clusters or more, none of them empty.

    >>> round(satterthwaite([5] * 12), 6), round(satterthwaite([60, *[5] * 11]), 2)
    (11.0, 3.14)
    """
    w = np.asarray(sizes) / np.sum(sizes)
    a = w**2 / (1 - w)
    return float(1 / ((w**2).sum() + a.sum() ** 2 - (a**2).sum()))


def t_quantile(degrees: float, share: float = 0.5 + CONFIDENCE / 2) -> float:
    """The number that t stays below in a share of cases; by default a 95 % interval's half width.

    >>> round(t_quantile(24), 3), round(t_quantile(137), 3)
    (2.064, 1.977)
    """
    from scipy.special import stdtrit  # a second to import, so not with the package

    return float(stdtrit(degrees, share))


def numbered(
    values: Sequence[float], clusters: Sequence[Hashable]
) -> tuple[np.ndarray, np.ndarray, list[Hashable]]:
    """Values as an array, the number of each one's cluster, and the clusters by that number.

    Clusters are numbered from 0 in the order in which they first come.

    Raises:
        ValueError: as for `clustered_mean`.

    >>> d, paper_of, papers = numbered([0.5, 0.25, 1.0], ["b", "a", "b"])
    >>> paper_of.tolist(), papers
    ([0, 1, 0], ['b', 'a'])
    """
    d = np.asarray(values, dtype=np.float64)
    _check(d, clusters)
    codes: dict[Hashable, int] = {}
    paper_of = [codes.setdefault(cluster, len(codes)) for cluster in clusters]
    return d, np.array(paper_of, dtype=np.intp), list(codes)


def paper_means(d: np.ndarray, paper_of: np.ndarray) -> np.ndarray:
    """The mean of each cluster's values, shape (G,); `d` and `paper_of` as `numbered` gives them.

    Summed exactly, so that the order of a paper's cuts can't move it.

    >>> paper_means(np.array([0.5, 0.25, 1.0]), np.array([0, 1, 0])).tolist()
    [0.75, 0.25]
    """
    in_order = d[np.argsort(paper_of, kind="stable")]
    groups = np.split(in_order, np.cumsum(np.bincount(paper_of))[:-1])
    return np.array([math.fsum(group) / len(group) for group in groups])


def _standard_error(residuals: np.ndarray, paper_of: np.ndarray, kind: Kind) -> float:
    sums = np.bincount(paper_of, weights=residuals)
    num_cuts, num_papers = len(residuals), len(sums)
    rest = 1 - np.bincount(paper_of) / num_cuts  # the share of the cuts outside each paper
    if kind == "cr2":
        return float(np.sqrt((sums**2 / rest).sum()) / num_cuts)
    if kind == "jackknife":
        factor = (num_papers - 1) / num_papers
        return float(np.sqrt(factor * ((sums / rest) ** 2).sum()) / num_cuts)
    return float(np.sqrt(num_papers / (num_papers - 1) * (sums**2).sum()) / num_cuts)


def _nothing(kind: Kind) -> Estimate:
    return Estimate(
        num_cuts=0,
        num_papers=0,
        mean=None,
        standard_error=None,
        low=None,
        high=None,
        median=None,
        share_positive=None,
        kind=kind,
    )


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
