"""What does the work that a cluster can do: this process, unless told otherwise."""

from dataclasses import dataclass

from foreword.papers import read_papers
from foreword.scores import Engine, Prove, in_threads, probe
from foreword.stages import CutAll, ReadAll, cut_papers


@dataclass(frozen=True, slots=True, kw_only=True)
class Engines:
    """Who reads, cuts, scores, and tries the scorer. The rows are the same, whoever does it."""

    read: ReadAll = read_papers
    cut: CutAll = cut_papers
    score: Engine = in_threads
    prove: Prove = probe


LOCAL = Engines()
