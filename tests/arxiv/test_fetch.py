"""The whole of it, against a server on this machine."""

import gzip
import os
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from arxiv_server import (
    BODY,
    FakeArxiv,
    FakePaper,
    body,
    drip,
    drop,
    empty_page,
    flood,
    oai,
    status,
    tar_gz,
    tear,
)

from foreword.arxiv import Fetched, Query, connection, fetch_papers, sources
from foreword.catalogue import Listing
from foreword.errors import BusyError, FetchError, UsageError
from foreword.papers import read_papers
from foreword.store import holding, read_table

NOVEMBER = Query(
    categories=("quant-ph", "hep-th"), first=date(2026, 11, 1), last=date(2026, 11, 30)
)


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, wait_s: float) -> None:
        self.slept.append(round(wait_s, 3))
        self.now += wait_s


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FOREWORD_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("FOREWORD_CONTACT", raising=False)
    return tmp_path / "cache"


@pytest.fixture
def clock() -> Clock:
    return Clock()


def fetch(arxiv: FakeArxiv, out: Path, clock: Clock, **how: Any) -> Fetched:
    with arxiv.serving() as base_url:
        how = {"base_url": base_url, **how}
        return fetch_papers(out, clock=clock, sleep=clock.sleep, pause_s=3.0, **how)


def states(fetched: Fetched) -> dict[str, str]:
    return {listing.paper_id: listing.state for listing in fetched.listings}


# ------------------------------------------------------------------------------- by identifier


def test_an_identifier_becomes_a_file_and_a_row(tmp_path: Path, clock: Clock) -> None:
    arxiv = FakeArxiv(FakePaper("2604.19885", days=("2026-04-20", "2026-11-03")))
    fetched = fetch(arxiv, tmp_path / "out", clock, ids=["2604.19885"], contact="me@example.org")
    assert states(fetched) == {"2604.19885v2": "ok"}
    row = read_table(tmp_path / "out" / "listing.parquet", Listing)[0]
    assert row == fetched.listings[0]
    assert (row.id, row.version, row.source) == ("2604.19885", 2, "sources/2604.19885v2.tar.gz")
    assert (row.first_submitted, row.submitted) == ("2026-04-20T10:20:30Z", "2026-11-03T10:20:30Z")
    assert row.licence == "http://creativecommons.org/licenses/by/4.0/"
    assert (row.title, row.abstract) == ("On waves & <such>", "We show\nthat $a < b$.")
    assert row.authors == "Ada Lovelace, Emmy Noether"
    assert (row.categories, row.comments) == (("quant-ph",), "5 pages")
    assert (tmp_path / "out" / row.source).read_bytes() == arxiv.papers[0].source(2)
    assert {one.agent for one in arxiv.asked} == {"foreword/0.1.0 (mailto:me@example.org)"}


def test_a_version_that_is_asked_for_is_the_one_that_comes(tmp_path: Path, clock: Clock) -> None:
    arxiv = FakeArxiv(FakePaper("2604.19885", days=("2026-04-20", "2026-11-03")))
    fetched = fetch(arxiv, tmp_path, clock, ids=["arXiv:2604.19885v1", "2604.19885v7"])
    assert states(fetched) == {"2604.19885v1": "ok", "2604.19885v7": "not found"}
    assert arxiv.paths("src") == ["/src/2604.19885v1"]
    assert fetched.listings[1].reason == "arXiv has no version 7 of it; the last one is 2"


def test_a_bare_identifier_stays_pinned_when_a_new_version_comes(
    tmp_path: Path, clock: Clock
) -> None:
    arxiv = FakeArxiv(FakePaper("2604.19885"))
    fetch(arxiv, tmp_path, clock, ids=["2604.19885"])
    arxiv.papers[0].days += ("2026-11-20",)
    ids = ["2604.19885", "2604.19885v2"]
    for _ in range(2):
        again = fetch(arxiv, tmp_path, clock, ids=ids)
        assert states(again) == {"2604.19885v1": "ok", "2604.19885v2": "ok"}
    assert len(arxiv.paths("GetRecord")) == 2


