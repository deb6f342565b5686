import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tuning import some_cuts, write_cuts, write_forecasts

from foreword.cli import cli
from foreword.errors import ForewordError
from foreword.records import Score
from foreword.store import read_provenance, read_table, write_table

QUICK = ("--rank", "4", "--batch-size", "2", "--accumulation", "2", "--device", "cpu")


def run(*arguments: object) -> Result:
    found = CliRunner().invoke(cli, list(map(str, arguments)), standalone_mode=False)
    if isinstance(found.exception, ForewordError):
        raise found.exception
    assert found.exception is None, found.exception
    return found


def test_the_way_from_cuts_to_verdict(
    tmp_path: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cuts = some_cuts(4, 3)
    write_cuts(Path("cuts.parquet"), cuts)
    write_forecasts(Path("forecasts-guess.parquet"), cuts)
    scorer = ("--scorer", f"hf:{tiny_model}", "--device", "cpu")
    trained = run("finetune", "cuts.parquet", "--route", "context-only", "--held-out", 0.5,
                  "--scorer", f"hf:{tiny_model}", *QUICK, "--out", "control")  # fmt: skip
    assert trained.return_value == 0
    assert "control: an adapter trained on 6 examples" in trained.output
    assert "--adapter control --control same-budget" in trained.output
    scored = run("score", "cuts.parquet", "forecasts-guess.parquet", *scorer, "--unproven",
                 "--control", "same-budget", "--out", "scores.parquet")  # fmt: skip
    assert scored.return_value == 0
    adapted = run("score", "cuts.parquet", *scorer, "--unproven", "--adapter", "control",
                  "--control", "same-budget", "--out", "scores-control.parquet")  # fmt: skip
    assert adapted.return_value == 3  # the cuts of the papers that it was trained on
    held_out = json.loads(Path("control/training.json").read_text())["held_out"]
    rows = read_table(Path("scores-control.parquet"), Score)
    assert {row.paper_id for row in rows if row.logprobs} == set(held_out)
    shown = run("verdict", "scores.parquet", "scores-control.parquet", "--adapter", "control")
    assert "guess" in shown.output
    as_json = run("verdict", "scores.parquet", "scores-control.parquet", "--adapter", "control",
                  "--json")  # fmt: skip
    [row] = json.loads(as_json.stdout)
    assert row["difference"]["num_papers"] == 2
    assert {cut.split("/")[0] for cut in row["values"]} == set(held_out)
    with pytest.raises(ForewordError, match=r"was not made with the adapter in control"):
        run("verdict", "scores.parquet", "scores.parquet", "--adapter", "control")
    provenance = read_provenance(Path("scores.parquet")) or {}
    other = {**provenance["notes"], "scorer": {"model_sha256": "0" * 64}}
    own = read_table(Path("scores.parquet"), Score)
    write_table(Path("scores.parquet"), own, Score, {**provenance, "notes": other})
    with pytest.raises(ForewordError, match="by another model than the one that the adapter was"):
        run("verdict", "scores.parquet", "scores-control.parquet", "--adapter", "control")


def test_the_adapter_of_a_study_is_its_scorers(tmp_path: Path, tiny_model: Path) -> None:
    from foreword.study_file import read_study

    study = tmp_path / "study.toml"
    study.write_text("[scorer]\nadapter = 'none'\n")
    with pytest.raises(ForewordError, match=r"study.toml:.*holds no adapter that can be used"):
        read_study(study)
