"""How often does an answer stand, nearly, in a paper that has nothing to do with it?

    python bench/near_copies.py CORPUS
    python bench/near_copies.py CORPUS --others 5 --seed 1

CORPUS holds folders of LaTeX, one project each. Every paper is cut as a study cuts it. Each answer
is looked for before its own cut, and then, shuffled, in as much text of other papers: what is found
there is chance. Prints, for a few lengths of runs and shares of them, how many answers count as
near copies in their own paper and in others. The same seed gives the same table.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from corpus import folders_of, read
from foreword.analysis import copies
from foreword.cuts import CutRules
from foreword.errors import SourceError
from foreword.records import Cut, Paper
from foreword.stages import cut_papers

RUNS = (10, 15, 20, 30)
SHARES = (0.1, 0.25, 0.5, 0.75)


@dataclass(frozen=True)
class Asked:
    """One answer, and the text in which it is looked for."""

    answer: str
    text: str


def before(paper: Paper, cut: Cut) -> str:
    """All text before the cut's display, squeezed."""
    return copies.squeezed(paper.text[: paper.displays[int(cut.id.rsplit("/", 2)[1])].start])


def found(asked: list[Asked], run: int) -> tuple[np.ndarray, int]:
    """The share of each answer's runs that its text holds, and how many answers it holds whole."""
    shares, exact = [], 0
    for one in asked:
        own = {one.answer[at : at + run] for at in range(len(one.answer) - run + 1)}
        shares.append(sum(piece in one.text for piece in own) / len(own) if own else 0.0)
        exact += one.answer in one.text
    return np.array(shares), exact


def readable(corpus: Path) -> list[Paper]:
    """The papers of a corpus; a folder that holds none is named and left out."""
    papers = []
    for folder in folders_of(corpus):
        try:
            papers.append(read(folder))
        except SourceError as error:
            print(f"left out: {folder.name}, {error}")
    return papers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--others", type=int, default=3, help="other papers for each answer")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most", type=int, default=300_000, help="characters searched of a paper")
    options = parser.parse_args()
    papers = {paper.id: paper for paper in readable(options.corpus)}
    cuts, _ = cut_papers(list(papers.values()), CutRules(), seed=options.seed)
    squeezed = {name: copies.squeezed(one.text)[: options.most] for name, one in papers.items()}
    rng = np.random.default_rng(options.seed)
    own, others = [], []
    for cut in cuts:
        answer = copies.squeezed(cut.hidden).rstrip(copies._END)
        text = before(papers[cut.paper_id], cut)[-options.most :]
        own.append(Asked(answer, text))
        rest = [name for name in squeezed if name != cut.paper_id]
        names = rng.choice(rest, min(options.others, len(rest)), replace=False)
        others += [Asked(answer, squeezed[name][: len(text)]) for name in names]
    print(f"{len(papers)} papers, {len(own)} answers in their own paper,")
    print(f"{len(others)} in another; seed {options.seed}, {options.most:,} characters at most\n")
    print("| run | share | own paper | another paper |\n|---:|---:|---:|---:|")
    for run in RUNS:
        (mine, exact), (theirs, chance) = found(own, run), found(others, run)
        for share in SHARES:
            rates = [f"{(x >= share).sum()} ({(x >= share).mean():.2%})" for x in (mine, theirs)]
            print(f"| {run} | {share:.0%} | {rates[0]} | {rates[1]} |")
    print(f"\nExact: {exact} in their own paper, {chance} in another.")


if __name__ == "__main__":
    main()
