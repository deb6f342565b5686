"""What a running server holds, and the way of a request through it.

The event loop moves bytes. One thread, the reader, owns the tokenizer: it parses bodies, makes
requests to the model of them and answers of its rows. Each copy of the model has a thread too.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response

from foreword.scores import LocalScorer
from foreword.serve.batches import Batches
from foreword.serve.body import read_body
from foreword.serve.completions import read_completions
from foreword.serve.engine import Engine, Wanted, Work, load_engine
from foreword.serve.meters import Meters
from foreword.serve.pairs import read_pairs
from foreword.serve.refusal import RefusedError

_LOADING_S = 5
"""After so many seconds a client may ask again whether the model is there."""
Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a server allows."""

    max_queue: int = 256
    """Requests held at a time, from the first byte of a body to the last of its answer."""
    max_body_bytes: int = 8 * 2**20
    token: str | None = field(default=None, repr=False)
    """What clients must send; None: nothing."""


class Service:
    """A running server, but for the network.

    Args:
        scorer: what is served.
        settings: what it allows.
        loaded: is called once, with None when the model is ready, or with what went wrong.
    """

    def __init__(
        self,
        scorer: LocalScorer,
        settings: Settings,
        loaded: Callable[[BaseException | None], None] = lambda _: None,
    ) -> None:
        self.settings = settings
        self.meters = Meters()
        self._scorer = scorer
        self._told = loaded
        self._engine: Engine | None = None
        self._batches: Batches | None = None
        self._held = 0
        self._started = int(time.time())
        self._reader = ThreadPoolExecutor(1, thread_name_prefix="reader")

    @asynccontextmanager
    async def running(self, _: object = None) -> AsyncIterator[None]:
        """The model is loaded while the block runs; after it, what was accepted has been done."""
        self._batches = Batches(self._compute, self._scorer.workers, self.meters)
        loading = asyncio.create_task(self._load())
        loading.add_done_callback(self._tell)
        try:
            yield
        finally:
            await asyncio.wait({loading})
            await self._batches.close()
            self._reader.shutdown()

    async def _load(self) -> None:
        self._engine = await self._read(load_engine, self._scorer)

    def _tell(self, loading: "asyncio.Task[None]") -> None:
        if not loading.cancelled():
            self._told(loading.exception())

    def _compute(self, requests: Any, wanted: Wanted) -> Any:
        return self._scorer.rows(requests, statistics=wanted.statistics, top=wanted.top)

    async def _read(
        self,
        work: Callable[Arguments, Result],
        *arguments: Arguments.args,
        **_: Arguments.kwargs,
    ) -> Result:
        """Done by the reader."""
        return await asyncio.get_running_loop().run_in_executor(self._reader, work, *arguments)

    @property
    def _loaded(self) -> Engine:
        if self._engine is None:
            raise RefusedError(503, "the model is being loaded", retry_after_s=_LOADING_S)
        return self._engine

    async def completions(self, request: HttpRequest) -> Response:
        """`POST /v1/completions`."""
        return await self._answered(request, read_completions)

    async def score(self, request: HttpRequest) -> Response:
        """`POST /v1/score`."""
        return await self._answered(request, read_pairs)

    async def models(self, _: HttpRequest) -> Response:
        """`GET /v1/models`: the one there is."""
        engine = self._loaded
        model = {
            "id": engine.name,
            "object": "model",
            "created": self._started,
            "owned_by": "foreword",
            "scorer_id": engine.scorer.scorer_id,
            "window": engine.window,
            "max_model_len": engine.window,
        }
        return JSONResponse({"object": "list", "data": [model]})

    async def health(self, _: HttpRequest) -> Response:
        """`GET /health`."""
        if self._engine is None:
            return JSONResponse({"status": "loading"}, 503, {"Retry-After": str(_LOADING_S)})
        return JSONResponse({"status": "ready"})

    async def metrics(self, _: HttpRequest) -> Response:
        """`GET /metrics`."""
        return Response(self.meters.shown(), media_type="text/plain; version=0.0.4")

    async def _answered(
        self, request: HttpRequest, read: Callable[[Engine, bytes], Work]
    ) -> Response:
        engine, batches = self._loaded, self._batches
        assert batches, "the lifespan has begun, or there would be no engine"
        with self._place():
            body = await read_body(request, self.settings.max_body_bytes)
            work = await self._read(read, engine, body)
            del body
            rows = await _unless_gone(request, batches.rows(work.requests, work.wanted))
            answer = await self._read(work.answer, engine, rows)
        return Response(answer, media_type="application/json")

    @contextmanager
    def _place(self) -> Iterator[None]:
        """A request's place among those that are held."""
        if self._held >= self.settings.max_queue:
            assert self._batches
            raise RefusedError(
                429,
                f"{self._held} requests are being answered, as many as this server takes at a time",
                retry_after_s=self._batches.seconds_left,
            )
        self._held += 1
        self.meters.held.set(self._held)
        try:
            yield
        finally:
            self._held -= 1
            self.meters.held.set(self._held)


async def _unless_gone(request: HttpRequest, work: Coroutine[Any, Any, Result]) -> Result:
    """What the work gives; it is cancelled when the client goes away.

    Raises:
        ClientDisconnect: it did.
    """
    working = asyncio.create_task(work)
    watching = asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait({working, watching}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        working.cancel()
        watching.cancel()


async def _disconnected(request: HttpRequest) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        continue
