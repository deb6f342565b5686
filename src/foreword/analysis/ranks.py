"""How sure a rank is, when other papers might have been chosen.

Shapes: N cuts, in G papers; C conditions.
"""

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from foreword.analysis.bootstrap import ENDS, TIE, check_draws, chunks
from foreword.analysis.estimates import numbered
from foreword.analysis.pairing import shared_cuts
from foreword.findings import RankInterval


def rank_intervals(
    means: Mapping[str, Mapping[str, float]],
    papers: Mapping[str, str],
    *,
    draws: int = 2000,
    seed: int,
) -> dict[str, RankInterval]:
    """How sure each condition's rank is: its 95 % interval when whole papers are resampled.

    Ranks are by the mean over cuts, on the cuts that all conditions have: a cut that any of them
    lacks counts for none, so that nobody gains by declining hard cuts. A condition with few cuts
    therefore takes cuts from all; leave it out of `means` to rank the others on more. All
    conditions of a draw are ranked on the same papers, so what they share cancels.

    Args:
        means: condition → cut → a value, in one unit; more is better.
        papers: cut → its paper.
        draws: how many.
        seed: of the draws.

    Returns:
        The rank of each condition, in the order given; nothing where they share no cut.

    Raises:
        ValueError: no draws, a cut without a paper, or a value that is not finite.

    >>> means = {"a": {"x": 0.9, "y": 0.8, "z": 0.7}, "b": {"x": 0.1, "y": 0.2}}
    >>> ranks = rank_intervals(means, {"x": "p", "y": "q", "z": "q"}, seed=1)
    >>> ranks["a"].low, ranks["a"].high, ranks["b"].rank, ranks["b"].num_cuts
    (1, 1, 2, 2)
    """
    check_draws(draws)
    shared = shared_cuts(list(means.values()))
    if not shared:
        return {}
    of = [papers.get(cut) for cut in shared]
    columns = [numbered([values[cut] for cut in shared], of) for values in means.values()]
    paper_of, num_papers = columns[0][1], len(columns[0][2])
    sums = np.array([np.bincount(paper_of, weights=d) for d, _, _ in columns])  # (C, G)
    sizes = np.bincount(paper_of)
    once = np.ones((1, num_papers))
    ranks = _ranks(once, sums, sizes)[0]
    low = high = [None] * len(ranks)
    if num_papers > 1:
        drawn = _drawn_ranks(sums, sizes, draws, seed)
        low, high = np.quantile(drawn, ENDS, axis=0, method="inverted_cdf").tolist()
    return {
        name: RankInterval(
            rank=int(ranks[at]),
            low=low[at],
            high=high[at],
            num_cuts=len(shared),
            num_papers=num_papers,
        )
        for at, name in enumerate(means)
    }


def _drawn_ranks(sums: np.ndarray, sizes: np.ndarray, draws: int, seed: int) -> np.ndarray:
    num_conditions, num_papers = sums.shape
    rng = np.random.default_rng(seed)
    even = np.full(num_papers, 1 / num_papers)
    return np.concatenate(
        [
            _ranks(rng.multinomial(num_papers, even, size=len(numbers)), sums, sizes)
            for numbers in chunks(draws, max(num_papers, num_conditions))
        ]
    )


def _ranks(times: np.ndarray, sums: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The rank of each condition when each paper comes so many times; shape (draws, C)."""
    means = (times @ sums.T) / (times @ sizes)[:, None]
    close = TIE * np.abs(means).max(axis=1)  # equal conditions stay equal, however summed
    ranks = np.ones(means.shape, dtype=np.intp)
    for one, other in combinations(range(len(sums)), 2):
        ahead = means[:, one] - means[:, other]
        ranks[:, other] += ahead > close
        ranks[:, one] += -ahead > close
    return ranks
