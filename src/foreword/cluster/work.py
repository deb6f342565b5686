"""All three engines of a cluster."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from foreword.cluster.actor import has_gpus, on_own_device
from foreword.cluster.connection import Cluster
from foreword.cluster.cutting import cut_each
from foreword.cluster.pool import Node, plan_pool
from foreword.cluster.scoring import ActorPool, can_hold, nodes_of
from foreword.cluster.sight import Needs, check_nodes
from foreword.cluster.tasks import each_as_task, result_of
from foreword.cuts import Rejection, Rules
from foreword.engines import Engines
from foreword.errors import UsageError
from foreword.papers import read_papers
from foreword.records import Cut, Failure, Paper
from foreword.scores import Probe, Scorer, probe
from foreword.scores.served import ServedScorer

_PROOF_S = 600.0
"""After so long without a free place for it the probe is given up."""


@contextmanager
def ray_engines(
    shards: Path, *, address: str | None = None, num_actors: int | None = None
) -> Iterator[Engines]:
    """Who reads, cuts and scores on a Ray cluster, for as long as the block runs.

    Args:
        shards: the folder for what actors finish; all nodes must see it.
        address: as for `Cluster`.
        num_actors: that score, one model each; by default as many as there are GPUs, or one for
            each CPU but one.

    Raises:
        UsageError: an address that is none.
        ForewordError: Ray is not installed.
    """
    with Cluster(address) as cluster:
        yield Engines(
            read=Reading(cluster),
            cut=Cutting(cluster),
            score=ActorPool(cluster=cluster, folder=shards, num_actors=num_actors),
            prove=Proving(cluster),
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """Reads papers by tasks, one an e-print."""

    cluster: Cluster

    def __call__(
        self, paths: Sequence[Path], *, mains: Mapping[str, str], keep_hidden: bool, progress: Any
    ) -> tuple[list[Paper], list[Failure]]:
        """As `read_papers`.

        Raises:
            SourceError: as `read_papers`.
            ForewordError: a node does not see one of the paths.
        """
        ray = self.cluster.ray
        seen = tuple(str(path) for path in paths)
        check_nodes(ray, _with_cpus(ray), Needs(cwd=os.getcwd(), paths=seen))
        return read_papers(
            paths,
            mains=mains,
            keep_hidden=keep_hidden,
            each=partial(each_as_task, ray),
            progress=progress,
        )


@dataclass(frozen=True, slots=True)
class Cutting:
    """Cuts papers by tasks, one a paper."""

    cluster: Cluster

    def __call__(
        self, papers: Sequence[Paper], rules: Rules, *, seed: int
    ) -> tuple[list[Cut], list[Rejection]]:
        """As `cut_papers`."""
        ray = self.cluster.ray
        check_nodes(ray, _with_cpus(ray), Needs(cwd=os.getcwd()))
        return cut_each(papers, rules, seed=seed, each=partial(each_as_task, ray))


@dataclass(frozen=True, slots=True)
class Proving:
    """Tries a scorer in a task, on a node that has what the scorer needs."""

    cluster: Cluster

    def __call__(self, scorer: Scorer) -> Probe:
        """As `probe`.

        Raises:
            ModelError: as `probe`.
            ForewordError: no node can try it, or none has room for a long time.
        """
        if isinstance(scorer, ServedScorer):
            return probe(scorer)
        ray = self.cluster.ray
        pool = plan_pool(nodes := nodes_of(ray), 1, on_gpus=has_gpus(scorer))
        needs = Needs(cwd=os.getcwd(), scorer=scorer, scorer_id=scorer.scorer_id)
        check_nodes(ray, [node for node in nodes if can_hold(node, pool)], needs)
        task = ray.remote(num_cpus=pool.cpus, num_gpus=pool.gpus or None, max_retries=1)(_proved)
        found = result_of(ray, task.remote(scorer, os.getcwd()), _PROOF_S)
        assert isinstance(found, Probe)
        return found


def _proved(scorer: Scorer, cwd: str) -> Probe:
    os.chdir(cwd)  # where a model's path is relative
    return probe(on_own_device(scorer))


def _with_cpus(ray: Any) -> list[Node]:
    nodes = [node for node in nodes_of(ray) if node.cpus >= 1]
    if not nodes:
        raise UsageError("the cluster has no CPU to give: start its nodes with --num-cpus")
    return nodes