def test_an_old_identifier_and_one_that_does_not_exist(tmp_path: Path, clock: Clock) -> None:
    arxiv = FakeArxiv(FakePaper("hep-th/9901001", days=("1999-01-01",)))
    fetched = fetch(arxiv, tmp_path, clock, ids=["hep-th/9901001v1", "2611.99999"])
    assert states(fetched) == {"hep-th_9901001v1": "ok", "2611.99999": "not found"}
    assert arxiv.paths("src") == ["/src/hep-th/9901001v1"]
    papers, failures = read_papers([tmp_path])
    assert [paper.id for paper in papers] == ["hep-th_9901001v1"]
    assert not failures
    failure = fetched.failures[0]
    assert (failure.item, failure.state, failure.paper_id) == (
        "2611.99999",
        "not found",
        "2611.99999",
    )
    assert len(fetched.failures) == 1


WRONG = ["", "2604", "2604.19885v0", "../x", "hep-th/99", "2604.19885 v1"]
NO_MONTHS = ["2613.00001", "2600.00001v1", "hep-th/9913001", "math.GT/0300136"]


@pytest.mark.parametrize("text", [*WRONG, *NO_MONTHS])
def test_what_is_no_identifier_is_said_before_anything_is_asked(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="no arXiv identifier"):
        fetch_papers(tmp_path / "out", ids=[text], contact="me@example.org")
    assert not (tmp_path / "out").exists()


def test_arxiv_itself_is_not_asked_without_a_contact(tmp_path: Path) -> None:
    for base_url in (None, "https://export.arxiv.org"):
        with pytest.raises(UsageError, match="--contact, or as FOREWORD_CONTACT"):
            fetch_papers(tmp_path, ids=["2604.19885"], base_url=base_url)
    with pytest.raises(UsageError, match="is no mail address"):
        fetch_papers(tmp_path, ids=["2604.19885"], contact="me@example.org)\r\nX: y")


# ---------------------------------------------------------------------------- by category and day


def november() -> FakeArxiv:
    """Six papers in two categories, three of them outside of November by their first version."""
    return FakeArxiv(
        FakePaper("2611.00001", days=("2026-11-02",)),
        FakePaper("2611.00002", days=("2026-11-04",), categories="hep-th quant-ph"),
        FakePaper("2611.00003", days=("2026-11-30", "2026-12-05"), categories="hep-th"),
        FakePaper("2604.00001", days=("2026-04-01", "2026-11-06")),
        FakePaper(
            "hep-th/9901001", days=("1999-01-01",), changed="2026-11-07", categories="hep-th"
        ),
        FakePaper("2612.00001", days=("2026-12-01",)),
        FakePaper("2611.00009", days=("2026-11-08",), is_deleted=True),
    )


def test_papers_are_listed_by_the_day_of_their_first_version(tmp_path: Path, clock: Clock) -> None:
    arxiv = november()
    said: list[str] = []
    fetched = fetch(arxiv, tmp_path, clock, query=NOVEMBER, tell=said.append)
    assert states(fetched) == {"2611.00001v1": "ok", "2611.00002v1": "ok", "2611.00003v2": "ok"}
    assert "hep-th: page 2, changes until 2026-12-05, papers kept: 2 so far" in said
    assert len(arxiv.paths("/src/")) == 3, "a cross-list is fetched once"
    assert "set=physics%3Aquant-ph&from=2026-11-01" in arxiv.paths("oai")[0]
    asked = len(arxiv.asked)
    assert fetch(arxiv, tmp_path, clock, query=NOVEMBER).listings == fetched.listings
    assert len(arxiv.asked) == asked, "what is finished is asked for by nobody"


