"""How far two scorers agree: on the order of the predictors, and on single contrasts.

Shapes: P predictors; G papers; D draws.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from foreword.analysis.bootstrap import ENDS, TIE
from foreword.analysis.findings import BASELINES
from foreword.analysis.pairing import differences, estimate, shared_cuts
from foreword.analysis.resampling import DRAWS, drawn_papers, resampled_share
from foreword.findings import Contrast, OtherScorer, Resampled, SharedContrast, SharedLift
from foreword.records import Analysis

BASELINE = BASELINES[0]

Lifts = Mapping[str, Mapping[str, float]]
"""Condition → cut → lift over the first baseline."""


def agreement(name: str, mine: Analysis, theirs: Analysis, *, seed: int) -> OtherScorer:
    """Another scorer beside the one of an analysis, on the cuts that both have scored.

    Lifts are differences under one scorer, so those of two scorers can be set side by side; their
    sizes still need not be alike: each scorer has its own surprise to lose.

    Args:
        name: of the other, as the study has it.
        mine: of the study, by one scorer; its predictors and contrasts are looked at.
        theirs: of the same study by the other, under the same rule.
        seed: of the draws of papers.
    """
    own, other = _lifts(mine), _lifts(theirs)
    papers = {lift.cut_id: lift.paper_id for lift in mine.lifts}
    ceilings = [
        {one.condition: one.near_ceiling for one in each.findings.steadiness}
        for each in (mine, theirs)
    ]
    pairs = {
        one.condition: _on_shared(own, other, one.condition) for one in mine.findings.steadiness
    }
    return OtherScorer(
        name=name,
        scorer_id=theirs.scorer_id,
        order=_order([pair for pair in pairs.values() if pair[0]], papers, seed),
        lifts=tuple(
            SharedLift(
                condition=condition,
                mine=estimate(pair[0], papers),
                theirs=estimate(pair[1], papers),
                my_ceiling=ceilings[0].get(condition),
                their_ceiling=ceilings[1].get(condition),
            )
            for condition, pair in pairs.items()
        ),
        contrasts=tuple(
            _contrast(one, own, other, papers, seed)
            for one in mine.contrasts
            if one.rule == mine.rule
        ),
    )


def _lifts(analysis: Analysis) -> Lifts:
    found: dict[str, dict[str, float]] = {}
    for lift in analysis.lifts:
        if lift.over == BASELINE:
            found.setdefault(lift.condition, {})[lift.cut_id] = lift.value
    return found


def _on_shared(own: Lifts, other: Lifts, *names: str) -> tuple[dict[str, float], dict[str, float]]:
    """A lift, or the first minus the second, under either scorer, on the cuts that both have."""
    one, two = (
        differences(each, *names) if len(names) > 1 else each.get(names[0], {})
        for each in (own, other)
    )
    shared = shared_cuts([one, two])
    return {cut: one[cut] for cut in shared}, {cut: two[cut] for cut in shared}


def _contrast(
    contrast: Contrast, own: Lifts, other: Lifts, papers: Mapping[str, str], seed: int
) -> SharedContrast:
    one, two = _on_shared(own, other, contrast.first, contrast.second)
    decided = [cut for cut in one if one[cut] and two[cut]]
    return SharedContrast(
        first=contrast.first,
        second=contrast.second,
        mine=estimate(one, papers),
        theirs=estimate(two, papers),
        same_sign=resampled_share(
            [float((one[cut] > 0) == (two[cut] > 0)) for cut in decided],
            [1.0] * len(decided),
            [papers[cut] for cut in decided],
            seed=seed,
        ),
        correlation=_correlation(list(one.values()), list(two.values())),
    )


def _correlation(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Pearson's; None where either does not vary."""
    pair = np.array([one, other])
    if pair.shape[1] < 2 or (np.ptp(pair, axis=1) == 0).any():
        return None
    return float(np.corrcoef(pair)[0, 1])


def _order(
    pairs: Sequence[tuple[Mapping[str, float], Mapping[str, float]]],
    papers: Mapping[str, str],
    seed: int,
) -> Resampled | None:
    """Kendall's tau between the orders under two scorers, when whole papers are resampled.

        tau = (pairs of predictors in the same order − pairs in the opposite one) / all pairs

    by mean lift on the cuts that all have under both; a tie counts for neither (tau-a). Source:
    M. G. Kendall, A new measure of rank correlation, Biometrika 30 (1938).

    Returns:
        None with fewer than two predictors, or where they share no cut.
    """
    columns = [each for pair in pairs for each in pair]
    shared = shared_cuts(columns)
    if len(pairs) < 2 or not shared:
        return None
    numbers = {paper: n for n, paper in enumerate(dict.fromkeys(papers[cut] for cut in shared))}
    paper_of = [numbers[papers[cut]] for cut in shared]
    sums = np.array(
        [np.bincount(paper_of, weights=[each[cut] for cut in shared]) for each in columns]
    ).reshape(len(pairs), 2, -1)
    value = float(_taus(np.ones((1, len(numbers))), sums)[0])
    drawn = [_taus(times, sums) for times in drawn_papers(len(numbers), DRAWS, seed, len(numbers))]
    if not drawn:
        return Resampled(value=value, low=None, high=None)
    low, high = np.quantile(np.concatenate(drawn), ENDS)
    return Resampled(value=value, low=float(low), high=float(high))


def _taus(times: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Tau of each draw: how often each paper comes, (D, G), and sums of lifts, (P, 2, G).

    Within a draw all means have the same divisor, so sums order as means do.
    """
    totals = np.einsum("dg,psg->dps", times, sums)
    close = TIE * np.abs(totals).max(axis=1)  # (D, 2)
    agree = np.zeros(len(times))
    count = 0
    for first, second in combinations(range(len(sums)), 2):
        ahead = totals[:, first] - totals[:, second]
        signs = np.where(np.abs(ahead) > close, np.sign(ahead), 0.0)
        agree += signs[:, 0] * signs[:, 1]
        count += 1
    return agree / count
