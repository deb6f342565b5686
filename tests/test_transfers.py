"""Requests that end in time, also where they come when everything is being closed."""

import gc
import socket
import threading
from collections.abc import Iterator

import httpx2
import pytest

from foreword.transfers import Transfers


@pytest.fixture
def silent() -> Iterator[str]:
    """A server that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def transfers() -> Transfers:
    return Transfers(headers={}, max_connections=4, timeout_s=20, most_bytes=1000)


def test_what_is_asked_after_the_end_is_refused_at_once(silent: str) -> None:
    closed = transfers()
    closed.close()
    closed.close()
    with pytest.raises(httpx2.RequestError, match="it was closed here"):
        closed.request("GET", silent)
    gc.collect()  # a request that was never begun would be a warning, and so an error, here


def test_requests_that_race_with_the_end_all_end(silent: str) -> None:
    for _ in range(30):
        asked = transfers()
        ended: list[str] = []

        def ask(asked: Transfers = asked, ended: list[str] = ended) -> None:
            with pytest.raises(httpx2.RequestError):
                asked.request("GET", silent)
            ended.append("yes")

        threads = [threading.Thread(target=ask) for _ in range(6)]
        for thread in threads[:3]:
            thread.start()
        closing = threading.Thread(target=asked.close)
        closing.start()
        for thread in threads[3:]:
            thread.start()
        for thread in (*threads, closing):
            thread.join(10)
        assert len(ended) == 6
    gc.collect()
