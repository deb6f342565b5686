import math

import numpy as np
import pytest
from drawn_values import drawn

from foreword.analysis import bootstrap, rank_intervals


def test_rank_intervals_are_their_definition_written_as_a_loop() -> None:
    d, papers = drawn(5, 9)
    rng = np.random.default_rng(1)
    means = {name: dict(enumerate(d + rng.normal(0, 0.5, len(d)))) for name in "abcd"}
    drawn_ranks: dict[str, list[int]] = {name: [] for name in means}
    draws = np.random.default_rng(3).multinomial(9, [1 / 9] * 9, size=100)
    for times in draws:
        of = {
            name: sum(times[papers[cut]] * value for cut, value in values.items())
            for name, values in means.items()
        }
        for name in means:
            drawn_ranks[name].append(1 + sum(of[other] > of[name] for other in means))
    found = rank_intervals(means, dict(enumerate(papers.tolist())), draws=100, seed=3)
    for name, ranks in drawn_ranks.items():
        in_order = sorted(ranks)
        assert (found[name].low, found[name].high) == (in_order[2], in_order[97])
        by_mean = sorted(means, key=lambda each: -math.fsum(means[each].values()))
        assert found[name].rank == 1 + by_mean.index(name)


def test_conditions_that_are_the_same_share_every_rank() -> None:
    d, papers = drawn(8, 30)
    values = dict(enumerate(d))
    better = {cut: value + 1 for cut, value in values.items()}
    ranks = rank_intervals(
        {"a": values, "best": better, "b": values}, dict(enumerate(papers.tolist())), seed=1
    )
    assert [(one.rank, one.low, one.high) for one in ranks.values()] == [
        (2, 2, 2), (1, 1, 1), (2, 2, 2)
    ]  # fmt: skip


def test_a_cut_that_one_condition_lacks_counts_for_no_condition() -> None:
    of = {"x": "p", "y": "q", "z": "r"}
    some = {"a": {"x": 1.0, "y": 1.0, "z": -99.0}, "b": {"y": 0.0, "x": 0.0}}
    ranks = rank_intervals(some, of, seed=1)
    assert (ranks["a"].rank, ranks["a"].num_cuts, ranks["a"].num_papers) == (1, 2, 2)
    assert rank_intervals({**some, "c": {}}, of, seed=1) == {}
    assert rank_intervals({}, of, seed=1) == {}


def test_ranks_on_one_paper_have_no_interval() -> None:
    ranks = rank_intervals({"a": {"x": 1.0}, "b": {"x": 2.0}}, {"x": "p"}, seed=1)
    assert [(one.rank, one.low, one.high) for one in ranks.values()] == [
        (2, None, None), (1, None, None)
    ]  # fmt: skip


def test_ranks_do_not_depend_on_how_draws_are_cut_into_chunks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    d, papers = drawn(1, 20)
    rng = np.random.default_rng(1)
    means = {name: dict(enumerate(d + rng.normal(0, 0.5, len(d)))) for name in "abc"}
    of = dict(enumerate(papers.tolist()))
    whole = rank_intervals(means, of, draws=300, seed=2)
    monkeypatch.setattr(bootstrap, "_AT_ONCE", 60)
    assert rank_intervals(means, of, draws=300, seed=2) == whole


def test_what_can_not_be_ranked_is_refused() -> None:
    with pytest.raises(ValueError, match="value 0 has no cluster"):
        rank_intervals({"a": {"x": 1.0}}, {}, seed=1)
    with pytest.raises(ValueError, match="0 draws"):
        rank_intervals({"a": {"x": 1.0}}, {"x": "p"}, draws=0, seed=1)