def test_a_limit_takes_the_first_and_a_larger_one_goes_on(tmp_path: Path, clock: Clock) -> None:
    arxiv = november()
    with arxiv.serving() as base_url:
        how: dict[str, Any] = {"query": NOVEMBER, "base_url": base_url, "sleep": clock.sleep}
        assert states(fetch_papers(tmp_path, limit=1, **how)) == {"2611.00001v1": "ok"}
        asked = len(arxiv.asked)
        assert len(fetch_papers(tmp_path, limit=2, **how).listings) == 2
    assert [one.path for one in arxiv.asked[asked:]] == ["/src/2611.00002v1"]
    assert len(read_table(tmp_path / "listing.parquet", Listing)) == 2


def test_a_day_without_papers_is_no_failure(tmp_path: Path, clock: Clock) -> None:
    fetched = fetch(FakeArxiv(), tmp_path, clock, query=NOVEMBER)
    assert fetched.listings == ()


@pytest.mark.parametrize("category", ["quantph", "hep-th&set=x", "physics:quant-ph", "CS.AI"])
def test_an_unknown_category_is_said(tmp_path: Path, clock: Clock, category: str) -> None:
    query = Query(categories=(category,), first=NOVEMBER.first, last=NOVEMBER.last)
    with pytest.raises(UsageError, match="arXiv has no category"):
        fetch(FakeArxiv(), tmp_path, clock, query=query)


@pytest.mark.parametrize("in_order", [True, False])
def test_an_expired_token_loses_no_paper(tmp_path: Path, clock: Clock, in_order: bool) -> None:
    arxiv = november()
    arxiv.in_order = in_order
    if not in_order:
        arxiv.papers.insert(0, FakePaper("2611.00008", days=("2026-11-29",)))
    query = Query(categories=("quant-ph",), first=NOVEMBER.first, last=NOVEMBER.last)
    arxiv.dead_tokens = {"quant-ph|2026-11-01|2"}
    if in_order:
        fetched = fetch(arxiv, tmp_path, clock, query=query)
        assert {"2611.00001v1", "2611.00002v1"} == set(states(fetched))
        assert "from=2026-11-04" in arxiv.paths("ListRecords")[2]
        return
    with pytest.raises(FetchError, match="again and again before it is read"):
        fetch(arxiv, tmp_path, clock, query=query)
    assert all("from=2026-11-01" in path for path in arxiv.paths("from="))


def test_a_listing_that_goes_round_in_circles_ends(tmp_path: Path, clock: Clock) -> None:
    arxiv = november()
    record = arxiv.papers[0].record()
    token = "<resumptionToken>same</resumptionToken>"
    circle = body(oai(f"<ListRecords>{record}{token}</ListRecords>"))
    arxiv.fail("ListRecords", *[circle] * 3)
    with pytest.raises(FetchError, match="round in circles"):
        fetch(arxiv, tmp_path, clock, query=NOVEMBER)
    arxiv.fail("ListRecords", body(oai('<error code="badArgument">no such set</error>')))
    with pytest.raises(FetchError, match="does not list quant-ph: badArgument: no such set"):
        fetch(arxiv, tmp_path / "other", clock, query=NOVEMBER)


def test_a_listing_that_was_stopped_goes_on_where_it_was(tmp_path: Path, clock: Clock) -> None:
    arxiv = november()
    arxiv.fail("resumptionToken", status(403))
    with pytest.raises(FetchError):
        fetch(arxiv, tmp_path, clock, query=NOVEMBER)
    assert len(fetch(arxiv, tmp_path, clock, query=NOVEMBER).listings) == 3
    starts = arxiv.paths("from=")
    assert len(starts) == len(set(starts)) == 2, "no page is asked for twice"


def test_an_empty_page_is_asked_again_and_is_never_the_end(tmp_path: Path, clock: Clock) -> None:
    arxiv = november()
    arxiv.fail("resumptionToken", empty_page, body(""), body("<html><body>Sorry</body></html>"))
    assert len(fetch(arxiv, tmp_path, clock, query=NOVEMBER).listings) == 3
    arxiv = november()
    arxiv.fail("resumptionToken", *[empty_page] * 20)
    with pytest.raises(FetchError, match=r"an empty page, 8 times over.*run the same command"):
        fetch(arxiv, tmp_path / "other", clock, query=NOVEMBER)


