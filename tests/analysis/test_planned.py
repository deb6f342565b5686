import gc
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from drawn_values import drawn
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from foreword.analysis import clustered_mean, holm, t_p, trend


@pytest.fixture(scope="module")
def small_heap() -> Iterator[None]:
    """`multipletests` collects garbage at every call; here it need not look at all there is."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("small_heap")
@given(p_values=st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_agrees_with_statsmodels(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1], abs=1e-12)


@given(p_values=st.permutations([0.001, 0.01, 0.01, 0.04, 0.9]))
def test_holm_keeps_the_order_given(p_values: list[float]) -> None:
    expected = {0.001: 0.005, 0.01: 0.04, 0.04: 0.08, 0.9: 0.9}
    assert holm(p_values) == pytest.approx([expected[p] for p in p_values])


def test_one_test_needs_no_correction() -> None:
    assert holm([0.03]) == [0.03]
    assert holm([]) == []


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
def test_what_is_no_p_value_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="p-value 1 is"):
        holm([0.5, p])


def test_t_p_of_one_cut_a_paper_is_the_t_test() -> None:
    d = drawn(1, 12)[0]
    for null in (0.0, 0.2, -1.0):
        expected = stats.ttest_1samp(d, null).pvalue
        assert t_p(clustered_mean(d, range(len(d))), null) == pytest.approx(expected, rel=1e-9)


@given(seed=st.integers(0, 99), num_papers=st.integers(2, 9))
def test_p_is_five_percent_at_the_ends_of_the_interval(seed: int, num_papers: int) -> None:
    estimate = clustered_mean(*drawn(seed, num_papers))
    assert estimate.low is not None
    assert estimate.high is not None
    assert t_p(estimate, estimate.low) == pytest.approx(0.05)
    assert t_p(estimate, estimate.high) == pytest.approx(0.05)


def test_without_an_error_there_is_no_p() -> None:
    assert t_p(clustered_mean([0.1, 0.2], ["a", "a"])) is None
    assert t_p(clustered_mean([], [])) is None
    assert t_p(clustered_mean([0.25, 0.25], ["a", "b"])) is None


def test_an_estimate_that_hides_its_degrees_is_refused() -> None:
    estimate = replace(clustered_mean([0.1, 0.2], ["a", "b"]), degrees=None)
    with pytest.raises(ValueError, match="degrees of freedom"):
        t_p(estimate)


def test_a_trend_is_the_mean_of_lines_fitted_to_each_cut() -> None:
    rng = np.random.default_rng(1)
    d, papers = drawn(2, 8)
    order = ["none", "low", "medium", "high"]
    values = {name: dict(enumerate(d + rng.normal(0, 0.1, len(d)))) for name in order}
    slopes = [np.polyfit(range(4), [values[name][cut] for name in order], 1)[0]
              for cut in range(len(d))]  # fmt: skip
    found = trend(values, order, dict(enumerate(papers.tolist())))
    expected = clustered_mean(slopes, papers.tolist())
    assert found.mean == pytest.approx(expected.mean, abs=1e-12)
    assert found.standard_error == pytest.approx(expected.standard_error, abs=1e-12)
    assert (found.num_cuts, found.num_papers) == (len(d), 8)


@given(step=st.floats(-1, 1), num_conditions=st.integers(2, 6))
def test_a_rise_of_one_size_a_step_is_found_as_that_size(step: float, num_conditions: int) -> None:
    order = [str(place) for place in range(num_conditions)]
    base = {"x": 0.3, "y": -0.4}
    values = {
        name: {cut: start + step * place for cut, start in base.items()}
        for place, name in enumerate(order)
    }
    papers = {"x": "p", "y": "q"}
    assert trend(values, order, papers).mean == pytest.approx(step, abs=1e-12)
    assert trend(values, order[::-1], papers).mean == pytest.approx(-step, abs=1e-12)


def test_a_trend_of_two_conditions_is_their_difference_on_the_cuts_that_both_have() -> None:
    values = {"low": {"x": 0.25, "y": 0.5, "z": 9.0}, "high": {"y": 1.0, "x": 0.5, "w": -9.0}}
    papers = dict(zip("wxyz", "abcd", strict=True))
    found = trend(values, ["low", "high"], papers)
    assert (found.mean, found.num_cuts) == (0.375, 2)
    assert trend({**values, "high": {}}, ["low", "high"], papers).mean is None


def test_a_family_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="two different conditions"):
        trend({"a": {}}, ["a"], {})
    with pytest.raises(ValueError, match="two different conditions"):
        trend({"a": {}}, ["a", "a"], {})
    with pytest.raises(ValueError, match="'b'; the conditions are: a"):
        trend({"a": {}}, ["a", "b"], {})
