import asyncio
import threading
from collections.abc import Callable

import pytest

from foreword.forecasts.background import as_they_come


def test_an_item_is_there_before_the_work_is_done() -> None:
    go_on = threading.Event()

    async def work(put: Callable[[int], None]) -> None:
        put(1)
        await asyncio.to_thread(go_on.wait)
        put(2)

    items = as_they_come(work)
    assert next(items) == 1
    go_on.set()
    assert list(items) == [2]


def test_an_error_comes_after_the_items_before_it() -> None:
    async def work(put: Callable[[int], None]) -> None:
        put(1)
        raise KeyError("lost")

    items = as_they_come(work)
    assert next(items) == 1
    with pytest.raises(KeyError, match="lost"):
        next(items)


def test_work_that_nobody_waits_for_is_cancelled() -> None:
    cancelled = threading.Event()

    async def work(put: Callable[[int], None]) -> None:
        put(1)
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    items = as_they_come(work)
    assert next(items) == 1
    items.close()  # type: ignore[attr-defined]
    assert cancelled.is_set()


def test_it_works_inside_a_running_loop() -> None:
    async def work(put: Callable[[int], None]) -> None:
        put(1)

    async def notebook() -> list[int]:
        return list(as_they_come(work))

    assert asyncio.run(notebook()) == [1]
