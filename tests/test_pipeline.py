import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import foreword
from foreword.errors import BusyError, ForewordError
from foreword.records import Forecast, Score
from foreword.store import holding, write_table
from foreword.study import CutSection, PredictorSection, ScorerSection, Study

TABLES = ("papers.parquet", "cuts.parquet", "forecasts-copy.parquet", "scores.parquet",
          "report.html", "study.json")  # fmt: skip


@pytest.fixture
def study(tiny_model: Path) -> Study:
    return Study(
        cut=CutSection(per_paper=2),
        predictors=(PredictorSection(model="copy"),),
        scorer=ScorerSection(model=f"hf:{tiny_model}", unproven=True),
    ).model_copy(update={"controls": ("empty", "same-budget")})


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in TABLES}


def num_rows(folder: Path, journal: str) -> int:
    lines = (folder / "work" / f"{journal}.jsonl").read_bytes().splitlines()
    return sum(len(json.loads(line)) for line in lines)


def num_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_a_second_run_changes_nothing_and_adds_nothing(study: Study, tmp_path: Path) -> None:
    first = foreword.run(study, tmp_path, tmp_path / "a")
    before, rows = contents(tmp_path / "a"), num_rows(tmp_path / "a", "scores")
    second = foreword.run(study, tmp_path, tmp_path / "a")
    assert contents(tmp_path / "a") == before
    assert num_rows(tmp_path / "a", "scores") == rows
    assert first.analysis == second.analysis


