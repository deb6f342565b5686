import math
from collections.abc import Callable
from statistics import fmean, stdev
from typing import get_args

import numpy as np
import pytest
import statsmodels.api as sm
from drawn_values import drawn, samples
from hypothesis import given, settings
from hypothesis import strategies as st

from foreword.analysis import clustered_mean
from foreword.analysis.estimates import satterthwaite
from foreword.records import Kind

KINDS = get_args(Kind)


@pytest.mark.parametrize("num_papers", [2, 3, 25, 138])
def test_the_jackknife_is_the_crv3_of_statsmodels(num_papers: int) -> None:
    d, papers = drawn(num_papers, num_papers)
    fit = sm.OLS(d, np.ones(len(d))).fit(
        cov_type="cluster-crv3", cov_kwds={"groups": papers}, use_t=True
    )
    estimate = clustered_mean(d.tolist(), papers.tolist(), "jackknife")
    assert estimate.standard_error == pytest.approx(fit.bse[0], abs=1e-12)
    assert (estimate.low, estimate.high) == pytest.approx(fit.conf_int()[0], abs=1e-10)


def test_centred_on_its_own_mean_the_jackknife_of_statsmodels_is_the_smaller_one() -> None:
    d, papers = drawn(5, 7)
    fit = sm.OLS(d, np.ones(len(d))).fit(cov_type="cluster-jk", cov_kwds={"groups": papers})
    estimate = clustered_mean(d, papers, "jackknife")
    offset = fmean(d[papers != paper].mean() for paper in range(7)) - d.mean()
    assert estimate.standard_error is not None
    assert estimate.standard_error**2 == pytest.approx(fit.bse[0] ** 2 + 6 * offset**2, abs=1e-14)


@settings(deadline=None)
@given(sample=samples)
def test_each_error_is_its_definition_written_as_a_loop(sample: list[tuple[float, int]]) -> None:
    d = [value for value, _ in sample]
    papers = [paper for _, paper in sample]
    names, mean = sorted(set(papers)), math.fsum(d) / len(d)
    if len(names) < 2:
        assert {clustered_mean(d, papers, kind).standard_error for kind in KINDS} == {None}
        return
    cr2 = cr3 = jackknife = 0.0
    for name in names:
        mine = [x for x, p in sample if p == name]
        others = [x for x, p in sample if p != name]
        total = math.fsum(x - mean for x in mine)
        cr2 += total**2 / (1 - len(mine) / len(d)) / len(d) ** 2
        cr3 += total**2 / (1 - len(mine) / len(d)) ** 2 / len(d) ** 2
        jackknife += (fmean(others) - mean) ** 2 * (len(names) - 1) / len(names)
    found = {kind: clustered_mean(d, papers, kind).standard_error for kind in KINDS}
    assert found["cr2"] == pytest.approx(math.sqrt(cr2), abs=1e-9)
    assert found["jackknife"] == pytest.approx(math.sqrt(jackknife), abs=1e-9)
    share = (len(names) - 1) / len(names)
    assert found["jackknife"] == pytest.approx(math.sqrt(share * cr3), abs=1e-9)


def test_cr2_is_that_of_a_regression_with_adjusted_residuals() -> None:
    d, papers = drawn(4, 6)
    x = np.ones((len(d), 1))
    bread = np.linalg.inv(x.T @ x)
    residuals = d - d.mean()
    meat = np.zeros((1, 1))
    for paper in range(6):
        xg = x[papers == paper]
        values, vectors = np.linalg.eigh(np.eye(len(xg)) - xg @ bread @ xg.T)
        adjusted = vectors @ np.diag(values**-0.5) @ vectors.T @ residuals[papers == paper]
        meat += np.outer(xg.T @ adjusted, xg.T @ adjusted)
    expected = math.sqrt((bread @ meat @ bread).item())
    assert clustered_mean(d, papers, "cr2").standard_error == pytest.approx(expected, abs=1e-12)


def degrees_by_matrices(papers: np.ndarray) -> float:
    """Bell and McCaffrey's degrees for a regression on a constant, in words of matrices alone.

    CR2's variance is the quadratic form e' C e of independent e, C = Σ_g c_g c_g', where c_g takes
    a sample to what paper g adds to the estimate; ν = (tr C)² / tr(C²).
    """
    num_cuts = len(papers)
    x = np.ones((num_cuts, 1))
    bread = np.linalg.inv(x.T @ x)
    to_residuals = np.eye(num_cuts) - x @ bread @ x.T
    form = np.zeros((num_cuts, num_cuts))
    for paper in np.unique(papers):
        mine = papers == paper
        values, vectors = np.linalg.eigh(to_residuals[np.ix_(mine, mine)])
        adjust = vectors @ np.diag(values**-0.5) @ vectors.T
        adds = to_residuals[mine].T @ adjust @ x[mine] @ bread
        form += adds @ adds.T
    return float(np.trace(form) ** 2 / np.trace(form @ form))


@settings(deadline=None)
@given(sizes=st.lists(st.integers(1, 30), min_size=2, max_size=9))
def test_the_degrees_of_cr2_are_those_of_its_matrices(sizes: list[int]) -> None:
    papers = np.repeat(np.arange(len(sizes)), sizes)
    assert satterthwaite(sizes) == pytest.approx(degrees_by_matrices(papers), rel=1e-9)
    assert satterthwaite(sizes) <= (len(sizes) - 1) * (1 + 1e-12)


