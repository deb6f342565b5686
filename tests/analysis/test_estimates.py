import json
import math
from pathlib import Path
from statistics import fmean, stdev

import numpy as np
import pytest
import statsmodels.api as sm
from drawn_values import drawn, samples
from hypothesis import given, settings
from hypothesis import strategies as st

from foreword.analysis import clustered_mean
from foreword.analysis.estimates import t_quantile

PUBLISHED = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "arxiv-predictions"
LANES = (
    "gpt55_high",
    "gpt55_medium",
    "gpt55_low",
    "gpt55_none",
    "nano_high",
    "nano_medium",
    "nano_low",
)


@pytest.mark.parametrize("num_papers", [2, 3, 25, 138])
def test_clustered_mean_agrees_with_a_regression_on_a_constant(num_papers: int) -> None:
    d, papers = drawn(num_papers, num_papers)
    fit = sm.OLS(d, np.ones(len(d))).fit(
        cov_type="cluster", cov_kwds={"groups": papers}, use_t=True
    )
    estimate = clustered_mean(d.tolist(), papers.tolist())
    low, high = fit.conf_int()[0]
    assert estimate.mean == pytest.approx(fit.params[0], abs=1e-12)
    assert estimate.standard_error == pytest.approx(fit.bse[0], abs=1e-12)
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=1e-10)


@settings(deadline=None)
@given(sample=samples)
def test_the_standard_error_is_its_definition_as_a_double_sum(
    sample: list[tuple[float, int]],
) -> None:
    d = [value for value, _ in sample]
    papers = [paper for _, paper in sample]
    num_papers, mean = len(set(papers)), math.fsum(d) / len(d)
    estimate = clustered_mean(d, papers)
    if num_papers < 2:
        assert estimate.standard_error is None
        return
    total = math.fsum(
        (x - mean) * (y - mean)
        for x, p in zip(d, papers, strict=True)
        for y, q in zip(d, papers, strict=True)
        if p == q
    )
    expected = math.sqrt(max(total, 0) * num_papers / (num_papers - 1)) / len(d)
    assert estimate.standard_error == pytest.approx(expected, abs=1e-6)


def test_cuts_that_repeat_each_other_within_a_paper_add_no_certainty() -> None:
    once = clustered_mean([0.1, 0.5, 0.3], ["a", "b", "c"])
    thrice = clustered_mean([0.1, 0.5, 0.3] * 3, ["a", "b", "c"] * 3)
    assert thrice.standard_error == pytest.approx(once.standard_error)
    assert thrice.num_cuts == 9


@settings(deadline=None)
@given(sample=samples, seed=st.integers(0, 99))
def test_the_order_of_the_cuts_does_not_matter(sample: list[tuple[float, int]], seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(sample))
    shuffled = [sample[i] for i in order]
    first = clustered_mean(*map(list, zip(*sample, strict=True)))
    second = clustered_mean(*map(list, zip(*shuffled, strict=True)))
    assert first.mean == second.mean
    assert first.median == second.median
    assert first.standard_error == pytest.approx(second.standard_error, abs=1e-12)


def test_one_paper_gives_a_mean_and_no_interval() -> None:
    estimate = clustered_mean([0.1, 0.2, 0.6], ["a"] * 3)
    assert (estimate.num_cuts, estimate.num_papers) == (3, 1)
    assert estimate.mean == pytest.approx(0.3)
    assert (estimate.standard_error, estimate.low, estimate.high) == (None, None, None)


def test_no_cut_gives_no_number_at_all() -> None:
    estimate = clustered_mean([], [])
    assert (estimate.num_cuts, estimate.num_papers) == (0, 0)
    assert estimate.mean is None
    assert estimate.median is None
    assert estimate.share_positive is None


def test_a_cut_without_a_gain_is_not_positive() -> None:
    assert clustered_mean([0.0, -0.0, 0.5, -1.0], list("abcd")).share_positive == 0.25


@pytest.mark.parametrize("cluster", [None, "", math.nan])
def test_a_value_without_a_paper_is_refused(cluster: object) -> None:
    with pytest.raises(ValueError, match="value 1 has no cluster"):
        clustered_mean([0.1, 0.2], ["a", cluster])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_not_finite_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="value 1 is"):
        clustered_mean([0.1, value], ["a", "b"])


