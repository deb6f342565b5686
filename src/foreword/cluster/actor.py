"""What runs in an actor: one model, and the groups that it is given one after the other."""

import os
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from foreword.cluster.shards import Shards
from foreword.errors import ForewordError
from foreword.records import Pair
from foreword.scores import Scorer
from foreword.scores.local import LocalScorer


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """All that an actor has to know."""

    scorer: Scorer
    statistics: bool
    folder: Path
    """Of the shards."""
    cwd: str


class ScoringActor:
    """Scores groups of pairs, and leaves their results as shards.

    Only a group's number travels back: Ray may lose or repeat what it carries, and a shard is there
    whole, once, whoever dies.
    """

    def __init__(self, task: Task) -> None:
        os.chdir(task.cwd)  # where a model's path is relative
        self._scorer = on_own_device(task.scorer)
        self._statistics = task.statistics
        self._shards = Shards(task.folder)

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """The numbers of the groups that are done, each with what went wrong, if anything."""
        return {"index": batch["index"], "problem": [self._problem(one) for one in batch["group"]]}

    def _problem(self, group: bytes) -> bytes:
        keys, pairs = unpacked(group)
        try:
            if not self._shards.has(keys):  # else an actor died after it was done
                with self._shards.begun(keys, pairs[0].id):
                    results = self._scorer.score(pairs, statistics=self._statistics)
                    self._shards.write(keys, results)
        except ForewordError as error:
            return pickle.dumps(error)
        return b""


def has_gpus(scorer: Scorer) -> bool:
    """Whether a scorer runs a model on CUDA GPUs."""
    return isinstance(scorer, LocalScorer) and scorer.devices[0].startswith("cuda")


def on_own_device(scorer: Scorer) -> Scorer:
    """The scorer on the one GPU that Ray shows to an actor."""
    if isinstance(scorer, LocalScorer) and has_gpus(scorer):
        return replace(scorer, devices=("cuda:0",))
    return scorer


def packed(keys: Sequence[str], pairs: Sequence[Pair]) -> bytes:
    """A group as one cell of a dataset: Arrow would not take every text."""
    return pickle.dumps((list(keys), list(pairs)))


def unpacked(data: bytes) -> Any:
    """What `packed` was given, or an error; within the cluster, from this program to itself."""
    return pickle.loads(data)  # noqa: S301
