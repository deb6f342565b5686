"""A function called with many items, on all CPUs of a cluster, with its results in order."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from foreword.errors import ForewordError
from foreword.store.journal import first_line

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 4
"""Items in flight for each CPU: the results wait in memory for those before them."""
_PATIENCE_S = 1800.0


def each_as_task(
    ray: Any,
    function: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    patience_s: float = _PATIENCE_S,
) -> Iterator[Result]:
    """As `map`, with every item a task of one CPU.

    Raises:
        ForewordError: no CPU is free for a long time, or processes die over one item.
    """
    run = ray.remote(num_cpus=1, max_retries=3)(_in_folder)
    most = _AHEAD * max(1, int(ray.cluster_resources().get("CPU", 0)))
    waiting: deque[Any] = deque()
    try:
        for item in items:
            waiting.append(run.remote(os.getcwd(), function, item))
            if len(waiting) >= most:
                yield result_of(ray, waiting.popleft(), patience_s)
        while waiting:
            yield result_of(ray, waiting.popleft(), patience_s)
    finally:
        for task in waiting:
            ray.cancel(task, force=True)


def _in_folder(folder: str, function: Callable[[Item], Result], item: Item) -> Result:
    os.chdir(folder)  # paths may be relative
    return function(item)


def result_of(ray: Any, task: Any, patience_s: float) -> Any:
    """What a task gives.

    Raises:
        ForewordError: no CPU is free for a long time, or processes die over it.
    """
    try:
        return ray.get(task, timeout=patience_s)
    except ray.exceptions.GetTimeoutError:
        raise ForewordError(
            f"nothing came back from the cluster in {patience_s:.0f} seconds: do other jobs hold "
            "all of its CPUs? (`ray status` tells.) The same command begins again"
        ) from None
    except ray.exceptions.RayTaskError as error:
        raise error.cause or error from None
    except ray.exceptions.RayError as error:
        raise ForewordError(
            f"the cluster gave a task up, after several tries: {first_line(error)}"
        ) from error
