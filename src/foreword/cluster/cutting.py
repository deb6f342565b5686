"""Cuts of many papers, each on its own, with the result of one after the other."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from foreword.cuts import CutResult, Rejection, Rules, cut_paper
from foreword.records import Cut, Paper

Job = tuple[Paper, Mapping[str, str]]
"""A paper, and what the papers before it say that it says too."""
Each = Callable[[Callable[[Job], CutResult], Sequence[Job]], Iterable[CutResult]]


def cut_each(
    papers: Sequence[Paper], rules: Rules, *, seed: int, each: Each = map
) -> tuple[list[Cut], list[Rejection]]:
    """What `stages.cut_papers` gives, with the papers cut by `each`, side by side.

    An equation is dropped when an earlier paper has one that says the same and qualifies. So every
    paper is cut as if it were the first; then, in order, it is known which papers share an equation
    with an earlier one, and these alone are cut again. A paper cut again qualifies with the same
    equations less those that are known, so that what is known needs no third pass.
    """
    cut = partial(_cut, rules=rules, seed=seed)
    results = list(each(cut, [(paper, {}) for paper in papers]))
    known: dict[str, str] = {}
    again: dict[int, Mapping[str, str]] = {}
    for index, (paper, result) in enumerate(zip(papers, results, strict=True)):
        shared = {key: known[key] for key in result.said if key in known}
        if shared:
            again[index] = shared
        known |= dict.fromkeys((key for key in result.qualified if key not in known), paper.id)
    jobs = [(papers[index], shared) for index, shared in again.items()]
    for index, result in zip(again, each(cut, jobs), strict=True):
        results[index] = result
    return (
        [one for result in results for one in result.cuts],
        [one for result in results for one in result.rejected],
    )


def _cut(job: Job, *, rules: Rules, seed: int) -> CutResult:
    paper, known = job
    return cut_paper(paper, rules, seed=seed, known=known)
