r"""Does every request get its own answer, once, when the way to the server is bad?

    pip install -e '.[serve]'
    python bench/serve_under_faults.py --requests 10000

A real `foreword serve` over a tiny model of random weights; 32 threads that score pairs through
`openai:URL#MODEL`; between them a proxy that does to one request in eight what networks do. The
server takes fewer requests at a time than there are threads, so that it refuses some itself. Each
result is then compared with what the scorer says without any server: equal in every bit, or the
script fails.
"""

import argparse
import asyncio
import os
import random
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from tempfile import TemporaryDirectory

import httpx2

from foreword.records import Pair, TokenScores
from foreword.scores import Scorer, load_scorer

THREADS = 32
MAX_QUEUE = 28
GROUP = 16
FAULTS = {
    "500 in the server's place": 0.02,
    "dropped before it was sent": 0.02,
    "dropped halfway through the request": 0.02,
    "dropped before the answer": 0.02,
    "dropped halfway through the answer": 0.02,
    "answer read slowly": 0.02,
}
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_BROKEN = b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 2\r\n\r\n{}"


@dataclass
class Proxy:
    """Hands requests on to a server, or does worse to them."""

    port: int
    """Where the server listens."""
    seed: int
    counts: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._draw = random.Random(self.seed)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of a client, with one to the server."""
        there, back = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            while await self._pass(reader, writer, there, back):
                continue
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # one side is gone, and so is the other; or all is over
        finally:
            for side in (writer, back):
                side.close()

    async def _pass(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        there: asyncio.StreamReader,
        back: asyncio.StreamWriter,
    ) -> bool:
        """One request and its answer; whether the connection can be used again."""
        request = await message(reader)
        fault = self._fault() if request.startswith(b"POST") else "none"
        self.counts[fault] += 1
        if fault.startswith("500"):
            writer.write(_BROKEN)
            await writer.drain()
            return True
        if fault == "dropped before it was sent":
            return False
        half = fault == "dropped halfway through the request"
        back.write(request[: len(request) // 2] if half else request)
        await back.drain()
        if half:
            return False
        if fault == "dropped before the answer":
            await asyncio.sleep(self._draw.random() / 100)
            return False
        answer = await message(there)
        if fault == "dropped halfway through the answer":
            writer.write(answer[: len(answer) // 2])
            await writer.drain()
            return False
        if fault == "answer read slowly":
            for start in range(0, len(answer), 200):
                writer.write(answer[start : start + 200])
                await writer.drain()
                await asyncio.sleep(0.02)
            return True
        writer.write(answer)
        await writer.drain()
        return b"\r\nconnection: close" not in answer[:1000].lower()

    def _fault(self) -> str:
        drawn = self._draw.random()
        for fault, share in FAULTS.items():
            drawn -= share
            if drawn < 0:
                return fault
        return "none"


async def message(reader: asyncio.StreamReader) -> bytes:
    """A whole request or answer."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = _LENGTH.search(head)
    return head + await reader.readexactly(int(length[1]) if length else 0)


@contextmanager
def proxied(proxy: Proxy) -> Iterator[int]:
    """The proxy runs while the block does; its port."""
    ports: Queue[int] = Queue()
    ended = threading.Event()

    async def run() -> None:
        async with await asyncio.start_server(proxy.handle, "127.0.0.1", 0) as listening:
            ports.put(listening.sockets[0].getsockname()[1])
            await asyncio.to_thread(ended.wait)

    thread = threading.Thread(target=asyncio.run, args=(run(),))
    thread.start()
    try:
        yield ports.get()
    finally:
        ended.set()
        thread.join()


