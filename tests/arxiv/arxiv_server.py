"""A server on this machine that behaves as arXiv does, what goes wrong there included.

What to answer is made up, in the shape that arXiv gives it: pages of OAI-PMH in the format arXivRaw
in the order of the last change, with a token for the next one, and sources under /src/.
"""

import gzip
import io
import re
import tarfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

Handler = BaseHTTPRequestHandler
Trouble = Callable[["Handler"], None]
"""What a request gets in place of its answer."""

BODY = rb"\documentclass{article}\begin{document}Hence \[ a = b + c. \]\end{document}"


def tar_gz(members: dict[str, bytes] | None = None, *, add: tarfile.TarInfo | None = None) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as tar:
        for name, data in ({"main.tex": BODY} if members is None else members).items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        if add is not None:
            tar.addfile(add)
    return gzip.compress(file.getvalue(), mtime=0)


@dataclass
class FakePaper:
    id: str
    days: tuple[str, ...] = ("2026-11-03",)
    """Of the versions."""
    categories: str = "quant-ph"
    changed: str = ""
    """Day of the last change; by default that of the last version."""
    sources: dict[int, bytes] = field(default_factory=dict)
    """By version; a paper without any has a good one for each."""
    sizes: dict[int, str] = field(default_factory=dict)
    types: dict[int, str] = field(default_factory=dict)
    comments: str = "5 pages"
    title: str = "On waves & <such>"
    authors: str = "Ada Lovelace, Emmy Noether"
    licence: str = "http://creativecommons.org/licenses/by/4.0/"
    is_deleted: bool = False
    dates: dict[int, str] = field(default_factory=dict)
    """By version, in place of a date that can be read."""

    @property
    def datestamp(self) -> str:
        return self.changed or self.days[-1]

    def source(self, version: int) -> bytes | None:
        if not self.sources and version <= len(self.days):
            text = BODY.replace(b"Hence", f"Paper {self.id}v{version}:".encode())
            return tar_gz({"main.tex": text})
        return self.sources.get(version)

    def record(self) -> str:
        status = ' status="deleted"' if self.is_deleted else ""
        header = (
            f"<record><header{status}><identifier>oai:arXiv.org:{self.id}</identifier>"
            f"<datestamp>{self.datestamp}</datestamp><setSpec>physics:x</setSpec></header>"
        )
        if self.is_deleted:
            return f"{header}</record>"
        return (
            f'{header}<metadata><arXivRaw xmlns="http://arxiv.org/OAI/arXivRaw/">'
            f"<id>{self.id}</id><submitter>Ada</submitter>{''.join(self._versions())}"
            f"<title>{escape(self.title)}</title><authors>{escape(self.authors)}</authors>"
            f"<categories>{self.categories}</categories><comments>{escape(self.comments)}</comments>"
            f"<license>{self.licence}</license><abstract>  We show\nthat $a &lt; b$.\n</abstract>"
            "</arXivRaw></metadata></record>"
        )

    def _versions(self) -> Iterator[str]:
        for number, day in enumerate(self.days, 1):
            written = datetime.fromisoformat(day).strftime("%a, %d %b %Y 10:20:30 GMT")
            when = self.dates.get(number, written)
            kind = self.types.get(number)
            letters = f"<source_type>{kind}</source_type>" if kind else ""
            size = self.sizes.get(number, "12kb")
            about = f"<date>{when}</date><size>{size}</size>{letters}"
            yield f'<version version="v{number}">{about}</version>'


@dataclass
class Asked:
    path: str
    at: float
    ended: float
    agent: str
    status: int | None


