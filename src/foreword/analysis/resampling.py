"""Intervals of medians and shares when whole papers are resampled: all draws at once.

They are those of `bootstrap_interval` with the same seed, in a hundredth of its time.

Shapes: N cuts, in G papers; D draws.
"""

from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from foreword.analysis.bootstrap import ENDS, check_draws, chunks
from foreword.analysis.estimates import numbered
from foreword.findings import Resampled

DRAWS = 2_000
"""Of papers; with fewer the ends of an interval are rough."""


def resampled_median(
    values: Sequence[float], clusters: Sequence[Hashable], *, draws: int = DRAWS, seed: int
) -> Resampled | None:
    """The median, and its 95 % interval when whole papers are resampled.

    Args:
        values: one number a cut, N of them.
        clusters: the paper of each, N of them.
        draws: how many.
        seed: of the draws.

    Returns:
        In the unit of the values; None where there are none.

    Raises:
        ValueError: no draws, or as for `clustered_mean`.

    >>> resampled_median([0.5, -0.25, 1.0], ["a", "a", "b"], seed=1)
    Resampled(value=0.5, low=0.125, high=1.0)
    """
    check_draws(draws)
    d, paper_of, papers = numbered(values, clusters)
    if not len(d):
        return None
    order = np.argsort(d, kind="stable")
    d, paper_of = d[order], paper_of[order]
    found = [
        _medians(d, times[:, paper_of]) for times in drawn_papers(len(papers), draws, seed, len(d))
    ]
    return _with_ends(float(np.median(d)), found)


def resampled_share(
    parts: Sequence[float],
    wholes: Sequence[float],
    clusters: Sequence[Hashable],
    *,
    draws: int = DRAWS,
    seed: int,
) -> Resampled | None:
    """Σ parts / Σ wholes, and its 95 % interval when whole papers are resampled.

    The share of cuts that have something is that of ones and zeros in ones; the share of tokens is
    that of each cut's tokens that have it in all of its tokens.

    Args:
        parts: what is counted, one number a cut, N of them.
        wholes: what it is a share of, N of them, each above 0.
        clusters: the paper of each, N of them.
        draws: how many.
        seed: of the draws.

    Returns:
        None where there is no cut.

    Raises:
        ValueError: no draws, a whole is not above 0, or as for `clustered_mean`.

    >>> resampled_share([1, 0, 1], [1, 1, 1], ["a", "a", "b"], seed=1).low
    0.5
    """
    check_draws(draws)
    part, paper_of, papers = numbered(parts, clusters)
    whole, _, _ = numbered(wholes, clusters)
    if not len(part):
        return None
    if whole.min() <= 0:
        raise ValueError(f"value {int(whole.argmin())} is a share of {whole.min()}")
    sums = np.bincount(paper_of, weights=part)
    sizes = np.bincount(paper_of, weights=whole)
    drawn = drawn_papers(len(papers), draws, seed, len(papers))
    found = [(times @ sums) / (times @ sizes) for times in drawn]
    return _with_ends(float(sums.sum() / sizes.sum()), found)


def drawn_papers(num_papers: int, draws: int, seed: int, width: int) -> Iterator[np.ndarray]:
    """How often each paper comes in each draw, in chunks of draws; each of shape (D, G).

    Nothing with fewer than two papers: one paper can't tell how papers differ.
    """
    if num_papers < 2:
        return
    rng = np.random.default_rng(seed)
    for numbers in chunks(draws, max(width, num_papers)):
        rows = len(numbers)
        picks = rng.integers(num_papers, size=(rows, num_papers))
        places = picks + num_papers * np.arange(rows)[:, None]
        times = np.bincount(places.ravel(), minlength=rows * num_papers)
        yield times.reshape(rows, num_papers).astype(np.float64)


def _medians(d: np.ndarray, times: np.ndarray) -> np.ndarray:
    """The median of each draw: `d` in order, shape (N,), and how often each value comes, (D, N)."""
    up_to = np.cumsum(times, axis=1)
    total = up_to[:, -1:]
    lower = (up_to <= np.floor((total - 1) / 2)).sum(axis=1)
    upper = (up_to <= np.floor(total / 2)).sum(axis=1)
    return np.asarray((d[lower] + d[upper]) / 2)


def _with_ends(value: float, found: Sequence[np.ndarray]) -> Resampled:
    if not found:
        return Resampled(value=value, low=None, high=None)
    low, high = np.quantile(np.concatenate(found), ENDS)
    return Resampled(value=value, low=float(low), high=float(high))
