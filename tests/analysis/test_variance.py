import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.analysis import Component, advice, variance_components
from foreword.analysis.variance import moments


def nested(rng: np.random.Generator, num_papers: int, most: int = 3) -> list[np.ndarray]:
    """Units of papers, cuts, samples, repeats: 1 to `most` in each, some of each level with two."""
    units = [np.arange(num_papers)]
    for _ in range(3):
        times = rng.integers(1, most + 1, len(units[-1]))
        times[0] = 2
        units = [np.repeat(unit, times) for unit in units]
        units.append(np.arange(len(units[-1])))
    return units


def as_names(units: list[np.ndarray]) -> dict[str, Any]:
    return dict(zip(("papers", "cuts", "samples"), (unit.tolist() for unit in units), strict=False))


@given(seed=st.integers(0, 200), num_papers=st.integers(2, 5))
def test_the_moments_have_no_bias_whatever_the_sizes(seed: int, num_papers: int) -> None:
    # An estimate is a quadratic form: its expectation under one level of unit variance is the sum
    # of its values on that level's indicator vectors, exact without a draw.
    units = nested(np.random.default_rng(seed), num_papers)
    for level, unit_of in enumerate(units):
        total = sum(
            moments((unit_of == one).astype(float), units) for one in range(max(unit_of) + 1)
        )
        assert total == pytest.approx(np.eye(4)[level], abs=1e-8)


def test_equal_sizes_give_the_nested_analysis_of_variance() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(5, 1, 1, 1)) + rng.normal(size=(5, 4, 1, 1))
    x = x + rng.normal(size=(5, 4, 3, 1)) + rng.normal(size=(5, 4, 3, 2))
    means = [x.mean(), *(x.mean(axis=axes) for axes in ((1, 2, 3), (2, 3), 3))]
    within = {
        "paper": 24 * ((means[1] - means[0]) ** 2).sum() / 4,
        "cut": 6 * ((means[2] - means[1][:, None]) ** 2).sum() / (5 * 3),
        "sample": 2 * ((means[3] - means[2][:, :, None]) ** 2).sum() / (20 * 2),
        "repeat": ((x - means[3][..., None]) ** 2).sum() / 60,
    }
    names = np.array(list(product(range(5), range(4), range(3), range(2)))).T
    found = variance_components(x.ravel(), *(row.tolist() for row in names[:3]))
    assert found is not None
    expected = [
        (within["paper"] - within["cut"]) / 24,
        (within["cut"] - within["sample"]) / 6,
        (within["sample"] - within["repeat"]) / 2,
        within["repeat"],
    ]
    assert [one.variance for one in found] == pytest.approx(np.maximum(expected, 0), abs=1e-12)
    assert [one.is_negative for one in found] == [value < 0 for value in expected]
    assert [one.levels for one in found] == [("paper",), ("cut",), ("sample",), ("repeat",)]
    assert [one.num_units for one in found] == [5, 20, 60, 120]


def test_unequal_papers_give_the_textbook_formula_of_one_way() -> None:
    rng = np.random.default_rng(1)
    sizes = np.array([1, 7, 3, 2, 10])
    papers = np.repeat(np.arange(5), sizes)
    d = rng.normal(size=23) + 2 * rng.normal(size=5)[papers]
    groups = [d[papers == paper] for paper in range(5)]
    within = sum(((group - group.mean()) ** 2).sum() for group in groups) / (23 - 5)
    between = sum(len(group) * (group.mean() - d.mean()) ** 2 for group in groups) / 4
    size = (23 - (sizes**2).sum() / 23) / 4
    found = variance_components(d, papers.tolist(), range(23))
    assert found is not None
    assert found[0].variance == pytest.approx((between - within) / size, abs=1e-12)
    assert found[1].variance == pytest.approx(within, abs=1e-12)


def test_known_variances_come_out_of_many_papers() -> None:
    rng = np.random.default_rng(2)
    units = nested(rng, 1500)
    true = (0.4, 0.3, 0.2, 0.1)
    d = 5 + sum(math.sqrt(v) * rng.normal(size=len(u))[u] for v, u in zip(true, units, strict=True))
    found = variance_components(d, **as_names(units))
    assert found is not None
    assert [one.variance for one in found] == pytest.approx(true, abs=0.03)


@pytest.mark.parametrize(
    ("samples", "num_cuts", "expected"),
    [
        (None, 2, [("paper",), ("cut", "sample", "repeat")]),
        ([0, 1], 2, [("paper",), ("cut",), ("sample", "repeat")]),
        ([0, 0], 2, [("paper",), ("cut", "sample"), ("repeat",)]),
        ([0, 0], 1, [("paper", "cut", "sample"), ("repeat",)]),
        ([0], 1, [("paper", "cut", "sample", "repeat")]),
    ],
)
def test_a_level_without_repeats_is_part_of_the_one_above(
    samples: list[int] | None, num_cuts: int, expected: list[tuple[str, ...]]
) -> None:
    rows = [(p, c, s) for p in range(4) for c in range(num_cuts) for s in samples or [0]]
    d = np.random.default_rng(1).normal(size=len(rows))
    papers, cuts, names = (list(column) for column in zip(*rows, strict=True))
    found = variance_components(d, papers, cuts, None if samples is None else names)
    assert found is not None
    assert [one.levels for one in found] == expected