class FakeArxiv:
    """arXiv's two services at one address."""

    def __init__(self, *papers: FakePaper, page_size: int = 2, in_order: bool = True) -> None:
        self.papers = list(papers)
        self.page_size = page_size
        self.in_order = in_order
        self.troubles: list[tuple[str, Trouble]] = []
        self.asked: list[Asked] = []
        self.dead_tokens: set[str] = set()
        self.sources_wait_s = 0.0
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()

    def fail(self, pattern: str, *troubles: Trouble) -> None:
        """Give the next requests whose path has this in it troubles, one each."""
        self.troubles += [(pattern, trouble) for trouble in troubles]

    @contextmanager
    def serving(self) -> Iterator[str]:
        arxiv = self

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                arxiv.handle(self)

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
            server.server_close()

    def paths(self, pattern: str = "") -> list[str]:
        return [one.path for one in self.asked if re.search(pattern, one.path)]

    def handle(self, handler: Handler) -> None:
        start = time.time()
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            trouble = next((one for one in self.troubles if one[0] in handler.path), None)
            if trouble is not None:
                self.troubles.remove(trouble)
            asked = Asked(handler.path, start, start, handler.headers.get("User-Agent", ""), None)
            self.asked.append(asked)
        try:
            if trouble is not None:
                trouble[1](handler)
            else:
                self._answer(handler)
        except BrokenPipeError:
            pass
        finally:
            asked.ended = time.time()
            with self._lock:
                self._at_once -= 1

    def _answer(self, handler: Handler) -> None:
        parts = urlsplit(handler.path)
        if parts.path == "/oai":
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            send(handler, 200, self._oai(query).encode(), {"Content-Type": "text/xml"})
            return
        time.sleep(self.sources_wait_s)
        match = re.fullmatch(r"/src/(.+)v(\d+)", parts.path)
        paper = next((one for one in self.papers if match and one.id == match[1]), None)
        data = paper.source(int(match[2])) if paper and match else None
        if data is None:
            send(handler, 404, b"<html><body>No paper</body></html>")
        else:
            # what clients unpack behind one's back
            packed = {"Content-Encoding": "x-gzip"} if data.startswith(b"\x1f\x8b") else {}
            send(handler, 200, data, {"Content-Type": "application/x-eprint-tar", **packed})

    def _oai(self, query: dict[str, str]) -> str:
        if query["verb"] == "GetRecord":
            paper = query["identifier"].removeprefix("oai:arXiv.org:")
            found = [one for one in self.papers if one.id == paper]
            if not found:
                return oai('<error code="idDoesNotExist">nothing such</error>')
            return oai(f"<GetRecord>{found[0].record()}</GetRecord>")
        token = query.get("resumptionToken")
        if token is None:
            assert query["metadataPrefix"] == "arXivRaw"
            assert "until" not in query
            category, since, start = query["set"].rpartition(":")[2], query["from"], 0
        elif token in self.dead_tokens:
            return oai('<error code="badResumptionToken">expired</error>')
        else:
            category, since, skipped = token.split("|")
            start = int(skipped)
        return self._page(category, since, start)

    def _page(self, category: str, since: str, start: int) -> str:
        found = [
            one
            for one in self.papers
            if category in re.split(r"[ .]", one.categories) and one.datestamp >= since
        ]
        if self.in_order:
            found.sort(key=lambda one: one.datestamp)
        if not found:
            return oai('<error code="noRecordsMatch">none</error>')
        end = start + self.page_size
        token = f"{category}|{since}|{end}" if end < len(found) else ""
        records = "".join(one.record() for one in found[start:end])
        return oai(
            f"<ListRecords>{records}<resumptionToken>{token}</resumptionToken></ListRecords>"
        )


def oai(inside: str, declare: str = "") -> str:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n{declare}'
        '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">'
        f"<responseDate>2026-11-30T10:00:00Z</responseDate>{inside}</OAI-PMH>"
    )


def send(handler: Handler, status: int, data: bytes, headers: dict[str, str] | None = None) -> None:
    handler.send_response(status)
    for name, value in {"Content-Length": str(len(data)), **(headers or {})}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(data)


# --------------------------------------------------------------------------------------- troubles


def status(code: int, data: bytes = b"", **headers: str) -> Trouble:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler: send(handler, code, data, named)


def body(data: bytes | str) -> Trouble:
    return status(200, data if isinstance(data, bytes) else data.encode())


def empty_page(handler: Handler) -> None:
    send(handler, 200, oai("<ListRecords></ListRecords>").encode())


def drop(handler: Handler) -> None:
    """Close the connection without a word."""
    handler.close_connection = True
    handler.connection.shutdown(2)


def tear(handler: Handler) -> None:
    """Promise more than comes."""
    send(handler, 200, gzip.compress(BODY)[:20], {"Content-Length": "5000"})
    handler.close_connection = True


def flood(handler: Handler) -> None:
    """Send without end and without saying how much."""
    handler.send_response(200)
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b"\x1f\x8b" + b"0" * 65_536)
    except OSError:
        handler.close_connection = True


def drip(data: bytes, every_s: float, *, in_head: bool = False) -> Trouble:
    """Send so slowly that no single read has to wait long."""

    def trouble(handler: Handler) -> None:
        handler.close_connection = True
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(data)}\r\n".encode()
        slow = b"X-Slow: " + b"x" * 10_000 + b"\r\n\r\n" if in_head else data
        try:
            handler.wfile.write(head if in_head else head + b"\r\n")
            for at in range(len(slow)):
                handler.wfile.write(slow[at : at + 1])
                time.sleep(every_s)
        except OSError:
            pass  # the other side has left, as it should

    return trouble
