"""`foreword serve` as a command: what it says, and how it ends."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest
from serve_running import wait_for
from served_by_command import CODE, started

from foreword.records import Pair, TokenScores
from foreword.scores import LocalScorer
from foreword.store import from_row, to_row


def serve(*arguments: object, code: str = CODE) -> subprocess.CompletedProcess[str]:
    """A command that ends by itself."""
    command = [sys.executable, "-W", "error", "-c", code, "serve", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=100)


def test_a_signal_ends_it_when_what_was_accepted_is_answered(
    tiny_model: Path, tiny: LocalScorer
) -> None:
    pairs = [Pair(id=f"{n}", prompt=f"{n} " + "x = " * 100, target=" y") for n in range(40)]
    with started("--scorer", f"hf:{tiny_model}", "--device", "cpu") as command:
        command.wait_until_ready()
        url = command.url
        with ThreadPoolExecutor(4) as pool:
            body = json.dumps({"pairs": [to_row(pair) for pair in pairs]}).encode()
            signalled = threading.Event()
            asked = [
                pool.submit(
                    httpx2.post,
                    f"{url}/v1/score",
                    content=in_halves(body, signalled),
                    headers={"Content-Type": "application/json"},
                    timeout=100,
                )
                for _ in range(4)
            ]
            held = "foreword_requests_held 4.0"
            wait_for(lambda: held in httpx2.get(f"{url}/metrics").text)
            command.process.send_signal(signal.SIGTERM)
            wait_for(lambda: refuses(url))
            signalled.set()
            found = [answer.result() for answer in asked]
        assert command.process.wait(30) == 0
    expected = tiny.score(pairs)
    for answer in found:
        rows = answer.json()["rows"]
        assert [row.pop("id") for row in rows] == [pair.id for pair in pairs]
        assert {row.pop("scorer_id") for row in rows} == {tiny.scorer_id}
        assert [from_row(row, TokenScores) for row in rows] == expected
    assert "x = " not in "".join(command.said)


def in_halves(data: bytes, go_on: threading.Event) -> Iterator[bytes]:
    """A body whose second half waits."""
    yield data[: len(data) // 2]
    go_on.wait(60)
    yield data[len(data) // 2 :]


def refuses(url: str) -> bool:
    """Whether a server takes no more."""
    try:
        return httpx2.get(f"{url}/health").status_code == 503
    except httpx2.TransportError:
        return True


@pytest.mark.parametrize("early", [True, False])
def test_ctrl_c_ends_it_with_0(tiny_model: Path, early: bool) -> None:
    with started("--scorer", f"hf:{tiny_model}", "--device", "cpu") as command:
        url = command.url
        if not early:
            command.wait_until_ready()
            assert httpx2.get(f"{url}/health").status_code == 200
        command.process.send_signal(signal.SIGINT)
        assert command.process.wait(60) == 0
    assert not [line for line in command.said if "Traceback" in line or "stopped" in line]


def test_it_asks_for_the_token_of_the_environment(tiny_model: Path) -> None:
    env = os.environ | {"FOREWORD_SERVE_TOKEN": "s3cret"}
    with started("--scorer", f"hf:{tiny_model}", "--host", "0.0.0.0", env=env) as command:
        url = command.url.replace("0.0.0.0", "127.0.0.1")
        command.wait_until_ready()
        assert httpx2.get(f"{url}/v1/models").status_code == 401
        right = {"Authorization": "Bearer s3cret"}
        assert httpx2.get(f"{url}/v1/models", headers=right).status_code == 200
        command.process.terminate()
        assert command.process.wait(30) == 0
    assert "s3cret" not in "".join(command.said)
    assert "warning" not in "".join(command.said)


def test_it_warns_where_others_can_reach_it_without_a_token(tiny_model: Path) -> None:
    with started("--scorer", f"hf:{tiny_model}", "--host", "0.0.0.0") as command:
        assert command.url.startswith("http://0.0.0.0:")
        [warning] = [line for line in command.said if "warning" in line]
        assert "set FOREWORD_SERVE_TOKEN" in warning


def test_a_model_that_can_not_be_loaded_ends_it_in_a_sentence(
    tiny_model: Path, tmp_path: Path
) -> None:
    shutil.copytree(tiny_model, tmp_path / "model")
    (tmp_path / "model" / "model.safetensors").write_bytes(b"nothing")
    done = serve("--scorer", f"hf:{tmp_path / 'model'}", "--port", 0)
    assert done.returncode == 1
    assert "can't be loaded on cpu" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_that_is_taken_is_named(tiny_model: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = serve("--scorer", f"hf:{tiny_model}", "--port", port)
    assert done.returncode == 1
    assert f"can't listen on 127.0.0.1, port {port}: address already in use" in done.stderr


def test_without_its_packages_it_says_how_to_get_them() -> None:
    code = f"import sys; sys.modules['uvicorn'] = None; {CODE}"
    done = serve(code=code)
    assert done.returncode == 1
    assert "foreword serve needs uvicorn: run `pip install" in done.stderr
    assert "'.[serve]'" in done.stderr


def test_what_is_served_elsewhere_is_not_served_again() -> None:
    done = serve("--scorer", "openai:http://127.0.0.1:9/v1#x")
    assert done.returncode == 2
    assert "is not a model on this machine" in done.stderr