# -------------------------------------------------------------------------------------- manners


def test_three_seconds_lie_between_two_requests(tmp_path: Path, clock: Clock) -> None:
    arxiv = november()
    fetch(arxiv, tmp_path, clock, query=NOVEMBER)
    assert clock.slept == [3.0] * (len(arxiv.asked) - 1)
    fetch(arxiv, tmp_path / "other", clock, query=NOVEMBER)


def test_a_busy_server_is_left_alone_for_as_long_as_it_asks(tmp_path: Path, clock: Clock) -> None:
    arxiv = FakeArxiv(FakePaper("2604.19885"))
    date_of_it = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(clock.now + 200))
    arxiv.fail(
        "/src/",
        status(429, Retry_After="60"),
        status(503, Retry_After=date_of_it),
        status(503),
        drop,
        tear,
    )
    said: list[str] = []
    assert states(fetch(arxiv, tmp_path, clock, ids=["2604.19885"], tell=said.append)) == {
        "2604.19885v1": "ok"
    }
    assert clock.slept[:2] == [3.0, 60.0]
    assert 130 < clock.slept[2] <= 140
    assert clock.slept[3:] == [12.0, 24.0, 48.0]
    assert "127.0.0.1: the server is busy (429); next try in 60 s" in said


def test_patience_ends(tmp_path: Path, clock: Clock) -> None:
    arxiv = FakeArxiv(FakePaper("2604.19885"))
    arxiv.fail("/oai", *[status(503)] * 50)
    with pytest.raises(FetchError, match=r"busy \(503\), 8 times over"):
        fetch(arxiv, tmp_path, clock, ids=["2604.19885"])
    assert len(arxiv.asked) == 8
    arxiv.troubles = []
    arxiv.fail("/oai", status(429, Retry_After="86400"))
    for _ in range(2):  # the second time without asking
        with pytest.raises(FetchError, match="left alone for 24 hours"):
            fetch_again(arxiv, tmp_path, clock)
    assert len(arxiv.asked) == 9


def fetch_again(arxiv: FakeArxiv, out: Path, clock: Clock) -> Fetched:
    """With one pace for all ports, as arXiv's hosts have one."""
    with arxiv.serving() as base_url, pytest.MonkeyPatch.context() as patch:
        patch.setattr("foreword.arxiv.fetch.pace_file", lambda site: out / "pace")
        return fetch_papers(
            out, ids=["2604.19885"], base_url=base_url, clock=clock, sleep=clock.sleep
        )


def test_a_refusal_stops_at_once_and_holds_for_later_runs(tmp_path: Path, clock: Clock) -> None:
    arxiv = FakeArxiv(FakePaper("2604.19885"))
    arxiv.fail("/src/", status(403, b"Access denied"))
    for _ in range(3):
        with pytest.raises(FetchError, match="refuses this machine"):
            fetch_again(arxiv, tmp_path, clock)
    assert len(arxiv.asked) == 2, "the record, and the source once"
    clock.now += 3601
    assert states(fetch_again(arxiv, tmp_path, clock)) == {"2604.19885v1": "ok"}


def test_nobody_is_led_to_another_site(tmp_path: Path, clock: Clock) -> None:
    arxiv = FakeArxiv(FakePaper("2604.19885"))
    arxiv.fail("/src/", status(302, Location="https://evil.example/2604.19885v1"))
    with pytest.raises(FetchError, match="another site"):
        fetch(arxiv, tmp_path, clock, ids=["2604.19885"])
    arxiv.fail("/src/", status(301, Location="/src/2604.19885v1"))
    assert states(fetch(arxiv, tmp_path / "b", clock, ids=["2604.19885"])) == {"2604.19885v1": "ok"}


