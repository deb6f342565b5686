"""The command, as somebody types it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from arxiv_server import FakeArxiv, FakePaper, status

from foreword.catalogue import Listing
from foreword.records import Paper
from foreword.store import read_table

SAMPLES = Path(__file__).resolve().parents[2] / ".." / "shared" / "arxiv" / "eprints"


def foreword(*arguments: object, folder: Path, **environment: str) -> Any:
    code = "from foreword.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"FOREWORD_CACHE": str(folder / "cache"), **environment},
    )


def test_from_arxiv_to_clean_text(tmp_path: Path) -> None:
    arxiv = FakeArxiv(
        FakePaper("2611.00001", days=("2026-11-02",)),
        FakePaper("2611.00002", days=("2026-11-03",), sources={1: b"%PDF-1.5"}),
        FakePaper("2611.00003", days=("2026-11-04",), sizes={1: "0kb"}),
    )
    with arxiv.serving() as base_url:
        days = ("--from", "2026-11-01", "--to", "2026-11-30", "--base-url", base_url)
        done = foreword(
            "papers", "fetch", "--category", "quant-ph", *days, "--out", "out", folder=tmp_path
        )
    assert done.returncode == 3, done.stderr
    assert done.stdout == "out/listing.parquet: 3 papers: 1 ok, 1 pdf only, 1 withdrawn\n"
    assert "failed: papers: 2611.00002v1: pdf only: 2611.00002v1.pdf is a PDF" in done.stderr
    following = done.stderr.splitlines()[-1]
    assert following == "next: foreword papers read out --out out/papers.parquet"
    read = foreword(*following.removeprefix("next: foreword ").split(), folder=tmp_path)
    assert read.returncode == 3
    assert "2611.00002v1.pdf is a PDF" in read.stderr
    papers = read_table(tmp_path / "out" / "papers.parquet", Paper)
    rows = read_table(tmp_path / "out" / "listing.parquet", Listing)
    assert [paper.id for paper in papers] == [row.paper_id for row in rows if row.state == "ok"]
    assert papers[0].source_sha256 == rows[0].source_sha256


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("2604.19885", "--category", "quant-ph"),
        ("--category", "quant-ph"),
        ("--category", "quant-ph", "--from", "2026-11-30", "--to", "2026-11-01"),
        ("--category", "quant-ph", "--from", "30.11.2026", "--to", "2026-11-01"),
        ("2604.19885",),
        ("none", "--contact", "me@example.org"),
    ],
)
def test_wrong_usage_is_said_in_a_sentence(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = foreword("papers", "fetch", *arguments, "--out", "out", folder=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_days_that_are_reversed_are_said_to_be(tmp_path: Path) -> None:
    days = ("--from", "2026-11-30", "--to", "2026-11-01")
    done = foreword(
        "papers", "fetch", "--category", "quant-ph", *days, "--out", "out", folder=tmp_path
    )
    assert done.returncode == 2
    words = "the days are reversed: --from 2026-11-30 comes after --to 2026-11-01"
    assert words in " ".join(done.stderr.split())
    done = foreword("papers", "fetch", "--help", folder=tmp_path)
    assert "At most so many papers in all." in done.stdout


def test_a_refusal_is_said_in_a_sentence(tmp_path: Path) -> None:
    arxiv = FakeArxiv()
    arxiv.fail("/oai", status(403))
    with arxiv.serving() as base_url:
        done = foreword(
            "papers", "fetch", "2604.19885", "--base-url", base_url, "--out", "out", folder=tmp_path
        )
    assert done.returncode == 1
    assert done.stderr.startswith("foreword: arXiv refuses this machine (403)")
    assert len(arxiv.asked) == 1


def test_a_fetch_that_stops_says_where_its_table_is(tmp_path: Path) -> None:
    arxiv = FakeArxiv(FakePaper("2611.00001"), FakePaper("2611.00002"))
    arxiv.fail("/src/2611.00002", status(403))
    with arxiv.serving() as base_url:
        ids = [paper.id for paper in arxiv.papers]
        done = foreword(
            "papers", "fetch", *ids, "--base-url", base_url, "--out", "out", folder=tmp_path
        )
    assert done.returncode == 1
    assert "out/listing.parquet: 1 paper so far\nforeword: arXiv refuses" in done.stderr
    read = foreword("papers", "read", "out", "--out", "papers.parquet", folder=tmp_path)
    assert (read.returncode, read.stdout) == (0, "papers.parquet: 1 paper\n")


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not there")
def test_real_sources_get_the_state_they_have(tmp_path: Path) -> None:
    states = {
        "compiler_1602.00123.tar": "ok",
        "browse_1907.07431v2.gz": "ok",
        "st_test4.tar.gz": "ok",
        "browse_cs_9901011.tar.gz": None,
    }
    ids = {name: f"2611.{number:05}" for number, name in enumerate(states)}
    arxiv = FakeArxiv(
        *[FakePaper(ids[name], sources={1: (SAMPLES / name).read_bytes()}) for name in states]
    )
    with arxiv.serving() as base_url:
        foreword(
            "papers", "fetch", *ids.values(), "--base-url", base_url, "--out", ".", folder=tmp_path
        )
    rows = {row.id: row for row in read_table(tmp_path / "listing.parquet", Listing)}
    for name, state in states.items():
        row = rows[ids[name]]
        assert row.state == state if state else row.state != "ok", row
        assert (tmp_path / row.source).read_bytes() == (SAMPLES / name).read_bytes()
