from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import foreword
from foreword.cluster.cutting import cut_each
from foreword.cuts import CutRules
from foreword.records import Paper
from foreword.stages import cut_papers
from foreword.study import sample_papers

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "tex"


@pytest.fixture(scope="module")
def samples() -> list[Paper]:
    return [foreword.read_paper(path) for path in sample_papers()]


def variants(papers: Sequence[Paper]) -> list[Paper]:
    """Papers that share equations in many ways: twins, and beginnings, in another order."""
    shorter = [
        replace(
            paper,
            id=f"{paper.id}-short",
            text=paper.text[: 2 * len(paper.text) // 3],
            displays=tuple(d for d in paper.displays if d.end <= 2 * len(paper.text) // 3),
        )
        for paper in papers
    ]
    twins = [replace(paper, id=f"{paper.id}-twin") for paper in reversed(papers)]
    # What is early in one is not in the other: the first to qualify is not the first to say it.
    later = [
        replace(
            paper,
            id=f"{paper.id}-later",
            text="w" * 9_000 + paper.text,
            displays=tuple(
                replace(
                    d,
                    start=d.start + 9_000,
                    body_start=d.body_start + 9_000,
                    body_end=d.body_end + 9_000,
                    end=d.end + 9_000,
                )
                for d in paper.displays
            ),
            segments=(),
        )
        for paper in papers
    ]
    return [*shorter, *twins, *papers, *later]


@pytest.mark.parametrize(
    "rules",
    [
        CutRules(),
        CutRules(per_paper=1000),
        CutRules(min_context=2_000, min_hidden=20, max_hidden=120, per_paper=5),
        CutRules(per_paper=3, expand_macros=True),
    ],
)
def test_papers_cut_each_on_its_own_have_the_cuts_of_one_after_the_other(
    samples: list[Paper], rules: CutRules
) -> None:
    papers = [replace(paper, segments=()) for paper in variants(samples)]
    cuts, rejected = cut_papers(papers, rules, seed=1)
    assert cut_each(papers, rules, seed=1) == (cuts, rejected)
    assert any(one.reason == "repeated" and "as in" in one.detail for one in rejected)


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not beside the repository")
def test_of_real_papers_too() -> None:
    main = CORPUS / "lu-siam"
    papers = [foreword.read_paper(main, main=name) for name in ("main.tex", "arxiv/main.tex")]
    papers = [replace(paper, id=str(i)) for i, paper in enumerate(papers)]
    papers += [foreword.read_paper(CORPUS / name) for name in ("msd-errors", "jmlr-orff")]
    for rules in (CutRules(), CutRules(per_paper=1000)):
        assert cut_each(papers, rules, seed=0) == cut_papers(papers, rules, seed=0)
