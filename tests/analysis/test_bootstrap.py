import math
from itertools import product

import numpy as np
import pytest
from drawn_values import drawn, samples
from hypothesis import given
from hypothesis import strategies as st

from foreword.analysis import (
    bootstrap,
    bootstrap_interval,
    clustered_mean,
    share_positive,
    t_p,
    wild_cluster_p,
)


def t_statistic(d: np.ndarray, papers: np.ndarray, null: float) -> float:
    estimate = clustered_mean(d.tolist(), papers.tolist())
    assert estimate.mean is not None
    assert estimate.standard_error is not None
    if estimate.standard_error < 1e-12:
        return math.inf
    return abs(estimate.mean - null) / estimate.standard_error


@pytest.mark.parametrize("num_papers", [2, 3, 5, 8])
@pytest.mark.parametrize("null", [0.0, 0.15])
def test_all_sign_vectors_are_the_definition_written_as_a_loop(
    num_papers: int, null: float
) -> None:
    d, papers = drawn(num_papers, num_papers)
    observed = t_statistic(d, papers, null)
    reached = 0
    for signs in product((-1, 1), repeat=num_papers):
        made = null + np.array(signs)[papers] * (d - null)
        reached += t_statistic(made, papers, null) >= observed * (1 - 1e-9)
    found = wild_cluster_p(d, papers, null=null, seed=1)
    assert found == reached / 2**num_papers
    assert found >= 2 / 2**num_papers


def test_draws_are_the_definition_written_as_a_loop() -> None:
    d, papers = drawn(3, 14)
    observed = t_statistic(d, papers, 0.1)
    signs = bootstrap.SIGNS[np.random.default_rng(7).integers(2, size=(199, 14))]
    reached = sum(
        t_statistic(0.1 + row[papers] * (d - 0.1), papers, 0.1) >= observed * (1 - 1e-9)
        for row in signs
    )
    assert wild_cluster_p(d, papers, null=0.1, draws=199, seed=7) == (1 + reached) / 200


def test_draws_of_signs_come_near_the_enumeration() -> None:
    d, papers = drawn(6, 12)
    exact = wild_cluster_p(d, papers, null=0.1, seed=1)
    near = wild_cluster_p(d, papers, null=0.1, draws=4000, seed=1)
    assert near == pytest.approx(exact, abs=0.03)
    assert near != exact


def test_between_enumeration_and_twelve_papers_webbs_points_are_drawn() -> None:
    d, papers = drawn(2, 11)
    webb = np.array([-math.sqrt(1.5), -1, -math.sqrt(0.5), math.sqrt(0.5), 1, math.sqrt(1.5)])
    observed = t_statistic(d, papers, 0.1)
    weights = webb[np.random.default_rng(5).integers(6, size=(999, 11))]
    reached = sum(
        t_statistic(0.1 + row[papers] * (d - 0.1), papers, 0.1) >= observed * (1 - 1e-9)
        for row in weights
    )
    assert wild_cluster_p(d, papers, null=0.1, draws=999, seed=5) == (1 + reached) / 1000
    assert (bootstrap.WEBB.mean(), (bootstrap.WEBB**2).mean()) == pytest.approx((0, 1))


def test_p_does_not_depend_on_how_draws_are_cut_into_chunks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    d, papers = drawn(1, 20)
    calls = (
        lambda: wild_cluster_p(d, papers, null=0.2, draws=500, seed=2),
        lambda: wild_cluster_p(d[papers < 7], papers[papers < 7], seed=2),
    )
    whole = [call() for call in calls]
    monkeypatch.setattr(bootstrap, "_AT_ONCE", 60)
    assert [call() for call in calls] == whole


@given(sample=samples, scale=st.sampled_from([1e-3, 7.3, -1.0]), seed=st.integers(0, 9))
def test_p_is_the_same_in_another_unit_and_another_order(
    sample: list[tuple[float, int]], scale: float, seed: int
) -> None:
    values, papers = (np.array(column) for column in zip(*sample, strict=True))
    values = values.round(2)
    order = np.random.default_rng(seed).permutation(len(values))
    first = wild_cluster_p(values, papers.tolist(), seed=1)
    assert wild_cluster_p(scale * values[order], papers[order].tolist(), seed=2) == first


def test_with_many_papers_it_agrees_with_t() -> None:
    d, papers = drawn(11, 80)
    for null in (0.1, 0.2, 0.25):
        expected = t_p(clustered_mean(d, papers), null)
        assert wild_cluster_p(d, papers, null=null, seed=1) == pytest.approx(expected, abs=0.02)


def test_p_at_the_mean_itself_is_one() -> None:
    d, papers = drawn(4, 6)
    assert wild_cluster_p(d, papers, null=d.mean(), seed=1) == 1.0


def test_no_tie_is_lost_to_rounding() -> None:
    values = [-0.3, 0.2, 0.3, 0.1, 0.2, 0.6, 0.7]  # in fractions, 16 of 128 sign vectors reach |t|
    found = {
        wild_cluster_p([values[at] for at in order], range(7), seed=1)
        for order in (np.random.default_rng(seed).permutation(7) for seed in range(20))
    }
    assert found == {16 / 128}


@pytest.mark.parametrize(
    ("values", "papers"),
    [([], []), ([0.1, 0.2], ["a", "a"]), ([0.1] * 3, list("abc")), ([0.0] * 3, list("abc"))],
)
def test_where_papers_do_not_differ_there_is_no_p(values: list[float], papers: list[str]) -> None:
    assert wild_cluster_p(values, papers, seed=1) is None


def test_a_bootstrap_interval_is_its_definition_written_as_a_loop() -> None:
    d, papers = drawn(9, 6)
    rng = np.random.default_rng(4)
    found = []
    for _ in range(200):
        picks = rng.integers(6, size=6)
        found.append(np.median([x for p in picks for x in d[papers == p]]))
    expected = (np.quantile(found, 0.025), np.quantile(found, 0.975))
    got = bootstrap_interval(d, papers, lambda x: float(np.median(x)), draws=200, seed=4)
    assert got == pytest.approx(expected, abs=1e-12)


def test_the_bootstrap_interval_of_a_mean_is_about_that_of_its_formula() -> None:
    d, papers = drawn(2, 138)
    estimate = clustered_mean(d, papers)
    interval = bootstrap_interval(d, papers, lambda x: float(x.mean()), draws=1000, seed=1)
    assert interval == pytest.approx((estimate.low, estimate.high), abs=0.006)


def test_a_win_rate_of_papers_that_agree_has_an_interval_without_width() -> None:
    values, papers = [0.5, -0.5] * 4, np.repeat(range(4), 2).tolist()
    assert bootstrap_interval(values, papers, share_positive, draws=50, seed=1) == (0.5, 0.5)
    assert bootstrap_interval(values, ["a"] * 8, share_positive, seed=1) is None


def test_what_can_not_be_resampled_is_refused() -> None:
    with pytest.raises(ValueError, match="0 draws"):
        wild_cluster_p([0.1, 0.2], ["a", "b"], draws=0, seed=1)
    with pytest.raises(ValueError, match="value 0 is nan"):
        bootstrap_interval([math.nan], ["a"], share_positive, seed=1)
