"""The server as its clients meet it: many at once, gone, hostile, without a token."""

import asyncio
import json
import logging
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx2
import openai
import pytest
from serve_running import HeldScorer, Running, running, wait_for

from foreword.records import Pair
from foreword.scores import LocalScorer
from foreword.serve.service import Service, Settings
from foreword.store import to_row


def name_of(scorer: LocalScorer) -> str:
    return scorer.scorer_id.rpartition("@")[0]


def completion(scorer: LocalScorer, prompt: Any, **more: Any) -> dict[str, Any]:
    return {
        "model": name_of(scorer), "prompt": prompt, "echo": True, "max_tokens": 0, "logprobs": 0,
        **more,
    }  # fmt: skip


def test_openais_own_client_is_answered(server: Running, tiny: LocalScorer) -> None:
    with openai.OpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client:
        [model] = client.models.list().data
        assert model.id == name_of(tiny)
        answer = client.completions.create(
            model=model.id, prompt="x = y", echo=True, max_tokens=1, logprobs=1, temperature=0
        )
        [choice] = answer.choices
        assert choice.logprobs
        assert choice.text.startswith("x = y")
        assert "".join(choice.logprobs.tokens or ()) == choice.text
        with pytest.raises(openai.BadRequestError, match="max_tokens must be 0 or 1"):
            client.completions.create(model=model.id, prompt="x", max_tokens=5)


def test_the_model_says_what_it_is(server: Running, tiny: LocalScorer) -> None:
    body = server.client.get("/v1/models").json()
    assert body["object"] == "list"
    [model] = body["data"]
    assert model["id"] == name_of(tiny)
    assert model["scorer_id"] == tiny.scorer_id
    assert model["window"] == model["max_model_len"] == 2048


def test_32_clients_at_once_each_get_their_own(tiny: LocalScorer) -> None:
    held = HeldScorer.of(tiny)
    pairs = [
        [Pair(id=f"{n}", prompt="x = " * (n + k + 1), target=f" y{n}\\left{k}") for k in range(3)]
        for n in range(32)
    ]
    with running(held) as server:
        held.gate.clear()
        held.seen.clear()

        def ask(number: int) -> Any:
            of_client = [to_row(pair) | {"id": str(k)} for k, pair in enumerate(pairs[number])]
            if number % 2:
                return server.score(pairs=of_client, statistics=number % 4 == 1)
            texts = [pair["prompt"] + pair["target"] for pair in of_client]
            return server.complete(**completion(tiny, texts, logprobs=number % 4 // 2))

        with ThreadPoolExecutor(32) as pool:
            answers = [pool.submit(ask, number) for number in range(32)]
            wait_for(lambda: server.metric("foreword_requests_held") == 32)
            held.gate.set()
            found = [answer.result() for answer in answers]
        assert sum(map(len, held.seen)) == 96
        assert len(held.seen) < 32
        assert server.metric("foreword_batch_sequences_sum") == 96
        assert server.metric("foreword_batch_sequences_count") == len(held.seen)
    for number, body in enumerate(found):
        expected = tiny.score(pairs[number])
        if number % 2:
            values = [tuple(row["logprobs"]) for row in body["rows"]]
        else:
            values = [
                tuple(choice["logprobs"]["token_logprobs"][-len(result.logprobs) :])
                for choice, result in zip(body["choices"], expected, strict=True)
            ]
        assert values == [result.logprobs for result in expected]


def test_a_full_server_says_when_to_come_again(tiny: LocalScorer) -> None:
    held = HeldScorer.of(tiny)
    with running(held, max_queue=2) as server, ThreadPoolExecutor(2) as pool:
        held.gate.clear()
        waiting = [
            pool.submit(server.complete, **completion(tiny, text)) for text in ("first", "second")
        ]
        wait_for(lambda: server.metric("foreword_requests_held") == 2)
        refused = server.client.post("/v1/score", json={})
        assert refused.status_code == 429
        assert 1 <= int(refused.headers["Retry-After"]) <= 60
        assert refused.json()["error"]["type"] == "rate_limit_error"
        held.gate.set()
        assert all(answer.result()["choices"] for answer in waiting)
        assert server.complete(**completion(tiny, "third"))


def test_work_of_clients_that_left_is_dropped(tiny: LocalScorer) -> None:
    held = HeldScorer.of(tiny)
    with running(held) as server, ThreadPoolExecutor(1) as pool:
        held.gate.clear()
        held.seen.clear()
        staying = pool.submit(server.complete, **completion(tiny, "stay"))
        wait_for(lambda: held.seen)
        leaving = raw_request(server, completion(tiny, ["leaves", "leaving"]))
        wait_for(lambda: server.metric("foreword_queue_sequences") == 2)
        leaving.close()
        wait_for(lambda: server.metric("foreword_sequences_dropped_total") == 2)
        held.gate.set()
        assert staying.result()["choices"][0]["text"] == "stay"
        assert len(held.seen) == 1
        counted = 'foreword_requests_total{route="/v1/completions",status="499"}'
        wait_for(lambda: server.metric(counted) == 1)
        assert server.metric("foreword_requests_held") == 0


def raw_request(server: Running, body: dict[str, Any], *, extra: int = 0) -> socket.socket:
    """A connection over which a request was sent, the last `extra` bytes of it missing."""
    data = json.dumps(body).encode()
    head = (
        f"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(data) + extra}\r\n\r\n"
    )
    host, port = server.url.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)), timeout=30)
    connection.sendall(head.encode() + data)
    return connection


