"""`listing.parquet`: there whenever a fetch stops, with the questions that filled it."""

import calendar
import signal
import subprocess
import sys
import time
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from arxiv_server import FakeArxiv, FakePaper, body, oai, status

from foreword.arxiv import Fetched, Query, fetch_papers, table
from foreword.catalogue import Listing
from foreword.errors import FetchError
from foreword.papers import read_papers
from foreword.store import read_provenance, read_table

DECEMBER = calendar.timegm((2026, 12, 10, 12, 0, 0))
NOVEMBER = Query(categories=("quant-ph",), first=date(2026, 11, 1), last=date(2026, 11, 30))
ASKED = {"categories": ["quant-ph"], "from": "2026-11-01", "to": "2026-11-30", "limit": None}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREWORD_CACHE", str(tmp_path / "cache"))


def papers(num: int) -> list[FakePaper]:
    return [FakePaper(f"2611.{number:05}", days=("2026-11-03",)) for number in range(num)]


def fetch(arxiv: FakeArxiv, out: Path, **how: Any) -> Fetched:
    """Without a pause, on a day in December."""
    how = {"clock": lambda: DECEMBER, "sleep": lambda wait_s: None, **how}
    with arxiv.serving() as base_url:
        return fetch_papers(out, base_url=base_url, pause_s=0, **how)


def rows(out: Path) -> list[str]:
    return [row.paper_id for row in read_table(out / "listing.parquet", Listing)]


def queries(out: Path) -> Any:
    return (read_provenance(out / "listing.parquet") or {})["queries"]


# ------------------------------------------------------------------------- whenever a fetch stops


@pytest.mark.parametrize("answer", [status(403), status(302, Location="https://evil.example/")])
def test_a_fetch_that_is_refused_leaves_the_table_so_far(tmp_path: Path, answer: Any) -> None:
    arxiv = FakeArxiv(*papers(3))
    arxiv.fail("/src/2611.00002", answer)
    said: list[str] = []
    with pytest.raises(FetchError):
        fetch(arxiv, tmp_path, query=NOVEMBER, tell=said.append)
    assert rows(tmp_path) == ["2611.00000v1", "2611.00001v1"]
    assert said[-1] == f"{tmp_path / 'listing.parquet'}: 2 papers so far"
    assert queries(tmp_path) == [{**ASKED, "finished": False}]
    assert [paper.id for paper in read_papers([tmp_path])[0]] == rows(tmp_path)
    later = DECEMBER + 3600
    assert len(fetch(arxiv, tmp_path, query=NOVEMBER, clock=lambda: later).listings) == 3
    assert len(rows(tmp_path)) == 3
    assert queries(tmp_path) == [{**ASKED, "listed": "2026-12-10", "finished": True}]


