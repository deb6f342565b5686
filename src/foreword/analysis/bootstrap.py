"""What resampling of whole papers says, where a t interval is doubtful or there is no formula.

Shapes: N cuts, in G papers. Every draw comes from one numpy Generator, whose seed is
an argument: the same seed gives the same numbers.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence

import numpy as np

from foreword.analysis.estimates import CONFIDENCE, numbered

ENDS = ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)
"""The shares of draws below the two ends of the interval."""
SIGNS = np.array([-1.0, 1.0])
"""Rademacher's weights."""
WEBB = np.array([-np.sqrt(1.5), -1.0, -np.sqrt(0.5), np.sqrt(0.5), 1.0, np.sqrt(1.5)])
"""Webb's six points, each as likely; mean 0 and variance 1, as Rademacher's have."""
MANY_PAPERS = 12
"""Fewer have too few sign vectors for draws of them to be worth much."""
TIE = 1e-9
"""Two statistics nearer than this, relatively, are the same one, rounded in two ways."""
_AT_ONCE = 2**18  # numbers in a chunk of draws: memory is the same for any number of draws

Statistic = Callable[[np.ndarray], float]


def wild_cluster_p(
    values: Sequence[float],
    clusters: Sequence[Hashable],
    *,
    null: float = 0.0,
    draws: int = 9999,
    seed: int,
) -> float | None:
    """Two-sided p of a mean being `null`, from the wild cluster bootstrap with the null imposed.

    Each draw b gives every paper g one random weight v_g and makes values that obey the null:

        d*_i = null + v_g (d_i − null);   t* = (mean(d*) − null) / SE_CRV1(d*);
        p = (1 + #{b: |t*_b| ≥ |t|}) / (draws + 1)

    The method is that of Cameron, Gelbach and Miller (2008), "WCR". The weights are ±1; where all
    2^G sign vectors are no more than draws + 1 each is taken once, nothing is drawn, and p is the
    exact share of them with |t*| ≥ |t|. It can't be below 2/2^G then: five papers never reach
    0.05. Otherwise, with fewer than 12 papers, the weights are the six points of Webb (2023).

    Args:
        values: one number a cut, N of them.
        clusters: the paper of each, N of them.
        null: the mean that is put to the test, in the unit of the values.
        draws: how many, where signs are not enumerated.
        seed: of the draws.

    Returns:
        p; None with fewer than two papers, or where papers do not differ, so that there is no t.

    Raises:
        ValueError: no draws, or as for `clustered_mean`.

    Four papers agree, and of the 16 sign vectors two do:

    >>> wild_cluster_p([0.1, 0.3, 0.2, 0.6], ["a", "b", "c", "d"], seed=1)
    0.125
    """
    check_draws(draws)
    d, paper_of, papers = numbered(values, clusters)
    if len(papers) < 2:
        return None
    sums = np.bincount(paper_of, weights=d - null)
    sizes = np.bincount(paper_of).astype(np.float64)
    observed = float(_t_squared(sums[None], sizes)[0])
    if not np.isfinite(observed):
        return None
    # A sign vector and its opposite have the same |t|, and so has any that permutes equal papers,
    # but their sums are rounded differently: without the tolerance such a tie is lost by chance.
    least = observed * (1 - TIE) ** 2
    is_enumerated = 2 ** len(papers) <= draws + 1
    weights = _all_signs(len(papers)) if is_enumerated else _drawn(len(papers), draws, seed)
    reached = sum(int((_t_squared(w * sums, sizes) >= least).sum()) for w in weights)
    return reached / 2 ** len(papers) if is_enumerated else (1 + reached) / (draws + 1)


def _t_squared(sums: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """(mean − null)² over Σ_g S_g², for each row of papers' sums of d − null.

    It is t² but for a factor that all draws share. No spread between papers: infinite, or nan where
    the mean is the null itself.
    """
    shift = sums.sum(axis=1, keepdims=True) / sizes.sum()
    spread = ((sums - sizes * shift) ** 2).sum(axis=1)
    spread[spread <= 1e-24 * (sums**2).sum(axis=1)] = 0.0  # what is left is rounding
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(shift[:, 0] ** 2 / spread)


def _all_signs(num_papers: int) -> Iterator[np.ndarray]:
    for numbers in chunks(2**num_papers, num_papers):
        bits = np.arange(numbers.start, numbers.stop)[:, None] >> np.arange(num_papers)
        yield SIGNS[bits & 1]


def _drawn(num_papers: int, draws: int, seed: int) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(seed)
    points = WEBB if num_papers < MANY_PAPERS else SIGNS
    for numbers in chunks(draws, num_papers):
        yield points[rng.integers(len(points), size=(len(numbers), num_papers))]


def bootstrap_interval(
    values: Sequence[float],
    clusters: Sequence[Hashable],
    statistic: Statistic,
    *,
    draws: int = 2000,
    seed: int,
) -> tuple[float, float] | None:
    """The 95 % interval of a statistic when whole papers are resampled: percentiles of its draws.

    For what has no formula, such as `np.median` or `share_positive`. Each draw takes G of the G
    papers with replacement, each with all of its cuts (the pairs cluster bootstrap).

    Args:
        values: one number a cut, N of them.
        clusters: the paper of each, N of them.
        statistic: of any number of values, in any order, above zero values.
        draws: how many; under 2,000 the ends are rough.
        seed: of the draws.

    Returns:
        Both ends, in the unit of the statistic; None with fewer than two papers.

    Raises:
        ValueError: no draws, or as for `clustered_mean`.

    >>> bootstrap_interval([0.5, -0.25, 1.0], ["a", "a", "b"], share_positive, seed=1)
    (0.5, 1.0)
    """
    check_draws(draws)
    d, paper_of, papers = numbered(values, clusters)
    if len(papers) < 2:
        return None
    cuts = [d[paper_of == paper] for paper in range(len(papers))]
    rng = np.random.default_rng(seed)
    found = [
        statistic(np.concatenate([cuts[paper] for paper in picks]))
        for picks in (rng.integers(len(cuts), size=len(cuts)) for _ in range(draws))
    ]
    low, high = np.quantile(found, ENDS)
    return float(low), float(high)


def share_positive(d: np.ndarray) -> float:
    """The share of values above zero: of differences between two conditions, the win rate.

    >>> share_positive(np.array([0.5, 0.0, -1.0, 2.0]))
    0.5
    """
    return float((d > 0).mean())


def chunks(total: int, width: int) -> Iterator[range]:
    """The numbers below `total` in runs; a run of rows so wide has a bearable size.

    >>> list(chunks(5, 2**17))
    [range(0, 2), range(2, 4), range(4, 5)]
    """
    step = max(1, _AT_ONCE // width)
    return (range(start, min(start + step, total)) for start in range(0, total, step))


def check_draws(draws: int) -> None:
    """See that there is a draw.

    Raises:
        ValueError: there is none.
    """
    if draws < 1:
        raise ValueError(f"{draws} draws tell nothing; ask for 1 at least, better for thousands")