@pytest.mark.parametrize(
    "location",
    ["http://[::1", "//[", "http://a]/", "/" + "x" * 70_000, "https://\N{FULLWIDTH SOLIDUS}/"],
)
def test_a_redirection_to_what_is_no_address_is_said(
    tmp_path: Path, clock: Clock, location: str
) -> None:
    arxiv = FakeArxiv(FakePaper("2604.19885"))
    arxiv.fail("/src/", status(302, Location=location.encode().decode("latin-1")))
    with pytest.raises(FetchError, match="is no address; nothing was read"):
        fetch(arxiv, tmp_path, clock, ids=["2604.19885"])


@pytest.mark.parametrize("base_url", ["http://[::1", "http://127.0.0.1:x", "http://a:99999", "a"])
def test_a_mirror_without_an_address_is_said(tmp_path: Path, base_url: str) -> None:
    with pytest.raises(UsageError, match="is no address of a server"):
        fetch_papers(tmp_path, ids=["2604.19885"], base_url=base_url)


def test_a_server_that_is_not_there_is_said_soon(tmp_path: Path, clock: Clock) -> None:
    with pytest.raises(FetchError, match="no connection"):
        fetch_papers(
            tmp_path,
            ids=["2604.19885"],
            base_url="http://127.0.0.1:9",
            clock=clock,
            sleep=clock.sleep,
        )
    assert sum(clock.slept) < 60


@pytest.mark.parametrize("in_head", [False, True])
def test_who_sends_a_byte_now_and_then_is_not_waited_for(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, in_head: bool
) -> None:
    monkeypatch.setattr(connection, "_TIMEOUT_S", 0.4)
    arxiv = FakeArxiv(FakePaper("2604.19885"))
    arxiv.fail("/src/", *[drip(tar_gz(), 0.05, in_head=in_head)] * 4)
    start = time.monotonic()
    with pytest.raises(FetchError, match=r"nothing whole came in time, 4 times over"):
        fetch(arxiv, tmp_path, clock, ids=["2604.19885"])
    assert time.monotonic() - start < 10
    assert clock.slept[2:] == [6.0, 12.0], "the pauses grow, as after any other fault"


