"""Every condition under every clip rule, and how many of its tokens the rule cuts off."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from foreword.analysis.pairing import Means, differences, estimate
from foreword.analysis.resampling import resampled_share
from foreword.analysis.softening import floor
from foreword.findings import Clipped
from foreword.records import Score


def clipped(
    conditions: Sequence[str],
    scores: Sequence[Score],
    means: Mapping[str, Means],
    papers: Mapping[str, str],
    *,
    over: str,
    seed: int,
) -> tuple[Clipped, ...]:
    """Lifts and shares of tokens at the floor, condition by condition, from stored tokens.

    Args:
        conditions: those that may be scored; one without a score has no row.
        scores: of all conditions.
        means: clip rule → condition → cut → mean score.
        papers: cut → its paper.
        over: the baseline of the lifts.
        seed: of the draws of papers, for the shares.
    """
    of: dict[str, list[Score]] = {condition: [] for condition in conditions}
    for score in scores:
        if score.failure is None:
            of[score.condition].append(score)
    return tuple(
        row
        for condition, scored in of.items()
        if scored
        for row in _rows(condition, scored, means, papers, over, seed)
    )


def _rows(
    condition: str,
    scored: Sequence[Score],
    means: Mapping[str, Means],
    papers: Mapping[str, str],
    over: str,
    seed: int,
) -> Iterator[Clipped]:
    sizes = [len(score.logprobs) for score in scored]
    tokens = np.fromiter(chain.from_iterable(score.logprobs for score in scored), np.float64)
    starts = np.cumsum([0, *sizes[:-1]])
    clusters = [score.paper_id for score in scored]
    for rule, found in means.items():
        at_floor = np.add.reduceat(tokens <= floor(rule), starts, dtype=np.float64)
        share = resampled_share(at_floor.tolist(), sizes, clusters, seed=seed)
        assert share is not None  # there is a cut
        lift = estimate(differences(found, condition, over), papers)
        yield Clipped(
            condition=condition,
            rule=rule,
            floor=floor(rule),
            lift=None if condition == over else lift,
            num_tokens=len(tokens),
            at_floor=share,
        )
