"""A server on 127.0.0.1 for tests, in a thread of this process; and a model that can be held up."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any

import httpx2

from foreword.scores import LocalScorer
from foreword.scores.request import Request
from foreword.serve.run import listening, make_server, url_of
from foreword.serve.service import Service, Settings


@dataclass(frozen=True, kw_only=True)
class HeldScorer(LocalScorer):
    """A scorer that computes while its gate is open, and remembers what it was given at a time."""

    gate: threading.Event = field(default_factory=threading.Event, compare=False)
    seen: list[list[list[int]]] = field(default_factory=list, compare=False)

    @classmethod
    def of(cls, scorer: LocalScorer, **more: Any) -> "HeldScorer":
        made = cls(**{f.name: getattr(scorer, f.name) for f in fields(scorer) if f.init}, **more)
        made.gate.set()
        return made

    def rows(self, requests: Sequence[Request], **wanted: bool) -> Any:
        self.seen.append([request.ids for request in requests])
        assert self.gate.wait(30)
        return LocalScorer.rows(self, requests, **wanted)


@dataclass(frozen=True)
class Running:
    """A server and a client of it."""

    url: str
    """Without `/v1`."""
    client: httpx2.Client
    service: Service

    def complete(self, **body: Any) -> Any:
        """The answer's body, of a completion that is granted."""
        answer = self.client.post("/v1/completions", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def score(self, **body: Any) -> Any:
        """The answer's body, of pairs that are scored."""
        answer = self.client.post("/v1/score", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def metric(self, name: str) -> float:
        """A number about the server, as `/metrics` shows it."""
        lines = self.client.get("/metrics").text.splitlines()
        return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(name))


@contextmanager
def running(scorer: LocalScorer, *, loaded: bool = True, **settings: Any) -> Iterator[Running]:
    """Run a server while the block runs.

    Args:
        scorer: what it serves.
        loaded: whether the block begins when the model is loaded.
        **settings: those of the server.
    """
    service = Service(scorer, Settings(**settings))
    with listening("127.0.0.1", 0) as listener:
        server = make_server(service)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        url = url_of(listener).removesuffix("/v1")
        try:
            with httpx2.Client(base_url=url, timeout=60) as client:
                if loaded:
                    wait_for(lambda: client.get("/health").status_code == 200)
                yield Running(url, client, service)
        finally:
            server.should_exit = True
            thread.join(60)
    assert not thread.is_alive()


def wait_for(condition: Any, seconds: float = 30) -> None:
    """Return when the condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)
