"""Which papers an attack is fitted on, and which it is judged on: never the same."""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from foreword.errors import ForewordError
from foreword.store import fingerprint

Half = Literal["fit", "judge"]
"""What a paper is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Papers in two halves that share none.

    Raises:
        ForewordError: a paper is in both halves, or a half has none.
    """

    seed: int
    fit: tuple[str, ...]
    """Ids of the papers that attacks are fitted on."""
    judge: tuple[str, ...]
    """Ids of the papers that attacks are judged on."""

    def __post_init__(self) -> None:
        both = sorted(set(self.fit) & set(self.judge))
        if both:
            raise ForewordError(
                f"the paper {both[0]} is in both halves of the split: an attack judged on what it "
                "was fitted on tells nothing; audit into a new --out"
            )
        if not self.fit or not self.judge:
            raise ForewordError(
                "an audit needs cuts of at least two papers, for an attack is judged on papers "
                "that it was not fitted on: add papers to the study, run it again, and audit that"
            )

    def half_of(self, paper_id: str) -> Half:
        """Which half a paper is in.

        Raises:
            ForewordError: it is in neither.
        """
        if paper_id in self.fit:
            return "fit"
        if paper_id in self.judge:
            return "judge"
        raise ForewordError(f"the paper {paper_id} is in no half of the split: audit again")


def split_papers(paper_ids: Iterable[str], *, seed: int) -> Split:
    """Papers drawn into two halves; of an odd number the judging half has one more.

    The draw depends on the seed and on which papers there are, not on their order.

    Args:
        paper_ids: of the papers, or of their cuts: each paper counts once.
        seed: draws.

    Raises:
        ForewordError: there are fewer than two papers.

    >>> split = split_papers(["b", "a", "c", "a"], seed=0)
    >>> len(split.fit), len(split.judge), set(split.fit) & set(split.judge)
    (1, 2, set())
    """
    papers = sorted(set(paper_ids))
    draw = random.Random(fingerprint(["audit split", seed, papers]))  # noqa: S311 (no secret)
    draw.shuffle(papers)
    half = len(papers) // 2
    return Split(seed=seed, fit=tuple(sorted(papers[:half])), judge=tuple(sorted(papers[half:])))
