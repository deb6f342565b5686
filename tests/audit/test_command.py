import json
import subprocess
import sys
from pathlib import Path

import pytest
from audited_cuts import cuts_of, forecasts_of

import foreword
from foreword.audit import AuditRow
from foreword.records import Cut, Forecast
from foreword.store import read_provenance


def run(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    code = "from foreword.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
    )


def a_study(folder: Path, tiny_model: Path, *papers: str) -> None:
    folder.mkdir()
    cuts = cuts_of(*papers)
    foreword.write_table(folder / "cuts.parquet", cuts, Cut, {})
    table = folder / "forecasts-mine.parquet"
    foreword.write_table(table, forecasts_of(cuts), Forecast, {})
    done = run("score", "cuts.parquet", table.name, "--scorer", f"hf:{tiny_model}", "--unproven",
               "--control", "empty", "--out", "scores.parquet", cwd=folder)  # fmt: skip
    assert done.returncode == 0, done.stderr


def small(tiny_model: Path) -> list[object]:
    return ["audit", "study", "--out", "found", "--scorer", f"hf:{tiny_model}", "--unproven",
            "--search-requests", 20, "--gradient-steps", 1, "--gradient-batch", 2,
            "--gradient-cuts", 1]  # fmt: skip


def test_a_study_is_audited_and_again_from_the_table(tmp_path: Path, tiny_model: Path) -> None:
    a_study(tmp_path / "study", tiny_model, "a", "b")
    done = run(*small(tiny_model), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "attack, without Y" in done.stdout
    assert "In short: over empty" in done.stdout
    rows = foreword.read_table(tmp_path / "found" / "audit.parquet", AuditRow)
    assert {row.group for row in rows} == {
        "attack", "ceiling", "primed", "forecast", "context", "reference",
    }  # fmt: skip
    notes = (read_provenance(tmp_path / "found" / "audit.parquet") or {})["notes"]
    assert sorted(notes["split"]["fit"] + notes["split"]["judge"]) == ["a", "b"]
    again = run(*small(tiny_model), "--json", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    found = json.loads(again.stdout)
    assert found["split"] == notes["split"]
    assert {one["name"] for one in found["findings"]} >= {"gradient-with-Y", "mine", "empty"}
    refused = run(*small(tiny_model), "--seed", 1, cwd=tmp_path)
    assert refused.returncode == 1
    assert "made with other rules" in refused.stderr


def test_one_paper_is_refused_before_a_model_is_loaded(tmp_path: Path, tiny_model: Path) -> None:
    a_study(tmp_path / "study", tiny_model, "a")
    done = run(*small(tiny_model), cwd=tmp_path)
    assert done.returncode == 1
    assert "at least two papers" in done.stderr
    assert not (tmp_path / "found" / "audit.parquet").exists()


BAD = {
    "no study": (["audit", "none", "--out", "found", "--scorer", "smollm2"], 1, "foreword score"),
    "no scorer": (["audit", "none", "--out", "found"], 2, "--scorer"),
    "the study's own folder": (["audit", "x", "--out", "x"], 2, "the study's own folder"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_ends_in_a_sentence(name: str, tmp_path: Path) -> None:
    arguments, code, words = BAD[name]
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
