import math
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from foreword.analysis import clustered_mean, papers_needed, smallest_difference
from foreword.analysis.estimates import t_quantile
from foreword.analysis.power import Law
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
    assert papers_needed(study(error, 138), difference, law="normal") == papers
    assert papers_needed(study(error, 138), -difference, law="normal") == papers
    assert papers_needed(study(error, 138), difference) == papers + 2


def test_the_published_study_sees_differences_of_seven_thousandths() -> None:
    published = study(0.002478, 138)
    assert smallest_difference(published, law="normal") == pytest.approx(0.0069, abs=5e-5)
    assert smallest_difference(published) == pytest.approx(0.0070, abs=5e-5)
    assert smallest_difference(published, 0.9, "normal") == pytest.approx(
        3.2415 * 0.002478, rel=1e-4
    )


@pytest.mark.parametrize("num_papers", [2, 3, 8, 20, 138])
def test_the_smallest_difference_is_two_quantiles_of_t(num_papers: int) -> None:
    expected = stats.t.ppf(0.975, num_papers - 1) + stats.t.ppf(0.8, num_papers - 1)
    assert smallest_difference(study(0.5, num_papers)) == pytest.approx(expected / 2)


@given(error=st.floats(1e-3, 10), papers=st.integers(2, 80), difference=st.floats(0.01, 10))
def test_fewer_papers_than_needed_are_too_few(error: float, papers: int, difference: float) -> None:
    def sees(number: int) -> float:
        seen = smallest_difference(study(error * math.sqrt(papers / number), number))
        assert seen is not None
        return seen

    needed = papers_needed(study(error, papers), difference)
    assert needed is not None
    assert sees(needed) <= difference * (1 + 1e-9)
    assert needed == 2 or sees(needed - 1) > difference
    fewer = papers_needed(study(error, papers), difference, law="normal")
    assert fewer is not None
    assert fewer <= needed


def test_a_difference_that_takes_more_papers_than_there_are_has_a_number_still() -> None:
    needed = papers_needed(study(0.1, 9), 1e-17)
    assert needed is not None
    assert needed > 10**32


def test_papers_of_unequal_sizes_keep_their_share_of_degrees() -> None:
    sizes = [20, *[2] * 9]
    papers = [paper for paper, size in enumerate(sizes) for _ in range(size)]
    values = np.random.default_rng(1).normal(size=38).tolist()
    cr2 = clustered_mean(values, papers, "cr2")
    assert cr2.degrees is not None
    assert cr2.standard_error is not None
    assert cr2.degrees < 4
    expected = stats.t.ppf(0.975, cr2.degrees) + stats.t.ppf(0.8, cr2.degrees)
    assert smallest_difference(cr2) == pytest.approx(expected * cr2.standard_error)


@given(
    error=st.floats(1e-6, 10), papers=st.integers(2, 500), power=st.sampled_from([0.6, 0.8, 0.95])
)
def test_the_smallest_difference_needs_just_the_papers_there_are(
    error: float, papers: int, power: float
) -> None:
    for law in get_args(Law):
        difference = smallest_difference(study(error, papers), power, law)
        assert difference is not None
        assert papers_needed(study(error, papers), difference, power, law) == papers
    assert papers_needed(study(error, papers), difference / 2, power, "normal") == 4 * papers


@pytest.mark.parametrize(("num_papers", "by_normal"), [(4, 0.483), (8, 0.673), (20, 0.757)])
def test_the_difference_is_found_about_as_often_as_promised(
    num_papers: int, by_normal: float
) -> None:
    rng = np.random.default_rng(1)
    for law, promised in (("t", 0.8), ("normal", by_normal)):
        difference = smallest_difference(study(1 / math.sqrt(num_papers), num_papers), law=law)
        assert difference is not None
        d = rng.normal(difference, 1, (20_000, num_papers))
        reach = t_quantile(num_papers - 1) * d.std(axis=1, ddof=1) / math.sqrt(num_papers)
        assert (d.mean(axis=1) - reach > 0).mean() == pytest.approx(promised, abs=0.02)


def test_a_mean_without_an_error_tells_nothing_of_power() -> None:
    one_paper = clustered_mean([0.1, 0.2], ["a", "a"])
    assert smallest_difference(one_paper) is None
    assert papers_needed(one_paper, 0.1) is None


@pytest.mark.parametrize("difference", [0.0, math.nan, math.inf])
def test_a_difference_that_no_study_finds_is_refused(difference: float) -> None:
    with pytest.raises(ValueError, match="difference of"):
        papers_needed(study(0.1, 9), difference)


def test_an_error_without_its_degrees_has_no_quantile_of_t() -> None:
    estimate = replace(study(0.1, 9), degrees=None)
    assert smallest_difference(estimate, law="normal") == pytest.approx(0.28016, abs=1e-5)
    with pytest.raises(ValueError, match="degrees of freedom"):
        smallest_difference(estimate)


def test_a_law_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="'cauchy'; there are t, normal"):
        papers_needed(study(0.1, 9), 0.1, law="cauchy")  # type: ignore[arg-type]


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, math.nan])
def test_a_power_that_can_not_be_is_refused(power: float) -> None:
    with pytest.raises(ValueError, match="power of"):
        smallest_difference(study(0.1, 9), power)
