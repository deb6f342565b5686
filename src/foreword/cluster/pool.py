"""How many actors a cluster can hold, and what each may ask for, so that none waits for ever."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from foreword.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A machine of the cluster, and what Ray hands out on it."""

    id: str
    name: str
    cpus: float = 0
    gpus: float = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Actors, one model each."""

    actors: int
    cpus: float
    """For each; also the threads of its arithmetic."""
    gpus: int = 0
    """For each."""


def plan_pool(nodes: Sequence[Node], wanted: int | None = None, *, on_gpus: bool = False) -> Pool:
    """The actors that score on a cluster: never all of its CPUs.

    Actors keep what they were given for as long as they live. Where they hold every CPU, a task
    that is to feed them is never begun, and both wait for ever.

    Args:
        nodes: of the cluster.
        wanted: actors, where the user has said how many.
        on_gpus: each has a GPU of its own.

    Raises:
        UsageError: the cluster can't hold so many, or none; the message says how many it can.

    >>> two = [Node(id="a", name="a", cpus=8), Node(id="b", name="b", cpus=4)]
    >>> plan_pool(two)
    Pool(actors=11, cpus=1, gpus=0)
    >>> plan_pool(two, 3)
    Pool(actors=3, cpus=3, gpus=0)
    >>> plan_pool(two, 12)
    Traceback (most recent call last):
    foreword.errors.UsageError: 12 actors would hold all 12 CPUs of the cluster, and what feeds \
them would never begin: give --actors 11 or less
    """
    return _with_gpus(nodes, wanted) if on_gpus else _with_cpus(nodes, wanted)


def _with_cpus(nodes: Sequence[Node], wanted: int | None) -> Pool:
    total = sum(math.floor(node.cpus) for node in nodes)
    if not total:
        raise UsageError("the cluster has no CPU to give: start its nodes with --num-cpus")
    most = max(1, total - 1)
    if wanted is None or wanted <= most:
        actors = wanted or most
        if total == 1:
            return Pool(actors=1, cpus=0.5)
        return Pool(actors=actors, cpus=_cpus_each(nodes, actors, total))
    raise UsageError(
        f"{wanted} actors would hold all {total} CPUs of the cluster, and what feeds them would "
        f"never begin: give --actors {most} or less"
    )


def _cpus_each(nodes: Sequence[Node], actors: int, total: int) -> int:
    """The most that each can have: they fit on the nodes, and a CPU is left."""
    each = (total - 1) // actors
    while sum(math.floor(node.cpus) // each for node in nodes) < actors:
        each -= 1
    return each


def _with_gpus(nodes: Sequence[Node], wanted: int | None) -> Pool:
    having = [node for node in nodes if node.gpus >= 1]
    total = sum(math.floor(node.gpus) for node in having)
    if not total:
        raise UsageError("the scorer wants a GPU, and the cluster has none: give --device cpu")
    if wanted is not None and wanted > total:
        raise UsageError(
            f"the cluster has {total} GPU{'s' * (total > 1)}, one for each actor: give --actors "
            f"{total} or less"
        )
    # A part of each node's CPUs stays free, however few it has.
    each = min(1.0, *(node.cpus / (math.floor(node.gpus) + 1) for node in having))
    return Pool(actors=wanted or total, cpus=math.floor(each * 100) / 100, gpus=1)