def test_two_folders_with_one_study_hold_the_same_bytes(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOREWORD_CACHE", "off")
    for name in ("a", "b"):
        foreword.run(study.model_copy(update={"title": "t"}), tmp_path, tmp_path / name)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_a_change_redoes_what_depends_on_it_and_nothing_else(study: Study, tmp_path: Path) -> None:
    out = tmp_path / "a"
    foreword.run(study, tmp_path, out)
    before, rows = contents(out), num_rows(out, "scores")
    asked = num_rows(out, "forecasts")
    more = study.model_copy(update={"controls": (*study.controls, "true-suffix")})
    foreword.run(more, tmp_path, out)
    cuts = len(foreword.read_table(out / "cuts.parquet", foreword.Cut))
    after = contents(out)
    assert num_rows(out, "scores") == rows + cuts
    assert num_rows(out, "forecasts") == asked
    assert [name for name in TABLES if after[name] != before[name]] == [
        "scores.parquet",
        "report.html",
        "study.json",
    ]
    foreword.run(study, tmp_path, out)
    assert contents(out) == before
    assert num_rows(out, "scores") == rows + cuts


def test_killed_at_any_moment_the_same_command_ends_with_the_same_files(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOREWORD_CACHE", "off")
    foreword.run(study.model_copy(update={"title": "t"}), tmp_path, tmp_path / "calm")
    file = tmp_path / "study.toml"
    controls = json.dumps(list(study.controls))
    file.write_text(
        f"title = 't'\ncontrols = {controls}\ncut.per_paper = 2\n[[predictors]]\nmodel = 'copy'\n"
        f"[scorer]\nmodel = '{study.scorer.model}'\nunproven = true\n"
    )
    command = [sys.executable, "-c", "from foreword.cli import main; main()", "run", str(file),
               "--out", str(tmp_path / "killed")]  # fmt: skip
    journals = [tmp_path / "killed" / "work" / f"{name}.jsonl" for name in ("forecasts", "scores")]
    for lines_at_the_kill in (2, 7, 8):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
            while sum(map(num_lines, journals)) < lines_at_the_kill and child.poll() is None:
                time.sleep(0.002)
            assert child.poll() is None
            child.send_signal(signal.SIGKILL)
    kept = sum(map(num_lines, journals))
    assert 8 <= kept < 12  # six forecasts, and six cuts scored under three conditions each
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    killed = contents(tmp_path / "killed")
    calm = contents(tmp_path / "calm")
    assert [name for name in TABLES if killed[name] != calm[name]] == []
    assert not list((tmp_path / "killed").glob("**/*.tmp"))


def test_a_second_process_on_a_study_folder_is_refused(study: Study, tmp_path: Path) -> None:
    with holding(tmp_path / "a", "another run"), pytest.raises(BusyError, match="another run"):
        foreword.run(study, tmp_path, tmp_path / "a")


def test_no_equation_that_qualifies_ends_in_a_sentence(study: Study, tmp_path: Path) -> None:
    (tmp_path / "note.tex").write_text(r"\documentclass{a}\begin{document}\[a=b\]\end{document}")
    papers = study.papers.model_copy(update={"paths": ("note.tex",)})
    with pytest.raises(ForewordError, match=r"no equation .* qualifies \(1 early\)"):
        foreword.run(study.model_copy(update={"papers": papers}), tmp_path, tmp_path / "a")


def test_a_paper_that_can_not_be_read_is_listed_and_the_others_go_on(
    study: Study, tmp_path: Path
) -> None:
    from foreword.study import sample_papers

    (tmp_path / "bad.tex").write_bytes(b"%PDF-1.4")
    papers = study.papers.model_copy(update={"paths": ("bad.tex", str(sample_papers()[0]))})
    outcome = foreword.run(study.model_copy(update={"papers": papers}), tmp_path, tmp_path / "a")
    assert [failure.stage for failure in outcome.failures] == ["papers"]
    assert outcome.analysis.num_papers == 1


def test_forecasts_of_other_cuts_are_refused(study: Study, tmp_path: Path) -> None:
    out = tmp_path / "a"
    foreword.run(study, tmp_path, out)
    stray = Forecast(cut_id="elsewhere/0/1", predictor="x", text="y")
    write_table(tmp_path / "f", [stray], Forecast, {})
    from foreword.score_steps import Scoring, make_scores

    with pytest.raises(ForewordError, match="is of no cut here"):
        make_scores(
            out / "cuts.parquet",
            [tmp_path / "f"],
            tmp_path / "s",
            scoring=Scoring(
                scorer=foreword.load_scorer(study.scorer.model),
                journal=tmp_path / "j",
                unproven=True,
            ),
            controls=("empty",),
            seed=0,
        )


def test_a_predictor_of_ones_own_gets_onto_the_leaderboard(study: Study, tmp_path: Path) -> None:
    """Any program may write a forecasts table; here it is the true suffix, so it must be on top."""
    from foreword.report_steps import make_report
    from foreword.score_steps import Scoring, make_scores

    out = tmp_path / "a"
    foreword.run(study, tmp_path, out)
    cuts = foreword.read_table(out / "cuts.parquet", foreword.Cut)
    own = [Forecast(cut_id=cut.id, predictor="oracle", text=cut.hidden) for cut in cuts[:-1]]
    write_table(out / "forecasts-oracle.parquet", own, Forecast, {})
    make_scores(
        out / "cuts.parquet",
        [out / "forecasts-copy.parquet", out / "forecasts-oracle.parquet"],
        out / "scores.parquet",
        scoring=Scoring(
            scorer=foreword.load_scorer(study.scorer.model),
            journal=out / "work" / "scores.jsonl",
            unproven=True,
        ),
        controls=study.controls,
        seed=0,
        overwrite=True,
    )
    _, analysis = make_report(out)
    lines = {s.condition: s for s in analysis.standings if s.over == "empty" and s.rule == "clip2"}
    assert lines["forecast:oracle"].num_missing == 1
    assert lines["forecast:copy"].num_missing == 0
    scored = foreword.read_table(out / "scores.parquet", Score)
    assert sum(score.condition == "forecast:oracle" for score in scored) == len(own)


def test_a_paper_is_read_again_when_a_file_that_it_inputs_changes(tmp_path: Path) -> None:
    from foreword.stages import make_papers

    main, body = tmp_path / "main.tex", tmp_path / "body.tex"
    main.write_text(r"\documentclass{a}\begin{document}\input{body}\end{document}")
    body.write_text("First.")
    table = tmp_path / "out" / "p.parquet"
    assert not make_papers([main], table).reused
    assert make_papers([main], table).reused
    body.write_text("Second.")
    assert not make_papers([main], table, overwrite=True).reused
    assert foreword.read_table(table, foreword.Paper)[0].text.strip() == "Second."


def test_tables_that_do_not_belong_together_are_refused(study: Study, tmp_path: Path) -> None:
    from foreword.report_steps import make_report
    from foreword.stages import make_cuts

    out = tmp_path / "a"
    foreword.run(study, tmp_path, out)
    rules = foreword.CutRules(per_paper=2, max_hidden=399)
    make_cuts(out / "papers.parquet", out / "cuts.parquet", rules=rules, seed=0, overwrite=True)
    with pytest.raises(ForewordError, match="made from other cuts"):
        make_report(out)
    foreword.run(study, tmp_path, out)
    write_table(out / "forecasts-copy.parquet", [], Forecast, {})
    with pytest.raises(ForewordError, match="lacks forecasts that its scores are of"):
        make_report(out)


def test_a_report_made_again_keeps_its_title(study: Study, tmp_path: Path) -> None:
    from foreword.report_steps import make_report

    out = tmp_path / "a"
    foreword.run(study.model_copy(update={"title": "A fine title"}), tmp_path, out)
    before = (out / "report.html").read_bytes()
    make_report(out)
    assert (out / "report.html").read_bytes() == before
    assert b"A fine title" in before


def forecasts_refused(study: Study, tmp_path: Path, *rows: Forecast) -> str:
    from foreword.folder import read_forecasts

    cuts = foreword.read_table(tmp_path / "a" / "cuts.parquet", foreword.Cut)
    write_table(tmp_path / "f", rows, Forecast, {})
    with pytest.raises(ForewordError) as caught:
        read_forecasts([tmp_path / "f"], cuts)
    return str(caught.value)


def test_forecasts_of_other_programs_are_checked(study: Study, tmp_path: Path) -> None:
    from foreword.folder import read_forecasts

    foreword.run(study, tmp_path, tmp_path / "a")
    cuts = foreword.read_table(tmp_path / "a" / "cuts.parquet", foreword.Cut)
    own = Forecast(cut_id=cuts[0].id, predictor="own", text="0")
    assert "is there twice" in forecasts_refused(study, tmp_path, own, own)
    assert "no predictor" in forecasts_refused(study, tmp_path, replace(own, predictor=" "))
    long = replace(own, text="x" * (cuts[0].budget + 1))
    assert f"its budget is {cuts[0].budget}" in forecasts_refused(study, tmp_path, long)
    write_table(tmp_path / "f", [replace(own, text=" \n")], Forecast, {})
    (row,) = read_forecasts([tmp_path / "f"], cuts)
    assert (row.text, row.missing) == (None, "empty")


def test_displays_outside_of_a_text_are_refused(tmp_path: Path) -> None:
    from foreword.records import Display
    from foreword.stages import make_cuts

    display = Display(environment="[", start=0, body_start=1, body_end=2, end=10**9)
    paper = foreword.Paper(id="p", text="abc", displays=(display,))
    write_table(tmp_path / "p", [paper], foreword.Paper, {})
    with pytest.raises(ForewordError, match="does not lie in its text"):
        make_cuts(tmp_path / "p", tmp_path / "c", rules=foreword.CutRules(), seed=0)


def test_a_damaged_study_json_is_named(study: Study, tmp_path: Path) -> None:
    from foreword.report_steps import make_report

    foreword.run(study, tmp_path, tmp_path / "a")
    for damaged in ("{", "[1]"):
        (tmp_path / "a" / "study.json").write_text(damaged)
        with pytest.raises(ForewordError, match=r"study\.json is damaged"):
            make_report(tmp_path / "a")