@contextmanager
def serving(folder: Path) -> Iterator[int]:
    """A real server over the model in a folder; its port. It must end with 0."""
    code = "from foreword.cli import main; main()"
    more = ("--scorer", f"hf:{folder}", "--device", "cpu", "--max-queue", str(MAX_QUEUE))
    process = subprocess.Popen(
        [sys.executable, "-c", code, "serve", "--port", "0", *more],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    try:
        first = next(line for line in process.stderr if "listening on" in line)
        next(line for line in process.stderr if "ready" in line)
        found = re.search(r":(\d+)/", first)
        assert found
        rest = threading.Thread(target=lambda: sys.stderr.writelines(process.stderr or ()))
        rest.start()
        yield int(found[1])
        process.terminate()
        print(f"the server ended with {process.wait(60)}")
    finally:
        process.kill()
        process.wait()


def made_pairs(count: int) -> list[Pair]:
    """No two alike, so that an answer that went astray is seen."""
    draw = random.Random(0)
    words = ["x = ", "\\left(", "y + ", "∀ ", "e^{i", "}\\right) ", "\\le ", "𝓁"]
    return [
        Pair(
            id=str(number),
            prompt=f"% {number % 50}: " + "".join(draw.choices(words, k=draw.randint(1, 5))),
            target=f"{number} " + "".join(draw.choices(words, k=draw.randint(1, 2))),
        )
        for number in range(count)
    ]


def through(scorer: Scorer, pairs: Sequence[Pair]) -> list[TokenScores]:
    """Results in the order of the pairs, from as many threads as there are clients."""
    groups = [pairs[start : start + GROUP] for start in range(0, len(pairs), GROUP)]
    with ThreadPoolExecutor(THREADS) as pool:
        return [result for results in pool.map(scorer.score, groups) for result in results]


def by_status(port: int) -> str:
    """How many requests the server answered, by status; and its batches."""
    text = httpx2.get(f"http://127.0.0.1:{port}/metrics").text
    found = dict(re.findall(r"^(\S+) ([\d.e+]+)$", text, re.MULTILINE))
    asked = 'foreword_requests_total{route="/v1/completions",status="'
    shown = {
        name.removeprefix(asked).rstrip('"}'): float(value)
        for name, value in found.items()
        if name.startswith(asked)
    }
    batches, sequences, seconds = (
        float(found[f"foreword_batch_{name}"])
        for name in ("sequences_count", "sequences_sum", "seconds_sum")
    )
    statuses = ", ".join(f"{status}: {count:,.0f}" for status, count in sorted(shown.items()))
    return (
        f"{statuses}; {batches:,.0f} batches of {sequences / batches:.1f} sequences "
        f"and {1000 * seconds / batches:.0f} ms"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # the model is too small for two
    pairs = made_pairs(args.requests)
    sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
    from tiny_model import save_tiny_model

    with TemporaryDirectory() as scratch:
        os.environ["FOREWORD_CACHE"] = str(Path(scratch) / "cache")
        folder = save_tiny_model(Path(scratch) / "tiny", merges=[("l", "e"), ("Ġ", "=")])
        start = time.perf_counter()
        expected = load_scorer(f"hf:{folder}", device="cpu").score(pairs)
        print(f"{len(pairs):,} pairs on this machine alone: {time.perf_counter() - start:.1f} s")
        with serving(folder) as server:
            proxy = Proxy(server, args.seed)
            with proxied(proxy) as port:
                url = f"openai:http://127.0.0.1:{port}/v1#tiny"
                scorer = load_scorer(url, max_connections=THREADS)
                start = time.perf_counter()
                found = through(scorer, pairs)
                print(f"through the server: {time.perf_counter() - start:.1f} s")
            print(f"the server's answers, by status: {by_status(server)}")
    for fault in ("none", *FAULTS):
        print(f"{proxy.counts[fault]:7,}  {fault}")
    failed = sum(result.failure is not None for result in found)
    equal = sum(one == other for one, other in zip(found, expected, strict=True))
    print(f"{len(found):,} results, {failed} failed, {equal:,} equal to those of the scorer itself")
    if equal != len(pairs):
        sys.exit("not every result is what it should be")


if __name__ == "__main__":
    main()
