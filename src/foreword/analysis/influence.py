"""Whether a result rests on one paper: the mean without each of them."""

from collections.abc import Hashable, Sequence

import numpy as np

from foreword.analysis.estimates import clustered_mean, numbered
from foreword.findings import Influence


def leave_one_paper_out(
    values: Sequence[float], clusters: Sequence[Hashable]
) -> tuple[Influence, ...]:
    """Each paper with the mean without it, the one that moves the mean most first.

        mean without g = (N·m − Σ_{i in g} d_i) / (N − n_g);   move = (mean without g − m) / SE

    Computed as m − S_g / (N − n_g) with S_g = Σ_{i in g} (d_i − m), so that nothing cancels. Papers
    that move it equally stay in the order in which they come.

    Args:
        values: one number a cut, N of them.
        clusters: the paper of each, N of them.

    Returns:
        An entry a paper, in the unit of the values; none with fewer than two papers, for without
        the only one there is no mean.

    Raises:
        ValueError: as for `clustered_mean`.

    >>> found = leave_one_paper_out([0.1, 0.1, 0.7, 0.2], ["a", "a", "b", "c"])
    >>> [(one.cluster, round(one.mean_without, 3), round(one.move, 1)) for one in found]
    [('a', 0.45, 1.0), ('b', 0.133, -0.8), ('c', 0.3, 0.1)]
    """
    d, paper_of, papers = numbered(values, clusters)
    whole = clustered_mean(values, clusters)
    if whole.mean is None or whole.standard_error is None:
        return ()
    sizes = np.bincount(paper_of)
    moves = -np.bincount(paper_of, weights=d - whole.mean) / (len(d) - sizes)
    order = np.argsort(-np.abs(moves), kind="stable")
    return tuple(
        Influence(
            cluster=papers[at],
            num_cuts=int(sizes[at]),
            mean_without=whole.mean + float(moves[at]),
            move=float(moves[at]) / whole.standard_error if whole.standard_error else None,
        )
        for at in order
    )
