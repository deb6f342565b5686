"""A small real HTTP server on 127.0.0.1 that answers in the shapes of servers that score."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What the server does: `drops` closes the connection in the middle of the answer."""

    body: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    drops: bool = False
    waits_s: float = 0.0

    @property
    def data(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@dataclass
class Asked:
    """What the server was asked."""

    answer: Callable[[Body], Reply]
    models: Callable[[], Reply]
    url: str = ""
    bodies: list[Body] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    open: int = 0
    at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def no_models() -> Reply:
    return Reply(body={"error": {"message": "no such route"}}, status=404)


@contextmanager
def serving(
    answer: Callable[[Body], Reply], models: Callable[[], Reply] = no_models
) -> Iterator[Asked]:
    """Run the server while the block runs."""
    state = Asked(answer, models)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._note(None)
            self._send(state.models() if self.path == "/v1/models" else no_models())

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self._note(body)
            try:
                reply = state.answer(body) if self.path == "/v1/completions" else no_models()
            finally:
                with state.lock:
                    state.open -= 1
            self._send(reply)

        def _note(self, body: Body | None) -> None:
            with state.lock:
                state.paths.append(self.path)
                state.keys.append(self.headers.get("Authorization"))
                if body is not None:
                    state.bodies.append(body)
                    state.open += 1
                    state.at_once = max(state.at_once, state.open)

        def _send(self, reply: Reply) -> None:
            try:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(reply.data)))
                self.end_headers()
                if reply.drops:
                    self.wfile.write(reply.data[: len(reply.data) // 2])
                    self.close_connection = True
                    return
                if reply.waits_s:
                    self.wfile.write(reply.data[:1])
                    self.wfile.flush()
                    time.sleep(reply.waits_s)
                    self.wfile.write(reply.data[1:])
                else:
                    self.wfile.write(reply.data)
            except OSError:  # the client gave up waiting
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def words(data: bytes) -> list[bytes]:
    """A tokeniser for tests: words with the space before them, `=\\`, and single bytes."""
    return re.findall(rb" ?[A-Za-z0-9]+|=\\|.", data, re.DOTALL)


IDS: dict[bytes, int] = {}
"""Ids as they are given out: the same for the same bytes."""


def id_of(piece: bytes) -> int:
    return IDS.setdefault(piece, 1000 + len(IDS))


def value_of(piece: bytes) -> float:
    """A log-probability that tells the token."""
    return -0.25 - (sum(piece) % 61) / 8


def alone(piece: bytes) -> str:
    return piece.decode("utf-8", "replace")


def lists(
    pieces: Sequence[bytes],
    *,
    begin: str | None = None,
    new: Sequence[bytes] = (b" new",),
    show: Callable[[bytes], str] = alone,
    values: Callable[[bytes], float | None] = value_of,
    with_ids: bool = False,
) -> Body:
    """An answer in the shape of `echo` with `logprobs`, as vLLM and Fireworks give it."""
    texts = [begin] if begin is not None else []
    texts += [show(piece) for piece in [*pieces, *new]]
    logprobs: list[float | None] = [None] if begin is not None else []
    logprobs += [values(piece) for piece in [*pieces, *new]]
    logprobs[0] = None
    ids = ([1] if begin is not None else []) + [id_of(piece) for piece in pieces]
    offsets = [sum(map(len, texts[:at])) for at in range(len(texts))]
    choice: Body = {
        "index": 0,
        "text": "".join(texts),
        "logprobs": {
            "text_offset": offsets,
            "token_logprobs": logprobs,
            "tokens": texts,
            "top_logprobs": [value and {"x": value} for value in logprobs],
        },
        "finish_reason": "length",
        "stop_reason": None,
        "prompt_logprobs": None,
    }
    if with_ids:
        choice |= {"prompt_token_ids": ids, "token_ids": [id_of(piece) for piece in new]}
    return completion(choice)


def dictionaries(pieces: Sequence[bytes], *, begin: bool = False, with_ids: bool = False) -> Body:
    """An answer in the shape of vLLM's `prompt_logprobs`; beside some tokens a more likely one."""
    told: list[Body | None] = [None] if begin else []
    for number, piece in enumerate(pieces):
        value = value_of(piece)
        other = {"logprob": -0.125, "rank": 1, "decoded_token": " other"}
        rank = 7 if number % 2 else 1
        entry = {str(id_of(piece)): {"logprob": value, "rank": rank, "decoded_token": alone(piece)}}
        told.append(entry | ({str(id_of(b" other")): other} if number % 2 else {}))
    told[0] = None
    ids = ([1] if begin else []) + [id_of(piece) for piece in pieces]
    choice: Body = {
        "index": 0,
        "text": " new",
        "logprobs": None,
        "finish_reason": "length",
        "stop_reason": None,
        "prompt_logprobs": told,
    }
    return completion(choice | ({"prompt_token_ids": ids} if with_ids else {}))


def completion(choice: Body) -> Body:
    return {
        "id": "cmpl-1",
        "object": "text_completion",
        "created": 0,
        "model": "m",
        "choices": [choice],
        "usage": {"prompt_tokens": 9, "total_tokens": 10, "completion_tokens": 1},
    }


def refusal(status: int, message: str, code: str | None = None, **headers: str) -> Reply:
    """An error in OpenAI's shape."""
    body = {"error": {"message": message, "type": "e", "param": None, "code": code}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(body=body, status=status, headers=named)
