import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

import foreword
from foreword.cli import cli
from foreword.records import Cut, Forecast, PairScore, Score
from foreword.study import sample_papers

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = [name for name in sorted(cli.commands) if name != "demo"]


def run(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    code = "from foreword.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_that_opens_with_an_example_and_a_page(name: str) -> None:
    command = cli.commands[name]
    helped = next(iter(command.commands.values())) if isinstance(command, click.Group) else command
    assert re.search(r"\x08\n\s*Example", helped.help or "")
    page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    assert f"foreword {name}" in page


@pytest.mark.parametrize("path", sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")]))
def test_every_link_and_flag_in_the_docs_exists(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (path.parent / link).exists(), link
    flags = {flag for command in all_commands(cli) for p in command.params for flag in p.opts}
    for line in re.findall(r"foreword [a-z].*", text):
        for flag in re.findall(r"(?<![\w-])--[a-z][\w-]*", line):
            assert flag in flags | {"--version", "--no-deps"}, flag


def test_ctrl_c_ends_the_command_at_once_though_a_thread_waits_for_a_server() -> None:
    code = """if True:
        import threading
        from foreword import cli
        def stopped(**_):
            threading.Thread(target=threading.Event().wait).start()
            print("done before")
            raise KeyboardInterrupt
        cli.cli.commands["doctor"].callback = stopped
        cli.main()
    """
    done = subprocess.run(
        [sys.executable, "-c", code, "doctor"], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (130, "done before\n")
    assert done.stderr.strip() == (
        "foreword: stopped; what was finished is kept: the same command goes on from there"
    )


def all_commands(group: click.Group) -> list[click.Command]:
    found: list[click.Command] = []
    for command in group.commands.values():
        found += all_commands(command) if isinstance(command, click.Group) else [command]
    return found


def test_the_stages_one_by_one(tmp_path: Path, tiny_model: Path) -> None:
    note = sample_papers()[0]
    steps = (
        ("papers", "read", note, "--out", "papers.parquet"),
        ("cut", "papers.parquet", "--out", "cuts.parquet", "--per-paper", 2),
        ("forecast", "cuts.parquet", "--predictor", "copy", "--out", "forecasts-copy.parquet"),
        ("score", "cuts.parquet", "forecasts-copy.parquet", "--scorer", f"hf:{tiny_model}",
         "--unproven", "--control", "empty", "--control", "same-budget", "--out", "scores.parquet"),
    )  # fmt: skip
    for step in steps:
        done = run(*step, cwd=tmp_path)
        assert done.returncode in (0, 3), done.stderr
        assert "next: foreword" in done.stderr
        assert "Traceback" not in done.stderr
        again = run(*step, cwd=tmp_path)
        assert done.returncode == 3 or "there already" in again.stdout
    cuts = foreword.read_table(tmp_path / "cuts.parquet", Cut)
    forecasts = foreword.read_table(tmp_path / "forecasts-copy.parquet", Forecast)
    scores = foreword.read_table(tmp_path / "scores.parquet", Score)
    assert len(cuts) == len(forecasts) == 2
    assert {score.condition for score in scores} == {"empty", "same-budget", "forecast:copy"}
    shown = run("report", ".", "--json", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["num_cuts"] == 2
    assert (tmp_path / "report.html").stat().st_size > 1000


def test_a_table_made_with_other_settings_is_not_replaced_unasked(tmp_path: Path) -> None:
    note = sample_papers()[0]
    run("papers", "read", note, "--out", "p", cwd=tmp_path)
    run("cut", "p", "--out", "c", cwd=tmp_path)
    before = (tmp_path / "c").read_bytes()
    refused = run("cut", "p", "--out", "c", "--seed", 1, cwd=tmp_path)
    assert refused.returncode == 1
    assert "made with other seed" in refused.stderr
    assert (tmp_path / "c").read_bytes() == before
    assert run("cut", "p", "--out", "c", "--seed", 1, "--overwrite", cwd=tmp_path).returncode == 0
    assert (tmp_path / "c").read_bytes() != before


def test_explain_shows_every_equation_that_is_not_cut(tmp_path: Path) -> None:
    run("papers", "read", sample_papers()[0], "--out", "p", cwd=tmp_path)
    shown = run("cut", "p", "--explain", cwd=tmp_path)
    assert shown.returncode == 0
    assert "early" in shown.stdout
    assert re.search(r"\.tex:\d+", shown.stdout)


def test_macros_are_written_out_on_request(tmp_path: Path) -> None:
    note = next(path for path in sample_papers() if path.name == "fields")
    run("papers", "read", note, "--out", "p", cwd=tmp_path)
    assert run("cut", "p", "--out", "plain", cwd=tmp_path).returncode == 0
    done = run("cut", "p", "--expand-macros", "--out", "written", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    plain = foreword.read_table(tmp_path / "plain", Cut)
    written = foreword.read_table(tmp_path / "written", Cut)
    assert {cut.opening.strip() for cut in plain} >= {r"\be"}
    for cut in written:
        assert cut.opening.startswith(f"\\begin{{{cut.environment}}}") or cut.environment == "$$"
        names = {macro.name for macro in cut.macros}
        formula = cut.prefix + cut.hidden
        assert names
        assert not names & set(re.findall(r"\\([A-Za-z]+)", formula + cut.filler))
        assert (note / cut.file).read_text().splitlines()[cut.line - 1].startswith(("\\b", "$$"))
    refused = run("cut", "p", "--out", "plain", "--expand-macros", cwd=tmp_path)
    assert refused.returncode == 1
    assert "made with other rules" in refused.stderr


def test_pairs_are_scored_line_by_line(tmp_path: Path, tiny_model: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text(
        '{"id": "a", "prompt": "x =", "target": " y"}\n{"id": "b", "prompt": "x", "target": ""}\n'
    )
    done = run("score-pairs", "pairs.jsonl", "--scorer", f"hf:{tiny_model}", "--out", "s",
               "--unproven", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 3
    assert "failed: scores: b: the target is empty" in done.stderr
    first, second = foreword.read_table(tmp_path / "s", PairScore)
    assert len(first.logprobs) == len(first.token_ids) > 0
    assert second.logprobs == ()


def test_two_pairs_of_one_id_are_refused(tmp_path: Path, tiny_model: Path) -> None:
    line = '{"id": "a", "prompt": "x =", "target": " y"}\n'
    (tmp_path / "pairs.jsonl").write_text(line * 2)
    done = run("score-pairs", "pairs.jsonl", "--scorer", f"hf:{tiny_model}", "--out", "s",
               "--unproven", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 1
    assert "pairs 1 and 2 have the same id, 'a'" in done.stderr


def test_papers_are_counted_by_what_their_sources_are(tmp_path: Path) -> None:
    (tmp_path / "note.tex").write_text("\\[ x = y \\]\n")
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.5 one")
    (tmp_path / "b.pdf").write_bytes(b"%PDF-1.5 two")
    (tmp_path / "c.html").write_bytes(b"<html>")
    done = run("papers", "read", "note.tex", "a.pdf", "b.pdf", "c.html", "--out", "p", cwd=tmp_path)
    assert done.returncode == 3
    assert "  1 ok, 2 pdf only, 1 html only\n" in done.stderr


def test_what_was_taken_for_a_paper_is_said(tmp_path: Path) -> None:
    (tmp_path / "note.tex").write_text("\\input{gone}\n\\[ x = y \\]\n")
    done = run("papers", "read", "note.tex", "--out", "p", cwd=tmp_path)
    assert "note: note.tex, 1 displays; not found: gone" in done.stderr
    assert "p: 1 paper\n" in done.stdout


BAD = {
    "no such command": (("reed",), 2),
    "no such study": (("run", "none.toml", "--out", "o"), 2),
    "no such paper": (("papers", "read", "none.tex", "--out", "o"), 1),
    "no such table": (("cut", "none.parquet", "--out", "o"), 1),
    "a table that is none": (("cut", "junk", "--out", "o"), 1),
    "a folder without tables": (("report", "."), 1),
    "a source that is a PDF": (("papers", "read", "paper.pdf", "--out", "o"), 1),
    "no such predictor": (("forecast", "junk", "--predictor", "copi", "--out", "o"), 2),
    "no such scorer": (("score", "junk", "--scorer", "smollm", "--out", "o"), 1),
    "no such control": (("score", "junk", "--control", "emty", "--out", "o"), 2),
    "an impossible rule": (("cut", "junk", "--max-hidden", "1", "--out", "o"), 2),
    "an unwritable place": (("papers", "read", "note.tex", "--out", "junk/o"), 1),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_ends_in_a_sentence(name: str, tmp_path: Path) -> None:
    (tmp_path / "junk").write_text("no table")
    (tmp_path / "paper.pdf").write_bytes(b"%PDF-1.5 ...")
    (tmp_path / "note.tex").write_text(r"\documentclass{a}\begin{document}Hello.\end{document}")
    arguments, code = BAD[name]
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()


def test_the_demo_study_is_a_study() -> None:
    from foreword.study_file import read_study

    found = read_study(sample_papers()[0].parent / "demo.toml")
    assert [predictor.label for predictor in found.predictors] == ["copy", "smollm2"]


def test_the_run_script_says_what_it_does() -> None:
    shell = shutil.which("sh")
    assert shell
    shown = subprocess.run([shell, ROOT / "run", "--help"], capture_output=True, text=True)
    assert "./run demo" in shown.stdout
