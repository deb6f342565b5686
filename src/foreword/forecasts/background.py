"""From asynchronous work to a plain iterator."""

from collections.abc import Callable, Coroutine, Iterator
from queue import SimpleQueue
from typing import Any, TypeVar

Item = TypeVar("Item")


def as_they_come(
    work: Callable[[Callable[[Item], None]], Coroutine[Any, Any, None]],
) -> Iterator[Item]:
    """What asynchronous work puts out, each item as soon as it is there.

    The work runs in an event loop on a thread of its own, so that it goes on while an item is
    looked at, and so that this can be called from a notebook, which has a loop of its own. Work
    that is not waited for to its end is cancelled.

    Args:
        work: is given the function with which to put an item out.

    Raises:
        Exception: whatever the work raised, after the items that came before.

    >>> async def count(put):
    ...     put(1)
    ...     put(2)
    >>> list(as_they_come(count))
    [1, 2]
    """
    from anyio.from_thread import start_blocking_portal

    items: SimpleQueue[tuple[Item] | None] = SimpleQueue()
    with start_blocking_portal() as portal:
        running = portal.start_task_soon(work, lambda item: items.put((item,)))
        running.add_done_callback(lambda _: items.put(None))
        try:
            while (box := items.get()) is not None:
                yield box[0]
            running.result()
        finally:
            running.cancel()
