"""Which papers the study took and left out, and whether that was settled before models ran."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from foreword.catalogue import Candidate
from foreword.report.numbers import counted

MOST_LISTED = 2_000
"""Papers that were left out and are named on the page; the table has all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slate:
    """The choice of papers, as the page shows it."""

    candidates: Sequence[Candidate]
    sha256: str
    """Of `slate.parquet`."""
    criteria: Mapping[str, str]
    """Name to value; empty where every paper that could be read was taken."""
    queries: Sequence[str]
    """What arXiv was asked for, in words; empty where the papers came from elsewhere."""
    choices: Sequence[tuple[bool, str]]
    """Every slate that the folder has had, oldest first: whether a model had run by then, and by
    what it was chosen, in words."""
    choice: int
    """Which of them this one is, from 0."""

    @property
    def num_taken(self) -> int:
        """Papers in the study."""
        return sum(one.place is not None for one in self.candidates)

    @property
    def taken(self) -> list[Candidate]:
        """Papers in the study, in its order."""
        found = [(one.place, one) for one in self.candidates if one.place is not None]
        return [one for _, one in sorted(found, key=lambda pair: pair[0])][:MOST_LISTED]

    @property
    def left_out(self) -> list[Candidate]:
        """Papers that are not in the study."""
        return [one for one in self.candidates if one.place is None]

    @property
    def listed(self) -> list[Candidate]:
        """Those of them that the page names."""
        return self.left_out[:MOST_LISTED]

    @property
    def reasons(self) -> Sequence[tuple[str, int]]:
        """Why papers were left out, the most frequent first."""
        return Counter(one.reason or "" for one in self.left_out).most_common()

    @property
    def history(self) -> str:
        """Whether anybody could have chosen these papers by their scores."""
        had_run, _ = self.choices[self.choice]
        when = "after a model had run here" if had_run else "before any model had run here"
        others = len(self.choices) - 1
        if not others:
            return f"This choice was made {when}, and is the only one on record in the folder."
        return (
            f"This choice was made {when}; it is number {self.choice + 1} of "
            f"{counted(len(self.choices), 'choice')} on record in the folder, "
            f"{sum(had_run for had_run, _ in self.choices)} of which came after a model had run."
        )

    @property
    def is_suspect(self) -> bool:
        """Whether a choice was made when scores could be known."""
        return any(had_run for had_run, _ in self.choices)
