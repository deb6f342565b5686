"""What waits is scored together.

While the model works, what comes waits; then as much of it as one pass should hold goes next. Of
each client's request some sequences are taken in turn, so that a long one holds no short one up.
Every sequence keeps the place that its result goes to: no order has to be right.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import reduce
from operator import or_

from foreword.scores.packed import shared_beginning
from foreword.scores.request import Request
from foreword.serve.engine import Rows, Wanted
from foreword.serve.meters import Meters
from foreword.serve.refusal import RefusedError

_log = logging.getLogger(__name__)
_BUDGET = 4096
"""Tokens of a batch, what a sequence shares with the one before it not counted."""
_TURN = 16
"""Sequences of one client's request that are taken in a row."""
_MOST_RETRY_S = 60

Compute = Callable[[Sequence[Request], Wanted], Sequence[Rows]]
"""Has the model score sequences."""


@dataclass(eq=False, slots=True)
class _Job:
    """What one client asked for."""

    requests: Sequence[Request]
    wanted: Wanted
    done: asyncio.Future[None]
    rows: dict[int, Rows] = field(default_factory=dict)
    taken: int = 0

    @property
    def waits(self) -> int:
        return len(self.requests) - self.taken


_Item = tuple[_Job, int]


class Batches:
    """Gathers what waits into batches, and has them computed in threads of the model."""

    def __init__(self, compute: Compute, workers: int, meters: Meters) -> None:
        self._compute = compute
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="model")
        self._waiting: deque[_Job] = deque()
        self._arrived = asyncio.Event()
        self._meters = meters
        self._sequences_a_second = 0.0
        self._workers = [asyncio.create_task(self._work()) for _ in range(workers)]

    async def rows(self, requests: Sequence[Request], wanted: Wanted) -> list[Rows]:
        """What the model says of each request. If this is cancelled, what waits is dropped.

        Raises:
            RefusedError: the model failed.
        """
        if not requests:
            return []
        job = _Job(requests, wanted, asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        self._meters.waiting.inc(job.waits)
        self._arrived.set()
        try:
            await job.done
        finally:
            if job in self._waiting:
                self._waiting.remove(job)
                self._meters.waiting.dec(job.waits)
                self._meters.dropped.inc(job.waits)
        return [job.rows[index] for index in range(len(requests))]

    @property
    def seconds_left(self) -> int:
        """About how long what waits now will take; from 1 to a minute."""
        if not self._sequences_a_second:
            return 1
        waiting = sum(job.waits for job in self._waiting)
        return min(_MOST_RETRY_S, max(1, round(waiting / self._sequences_a_second)))

    async def close(self) -> None:
        """End the threads, once they have done what they do."""
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        self._pool.shutdown()

    async def _work(self) -> None:
        while True:
            while not self._waiting:
                self._arrived.clear()
                await self._arrived.wait()
            batch = self._take()
            start = time.monotonic()
            await self._answer(batch)
            self._measure(batch, time.monotonic() - start)

    def _take(self) -> list[_Item]:
        """The next batch: at least one sequence."""
        batch: list[_Item] = []
        room = _BUDGET
        while self._waiting:
            job = self._waiting[0]
            taken, room = _turn(job, room, at_least=not batch)
            batch += taken
            if not taken:
                break
            self._waiting.popleft()
            if job.waits:
                self._waiting.append(job)
        self._meters.waiting.dec(len(batch))
        return batch

    async def _answer(self, batch: Sequence[_Item]) -> None:
        """Give each of a batch its rows; if the model fails, find out by which it does."""
        ordered = sorted(batch, key=lambda item: item[0].requests[item[1]].ids)
        asked = [job.requests[index] for job, index in ordered]
        wanted = reduce(or_, (job.wanted for job, _ in batch))
        loop = asyncio.get_running_loop()
        try:
            found = await loop.run_in_executor(self._pool, self._compute, asked, wanted)
        except Exception as error:  # noqa: BLE001 - out of memory, say: the server goes on
            _log.error("a batch of %d failed: %s", len(batch), type(error).__name__)
            await self._mend(batch, error)
            return
        for (job, index), rows in zip(ordered, found, strict=True):
            job.rows[index] = job.wanted.of(rows, wanted)
            if len(job.rows) == len(job.requests) and not job.done.done():
                job.done.set_result(None)

    async def _mend(self, batch: Sequence[_Item], error: Exception) -> None:
        """Each alone; one that fails alone fails its client's request."""
        if len(batch) > 1:
            for job, index in batch:
                if not job.done.done():
                    await self._answer([(job, index)])
            return
        [(job, _)] = batch
        if not job.done.done():
            words = f"the model failed on this request ({type(error).__name__})"
            job.done.set_exception(RefusedError(500, words))

    def _measure(self, batch: Sequence[_Item], seconds: float) -> None:
        self._meters.batch_sizes.observe(len(batch))
        self._meters.batch_seconds.observe(seconds)
        self._meters.tokens.inc(
            sum(len(job.requests[at].ids) - job.requests[at].first for job, at in batch)
        )
        rate = len(batch) / max(seconds, 1e-6)
        before = self._sequences_a_second or rate
        self._sequences_a_second = 0.7 * before + 0.3 * rate


def _turn(job: _Job, room: int, *, at_least: bool) -> tuple[list[_Item], int]:
    """The next sequences of a job that fit, and how much room is left; 0 where one did not fit."""
    taken: list[_Item] = []
    while job.waits and len(taken) < _TURN:
        ids = job.requests[job.taken].ids
        before = job.requests[job.taken - 1].ids if taken else []
        size = len(ids) - shared_beginning(before, ids)
        if size > room and (taken or not at_least):
            return taken, 0
        taken.append((job, job.taken))
        job.taken += 1
        room -= size
    return taken, room
