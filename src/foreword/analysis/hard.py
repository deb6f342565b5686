"""The cuts that one predictor does worst on: does an order hold where it is hard?"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from foreword.analysis.absences import PREDICTOR
from foreword.analysis.evidence import with_evidence
from foreword.analysis.pairing import Means, differences
from foreword.errors import UsageError
from foreword.findings import HardCuts, Rule

SHARE = 0.2


def hard_cuts(
    ranked: Sequence[str],
    means: Means,
    papers: Mapping[str, str],
    rule: Rule,
    *,
    baselines: Sequence[str],
    reference: str | None = None,
    seed: int,
) -> HardCuts | None:
    """The fifth of cuts on which a reference predictor gains least, and contrasts on them.

    The reference is in no contrast. A contrast of two others, first minus second, has no part of
    the reference's lift in it, not even the baseline, so the choice of cuts does not use the noise
    of what is then compared. Chosen by one of the two, the cuts would favour the other.

    Args:
        ranked: predictors, best first.
        means: condition → cut → mean score under the rule.
        papers: cut → its paper.
        rule: under which the means are.
        baselines: the lift is over the first that anything was scored under.
        reference: a predictor's name; None for the last ranked one that has a lift.
        seed: of the wild cluster bootstrap.

    Returns:
        None where no predictor has a lift.

    Raises:
        UsageError: no predictor with a lift has the name of the reference.
    """
    over = next((one for one in baselines if means.get(one)), baselines[0])
    lifts = {name: differences(means, name, over) for name in ranked}
    placed = [name for name in ranked if lifts[name]]
    if reference is not None and PREDICTOR + reference not in placed:
        there = ", ".join(name.removeprefix(PREDICTOR) for name in placed) or "none"
        raise UsageError(f"no predictor with a lift is called {reference!r}; there are: {there}")
    if not placed:
        return None
    chosen = placed[-1] if reference is None else PREDICTOR + reference
    in_order = sorted(lifts[chosen], key=lambda cut: (lifts[chosen][cut], cut))
    taken = in_order[: -(-len(in_order) // round(1 / SHARE))]
    others = [name for name in placed if name != chosen]
    kept = set(taken)
    on_them = {
        name: {cut: mean for cut, mean in means[name].items() if cut in kept} for name in others
    }
    return HardCuts(
        reference=chosen,
        over=over,
        share=SHARE,
        num_ranked=len(in_order),
        highest=lifts[chosen][taken[-1]],
        cut_ids=tuple(taken),
        contrasts=with_evidence(list(pairwise(others)), on_them, papers, rule, seed=seed),
    )