def test_repeats_of_a_single_cut_are_enough_to_tell_its_level_apart() -> None:
    values, papers = [0.1, 0.3, 0.2, 0.5], ["p", "p", "q", "r"]
    found = variance_components(values, papers, ["a"] * 4, [1, 2, 1, 1])
    assert found is not None
    assert [one.levels for one in found] == [("paper", "cut"), ("sample", "repeat")]
    assert found[1].variance == pytest.approx(0.02)


def test_a_variance_below_zero_is_zero_and_says_so() -> None:
    found = variance_components([0.0, 1.0, 1.0, 0.0], list("ppqq"), list("abab"))
    assert found is not None
    assert (found[0].variance, found[0].is_negative) == (0.0, True)
    assert (found[1].variance, found[1].is_negative) == (0.5, False)


def test_values_that_are_all_the_same_have_no_variance_and_no_flag() -> None:
    found = variance_components([0.1] * 6, list("ppqqrr"), range(6))
    assert found is not None
    assert [(one.variance, one.is_negative) for one in found] == [(0.0, False)] * 2


def test_one_paper_has_no_components() -> None:
    assert variance_components([0.1, 0.2], ["p", "p"], ["a", "b"]) is None
    assert variance_components([], [], []) is None


def test_a_value_without_a_cut_is_refused() -> None:
    with pytest.raises(ValueError, match="value 1 has no cluster"):
        variance_components([0.1, 0.2], ["p", "q"], ["a", ""])
    with pytest.raises(ValueError, match="1 clusters"):
        variance_components([0.1, 0.2], ["p", "q"], ["a"])


def balanced(variances: list[float], units: list[int]) -> list[Component]:
    levels = ("paper", "cut", "sample", "repeat")
    return [
        Component(levels=(level,), variance=variance, is_negative=False, num_units=number)
        for level, variance, number in zip(levels, variances, units, strict=True)
    ]


def test_what_a_step_saves_is_the_difference_of_two_variances() -> None:
    variances, units = [0.04, 0.3, 0.2, 0.1], [10, 50, 100, 100]
    costs = {"paper": 7.0, "cut": 1.0, "sample": 5.0, "repeat": 0.5}
    before = sum(v / u for v, u in zip(variances, units, strict=True))
    for step in advice(balanced(variances, units), costs):
        at = list(costs).index(step.level)
        more = [u * (1 + 1 / units[at]) if i >= at else u for i, u in enumerate(units)]
        after = sum(v / u for v, u in zip(variances, more, strict=True))
        added = [m - u for m, u in zip(more, units, strict=True)]
        assert step.saved == pytest.approx(before - after, abs=1e-15)
        assert step.cost == pytest.approx(np.dot(added, list(costs.values())))


def test_papers_come_first_where_papers_differ_and_samples_where_those_do() -> None:
    costs = {"paper": 1.0, "cut": 1.0, "sample": 1.0, "repeat": 1.0}
    units = [10, 50, 100, 200]
    papers = advice(balanced([1.0, 0.01, 0.01, 0.01], units), costs)
    assert papers[0].level == "paper"
    dear = {**costs, "paper": 1e4, "cut": 1e4}
    assert advice(balanced([0.01, 0.01, 1.0, 0.01], units), dear)[0].level == "sample"


def test_of_levels_that_are_one_only_the_outermost_is_advised() -> None:
    found = variance_components([0.0, 0.2, 1.0, 1.2], list("ppqq"), list("abab"))
    assert found is not None
    steps = advice(found, {"paper": 1.0, "cut": 1.0, "sample": 2.0, "repeat": 3.0})
    assert {step.level: step.cost for step in steps} == {"paper": 13.0, "cut": 6.0}


@pytest.mark.parametrize("cost", [-1.0, math.nan, math.inf])
def test_a_cost_that_can_not_be_is_refused(cost: float) -> None:
    some = balanced([1.0] * 4, [2, 4, 8, 16])
    with pytest.raises(ValueError, match="cost of one sample"):
        advice(some, {"paper": 1.0, "cut": 1.0, "sample": cost, "repeat": 1.0})
    with pytest.raises(ValueError, match="cost of one cut"):
        advice(some, {"paper": 1.0})
    with pytest.raises(ValueError, match="repeat costs nothing"):
        advice(some, {"paper": 1.0, "cut": 1.0, "sample": 1.0, "repeat": 0.0})
