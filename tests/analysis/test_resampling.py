import numpy as np
import pytest
from drawn_values import drawn, samples
from hypothesis import given

from foreword.analysis import (
    bootstrap,
    bootstrap_interval,
    resampled_median,
    resampled_share,
    share_positive,
)


@pytest.mark.parametrize("num_papers", [2, 3, 14])
def test_all_draws_at_once_give_the_interval_of_one_draw_at_a_time(num_papers: int) -> None:
    d, papers = drawn(num_papers, num_papers)
    median = resampled_median(d, papers, draws=300, seed=5)
    share = resampled_share(d > 0, np.ones(len(d)), papers, draws=300, seed=5)
    assert median is not None
    assert share is not None
    slow = bootstrap_interval(d, papers, lambda x: float(np.median(x)), draws=300, seed=5)
    assert (median.low, median.high) == slow
    assert (share.low, share.high) == pytest.approx(
        bootstrap_interval(d, papers, share_positive, draws=300, seed=5)
    )
    assert (median.value, share.value) == (np.median(d), share_positive(d))


def test_a_share_of_tokens_is_its_definition_written_as_a_loop() -> None:
    _, papers = drawn(4, 6)
    rng = np.random.default_rng(1)
    tokens = rng.integers(1, 90, len(papers))
    at_floor = rng.integers(0, tokens + 1)
    picks = np.random.default_rng(8).integers(6, size=(200, 6))
    found = [
        sum(at_floor[papers == p].sum() for p in row) / sum(tokens[papers == p].sum() for p in row)
        for row in picks
    ]
    got = resampled_share(at_floor, tokens, papers, draws=200, seed=8)
    assert got is not None
    assert (got.low, got.high) == pytest.approx(
        (np.quantile(found, 0.025), np.quantile(found, 0.975))
    )
    assert got.value == pytest.approx(at_floor.sum() / tokens.sum())


@given(sample=samples)
def test_an_interval_holds_the_values_that_papers_have(sample: list[tuple[float, int]]) -> None:
    values, papers = (list(column) for column in zip(*sample, strict=True))
    found = resampled_median(values, papers, draws=50, seed=1)
    assert found is not None
    if len(set(papers)) < 2:
        assert (found.low, found.high) == (None, None)
    else:
        assert found.low is not None
        assert found.high is not None
        assert min(values) <= found.low <= found.high <= max(values)


def test_an_interval_does_not_depend_on_how_draws_are_cut_into_chunks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    d, papers = drawn(1, 20)
    whole = resampled_median(d, papers, draws=300, seed=2)
    monkeypatch.setattr(bootstrap, "_AT_ONCE", 400)
    assert resampled_median(d, papers, draws=300, seed=2) == whole


def test_nothing_has_no_median_and_no_share() -> None:
    assert resampled_median([], [], seed=1) is None
    assert resampled_share([], [], [], seed=1) is None


def test_what_can_not_be_a_share_is_refused() -> None:
    with pytest.raises(ValueError, match="value 1 is a share of 0"):
        resampled_share([0, 0], [1, 0], ["a", "b"], seed=1)
    with pytest.raises(ValueError, match="0 draws"):
        resampled_share([0], [1], ["a"], draws=0, seed=1)
    with pytest.raises(ValueError, match="value 0 is nan"):
        resampled_median([float("nan")], ["a"], seed=1)
