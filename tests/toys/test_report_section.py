"""A probe on a report's page: shown where it is of the page's own scorer."""

from pathlib import Path

from foreword.probed import read_probe
from foreword.records import Cut, Score
from foreword.report_steps import make_report
from foreword.store import write_table
from foreword.toys import CONDITIONS, ToyScore

LEVELS = dict(zip(CONDITIONS, (-0.125, -0.5, -1.0, -1.5, -1.75), strict=True))


def a_study(folder: Path) -> None:
    cut = Cut(id="p/0/2", paper_id="p", environment="[", context="Hence", opening="[", prefix="x=",
              hidden="y", closing="]")  # fmt: skip
    write_table(folder / "cuts.parquet", [cut], Cut, {})
    rows = [
        Score(cut_id="p/0/2", paper_id="p", condition=condition, scorer_id="s", token_ids=(7,),
              token_texts=("y",), logprobs=(-1.0,))
        for condition in ("empty", "same-budget")
    ]  # fmt: skip
    write_table(folder / "scores.parquet", rows, Score, {})


def a_probe(folder: Path, scorer_id: str) -> None:
    rows = [
        ToyScore(item="<b>one", kind="<i>sum", condition=condition, scorer_id=scorer_id,
                 logprobs=(level,))
        for condition, level in LEVELS.items()
    ]  # fmt: skip
    write_table(folder / "probe.parquet", rows, ToyScore, {})


def test_the_page_shows_the_probe_of_its_own_scorer(tmp_path: Path) -> None:
    a_study(tmp_path)
    a_probe(tmp_path, "s")
    page = make_report(tmp_path)[0].read_text()
    assert "right ending in other words" in page
    assert "<i>sum" not in page
    found = read_probe(tmp_path, "s")
    assert found
    assert {line.condition: line.raw for line in found.lines if line.kind == "all"} == LEVELS


def test_a_probe_of_another_scorer_is_not_shown(tmp_path: Path) -> None:
    a_study(tmp_path)
    a_probe(tmp_path, "other")
    assert "right ending in other words" not in make_report(tmp_path)[0].read_text()
