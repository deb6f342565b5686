import json
from pathlib import Path

import pytest

from foreword.errors import UsageError
from foreword.finetune import Split, draw_split, read_split


def test_a_draw_depends_on_the_papers_and_the_seed_alone() -> None:
    papers = [f"p{n}" for n in range(20)]
    one = draw_split(papers, 0.25, seed=0)
    assert one == draw_split([*reversed(papers), "p3"], 0.25, seed=0)
    assert len(one.held_out) == 5
    assert sorted([*one.trained_on, *one.held_out]) == sorted(papers)
    assert one != draw_split(papers, 0.25, seed=1)


def test_versions_of_a_paper_are_on_one_side() -> None:
    papers = [f"2604.1988{n}v{version}" for n in range(6) for version in (1, 2)]
    for seed in range(10):
        held_out = draw_split(papers, 0.5, seed=seed).held_out
        assert len(held_out) == 6
        assert len({paper[:10] for paper in held_out}) == 3


@pytest.mark.parametrize("share", [0.0, 0.001, 0.999])
def test_neither_side_is_ever_empty(share: float) -> None:
    split = draw_split(["a", "b", "c"], share, seed=0)
    assert split.trained_on
    assert split.held_out


def test_one_paper_has_no_split() -> None:
    with pytest.raises(UsageError, match="of 1 paper: some have to be held out"):
        draw_split(["2604.19885v1", "2604.19885v2"], 0.5, seed=0)


def test_a_paper_on_both_sides_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"2604\.19885v2 is on both sides"):
        Split(trained_on=("a", "2604.19885v1"), held_out=("2604.19885v2",))


def test_a_stated_split_is_heeded_and_what_it_does_not_name_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "split.json"
    path.write_text(json.dumps({"trained_on": ["a", "gone"], "held_out": ["c"], "more": 1}))
    assert read_split(path, ["a", "b", "c"]) == Split(trained_on=("a",), held_out=("c",))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "is no split"),
        ("[]", "is no split"),
        ('{"trained_on": "abc", "held_out": ["d"]}', "is no split"),
        ('{"trained_on": ["a"]}', "is no split"),
        ('{"trained_on": ["a", "b"], "held_out": ["b"]}', "b is on both sides"),
        ('{"trained_on": ["a"], "held_out": ["z"]}', "no paper is held out"),
    ],
)
def test_a_file_that_is_no_split_is_refused(text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "split.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=complaint):
        read_split(path, ["a", "b"])


def test_a_split_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none.json can't be read"):
        read_split(tmp_path / "none.json", ["a"])
