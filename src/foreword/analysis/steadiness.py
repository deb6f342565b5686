"""How far each line of the leaderboard can be trusted."""

from collections.abc import Mapping, Sequence

from foreword.analysis.estimates import clustered_mean
from foreword.analysis.influence import leave_one_paper_out
from foreword.analysis.pairing import Means
from foreword.analysis.ranks import rank_intervals
from foreword.analysis.resampling import resampled_median, resampled_share
from foreword.findings import Kind, RankInterval, Resampled, Steadiness

NEAR_CEILING = -0.10
"""A cut whose clip2 mean under a forecast is at least so high, in nats, has little left to gain."""

_OTHERS: tuple[Kind, ...] = ("cr2", "jackknife", "papers")


def steadiness(
    predictors: Sequence[str],
    lifts: Mapping[str, Mapping[str, float]],
    clip2: Means,
    papers: Mapping[str, str],
    *,
    seed: int,
) -> tuple[Steadiness, ...]:
    """Each predictor's rank, intervals, other errors and influence, in the order given.

    Args:
        predictors: conditions.
        lifts: condition → cut → lift over `same-budget`.
        clip2: condition → cut → mean score under clip2.
        papers: cut → its paper.
        seed: of the draws of papers.
    """
    ranks = rank_intervals(
        {name: lifts[name] for name in predictors if lifts[name]}, papers, seed=seed
    )
    return tuple(
        _of(name, lifts[name], clip2.get(name, {}), papers, ranks.get(name), seed)
        for name in predictors
    )


def _of(
    condition: str,
    lifts: Mapping[str, float],
    clip2: Mapping[str, float],
    papers: Mapping[str, str],
    rank: RankInterval | None,
    seed: int,
) -> Steadiness:
    values, clusters = list(lifts.values()), [papers[cut] for cut in lifts]
    influences = leave_one_paper_out(values, clusters)
    return Steadiness(
        condition=condition,
        rank=rank,
        median=resampled_median(values, clusters, seed=seed),
        share_positive=_share({cut: v > 0 for cut, v in lifts.items()}, papers, seed),
        others=tuple(clustered_mean(values, clusters, kind) for kind in _OTHERS),
        influence=influences[0] if influences else None,
        near_ceiling=_share(
            {cut: mean >= NEAR_CEILING for cut, mean in clip2.items()}, papers, seed
        ),
    )


def _share(has: Mapping[str, bool], papers: Mapping[str, str], seed: int) -> Resampled | None:
    return resampled_share(
        [float(one) for one in has.values()],
        [1.0] * len(has),
        [papers[cut] for cut in has],
        seed=seed,
    )
