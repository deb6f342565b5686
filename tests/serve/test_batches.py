"""Batches against what they promise, with a model that only says which sequence it was given."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.scores.request import Request
from foreword.serve.batches import Batches, Compute
from foreword.serve.engine import NO_SPAN, Rows, Wanted
from foreword.serve.meters import Meters
from foreword.serve.refusal import RefusedError

IDS = st.lists(st.integers(0, 3), min_size=2, max_size=6)


def told(ids: Sequence[int]) -> Rows:
    """What the model says of a sequence: itself."""
    return [[float(id_), 7.0] for id_ in ids]


class Model:
    """Remembers what it was given together; fails on sequences with a 9."""

    def __init__(self) -> None:
        self.given: list[list[list[int]]] = []

    def __call__(self, requests: Sequence[Request], wanted: Wanted) -> list[Rows]:
        self.given.append([request.ids for request in requests])
        if any(9 in request.ids for request in requests):
            raise MemoryError
        return [told(request.ids) for request in requests]


def run(job: Callable[[Batches], Any], model: Compute, workers: int = 1) -> Any:
    async def whole() -> Any:
        batches = Batches(model, workers, Meters())
        try:
            return await job(batches)
        finally:
            await batches.close()

    return asyncio.run(whole())


def asked(jobs: Sequence[Sequence[Sequence[int]]]) -> list[list[Request]]:
    return [[Request(list(ids), 1, NO_SPAN) for ids in job] for job in jobs]


@given(st.lists(st.lists(IDS, max_size=40), max_size=8), st.integers(1, 3))
def test_everyone_gets_the_rows_of_their_own_sequences(
    jobs: list[list[list[int]]], workers: int
) -> None:
    model = Model()

    async def all_at_once(batches: Batches) -> list[list[Rows]]:
        return await asyncio.gather(
            *(batches.rows(requests, Wanted(statistics=True)) for requests in asked(jobs))
        )

    found = run(all_at_once, model, workers)
    assert found == [[told(ids) for ids in job] for job in jobs]
    given_ones = [ids for batch in model.given for ids in batch]
    assert sorted(given_ones) == sorted(ids for job in jobs for ids in job)


def test_what_waits_goes_together_and_like_beginnings_side_by_side() -> None:
    model = Model()
    jobs = [[[1, 2, 3]], [[5, 6]], [[1, 2, 4]], [[5, 7]]]

    async def all_at_once(batches: Batches) -> Any:
        return await asyncio.gather(*(batches.rows(requests, Wanted()) for requests in asked(jobs)))

    found = run(all_at_once, model)
    assert model.given == [[[1, 2, 3], [1, 2, 4], [5, 6], [5, 7]]]
    assert found == [[[[row[0]] for row in told(ids)] for ids in job] for job in jobs]


def test_a_long_request_holds_no_short_one_up() -> None:
    model = Model()
    long, short = asked([[[n] * 1000 for n in range(10, 60)], [[1, 2]]])
    finished: list[str] = []

    async def both(batches: Batches) -> None:
        async def wait(name: str, requests: list[Request]) -> None:
            await batches.rows(requests, Wanted())
            finished.append(name)

        await asyncio.gather(wait("long", long), wait("short", short))

    run(both, model)
    assert finished == ["short", "long"]
    assert all(sum(map(len, batch)) <= 4096 for batch in model.given)
    assert any([1, 2] in batch for batch in model.given[:3])


def test_a_sequence_larger_than_a_batch_goes_alone() -> None:
    model = Model()
    [requests] = asked([[[1] * 5000, [2] * 5000, [2] * 5000 + [3]]])
    run(lambda batches: batches.rows(requests, Wanted()), model)
    assert [len(batch) for batch in model.given] == [1, 1, 1] or [
        len(batch) for batch in model.given
    ] == [1, 2]


def test_a_sequence_that_the_model_fails_on_fails_its_own_request_alone() -> None:
    model = Model()

    async def both(batches: Batches) -> Any:
        return await asyncio.gather(
            *(
                batches.rows(requests, Wanted(statistics=True))
                for requests in asked([[[1, 2]], [[9, 1], [3, 3]], [[4, 4]]])
            ),
            return_exceptions=True,
        )

    first, second, third = run(both, model)
    assert (first, third) == ([told([1, 2])], [told([4, 4])])
    assert isinstance(second, RefusedError)
    assert second.status == 500
    assert str(second) == "the model failed on this request (MemoryError)"


def test_what_is_cancelled_is_not_computed() -> None:
    model = Model()
    busy = threading.Event()

    def waits(requests: Sequence[Request], wanted: Wanted) -> list[Rows]:
        busy.wait(10)
        return model(requests, wanted)

    async def leave(batches: Batches) -> Any:
        tasks = []
        for requests in asked([[[1, 2]], [[3, 4]], [[5, 6]]]):
            tasks.append(asyncio.create_task(batches.rows(requests, Wanted())))
            await asyncio.sleep(0.01)
        tasks[1].cancel()
        await asyncio.sleep(0)
        busy.set()
        return await asyncio.gather(*tasks, return_exceptions=True)

    found = run(leave, waits)
    assert isinstance(found[1], asyncio.CancelledError)
    assert model.given == [[[1, 2]], [[5, 6]]]
    assert [found[0], found[2]] == [[[[1.0], [2.0]]], [[[5.0], [6.0]]]]


@pytest.mark.parametrize(("rate", "seconds"), [(0.0, 1), (1000.0, 1), (0.1, 10), (0.001, 60)])
def test_the_time_to_come_again_follows_from_what_waits(rate: float, seconds: int) -> None:
    async def measured(batches: Batches) -> int:
        waiting = asyncio.create_task(batches.rows(asked([[[1, 2]]])[0], Wanted()))
        await asyncio.sleep(0)
        batches._sequences_a_second = rate
        found = batches.seconds_left
        await waiting
        return found

    assert run(measured, Model()) == seconds
