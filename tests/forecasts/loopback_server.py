"""A small real HTTP server on 127.0.0.1 that answers in the shape of OpenAI's chat completions."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]


@dataclass
class Server:
    """What the server was asked, and how it replies: from the request's body to (status, body)."""

    reply: Callable[[Body], tuple[int, Body]]
    url: str = ""
    requests: list[Body] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    at_once: int = 0
    """The most requests that were open at the same time."""
    open: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


def completion(
    text: str | None,
    *,
    finish: str = "stop",
    refusal: str | None = None,
    usage: Body | None = None,
    model: str = "served-model-2026-01-01",
) -> tuple[int, Body]:
    """A reply as a server gives it, with 70 input tokens, 30 output, 20 of them for reasoning."""
    message = {"role": "assistant", "content": text, "refusal": refusal}
    counted = {
        "prompt_tokens": 70,
        "completion_tokens": 30,
        "total_tokens": 100,
        "completion_tokens_details": {"reasoning_tokens": 20},
    }
    return 200, {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": counted if usage is None else usage,
    }


def failure(status: int, message: str) -> tuple[int, Body]:
    """An error as a server gives it."""
    return status, {"error": {"message": message, "type": "server_error", "code": None}}


def slowly(seconds: float, reply: tuple[int, Body]) -> tuple[int, Body]:
    time.sleep(seconds)
    return reply


@contextmanager
def serving(reply: Callable[[Body], tuple[int, Body]]) -> Iterator[Server]:
    """Run the server while the block runs."""
    state = Server(reply)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with state.lock:
                state.requests.append(body)
                state.paths.append(self.path)
                state.keys.append(self.headers.get("Authorization", ""))
                state.open += 1
                state.at_once = max(state.at_once, state.open)
            try:
                status, answer = state.reply(body)
            finally:
                with state.lock:
                    state.open -= 1
            data = json.dumps(answer).encode()
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
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