def test_a_large_source_has_more_time_than_a_small_one(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_TIMEOUT_S", 0.4)
    monkeypatch.setattr(connection, "_SLOWEST", 100.0)
    arxiv = FakeArxiv(FakePaper("2604.19885"))
    data = tar_gz({"main.tex": BODY, "figure.png": os.urandom(400)})
    arxiv.fail("/src/", drip(data, 0.003))  # some 300 bytes a second
    start = time.monotonic()
    fetched = fetch(arxiv, tmp_path, clock, ids=["2604.19885"])
    assert time.monotonic() - start > 2 * 0.4
    assert (tmp_path / (fetched.listings[0].source or "")).read_bytes() == data


FETCH = (
    "import sys, time; from pathlib import Path; from foreword.arxiv import fetch_papers\n"
    "fetch_papers(Path(sys.argv[2]), ids=sys.argv[3:], base_url=sys.argv[1], pause_s=0.15)"
)


def start(base_url: str, out: Path, *ids: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", FETCH, base_url, str(out), *ids])


def test_two_processes_share_one_pace_and_one_connection(tmp_path: Path) -> None:
    ids = [f"2611.{number:05}" for number in range(6)]
    arxiv = FakeArxiv(*map(FakePaper, ids))
    arxiv.sources_wait_s = 0.05
    with arxiv.serving() as base_url:
        processes = [
            start(base_url, tmp_path / "one", *ids[:3]),
            start(base_url, tmp_path / "two", *ids[3:]),
        ]
        assert [process.wait(60) for process in processes] == [0, 0]
    assert arxiv.most_at_once == 1
    times = sorted(arxiv.asked, key=lambda one: one.at)
    assert len(times) == 12
    for before, after in pairwise(times):
        assert after.at - before.at >= 0.14
    first = times[0].path
    assert any(one.path != first for one in times[:4])


def test_a_fetch_that_was_killed_goes_on(tmp_path: Path) -> None:
    ids = [f"2611.{number:05}" for number in range(8)]
    arxiv = FakeArxiv(*map(FakePaper, ids))
    arxiv.sources_wait_s = 0.02
    with arxiv.serving() as base_url:
        for num_requests in (3, 9, 12):
            process = start(base_url, tmp_path, *ids)
            while len(arxiv.asked) < num_requests and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert start(base_url, tmp_path, *ids).wait(60) == 0
        asked = len(arxiv.asked)
        assert start(base_url, tmp_path, *ids).wait(60) == 0
    assert len(arxiv.asked) == asked, "a finished fetch asks for nothing"
    assert len(arxiv.asked) <= 2 * len(ids) + 3, "what a kill interrupted is asked for again"
    rows = read_table(tmp_path / "listing.parquet", Listing)
    assert [row.state for row in rows] == ["ok"] * 8
    assert sorted(path.name for path in (tmp_path / "sources").iterdir()) == [
        f"{one}v1.tar.gz" for one in ids
    ]


def test_one_folder_takes_one_process(tmp_path: Path, clock: Clock) -> None:
    with holding(tmp_path, "papers fetch"), pytest.raises(BusyError):
        fetch(FakeArxiv(), tmp_path, clock, ids=["2604.19885"])


# --------------------------------------------------------------------------- what a source can be


def link() -> tarfile.TarInfo:
    info = tarfile.TarInfo("main.tex")
    info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
    return info


SOURCES = {
    "tar.gz": (tar_gz(), "ok", ".tar.gz"),
    "gz": (gzip.compress(BODY), "ok", ".gz"),
    "plain": (BODY, "ok", ".tex"),
    "tar": (gzip.decompress(tar_gz()), "ok", ".tar"),
    "pdf": (b"%PDF-1.5 ...", "pdf only", ".pdf"),
    "postscript": (b"%!PS-Adobe-2.0 ...", "pdf only", ".ps"),
    "html inside": (tar_gz({"a.html": b"<html><p>x</html>"}), "html only", ".tar.gz"),
    "pdf inside": (tar_gz({"a.pdf": b"%PDF-1.5", "00README.json": b"{}"}), "pdf only", ".tar.gz"),
    "no main": (tar_gz({"a.tex": b"a", "b.tex": b"b"}), "no main", ".tar.gz"),
    "two mains": (tar_gz({"a.tex": BODY, "b.tex": BODY}), "ambiguous main", ".tar.gz"),
    "empty body": (
        tar_gz({"a.tex": rb"\documentclass{a}\begin{document} \end{document}"}),
        "empty body",
        ".tar.gz",
    ),
    "torn": (tar_gz({"a.tex": BODY + os.urandom(4000)})[:-900], "bad archive", ".tar.gz"),
    "path out": (tar_gz({"../../main.tex": BODY}), "bad archive", ".tar.gz"),
    "link": (tar_gz({}, add=link()), "bad archive", ".tar.gz"),
    "bomb": (gzip.compress(b"\0" * 210_000_000, 1), "too large", ".gz"),
    "too large": (b"%" * 2_000_000, "too large", None),
    "web page": (b"<!DOCTYPE html><html>Error</html>", "html only", None),
    "JSON": (b'{"error": "no such paper"}', "unreadable", None),
    "empty": (b"", "unreadable", None),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_the_bytes_say_what_a_source_is(
    tmp_path: Path, clock: Clock, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_SOURCE_BYTES", 1_000_000)
    data, state, ending = SOURCES[kind]
    arxiv = FakeArxiv(FakePaper("2604.19885", sources={1: data}))
    fetched = fetch(arxiv, tmp_path, clock, ids=["2604.19885"])
    listing = fetched.listings[0]
    assert listing.state == state, listing.reason
    assert bool(listing.reason) == (state != "ok")
    assert str(tmp_path) not in listing.reason
    kept = list((tmp_path / "sources").iterdir()) if ending else []
    assert [path.name for path in kept] == ([f"2604.19885v1{ending}"] if ending else [])
    assert [path.read_bytes() for path in kept] == ([data] if ending else [])
    asked = len(arxiv.asked)
    with arxiv.serving() as base_url:  # another port is another server
        again = fetch_papers(tmp_path, ids=["2604.19885"], base_url=base_url, sleep=clock.sleep)
    if ending or state == "too large":
        assert [one.path for one in arxiv.asked[asked:] if "src" in one.path] == []
        assert again.listings == fetched.listings


def test_a_version_without_a_source_is_not_found(tmp_path: Path, clock: Clock) -> None:
    arxiv = FakeArxiv(FakePaper("2604.19885", sources={9: b""}))
    fetched = fetch(arxiv, tmp_path, clock, ids=["2604.19885"])
    assert states(fetched) == {"2604.19885v1": "not found"}
    assert len(arxiv.paths("/src/")) == 1


def test_files_that_are_there_are_not_asked_for(tmp_path: Path, clock: Clock) -> None:
    arxiv = FakeArxiv(FakePaper("2604.19885"))
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "2604.19885v1.tar.gz").write_bytes(tar_gz())
    assert states(fetch(arxiv, tmp_path, clock, ids=["2604.19885"])) == {"2604.19885v1": "ok"}
    assert arxiv.paths("/src/") == []


def test_a_source_without_an_end_is_cut_off(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_SOURCE_BYTES", 1_000_000)
    arxiv = FakeArxiv(FakePaper("2604.19885"))
    arxiv.fail("/src/", flood)
    assert states(fetch(arxiv, tmp_path, clock, ids=["2604.19885"])) == {
        "2604.19885v1": "too large"
    }


def test_nonsense_from_every_source_stops_the_run(tmp_path: Path, clock: Clock) -> None:
    ids = [f"2611.{number:05}" for number in range(8)]
    arxiv = FakeArxiv(*[FakePaper(one, sources={1: b'{"error": 1}'}) for one in ids])
    with pytest.raises(FetchError, match="so were the 2 sources before"):
        fetch(arxiv, tmp_path, clock, ids=ids)
    assert len(arxiv.paths("/src/")) == 9


def withdrawn_papers() -> Iterator[tuple[FakePaper, str, bool]]:
    days = ("2026-11-02", "2026-11-05")
    yield FakePaper("2611.00001", days=days, types={2: "I"}), "withdrawn", False
    yield FakePaper("2611.00002", days=days, sizes={2: "0kb"}), "withdrawn", False
    comments = "This paper has been withdrawn by the author"
    nearly = {1: tar_gz(), 2: tar_gz({"withdrawn.txt": b"Withdrawn for an error in section 2."})}
    yield FakePaper("2611.00003", days=days, comments=comments, sources=nearly), "withdrawn", True
    ignored = {1: tar_gz(), 2: gzip.compress(b"%auto-ignore\n% withdrawn")}
    yield FakePaper("2611.00005", days=days, sources=ignored), "withdrawn", True
    whole = tar_gz({"main.tex": BODY.replace(b"Hence", b"Hence " * 200)})
    replaces = "Replaces a withdrawn paper"
    both = {1: whole, 2: whole}
    yield FakePaper("2611.00004", days=days, comments=replaces, sources=both), "ok", True


@pytest.mark.parametrize("case", [*withdrawn_papers()], ids=lambda case: case[0].id)
def test_a_withdrawn_last_version_is_seen_and_the_earlier_one_is_there(
    tmp_path: Path, clock: Clock, case: tuple[FakePaper, str, bool]
) -> None:
    paper, state, is_asked = case
    arxiv = FakeArxiv(paper)
    fetched = fetch(arxiv, tmp_path, clock, ids=[paper.id, f"{paper.id}v1"])
    assert states(fetched) == {f"{paper.id}v2": state, f"{paper.id}v1": "ok"}
    assert (f"/src/{paper.id}v2" in arxiv.paths()) == is_asked
    if not is_asked:
        assert f"ask for {paper.id}v1" in fetched.listings[0].reason