def test_a_body_that_breaks_off_takes_nothing_with_it(server: Running, tiny: LocalScorer) -> None:
    raw_request(server, completion(tiny, "x"), extra=5).close()
    wait_for(lambda: server.metric("foreword_requests_held") == 0)
    assert server.complete(**completion(tiny, "xy"))


def test_a_body_that_does_not_come_is_not_waited_for(
    tiny: LocalScorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foreword.serve.body._BODY_S", 0.2)
    with running(tiny) as server, raw_request(server, completion(tiny, "x"), extra=5) as slow:
        assert slow.recv(10_000).startswith(b"HTTP/1.1 408")


def test_large_bodies_are_refused_by_their_size(tiny: LocalScorer) -> None:
    with running(tiny, max_body_bytes=1000) as server:
        declared = server.client.post("/v1/score", content=b"x" * 3_000_000)

        def pieces() -> Iterator[bytes]:
            for _ in range(300):
                yield b"x" * 10_000

        streamed = server.client.post("/v1/score", content=pieces())
        for answer in (declared, streamed):
            assert answer.status_code == 413
            assert answer.json()["error"]["message"] == "the body is larger than 1,000 bytes"
        assert server.client.post("/v1/score", content=b"x" * 1000).status_code == 400


def test_a_large_body_that_is_only_announced_is_refused(
    tiny: LocalScorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("foreword.serve.body._DRAIN_S", 0.2)
    with running(tiny) as server, raw_request(server, {}, extra=10**12) as announced:
        assert announced.recv(10_000).startswith(b"HTTP/1.1 413")


TOKEN = "s3cret-∀"


def test_with_a_token_only_health_is_open(
    tiny: LocalScorer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    body = completion(tiny, "xy")
    with running(tiny, token=TOKEN) as server:
        assert TOKEN not in repr(server.service.settings)
        given = {
            None: 401,
            "": 401,
            TOKEN: 401,
            "Bearer": 401,
            "Bearer wrong": 401,
            f"Bearer {TOKEN}x": 401,
            f"Basic {TOKEN}": 401,
            f"Bearer {TOKEN}": 200,
            f"bearer {TOKEN}": 200,
        }
        for value, status in given.items():
            headers = {} if value is None else {"Authorization": value.encode()}
            answer = server.client.post("/v1/completions", json=body, headers=headers)
            assert answer.status_code == status, value
            assert TOKEN not in answer.text
        assert answer.status_code == 200
        for path in ("/v1/models", "/metrics", "/nothing", "/health/", "//health"):
            refused = server.client.get(path)
            assert refused.status_code == 401
            assert refused.headers["WWW-Authenticate"] == "Bearer"
            assert refused.json()["error"]["type"] == "authentication_error"
        assert server.client.get("/health").status_code == 200
    assert TOKEN not in caplog.text


def test_while_the_model_loads_the_server_says_so(tiny: LocalScorer) -> None:
    held = HeldScorer.of(tiny)
    held.gate.clear()
    with running(held, loaded=False) as server:
        assert server.client.get("/health").status_code == 503
        for answer in (
            server.client.post("/v1/completions", json=completion(tiny, "x")),
            server.client.get("/v1/models"),
        ):
            assert answer.status_code == 503
            assert answer.headers["Retry-After"]
        held.gate.set()
        wait_for(lambda: server.client.get("/health").status_code == 200)
        assert server.client.get("/v1/models").status_code == 200


DEEP = b"[" * 200_000
HOSTILE = [
    (b"", "is not JSON"),
    (b"null", "must be a JSON object"),
    (b"[]", "must be a JSON object"),
    (b'"x"', "must be a JSON object"),
    (b"{", "is not JSON"),
    (b"{} {}", "is not JSON"),
    (b"\xff\xfe{}", "is not UTF-8 at byte 0"),
    (b"\xef\xbb\xbf{}", "is not JSON"),
    (DEEP, "nested too deeply"),
    (b'{"a":' * 200_000, "nested too deeply"),
    (b'{"prompt": ' + DEEP, "nested too deeply"),
    (b'{"temperature": NaN}', "holds a number that can't be: NaN"),
    (b'{"temperature": -Infinity}', "holds a number that can't be: -Infinity"),
    (b'{"temperature": 1e999}', "temperature: it can only be 0 here"),
    (b'{"max_tokens": ' + b"9" * 5000 + b"}", "holds a number that can't be"),
    (b'{"prompt": "\\ud800", "model": "\\udfff"}', "half a surrogate pair"),
    (b'{"\\ud800": 1}', "half a surrogate pair"),
    (b'{"' + b"x" * 5000 + b'": 1}', "this server has no field xxx"),
    (b'{"pairs": [{"id": "\\ud800", "prompt": "x", "target": "y"}]}', "half a surrogate pair"),
]


@pytest.mark.parametrize("path", ["/v1/completions", "/v1/score"])
@pytest.mark.parametrize(("body", "words"), HOSTILE)
def test_hostile_bodies_are_refused_in_a_sentence(
    server: Running, path: str, body: bytes, words: str
) -> None:
    answer = server.client.post(path, content=body)
    assert answer.status_code == 400
    message = answer.json()["error"]["message"]
    assert len(message) < 400
    if path == "/v1/completions" or b"1e999" not in body:
        assert words in message
    assert server.client.get("/health").status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/v1/completions", 405),
        ("POST", "/v1/models", 405),
        ("POST", "/v1/chat/completions", 404),
        ("GET", "/v1/%00%0a", 404),
    ],
)
def test_other_addresses_are_refused_in_the_same_shape(
    server: Running, method: str, path: str, status: int
) -> None:
    answer = server.client.request(method, path)
    assert answer.status_code == status
    assert answer.json()["error"]["message"].startswith("there is no ")


def test_metrics_count_in_a_registry_of_the_server(tiny: LocalScorer) -> None:
    from prometheus_client import REGISTRY

    with running(tiny) as first, running(tiny) as second:
        first.complete(**completion(tiny, "x = y"))
        first.client.get("/nothing/one")
        first.client.get("/nothing/two")
        shown = first.client.get("/metrics")
        assert shown.headers["content-type"].startswith("text/plain")
        assert first.metric('foreword_requests_total{route="/v1/completions",status="200"}') == 1
        assert first.metric('foreword_requests_total{route="other",status="404"}') == 2
        assert first.metric("foreword_tokens_scored_total") == 3
        assert first.metric('foreword_request_seconds_count{route="/v1/completions"}') == 1
        assert second.metric("foreword_tokens_scored_total") == 0
    assert "foreword" not in {metric.name.partition("_")[0] for metric in REGISTRY.collect()}


@dataclass(frozen=True, kw_only=True)
class BrokenScorer(LocalScorer):
    """Fails on sequences with the id 90, and knows no value where there is an 80."""

    def rows(self, requests: Any, **wanted: bool) -> Any:
        if any(90 in request.ids for request in requests):
            raise RuntimeError("text of a prompt may stand in this message")
        found = LocalScorer.rows(self, requests, **wanted)
        for request, rows in zip(requests, found, strict=True):
            if 80 in request.ids:
                rows[0][0] = float("nan")
        return found


def test_what_the_model_fails_on_is_no_number_and_stops_nothing(
    tiny: LocalScorer, caplog: pytest.LogCaptureFixture
) -> None:
    broken = BrokenScorer(files=tiny.files, dtype=tiny.dtype, devices=tiny.devices)
    with running(broken) as server:
        answer = server.client.post("/v1/completions", json=completion(tiny, [[5, 90]]))
        assert answer.status_code == 500
        assert answer.json()["error"]["message"] == (
            "the model failed on this request (RuntimeError)"
        )
        answer = server.client.post("/v1/completions", json=completion(tiny, [[5, 80]]))
        assert answer.status_code == 500
        assert "token 1 of 1 is not a number" in answer.json()["error"]["message"]
        assert server.complete(**completion(tiny, [[5, 6]]))
    assert "a batch of 1 failed: RuntimeError" in caplog.text
    assert "text of a prompt" not in caplog.text


def test_a_bug_of_ours_is_a_500_that_shows_no_text(
    tiny: LocalScorer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def wrong(*_: object) -> None:
        raise KeyError("text of a prompt")

    monkeypatch.setattr("foreword.serve.service.read_pairs", wrong)
    with running(tiny) as server:
        answer = server.client.post("/v1/score", json={})
        assert answer.status_code == 500
        assert answer.json()["error"]["type"] == "server_error"
        assert server.client.get("/health").status_code == 200
    assert "a request failed: KeyError in " in caplog.text
    assert "text of a prompt" not in caplog.text + answer.text


def test_whatever_keeps_the_model_from_loading_is_told(tiny: LocalScorer) -> None:
    told: list[BaseException | None] = []
    wrong = BrokenScorer(files=tiny.files, dtype="none", devices=tiny.devices)
    service = Service(wrong, Settings(), told.append)

    async def run() -> None:
        async with service.running():
            while not told:
                await asyncio.sleep(0.01)

    asyncio.run(run())
    assert "dtype 'none' is not known" in str(told)


def test_what_was_accepted_is_answered_when_the_server_ends(tiny: LocalScorer) -> None:
    held = HeldScorer.of(tiny)
    with ThreadPoolExecutor(4) as pool:
        with running(held) as server:
            held.gate.clear()
            url = f"{server.url}/v1/completions"
            asked = [
                pool.submit(httpx2.post, url, json=completion(tiny, f"x{n}"), timeout=30)
                for n in range(4)
            ]
            wait_for(lambda: server.metric("foreword_requests_held") == 4)
            threading.Timer(1.0, held.gate.set).start()
        found = [answer.result().json() for answer in asked]
    assert [body["choices"][0]["text"] for body in found] == ["x0", "x1", "x2", "x3"]


def test_an_ended_server_takes_no_more(tiny: LocalScorer) -> None:
    with running(tiny) as server:
        url = server.url
    with pytest.raises(httpx2.ConnectError):
        httpx2.get(f"{url}/health")