def test_control_c_leaves_the_table_so_far(tmp_path: Path) -> None:
    def interrupted(listings: Any) -> Any:
        yield listings[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(FakeArxiv(*papers(3)), tmp_path, query=NOVEMBER, progress=interrupted)
    assert rows(tmp_path) == ["2611.00000v1"]


def test_a_stop_before_the_first_paper_leaves_what_was_there(tmp_path: Path) -> None:
    arxiv = FakeArxiv(*papers(2))
    fetch(arxiv, tmp_path, ids=["2611.00001"])
    arxiv.fail("ListRecords", status(403))
    with pytest.raises(FetchError):
        fetch(arxiv, tmp_path, query=NOVEMBER)
    assert rows(tmp_path) == ["2611.00001v1"]
    assert queries(tmp_path) == [
        {"ids": ["2611.00001"], "finished": True},
        {**ASKED, "finished": False},
    ]


FETCH = (
    "import sys; from pathlib import Path; from foreword.arxiv import fetch_papers, table\n"
    "table.MAX_BEHIND = 3\n"
    "fetch_papers(Path(sys.argv[2]), ids=sys.argv[3:], base_url=sys.argv[1], pause_s=0)"
)


def test_a_kill_takes_the_last_papers_at_most(tmp_path: Path) -> None:
    ids = [f"2611.{number:05}" for number in range(12)]
    arxiv = FakeArxiv(*map(FakePaper, ids))
    arxiv.sources_wait_s = 0.02
    with arxiv.serving() as base_url:
        command = [sys.executable, "-c", FETCH, base_url, str(tmp_path), *ids]
        process = subprocess.Popen(command)
        while len(arxiv.paths("/src/")) < 9 and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        kept = [path.name for path in (tmp_path / "sources").glob("2*")]
        assert len(kept) - 4 <= len(rows(tmp_path)) < 12
        assert queries(tmp_path) == [{"ids": ids, "finished": False}]
        assert subprocess.run(command).returncode == 0
    assert rows(tmp_path) == [f"{one}v1" for one in ids]
    assert queries(tmp_path) == [{"ids": ids, "finished": True}]


def test_what_is_known_already_is_not_written_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arxiv = FakeArxiv(*papers(5))
    written: list[int] = []
    monkeypatch.setattr(table, "MAX_BEHIND", 2)
    before = table.write_table
    monkeypatch.setattr(
        table, "write_table", lambda *given: (written.append(len(given[1])), before(*given))
    )
    fetch(arxiv, tmp_path, query=NOVEMBER)
    assert written == [2, 4, 5]
    fetch(arxiv, tmp_path, query=NOVEMBER)
    assert written == [2, 4, 5, 5]


# -------------------------------------------------------------------- the questions that filled it


def test_questions_are_kept_once_and_in_order(tmp_path: Path) -> None:
    arxiv = FakeArxiv(*papers(2), FakePaper("hep-th/9901001", days=("1999-01-01",)))
    both = Query(categories=("quant-ph", "hep-th"), first=NOVEMBER.first, last=NOVEMBER.last)
    turned = Query(categories=("hep-th", "quant-ph"), first=NOVEMBER.first, last=NOVEMBER.last)
    fetch(arxiv, tmp_path, query=NOVEMBER, limit=1)
    fetch(arxiv, tmp_path, ids=["hep-th/9901001v1", "arXiv:2611.00000", "2611.00000"])
    for query in (both, turned, both):
        fetch(arxiv, tmp_path, query=query)
    fetch(arxiv, tmp_path, ids=["2611.00000", "hep-th/9901001v1"])
    listed = {"listed": "2026-12-10", "finished": True}
    assert queries(tmp_path) == [
        {**ASKED, "limit": 1, **listed},
        {"ids": ["2611.00000", "hep-th/9901001v1"], "finished": True},
        {**ASKED, "categories": ["hep-th", "quant-ph"], **listed},
    ]


def test_a_question_that_was_answered_stays_so(tmp_path: Path) -> None:
    arxiv = FakeArxiv(*papers(2), FakePaper("2611.00009", sources={1: b'{"error": 1}'}))
    fetch(arxiv, tmp_path, ids=["2611.00009", "2611.00000"])
    arxiv.fail("/src/", status(403))
    with pytest.raises(FetchError):  # what was no source is asked for again
        fetch(arxiv, tmp_path, ids=["2611.00009", "2611.00000"])
    assert rows(tmp_path) == ["2611.00000v1", "2611.00009v1"]
    assert queries(tmp_path) == [{"ids": ["2611.00000", "2611.00009"], "finished": True}]


@pytest.mark.parametrize("day", [20, 30])
def test_a_listing_from_before_its_last_day_was_over_is_never_finished(
    tmp_path: Path, day: int
) -> None:
    arxiv = FakeArxiv(*papers(2))
    early = calendar.timegm((2026, 11, day, 12, 0, 0))
    for now in (early, DECEMBER):
        fetch(arxiv, tmp_path, query=NOVEMBER, clock=lambda now=now: now)
        assert queries(tmp_path) == [{**ASKED, "listed": f"2026-11-{day}", "finished": False}]


@pytest.mark.parametrize(
    "dates", [{1: "x"}, {2: "x"}, {1: "x", 2: "x"}], ids=["first", "last", "all"]
)
def test_a_query_with_a_damaged_record_is_never_finished(
    tmp_path: Path, dates: dict[int, str]
) -> None:
    old = FakePaper("2505.00001", days=("2025-05-02", "2026-11-04"), dates=dates)
    new = FakePaper("2611.00009", days=("2026-11-05", "2026-11-06"), dates=dates)
    gone = FakePaper("2611.00008", is_deleted=True)
    arxiv = FakeArxiv(*papers(2), old, new, gone)
    lacking = {"listed": "2026-12-10", "finished": False, "damaged": [old.id, new.id]}
    for _ in range(2):
        said: list[str] = []
        fetched = fetch(arxiv, tmp_path, query=NOVEMBER, tell=said.append)
        assert [one.paper_id for one in fetched.listings] == ["2611.00000v1", "2611.00001v1"]
        assert rows(tmp_path) == ["2611.00000v1", "2611.00001v1"]
        assert queries(tmp_path) == [{**ASKED, **lacking}]
        told = [words for words in said if "record is damaged" in words]
        assert all(sum(one.id in words for words in told) == 1 for one in (old, new))
        assert not any(gone.id in words for words in told)
    old.dates = new.dates = {}
    fetch(arxiv, tmp_path / "another", query=NOVEMBER)
    assert rows(tmp_path / "another")[-1] == "2611.00009v2"
    assert queries(tmp_path / "another") == [{**ASKED, "listed": "2026-12-10", "finished": True}]


def test_a_deleted_record_is_told_and_is_no_damage(tmp_path: Path) -> None:
    said: list[str] = []
    arxiv = FakeArxiv(*papers(2), FakePaper("2611.00008", is_deleted=True))
    fetch(arxiv, tmp_path, query=NOVEMBER, tell=said.append)
    assert "quant-ph: left out, for arXiv deleted them: 2611.00008" in said
    assert queries(tmp_path) == [{**ASKED, "listed": "2026-12-10", "finished": True}]


def test_a_record_that_comes_damaged_and_whole_is_there(tmp_path: Path) -> None:
    paper = FakePaper("2611.00001", categories="quant-ph hep-th", dates={1: "x"})
    arxiv = FakeArxiv(paper)
    broken = oai(f"<ListRecords>{paper.record()}</ListRecords>")
    paper.dates = {}
    arxiv.fail("quant-ph", body(broken))
    both = Query(categories=("quant-ph", "hep-th"), first=NOVEMBER.first, last=NOVEMBER.last)
    fetch(arxiv, tmp_path, query=both)
    assert rows(tmp_path) == ["2611.00001v1"]
    assert queries(tmp_path)[0]["finished"]
    assert "damaged" not in queries(tmp_path)[0]


def test_a_damaged_record_of_an_identifier_is_that_papers_failure(tmp_path: Path) -> None:
    paper = FakePaper("2611.00009", days=("2026-11-05", "2026-11-06"), dates={2: "x"})
    arxiv = FakeArxiv(*papers(1), paper)
    fetched = fetch(arxiv, tmp_path, ids=["2611.00009", "2611.00000", "2611.00009v1"])
    assert [(one.paper_id, one.state) for one in fetched.listings] == [
        ("2611.00009", "not found"),
        ("2611.00000v1", "ok"),
        ("2611.00009v1", "not found"),
    ]
    assert fetched.listings[0].reason.startswith("arXiv's record of it is damaged")
    assert arxiv.paths("/src/") == ["/src/2611.00000v1"]
    asked = {"ids": ["2611.00000", "2611.00009", "2611.00009v1"]}
    assert queries(tmp_path) == [{**asked, "finished": False, "damaged": ["2611.00009"]}]
    paper.dates = {}
    fetch(arxiv, tmp_path, ids=["2611.00009", "2611.00000", "2611.00009v1"])
    assert rows(tmp_path) == ["2611.00000v1", "2611.00009v1", "2611.00009v2"]
    assert queries(tmp_path) == [{**asked, "finished": True}]


def test_a_journal_of_before_damage_was_kept_is_read(tmp_path: Path) -> None:
    arxiv = FakeArxiv(*papers(3))
    fetch(arxiv, tmp_path, query=NOVEMBER)
    journal = tmp_path / "listing.journal"
    text = journal.read_text()
    assert ', "damaged": []' in text
    journal.write_text(text.replace(', "damaged": []', ""))
    asked = len(arxiv.asked)
    assert len(fetch(arxiv, tmp_path, query=NOVEMBER).listings) == 3
    assert len(arxiv.asked) == asked


def test_a_table_without_questions_gets_those_that_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arxiv = FakeArxiv(*papers(2))
    fetch(arxiv, tmp_path, ids=["2611.00000"])
    monkeypatch.setattr(table, "read_provenance", lambda path: {"stage": "fetch"})
    fetch(arxiv, tmp_path, ids=["2611.00001"])
    assert queries(tmp_path) == [{"ids": ["2611.00001"], "finished": True}]
    assert rows(tmp_path) == ["2611.00000v1", "2611.00001v1"]


# --------------------------------------------------------------------- sources, each of one paper


def test_a_source_that_is_one_file_does_not_include_its_neighbours(tmp_path: Path) -> None:
    text = rb"\documentclass{article}\begin{document}\input{2611.00000v1} Hence.\end{document}"
    arxiv = FakeArxiv(
        FakePaper("2611.00000", sources={1: b"\\begin{document}The other.\\end{document}"}),
        FakePaper("2611.00001", sources={1: text}),
        FakePaper("2611.00002", sources={1: text.replace(b" Hence.", b"")}),
    )
    fetched = fetch(arxiv, tmp_path, ids=[one.id for one in arxiv.papers])
    assert [one.source for one in fetched.listings] == [
        f"sources/2611.0000{number}v1.tex" for number in range(3)
    ]
    assert [one.state for one in fetched.listings] == ["ok", "ok", "empty body"]
    for paths in (
        [tmp_path],
        [tmp_path / "sources"],
        [tmp_path / one.source for one in fetched.listings],
    ):
        read, failures = read_papers(paths)
        assert [paper.id for paper in read] == ["2611.00000v1", "2611.00001v1"]
        assert read[1].unresolved == ("2611.00000v1",)
        assert [paper.source_sha256 for paper in read] == [
            one.source_sha256 for one in fetched.listings[:2]
        ]
        assert [failure.state for failure in failures] == ["empty body"]


def test_the_folder_of_a_fetch_is_read_as_its_table_has_it(tmp_path: Path) -> None:
    arxiv = FakeArxiv(*papers(6), FakePaper("2611.00009", sources={1: b"%PDF-1.5"}))
    fetched = fetch(arxiv, tmp_path, query=NOVEMBER)
    read, failures = read_papers([tmp_path])
    assert [paper.id for paper in read] == [
        one.paper_id for one in fetched.listings if one.state == "ok"
    ]
    for found in (failures, fetched.failures):
        assert [failure.state for failure in found] == ["pdf only"]
        assert [failure.paper_id for failure in found] == ["2611.00009v1"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("5000", "84 minutes"),
        ("100000", "28 hours"),
        ("864000", "10 days"),
        ("9" * 30, "more than"),
    ],
)
def test_a_server_that_wants_a_long_rest_is_quoted_in_words(
    tmp_path: Path, asked: str, words: str
) -> None:
    arxiv = FakeArxiv()
    arxiv.fail("/oai", status(503, Retry_After=asked))
    with pytest.raises(FetchError, match=f"left alone for {words}"):
        fetch(arxiv, tmp_path, ids=["2611.00001"])


def test_a_page_with_a_month_that_does_not_exist_leaves_that_paper_out(tmp_path: Path) -> None:
    arxiv = FakeArxiv(FakePaper("2613.00001"), FakePaper("2611.00001"))
    assert [one.id for one in fetch(arxiv, tmp_path, query=NOVEMBER).listings] == ["2611.00001"]
