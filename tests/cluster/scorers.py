"""Scorers for the tests of a cluster, in a module that the actors can import."""

import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from foreword.records import Pair, TokenScores
from foreword.scores import Scorer, ScriptedScorer


def flat(before: str, letter: str) -> float:
    return -1.0


def nothing(before: str, letter: str) -> float:
    return 1 / 0


FLAT = ScriptedScorer(flat)


@dataclass(frozen=True)
class WatchedScorer:
    """Writes down what it scores, in which process, and can die of it."""

    folder: Path
    inner: Scorer = FLAT
    dies_over: str = ""
    """Of an id, a part."""
    dies_once: bool = True
    workers: int = 1
    has_statistics: bool = True

    @property
    def scorer_id(self) -> str:
        return self.inner.scorer_id

    def score(self, pairs: Sequence[Pair], *, statistics: bool = False) -> Sequence[TokenScores]:
        if self.dies_over and self.dies_over in pairs[0].id:
            died = self.folder / f"died-{len(list(self.folder.glob('died-*')))}"
            if not (self.dies_once and died.name != "died-0"):
                died.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        with (self.folder / "scored").open("a") as file:
            file.write("".join(f"{os.getpid()} {pair.id}\n" for pair in pairs))
        return self.inner.score(pairs, statistics=statistics)

    def scored(self) -> list[str]:
        """The ids of the pairs that were scored, as often as they were."""
        file = self.folder / "scored"
        lines = file.read_text().splitlines() if file.exists() else []
        return [line.partition(" ")[2] for line in lines]

    def num_processes(self) -> int:
        return len({line.split()[0] for line in (self.folder / "scored").read_text().splitlines()})


@dataclass(frozen=True)
class ElsewhereScorer:
    """A fake whose id depends on the process, as it does on a node with other software."""

    home: int
    workers: int = 1
    has_statistics: bool = True

    @property
    def scorer_id(self) -> str:
        return "here" if os.getpid() == self.home else "there"

    def score(self, pairs: Sequence[Pair], *, statistics: bool = False) -> Sequence[TokenScores]:
        raise AssertionError("it is not asked")
