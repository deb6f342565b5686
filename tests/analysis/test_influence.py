import pytest
from drawn_values import samples
from hypothesis import given

from foreword.analysis import clustered_mean, leave_one_paper_out


@given(sample=samples)
def test_each_mean_is_that_of_the_others(sample: list[tuple[float, int]]) -> None:
    values, papers = (list(column) for column in zip(*sample, strict=True))
    whole = clustered_mean(values, papers)
    found = leave_one_paper_out(values, papers)
    assert {one.cluster for one in found} == (set(papers) if len(set(papers)) > 1 else set())
    for one in found:
        others = [sample for sample in sample if sample[1] != one.cluster]
        without = clustered_mean(*map(list, zip(*others, strict=True)))
        assert one.mean_without == pytest.approx(without.mean, abs=1e-12)
        assert one.num_cuts == len(sample) - len(others)
        if whole.standard_error and whole.standard_error > 1e-6:
            expected = (without.mean - whole.mean) / whole.standard_error
            assert one.move == pytest.approx(expected, abs=1e-6)


@given(sample=samples)
def test_the_paper_that_moves_the_mean_most_comes_first(sample: list[tuple[float, int]]) -> None:
    found = leave_one_paper_out(*map(list, zip(*sample, strict=True)))
    moves = [abs(one.move) for one in found if one.move is not None]
    assert moves == sorted(moves, reverse=True)


def test_one_paper_that_carries_the_result_is_named() -> None:
    values = [0.0, 0.02, -0.01, 0.01, 0.0, 2.0, 2.2]
    first, *others = leave_one_paper_out(values, list("aabbcdd"))
    assert (first.cluster, first.num_cuts) == ("d", 2)
    assert first.mean_without == pytest.approx(0.004)
    assert first.move is not None
    assert first.move < -1
    assert all(one.move is not None and one.move > 0 for one in others)


def test_papers_that_do_not_differ_move_nothing() -> None:
    found = leave_one_paper_out([0.25] * 4, list("abbc"))
    assert [(one.cluster, one.mean_without, one.move) for one in found] == [
        ("a", 0.25, None), ("b", 0.25, None), ("c", 0.25, None)
    ]  # fmt: skip


def test_of_one_paper_nothing_can_be_left_out() -> None:
    assert leave_one_paper_out([0.1, 0.2], ["a", "a"]) == ()
    assert leave_one_paper_out([], []) == ()
