import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from findings_made import draw_study
from studies_drawn import HOSTILE, draw_models, draw_windows
from toys_made import scored

from foreword.analysis import analyse
from foreword.figure_steps import make_files
from foreword.figures import write_files, write_windows
from foreword.records import Cut, Forecast, Score
from foreword.store import hash_file, write_table
from foreword.toys import find, write_probe

NEEDED = re.compile(r"\\(?:input|includegraphics)\{([^}]*)\}")


def test_every_file_that_the_document_shows_is_there(tmp_path: Path) -> None:
    written = write_files(
        draw_models({"m": ("high", "low")}, num_papers=3),
        tmp_path,
        source="scores abc",
        windows=draw_windows(3),
    )
    assert written.left_out == {}
    shown = NEEDED.findall((tmp_path / "all.tex").read_text(encoding="utf-8"))
    assert len(shown) == 6 + 8
    assert {tmp_path / name for name in shown} <= set(written.files)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in written.files}


def test_every_table_says_which_scores_it_is_of(tmp_path: Path) -> None:
    write_files(draw_models({}, ("a", "b"), num_papers=3), tmp_path, source="scores abc")
    for path in tmp_path.glob("table-*.tex"):
        assert "% From: scorer drawn; scores abc\n" in path.read_text(encoding="utf-8")


def test_what_a_study_has_no_numbers_for_is_taken_away(tmp_path: Path) -> None:
    write_files(draw_models({"m": ("high", "low")}, num_papers=2), tmp_path, source="first")
    assert (tmp_path / "figure-reasoning.pdf").exists()
    (tmp_path / "mine.tex").write_text("mine", encoding="utf-8")
    write_windows(draw_windows(2), tmp_path, source="windows")
    written = write_files(draw_models({}, ("a", "b"), num_papers=2), tmp_path, source="second")
    assert "figure-reasoning" in written.left_out
    assert not list(tmp_path.glob("figure-reasoning*"))
    assert not (tmp_path / "table-usage.tex").exists()
    assert (tmp_path / "mine.tex").exists()
    assert not (tmp_path / "table-windows.tex").exists()


def test_windows_alone_make_a_figure_and_a_table(tmp_path: Path) -> None:
    written = write_windows(draw_windows(3), tmp_path, source="scores abc")
    assert {path.name for path in written.files} == {
        "figure-windows.pdf",
        "figure-windows.svg",
        "figure-windows-dark.svg",
        "table-windows.tex",
    }
    assert write_windows([], tmp_path, source="scores abc").files == ()
    assert list(tmp_path.iterdir()) == []


def test_a_probe_makes_two_tables_without_errors(tmp_path: Path) -> None:
    values = {
        "exact": (-0.1, -0.1),
        "reordered": (-0.5, -0.2),
        "wrong": (-1.0, -1.2),
        "context": (-1.5, -1.9),
        "empty": (-2.5, -1.9),
    }
    found = find([*scored("a", values), *scored("b", values, kind="50%_product")])
    written = write_probe(found, tmp_path, source="toys abc")
    first, second = (path.read_text(encoding="utf-8") for path in written.files)
    assert r"50\%\_product & exact & 1 & $-0.100$ & $-0.100$ & $+1.850$ &" in first
    assert "pm" not in first
    assert "Kind & Items & Exact & Reordered & Wrong & Context & Empty" in second


def test_a_probe_of_nothing_writes_nothing(tmp_path: Path) -> None:
    assert write_probe(find([]), tmp_path, source="toys").files == ()


@pytest.fixture
def results(tmp_path: Path) -> Path:
    study = draw_study(num_papers=3, per_paper=3)
    folder = tmp_path / "results"
    write_table(folder / "cuts.parquet", study.cuts, Cut, {})
    scores = [replace(one, token_texts=("y",) * len(one.token_ids)) for one in study.scores]
    write_table(folder / "scores.parquet", scores, Score, {})
    write_table(folder / "forecasts.parquet", study.forecasts, Forecast, {})
    return folder


def run(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
    )


MAIN = "from foreword.cli import main; main()"


def test_the_report_writes_the_files_and_says_what_is_not_there(results: Path) -> None:
    into = results.parent / "paper"
    done = run(MAIN, "report", results, "--files", into)
    assert done.returncode == 0, done.stderr
    table = (into / "table-lift.tex").read_text(encoding="utf-8")
    assert f"scores.parquet, SHA-256 {hash_file(results / 'scores.parquet')}" in table
    assert "no figure-windows: windows are of studies of prose" in done.stderr
    assert "files for a paper" in done.stderr
    first = {path.name: path.read_bytes() for path in into.iterdir()}
    assert run(MAIN, "report", results, "--files", into).returncode == 0
    assert {path.name: path.read_bytes() for path in into.iterdir()} == first


def test_a_study_of_prose_has_its_windows_among_the_files(tmp_path: Path) -> None:
    study = draw_study(num_papers=3, per_paper=2, tokens=60)
    cuts = [replace(cut, kind="prose") for cut in study.cuts]
    other = [replace(score, scorer_id="another") for score in study.scores]
    analysis = analyse(cuts, study.forecasts, study.scores)
    write_table(tmp_path / "scores.parquet", [*study.scores, *other], Score, {})
    written = make_files(tmp_path, analysis, tmp_path / "paper")
    assert written.left_out == {}
    table = (tmp_path / "paper" / "table-windows.tex").read_text(encoding="utf-8")
    assert "Condition & 50 tokens & 100 tokens & 200 tokens & 400 tokens" in table
    lifts = (tmp_path / "paper" / "table-lift.tex").read_text(encoding="utf-8")
    assert "nats per token (clip 2), first 50 tokens" in lifts


def test_windows_of_equations_are_to_be_had_by_their_own_command(results: Path) -> None:
    into = results.parent / "paper"
    done = run(MAIN, "windows", results, "--window", "4", "--files", into)
    assert done.returncode == 0, done.stderr
    assert (into / "figure-windows.pdf").exists()
    assert "scorer drawn; scores.parquet" in (into / "table-windows.tex").read_text(
        encoding="utf-8"
    )


def test_without_matplotlib_one_sentence_says_what_to_install(results: Path) -> None:
    blocked = f"import sys; sys.modules['matplotlib'] = None; {MAIN}"
    done = run(blocked, "report", results, "--files", results.parent / "paper")
    assert done.returncode == 2
    assert done.stderr.startswith("foreword: figures need the package matplotlib")
    assert not (results / "report.html").exists()
    assert run(blocked, "report", results).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("pdflatex"), reason="no pdflatex here")
@pytest.mark.parametrize("names", [(), HOSTILE])
def test_latex_sets_the_document_that_shows_all(tmp_path: Path, names: tuple[str, ...]) -> None:
    efforts = {"gpt_9": ("high", "medium", "low", "none")}
    analysis = draw_models(efforts, names, num_papers=3)
    write_files(analysis, tmp_path, source="scores abc", windows=draw_windows(3))
    done = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=batchmode", "-no-shell-escape", "all.tex"],
        cwd=tmp_path,
        capture_output=True,
    )
    log = (tmp_path / "all.log").read_text(encoding="latin-1")
    assert done.returncode == 0, log[-2000:]
    assert "Missing character" not in log
