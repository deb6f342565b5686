import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from findings_made import Made, draw_study
from scipy.stats import kendalltau, pearsonr

from foreword.analysis import agreement, analyse
from foreword.records import Analysis, Score

BY = "same-budget"


def under(made: Made, scores: Sequence[Score]) -> Analysis:
    return analyse(made.cuts, made.forecasts, scores)


def noisy(made: Made, seed: int, scale: float) -> list[Score]:
    """The same scores by a scorer that errs."""
    rng = np.random.default_rng(seed)
    return [
        replace(
            score,
            scorer_id="noisy",
            logprobs=tuple(np.minimum(0, score.logprobs + rng.normal(0, scale, 8))),
        )
        for score in made.scores
    ]


@pytest.mark.parametrize("scale", [0.1, 1.0, 5.0])
def test_tau_and_correlation_are_those_of_scipy(scale: float) -> None:
    made = draw_study(seed=3)
    mine, theirs = under(made, made.scores), under(made, noisy(made, 1, scale))
    found = agreement("n", mine, theirs, seed=0)
    assert found.order
    means = [
        [next(s.lift.mean for s in each.standings if (s.condition, s.over, s.rule)
              == (one.condition, BY, "clip2")) for one in mine.findings.steadiness]
        for each in (mine, theirs)
    ]  # fmt: skip
    assert found.order.value == pytest.approx(kendalltau(*means).statistic)
    assert found.order.low is not None
    assert found.order.low <= found.order.value <= (found.order.high or 0)
    lifts = [
        {(one.condition, one.cut_id): one.value for one in each.lifts if one.over == BY}
        for each in (mine, theirs)
    ]
    for one in found.contrasts:
        pairs = [
            [each[one.first, cut.id] - each[one.second, cut.id] for each in lifts]
            for cut in made.cuts
        ]
        assert one.correlation == pytest.approx(pearsonr(*zip(*pairs, strict=True)).statistic)
        assert one.same_sign
        assert one.same_sign.value == np.mean([a * b > 0 for a, b in pairs if a * b])
        assert one.mine.mean == pytest.approx(np.mean(pairs, axis=0)[0])
        assert one.theirs.mean == pytest.approx(np.mean(pairs, axis=0)[1])


def test_a_scorer_agrees_with_itself() -> None:
    made = draw_study()
    analysis = under(made, made.scores)
    found = agreement("again", analysis, analysis, seed=0)
    assert found.order
    assert found.order.value == found.order.low == found.order.high == 1
    for lift in found.lifts:
        assert lift.mine == lift.theirs
        assert lift.my_ceiling == lift.their_ceiling
    for one in found.contrasts:
        assert one.mine == one.theirs
        assert one.same_sign
        assert one.same_sign.value == 1
        assert one.correlation == pytest.approx(1)


def test_an_opposite_scorer_has_the_opposite_order() -> None:
    made = draw_study(levels={"forecast:a": -0.4, "forecast:b": -1.2, "forecast:c": -1.9})
    turned = {"forecast:a": "forecast:c", "forecast:c": "forecast:a"}
    swapped = [replace(s, condition=turned.get(s.condition, s.condition)) for s in made.scores]
    found = agreement("o", under(made, made.scores), under(made, swapped), seed=0)
    assert found.order
    assert found.order.value == -1


def test_only_cuts_that_both_have_scored_count() -> None:
    made = draw_study(seed=1)
    gone = {cut.id for cut in made.cuts[::3]}
    fewer = [
        replace(s, logprobs=(), token_ids=(), failure="too long") if s.cut_id in gone else s
        for s in made.scores
    ]
    found = agreement("f", under(made, made.scores), under(made, fewer), seed=0)
    kept = len(made.cuts) - len(gone)
    for one in itertools.chain(found.lifts, found.contrasts):
        assert one.mine.num_cuts == one.theirs.num_cuts == kept


def test_one_predictor_has_no_order_and_one_paper_no_interval() -> None:
    made = draw_study(levels={"forecast:a": -0.4})
    alone = under(made, made.scores)
    assert agreement("x", alone, alone, seed=0).order is None
    small = draw_study(num_papers=1, per_paper=5, seed=2)
    of_one = under(small, small.scores)
    order = agreement("x", of_one, of_one, seed=0).order
    assert order
    assert (order.value, order.low, order.high) == (1.0, None, None)