def test_a_missing_cluster_list_is_noticed() -> None:
    with pytest.raises(ValueError, match="2 clusters"):
        clustered_mean([0.1], ["a", "b"])


def test_the_t_quantile_nears_the_normal_one() -> None:
    assert t_quantile(1) == pytest.approx(12.7062, abs=1e-4)
    assert t_quantile(10**6) == pytest.approx(1.95996, abs=1e-4)


# The public study prints, for 632 cuts from 64 papers, the mean, the median, the positive share and
# a standard error that takes every cut for independent: clustered_mean with each cut a cluster of
# its own. Its tables for all 1363 cuts use CRV1. Which cut is of which paper is not in the files,
# but CRV1 depends on a paper's cuts through their sum alone, which is.


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published differences are not here")
@pytest.mark.parametrize("lane", LANES)
def test_published_means_medians_shares_and_unclustered_errors_come_out(lane: str) -> None:
    summary = json.loads((PUBLISHED / f"qwen3_8b_{lane}.json").read_text())
    softened = json.loads((PUBLISHED / f"qwen3_8b_{lane}_softened.json").read_text())
    d = [row["diff_per_token"] for row in summary["diffs"]]
    estimate = clustered_mean(d, range(len(d)))
    assert estimate.num_cuts == summary["n_pairs"]
    for printed in (
        {name: summary[f"{name}_diff_per_token"] for name in ("mean", "stderr", "median")}
        | {"positive_rate": summary["positive_rate"]},
        softened["raw"]["scaffold_z_predictor_minus_bare_B"],
    ):
        assert estimate.mean == pytest.approx(printed["mean"], abs=1e-12)
        assert estimate.standard_error == pytest.approx(printed["stderr"], abs=1e-12)
        assert estimate.median == pytest.approx(printed["median"], abs=1e-12)
        assert estimate.share_positive == printed["positive_rate"]


CRV1 = {
    "gpt55_high": 0.02193,
    "gpt55_medium": 0.02116,
    "gpt55_low": 0.02139,
    "gpt55_none": 0.02051,
    "nano_high": 0.01848,
    "nano_medium": 0.01869,
    "nano_low": 0.01956,
}
"""Errors clustered by paper, of this package; the first is also in the notes of another hand."""


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published differences are not here")
@pytest.mark.parametrize("lane", LANES)
def test_clustering_by_paper_widens_the_published_error(lane: str) -> None:
    summary = json.loads((PUBLISHED / f"qwen3_8b_{lane}.json").read_text())
    rows = summary["by_paper_diff"]
    d = [row["mean_diff_per_token"] for row in rows.values() for _ in range(row["n"])]
    papers = [name for name, row in rows.items() for _ in range(row["n"])]
    estimate = clustered_mean(d, papers)
    assert (estimate.num_cuts, estimate.num_papers, estimate.degrees) == (632, 64, 63)
    assert estimate.mean == pytest.approx(summary["mean_diff_per_token"], abs=1e-12)
    fit = sm.OLS(np.array(d), np.ones(632)).fit(
        cov_type="cluster", cov_kwds={"groups": np.unique(papers, return_inverse=True)[1]}
    )
    assert estimate.standard_error == pytest.approx(fit.bse[0], abs=1e-12)
    assert estimate.standard_error == pytest.approx(CRV1[lane], abs=5e-6)
    assert estimate.standard_error > summary["stderr_diff_per_token"]
    for kind in ("cr2", "jackknife"):  # at most ten cuts of 632 in a paper: they hardly differ
        other = clustered_mean(d, papers, kind).standard_error
        assert other == pytest.approx(estimate.standard_error, rel=0.004)
    equal = clustered_mean(d, papers, "papers")
    means = [row["mean_diff_per_token"] for row in rows.values()]
    assert equal.mean == pytest.approx(fmean(means), abs=1e-12)
    assert equal.standard_error == pytest.approx(stdev(means) / 8, abs=1e-12)


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published differences are not here")
def test_the_published_unclustered_error_is_the_smaller_one() -> None:
    summary = json.loads((PUBLISHED / "qwen3_8b_gpt55_high.json").read_text())
    assert round(summary["stderr_diff_per_token"], 5) == 0.01776