def test_the_variance_of_cr2_varies_as_its_degrees_say() -> None:
    rng = np.random.default_rng(2)
    sizes = [30, 12, 5, 5, 3, 1]
    papers = np.repeat(np.arange(6), sizes).tolist()
    found = [clustered_mean(rng.normal(size=56), papers, "cr2") for _ in range(4000)]
    variances = [one.standard_error**2 for one in found if one.standard_error is not None]
    assert np.mean(variances) == pytest.approx(1 / 56, rel=0.04)
    degrees = 2 * np.mean(variances) ** 2 / np.var(variances)
    assert degrees == pytest.approx(satterthwaite(sizes), rel=0.1)
    assert {one.degrees for one in found} == {satterthwaite(sizes)}


@settings(deadline=None)
@given(sample=samples)
def test_the_mean_over_papers_has_its_own_error(sample: list[tuple[float, int]]) -> None:
    names = sorted({paper for _, paper in sample})
    means = [fmean(value for value, paper in sample if paper == name) for name in names]
    estimate = clustered_mean(*map(list, zip(*sample, strict=True)), "papers")
    assert (estimate.num_cuts, estimate.num_papers) == (len(sample), len(names))
    assert estimate.mean == pytest.approx(fmean(means), abs=1e-12)
    assert estimate.median == pytest.approx(float(np.median(means)), abs=1e-12)
    if len(names) > 1:
        expected = stdev(means) / math.sqrt(len(names))
        assert estimate.standard_error == pytest.approx(expected, abs=1e-12)


def test_papers_of_one_size_give_one_answer_whatever_the_kind() -> None:
    d = np.random.default_rng(3).normal(size=24).tolist()
    found = [clustered_mean(d, [at // 4 for at in range(24)], kind) for kind in KINDS]
    assert [one.standard_error for one in found] == pytest.approx([found[0].standard_error] * 4)
    assert [one.mean for one in found] == pytest.approx([found[0].mean] * 4)
    assert [one.degrees for one in found] == pytest.approx([5] * 4)
    assert [one.low for one in found] == pytest.approx([found[0].low] * 4)


@settings(deadline=None)
@given(sample=samples)
def test_the_jackknife_is_wider_than_cr2_but_for_the_factor(
    sample: list[tuple[float, int]],
) -> None:
    columns = list(map(list, zip(*sample, strict=True)))
    cr2, jackknife = (clustered_mean(*columns, kind) for kind in ("cr2", "jackknife"))
    if cr2.standard_error is not None and jackknife.standard_error is not None:
        factor = math.sqrt(cr2.num_papers / (cr2.num_papers - 1))
        assert factor * jackknife.standard_error >= cr2.standard_error * (1 - 1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_an_estimate_says_its_kind_and_its_degrees_of_freedom(kind: Kind) -> None:
    three = clustered_mean([0.1, 0.2, 0.6, 0.1], list("aabc"), kind)
    one, none = clustered_mean([0.1, 0.2], ["a", "a"], kind), clustered_mean([], [], kind)
    assert three.degrees == (satterthwaite([2, 1, 1]) if kind == "cr2" else 2)
    assert (one.degrees, none.degrees) == (None, None)
    assert {three.kind, one.kind, none.kind} == {kind}


def test_an_unknown_kind_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="'hc3'; there are crv1, cr2"):
        clustered_mean([0.1], ["a"], "hc3")  # type: ignore[arg-type]


def coverage(kind: Kind, draw_sizes: Callable[[np.random.Generator], np.ndarray]) -> float:
    """Of 1,500 studies of 20 papers, skewed as published differences are, a tenth between papers.

    `bench/coverage.py` has many more of them, and other laws; this is its cross-section.
    """
    rng = np.random.default_rng(8)
    hits = 0
    for _ in range(1500):
        papers = np.repeat(np.arange(20), draw_sizes(rng))
        effects, rest = (rng.standard_gamma(4, size) / 2 - 2 for size in (20, len(papers)))
        d = math.sqrt(0.1) * effects[papers] + math.sqrt(0.9) * rest
        estimate = clustered_mean(d, papers, kind)
        assert estimate.low is not None
        assert estimate.high is not None
        hits += estimate.low <= 0 <= estimate.high
    return hits / 1500


@pytest.mark.parametrize("kind", KINDS)
def test_with_twenty_papers_the_interval_covers_the_truth_as_it_should(kind: Kind) -> None:
    assert 0.93 < coverage(kind, lambda rng: rng.integers(1, 11, 20)) < 0.97


def test_with_very_unequal_papers_cr2_covers_the_truth_and_crv1_does_not() -> None:
    def draw_sizes(rng: np.random.Generator) -> np.ndarray:
        return np.clip(np.exp(rng.normal(1.1, 1.2, 20)).round(), 1, 100).astype(int)

    assert coverage("crv1", draw_sizes) < 0.92
    assert 0.93 < coverage("cr2", draw_sizes) < 0.97
    assert 0.93 < coverage("papers", draw_sizes) < 0.97
