import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.analysis import clustered_mean, papers_needed, smallest_difference
from foreword.records import Estimate


def study(error: float, num_papers: int) -> Estimate:
    return Estimate(
        num_cuts=10 * num_papers, num_papers=num_papers, mean=0.0, standard_error=error, low=None,
        high=None, median=None, share_positive=None, degrees=num_papers - 1,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("error", "difference", "papers"),
    [(0.002478, 0.003805, 460), (0.002479, 0.006236, 172), (0.003188, 0.024980, 18)],
)
def test_papers_needed_for_the_published_differences_of_138_papers(
    error: float, difference: float, papers: int
) -> None:
    assert papers_needed(study(error, 138), difference) == papers
    assert papers_needed(study(error, 138), -difference) == papers


def test_the_published_study_sees_differences_of_seven_thousandths() -> None:
    assert smallest_difference(study(0.002478, 138)) == pytest.approx(0.0069, abs=5e-5)
    assert smallest_difference(study(0.002478, 138), 0.9) == pytest.approx(
        3.2415 * 0.002478, rel=1e-4
    )


@given(
    error=st.floats(1e-6, 10), papers=st.integers(2, 500), power=st.sampled_from([0.6, 0.8, 0.95])
)
def test_the_smallest_difference_needs_just_the_papers_there_are(
    error: float, papers: int, power: float
) -> None:
    difference = smallest_difference(study(error, papers), power)
    assert difference is not None
    assert papers_needed(study(error, papers), difference, power) == papers
    assert papers_needed(study(error, papers), difference / 2, power) == 4 * papers


def test_with_so_many_papers_the_difference_is_found_about_as_often_as_promised() -> None:
    rng = np.random.default_rng(1)
    difference = smallest_difference(study(1 / math.sqrt(60), 60))
    assert difference is not None
    found = 0
    for _ in range(500):
        low = clustered_mean(rng.normal(difference, 1, 60), range(60)).low
        assert low is not None
        found += low > 0
    assert found / 500 == pytest.approx(0.8, abs=0.05)


def test_a_mean_without_an_error_tells_nothing_of_power() -> None:
    one_paper = clustered_mean([0.1, 0.2], ["a", "a"])
    assert smallest_difference(one_paper) is None
    assert papers_needed(one_paper, 0.1) is None


@pytest.mark.parametrize("difference", [0.0, math.nan, math.inf])
def test_a_difference_that_no_study_finds_is_refused(difference: float) -> None:
    with pytest.raises(ValueError, match="difference of"):
        papers_needed(study(0.1, 9), difference)


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, math.nan])
def test_a_power_that_can_not_be_is_refused(power: float) -> None:
    with pytest.raises(ValueError, match="power of"):
        smallest_difference(study(0.1, 9), power)
