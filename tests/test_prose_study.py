"""A study of prose from papers to report, and by the stages' own commands."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tokenizers import pre_tokenizers, trainers

import foreword
from foreword.cli import cli
from foreword.errors import TableError, UsageError
from foreword.folder import kind_of
from foreword.papers import read_paper
from foreword.publish import export_study, rebuild_cuts
from foreword.records import Cut, Forecast, Score
from foreword.store import write_table
from foreword.study import sample_papers
from foreword.study_file import read_study
from tiny_model import byte_tokenizer, save_model_of

SAMPLE = sample_papers()[0]


@pytest.fixture(scope="module")
def wide_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model whose window holds a prompt of prose and its target, in tokens of words."""
    tokenizer = byte_tokenizer()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    trainer = trainers.BpeTrainer(
        vocab_size=900, special_tokens=["<end>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator([read_paper(SAMPLE).text], trainer)
    folder = tmp_path_factory.mktemp("wide-model")
    return save_model_of(folder, tokenizer, window=4_096, eos_token="<end>")


def study_file(folder: Path, model: Path, more: str = "") -> Path:
    path = folder / "study.toml"
    path.write_text(
        f"kind = 'prose'\n{more}[papers]\npaths = ['{SAMPLE}']\n[prose]\n"
        "per_paper = 1\nhidden = 2000\nbudget = 300\n"
        "[[predictors]]\nmodel = 'copy'\n"
        f"[scorer]\nmodel = 'hf:{model}'\nunproven = true\n",
        encoding="utf-8",
    )
    return path


def refusal(folder: Path, text: str) -> list[str]:
    path = folder / "study.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read_study(path)
    return [line.removeprefix(f"{path}:") for line in str(caught.value).splitlines()]


def test_a_study_of_prose_goes_through_the_same_stages(tmp_path: Path, wide_model: Path) -> None:
    study = read_study(study_file(tmp_path, wide_model))
    assert study.controls == ("empty", "same-budget", "context-in-scaffold", "true-suffix")
    outcome = foreword.run(study, tmp_path, tmp_path / "out")
    assert not outcome.failures
    cuts = foreword.read_table(tmp_path / "out" / "cuts.parquet", Cut)
    scores = foreword.read_table(tmp_path / "out" / "scores.parquet", Score)
    (forecasts,) = [
        foreword.read_table(path, Forecast)
        for path in (tmp_path / "out").glob("forecasts*.parquet")
    ]
    assert [cut.kind for cut in cuts] == ["prose"]
    assert {score.condition for score in scores} == {*study.controls, "forecast:copy"}
    for cut, forecast in zip(cuts, forecasts, strict=True):
        assert forecast.text
        assert 200 < len(forecast.text) <= 300
        of_cut = [score for score in scores if score.cut_id == cut.id]
        assert len({score.token_ids for score in of_cut}) == 1
        assert len(of_cut[0].logprobs) > 400
        assert "".join(of_cut[0].token_texts).endswith(cut.hidden[-50:])
    assert outcome.analysis.window == 400
    page = outcome.report.read_text(encoding="utf-8")
    windows = [one for one in outcome.analysis.findings.windows if one.condition == "forecast:copy"]
    assert [one.window for one in windows] == [50, 100, 200, 400]
    assert {one.lift for one in windows if one.window == outcome.analysis.window} == {
        one.lift
        for one in outcome.analysis.standings
        if (one.condition, one.over, one.rule) == ("forecast:copy", "same-budget", "clip2")
    }
    assert "By the tokens that count" in page
    assert "passage of prose" in page
    assert "prose: see its source" in page

    shown = CliRunner().invoke(cli, ["windows", str(tmp_path / "out"), "--json"])
    assert shown.exit_code == 0, shown.output
    rows = json.loads(shown.stdout)
    assert [row["window"] for row in rows if row["condition"] == "forecast:copy"] == [
        50, 100, 200, 400,
    ]  # fmt: skip
    table = CliRunner().invoke(cli, ["windows", str(tmp_path / "out"), "--window", "25"])
    assert "first 25" in table.stdout

    audit = ["audit", str(tmp_path / "out"), "--out", str(tmp_path / "audit")]
    refused = CliRunner().invoke(cli, audit)
    assert "is a study of prose" in str(refused.exception)
    assert not (tmp_path / "audit" / "audit.parquet").exists()

    published = tmp_path / "published"
    export_study(tmp_path / "out", published)
    again = rebuild_cuts(published, [SAMPLE], tmp_path / "again.parquet")
    assert again.is_same_file


def test_the_windows_of_no_baseline_or_rule_are_refused(tmp_path: Path) -> None:
    ids = {"cut_id": "p/prose/1", "paper_id": "p", "scorer_id": "s", "token_ids": (1,)}
    score = Score(condition="empty", logprobs=(-1.0,), **ids)  # type: ignore[arg-type]
    write_table(tmp_path / "scores.parquet", [score], Score, {})
    for flags, said in (
        ([], "has no condition 'same-budget'; it has empty"),
        (["--over", "empty", "--rule", "clip4"], "there is no rule 'clip4'"),
    ):
        done = CliRunner().invoke(cli, ["windows", str(tmp_path), *flags])
        assert said in str(done.exception)


def test_the_stages_one_by_one_take_prose(tmp_path: Path, wide_model: Path) -> None:
    def run(*arguments: object) -> None:
        done = CliRunner().invoke(cli, [str(argument) for argument in arguments])
        assert done.exit_code == 0, (done.output, done.exception)

    papers, cuts = tmp_path / "papers.parquet", tmp_path / "cuts.parquet"
    forecasts, scores = tmp_path / "forecasts-copy.parquet", tmp_path / "scores.parquet"
    run("papers", "read", SAMPLE, "--out", papers)
    lengths = ("--hidden", 200, "--budget", 100, "--per-paper", 1)
    run("cut", papers, "--kind", "prose", *lengths, "--out", cuts)
    run("forecast", cuts, "--predictor", "copy", "--out", forecasts)
    model = f"hf:{wide_model}"
    run("score", cuts, forecasts, "--scorer", model, "--unproven", "--out", scores)
    run("report", tmp_path)
    conditions = {score.condition for score in foreword.read_table(scores, Score)}
    assert conditions == {
        "empty", "same-budget", "context-in-scaffold", "true-suffix", "forecast:copy",
    }  # fmt: skip


def test_a_flag_of_the_other_kind_is_refused(tmp_path: Path) -> None:
    for flags, said in (
        (["--kind", "prose", "--max-hidden", "9"], "--max-hidden has no meaning"),
        (["--kind", "prose", "--expand-macros"], "--expand-macros has no meaning"),
        (["--hidden", "900"], "--hidden has no meaning for cuts of kind equation"),
        (["--kind", "prose", "--also-in", "preface"], "there is no part 'preface'"),
    ):
        done = CliRunner().invoke(cli, ["cut", str(tmp_path), "--out", "x", *flags])
        assert done.exit_code == 2
        assert said in done.output


def test_a_table_of_two_kinds_is_refused(tmp_path: Path) -> None:
    fields = {"paper_id": "p", "context": "", "opening": "", "prefix": "", "hidden": "y"}
    cuts = [
        Cut(id="p/0/1", environment="[", closing="", **fields),  # type: ignore[arg-type]
        Cut(id="p/prose/1", environment="", closing="", kind="prose", **fields),  # type: ignore[arg-type]
    ]
    write_table(tmp_path / "both", cuts, Cut, {})
    with pytest.raises(TableError, match="holds cuts of equation and prose"):
        kind_of(tmp_path / "both")
    write_table(tmp_path / "one", cuts[1:], Cut, {})
    assert kind_of(tmp_path / "one") == "prose"


def test_what_is_wrong_with_a_study_of_prose_is_named(tmp_path: Path) -> None:
    (line,) = refusal(tmp_path, "kind = 'prose'\ncontrols = ['empty', 'same-budget', 'reveal:1']\n")
    assert "prose has no control 'reveal:1'" in line
    (line,) = refusal(tmp_path, "kind = 'prose'\n[cut]\nper_paper = 3\n")
    assert line.startswith("2: cut: a study of kind 'prose' is cut by the rules of [prose] alone")
    (line,) = refusal(tmp_path, "[prose]\nper_paper = 3\n")
    assert "by the rules of [cut] alone" in line
    (line,) = refusal(tmp_path, "kind = 'prose'\n[prose]\nhiden = 3\n")
    assert "did you mean 'hidden'?" in line
    (line,) = refusal(tmp_path, "kind = 'prose'\n[prose]\nalso_in = ['preface']\n")
    assert "abstract" in line
    lines = refusal(tmp_path, "kind = 'prose'\n[prose]\nmin_context = 2000\n")
    assert len(lines) == 2
    assert "same-budget needs 3000 characters of context (for budget 1000), not 2000" in lines[1]
    (line,) = refusal(tmp_path, "kind = 'poetry'\n")
    assert "equation" in line
