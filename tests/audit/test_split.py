import pytest

from foreword.audit import AuditRow, Split, check_halves, split_papers
from foreword.errors import ForewordError


def test_papers_are_split_by_the_seed_and_not_by_their_order() -> None:
    papers = [f"p{number}" for number in range(20)]
    one = split_papers(papers, seed=1)
    assert one == split_papers(papers[::-1] * 2, seed=1)
    assert one != split_papers(papers, seed=2)
    assert sorted(one.fit + one.judge) == sorted(papers)
    assert len(one.fit) == len(one.judge) == 10


def test_one_paper_is_refused_with_what_to_do() -> None:
    with pytest.raises(ForewordError, match=r"at least two papers.*add papers"):
        split_papers(["p", "p"], seed=0)


def test_a_paper_in_both_halves_is_an_error() -> None:
    with pytest.raises(ForewordError, match="the paper b is in both halves"):
        Split(seed=0, fit=("a", "b"), judge=("b",))
    rows = [_row("a", "fit"), _row("b", "judge"), _row("a", "judge")]
    check_halves(rows[:2])
    with pytest.raises(ForewordError, match="the paper a is in both halves"):
        check_halves(rows)


def test_a_paper_of_no_half_is_an_error() -> None:
    with pytest.raises(ForewordError, match="in no half"):
        Split(seed=0, fit=("a",), judge=("b",)).half_of("c")


def _row(paper: str, half: str) -> AuditRow:
    return AuditRow(
        name="x",
        group="attack",
        half=half,  # type: ignore[arg-type]
        cut_id=f"{paper}/0/1",
        paper_id=paper,
        scorer_id="s",
        text="x",
        score=-1.0,
        over_empty=0.0,
        over_same_budget=0.0,
    )
