"""A trained control as a rung of one study's ladder, beside the frozen scorer's conditions."""

import json
from pathlib import Path

import pytest
from tuning import a_task, some_cuts, write_cuts, write_forecasts

import foreword
from foreword.adapters import RECORD
from foreword.analysis import verdicts
from foreword.finetune import make_adapter
from foreword.records import Score
from foreword.report_steps import make_report
from foreword.score_steps import Scoring, make_scores
from foreword.score_tables import score_tables
from foreword.store import read_provenance, write_table


def scored(study: Path, model: Path, name: str, adapter: Path | None = None) -> Path:
    """The scores of a study's cuts, with its forecasts or, by an adapter, with its control."""
    out = study / (f"scores-{name}.parquet" if name else "scores.parquet")
    scorer = foreword.load_scorer(f"hf:{model}", adapter=adapter)
    make_scores(
        study / "cuts.parquet",
        [] if adapter else [study / "forecasts-guess.parquet"],
        out,
        scoring=Scoring(scorer=scorer, journal=study / f"{name}.jsonl", unproven=True),
        controls=["same-budget"] if adapter else ["empty", "same-budget"],
        seed=0,
    )
    return out


@pytest.fixture
def study(tmp_path: Path, tiny_model: Path, adapter: Path) -> Path:
    cuts = some_cuts()
    write_cuts(tmp_path / "cuts.parquet", cuts)
    write_forecasts(tmp_path / "forecasts-guess.parquet", cuts)
    scored(tmp_path, tiny_model, "")
    scored(tmp_path, tiny_model, "control", adapter)
    return tmp_path


def test_the_rung_is_the_trained_score_over_the_frozen_one(study: Path, adapter: Path) -> None:
    _, analysis = make_report(study)
    held_out = json.loads((adapter / RECORD).read_bytes())["held_out"]
    (rung,) = [
        s
        for s in analysis.standings
        if (s.condition, s.over, s.rule) == ("trained:control", "same-budget", "clip2")
    ]
    rows = {
        name: foreword.read_table(study / name, Score)
        for name in ("scores.parquet", "scores-control.parquet")
    }
    (gained,) = verdicts(*rows.values(), held_out=held_out, conditions=["same-budget"])
    assert rung.lift.mean == pytest.approx(-(gained.difference.mean or 0), abs=1e-15)
    assert rung.lift.num_cuts == gained.difference.num_cuts == 3 * len(held_out)
    assert rung.lift.num_papers == len(held_out)
    assert rung.num_failed == 12 - rung.lift.num_cuts
    assert not analysis.findings.scorers


def test_the_verdict_is_that_of_its_command(study: Path, adapter: Path) -> None:
    _, analysis = make_report(study)
    held_out = json.loads((adapter / RECORD).read_bytes())["held_out"]
    (own,) = analysis.findings.verdicts
    (theirs,) = verdicts(
        foreword.read_table(study / "scores.parquet", Score),
        foreword.read_table(study / "scores-control.parquet", Score),
        held_out=held_out,
    )
    assert (own.first, own.second) == ("forecast:guess", "trained:control")
    assert own.difference == theirs.difference


def test_the_page_and_the_terminal_show_the_rung_and_the_verdict(study: Path) -> None:
    from foreword.analysis import leaderboard_text

    path, analysis = make_report(study)
    page, text = path.read_text(), leaderboard_text(analysis)
    assert "Trained on contexts: control" in page
    assert "Against a control that was trained" in page
    assert "Trained control control" in page
    assert "over trained control" in text
    assert "trained:control" in text


def test_a_control_without_its_frozen_model_is_left_out(study: Path) -> None:
    path = study / "scores.parquet"
    provenance = read_provenance(path)
    assert provenance
    del provenance["notes"]["scorer"]
    write_table(path, foreword.read_table(path, Score), Score, provenance)
    tables, left_out = score_tables(study)
    assert [table.name for table in tables] == [""]
    assert "is a trained control, and no table here says" in left_out[0]


def test_a_scorer_that_knows_the_scaffold_is_another_scorer_and_no_rung(
    study: Path, tiny_model: Path
) -> None:
    task = a_task(
        study, tiny_model, route="scaffold-aware", forecasts=(study / "forecasts-guess.parquet",)
    )
    aware = make_adapter(task, study / "aware").folder
    scorer = foreword.load_scorer(f"hf:{tiny_model}", adapter=aware)
    make_scores(
        study / "cuts.parquet",
        [study / "forecasts-guess.parquet"],
        study / "scores-aware.parquet",
        scoring=Scoring(scorer=scorer, journal=study / "j", unproven=True),
        controls=["empty", "same-budget"],
        seed=0,
    )
    _, analysis = make_report(study)
    assert [one.name for one in analysis.findings.scorers] == ["aware"]
    assert (study / "report-aware.html").exists()


def test_a_study_file_takes_the_control_and_leaves_its_papers_out(
    tmp_path: Path, tiny_model: Path, adapter: Path
) -> None:
    file = tmp_path / "study.toml"
    file.write_text(
        "controls = ['empty', 'same-budget']\ncut.per_paper = 2\n[[predictors]]\nmodel = 'copy'\n"
        f"[scorer]\nmodel = 'hf:{tiny_model}'\nunproven = true\n"
        f"[[scorers]]\nname = 'control'\nmodel = 'hf:{tiny_model}'\nunproven = true\n"
        "adapter = 'trained'\n"
    )
    (tmp_path / "trained").symlink_to(adapter)  # a folder is named from where the file lies
    from foreword.study_file import read_study

    done = foreword.run(read_study(file), tmp_path, tmp_path / "out")
    assert not done.failures
    rows = foreword.read_table(tmp_path / "out" / "scores-control.parquet", Score)
    assert {row.condition for row in rows} == {"same-budget"}
    (contrast,) = done.analysis.findings.verdicts
    assert contrast.difference.num_cuts == done.analysis.num_cuts
