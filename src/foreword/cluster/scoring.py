"""Scoring by a pool of actors: an `Engine` for `score_all`, through Ray Data."""

import math
import os
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from foreword.cluster.actor import ScoringActor, Task, has_gpus, packed, unpacked
from foreword.cluster.connection import Cluster
from foreword.cluster.pool import Node, Pool, plan_pool
from foreword.cluster.shards import Shards
from foreword.cluster.sight import Needs, check_nodes, model_of, token_in
from foreword.errors import ForewordError
from foreword.records import Pair, TokenScores
from foreword.scores import Scorer, in_threads, request_key
from foreword.scores.served import ServedScorer
from foreword.store.journal import first_line

_MOST_BLOCKS = 2_000
"""Into which the groups are parted: what an actor is given at once."""
_KEPT = "What was finished is kept: the same command goes on from there"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActorPool:
    """Has groups scored by actors, one model each, and gives each group once, as they finish."""

    cluster: Cluster
    folder: Path
    """For the shards; all nodes must see it."""
    num_actors: int | None = None
    start_s: int = 600
    """How long the actors may take to start, all of them."""

    def __call__(
        self, groups: Sequence[Sequence[Pair]], scorer: Scorer, statistics: bool
    ) -> Iterator[tuple[int, Sequence[TokenScores]]]:
        """As `in_threads`. Shards that an earlier run left are used, and not computed again.

        A scorer that is a server is asked from here: it has machines of its own, and takes many
        requests at the same time.

        Raises:
            UsageError: the cluster can't hold so many actors.
            ForewordError: a node does not see what the others see; actors don't start, or die again
                and again. What is finished is kept.
        """
        if isinstance(scorer, ServedScorer):
            yield from in_threads(groups, scorer, statistics)
            return
        scorer_id = scorer.scorer_id
        keys = [
            [request_key(scorer_id, pair, statistics=statistics) for pair in group]
            for group in groups
        ]
        shards = Shards(self.folder.absolute())
        there = shards.names()
        todo: list[int] = []
        for index, of_group in enumerate(keys):
            kept = shards.read(of_group) if shards.name(of_group) in there else None
            if kept is None:
                todo.append(index)
            else:
                yield index, kept
            shards.remove(of_group)
        if todo:
            items = [{"index": at, "group": packed(keys[at], groups[at])} for at in todo]
            task = Task(scorer=scorer, statistics=statistics, folder=shards.folder, cwd=os.getcwd())
            with shards.opened():
                for index in self._done(items, task):
                    yield index, shards.read_new(keys[index])
                    shards.remove(keys[index])
        shards.clear()

    def _done(self, items: Sequence[dict[str, Any]], task: Task) -> Iterator[int]:
        """The numbers of the groups whose shards are there, each once."""
        ray = self.cluster.ray
        _try_to_send(ray, task)
        nodes = nodes_of(ray)
        pool = plan_pool(nodes, self.num_actors, on_gpus=has_gpus(task.scorer))
        self._check(ray, [node for node in nodes if can_hold(node, pool)], task)
        missing = {int(item["index"]) for item in items}
        for row in self._rows(ray, items, task, pool):
            if row["problem"]:
                raise unpacked(row["problem"])
            if row["index"] in missing:
                missing.remove(row["index"])
                yield row["index"]
        if missing:
            raise ForewordError(f"the cluster lost {len(missing)} groups of requests. {_KEPT}")

    def _check(self, ray: Any, nodes: Sequence[Node], task: Task) -> None:
        here = ray.get_runtime_context().get_node_id()
        with token_in(task.folder) as token:
            needs = Needs(
                cwd=task.cwd, token=token, scorer=task.scorer, scorer_id=task.scorer.scorer_id
            )
            check_nodes(ray, nodes, needs)
        others = [node for node in nodes if node.id != here]
        if others and (model := model_of(task.scorer)):
            check_nodes(ray, others, Needs(cwd=task.cwd, model=model))

    def _rows(
        self, ray: Any, items: Sequence[dict[str, Any]], task: Task, pool: Pool
    ) -> Iterator[dict[str, Any]]:
        try:
            context = ray.data.DataContext.get_current()
            context.wait_for_min_actors_s = self.start_s
            context.raise_original_map_exception = True
            dataset = ray.data.from_items(
                list(items), override_num_blocks=min(len(items), _MOST_BLOCKS)
            ).map_batches(
                ScoringActor,
                fn_constructor_args=(task,),
                batch_size=1,
                compute=ray.data.ActorPoolStrategy(size=min(pool.actors, len(items))),
                num_cpus=pool.cpus,
                num_gpus=pool.gpus or None,
            )
            yield from dataset.iter_rows()
        except ray.exceptions.GetTimeoutError:
            raise ForewordError(
                f"{pool.actors} actors did not start in {self.start_s} seconds: do other jobs hold "
                f"the cluster's CPUs or GPUs? (`ray status` tells.) Or use fewer --actors. {_KEPT}"
            ) from None
        except (
            ray.exceptions.RayError,
            ray.data.exceptions.SystemException,
            ray.data.exceptions.ExecutionTimeoutError,
        ) as error:
            raise ForewordError(f"{_why(ray, error)}. {_KEPT}") from error


def _try_to_send(ray: Any, task: Task) -> None:
    try:
        ray.cloudpickle.dumps(task)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        raise ForewordError(
            f"the scorer {task.scorer.scorer_id} can't be sent to actors ({first_line(error)}): "
            "leave --engine ray out"
        ) from error


def _why(ray: Any, error: Exception) -> str:
    if isinstance(error, ray.data.exceptions.ExecutionTimeoutError):
        return f"nothing came back from the cluster for too long: {first_line(error)}"
    if isinstance(error, ray.exceptions.RayTaskError):
        cause = error.cause or error
        return f"scoring failed on the cluster: {type(cause).__name__}: {first_line(cause)}"
    if isinstance(error, ray.exceptions.RayActorError):
        return f"actors died again and again ({first_line(error)}): was there not enough memory?"
    return f"the cluster failed: {first_line(error)}"


def nodes_of(ray: Any) -> list[Node]:
    """The machines that are up."""
    return [
        Node(
            id=node["NodeID"],
            name=node["NodeManagerHostname"],
            cpus=node["Resources"].get("CPU", 0),
            gpus=node["Resources"].get("GPU", 0),
        )
        for node in ray.nodes()
        if node["Alive"]
    ]


def can_hold(node: Node, pool: Pool) -> bool:
    """Whether a node has what one actor takes."""
    return math.ceil(node.cpus) >= pool.cpus and node.gpus >= pool.gpus
