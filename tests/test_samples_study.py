"""A study with several forecasts a cut, from end to end: what is kept, and what is asked for."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import foreword
from foreword.cli import cli
from foreword.errors import TableError, UsageError
from foreword.folder import read_forecasts, repeat_noise
from foreword.publish import export_study
from foreword.records import Cut, Forecast, Score
from foreword.store import read_table, write_table
from foreword.study import CutSection, PredictorSection, ScorerSection, Study
from foreword.study_file import read_study


def study(model: Path, samples: int) -> Study:
    drawing = PredictorSection(
        model=f"hf:{model}", name="tiny", context_characters=100, max_tokens=12, samples=samples
    )
    return Study(
        title="t",
        cut=CutSection(per_paper=1),
        predictors=(PredictorSection(model="copy"), drawing),
        scorer=ScorerSection(model=f"hf:{model}", unproven=True),
    ).model_copy(update={"controls": ("empty", "same-budget")})


def of_sample(out: Path, sample: int) -> tuple[list[Forecast], list[Score]]:
    forecasts = read_table(out / "forecasts-tiny.parquet", Forecast)
    scores = read_table(out / "scores.parquet", Score)
    return (
        [one for one in forecasts if one.sample == sample],
        [one for one in scores if one.sample == sample],
    )


def num_asked(out: Path) -> int:
    lines = (out / "work" / "forecasts.jsonl").read_bytes().splitlines()
    return sum(len(json.loads(line)) for line in lines)


def test_more_samples_leave_every_row_of_the_first_and_ask_for_the_others_alone(
    tiny_model: Path, tmp_path: Path
) -> None:
    out = tmp_path / "a"
    foreword.run(study(tiny_model, 1), tmp_path, out)
    before, asked = of_sample(out, 0), num_asked(out)
    assert asked == 6  # three cuts, two predictors
    outcome = foreword.run(study(tiny_model, 3), tmp_path, out)
    assert of_sample(out, 0) == before
    assert num_asked(out) == asked + 6
    texts = [[one.text for one in of_sample(out, sample)[0]] for sample in range(3)]
    assert texts[0] != texts[1] != texts[2]
    copy, tiny = sorted(outcome.analysis.findings.uncertainty, key=lambda one: one.condition)
    assert (copy.most_samples, tiny.most_samples) == (1, 3)
    page = outcome.report.read_text(encoding="utf-8")
    assert re.search(r"<small>sample [12] of 3</small>", page)
    published = export_study(out, tmp_path / "published")
    assert published.analysis.standings == outcome.analysis.standings
    assert (
        json.loads((tmp_path / "published" / "study.json").read_text())["predictors"][1]["samples"]
        == 3
    )
    foreword.run(study(tiny_model, 1), tmp_path, out)
    assert (of_sample(out, 0), of_sample(out, 1)) == (before, ([], []))
    assert num_asked(out) == asked + 6


def test_what_a_kill_cuts_off_is_made_again_to_the_last_digit(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOREWORD_CACHE", "off")
    out = tmp_path / "a"
    foreword.run(study(tiny_model, 2), tmp_path, out)
    names = ("forecasts-tiny.parquet", "scores.parquet", "report.html")
    whole = {name: (out / name).read_bytes() for name in names}
    for journal, kept in (("forecasts", 7), ("scores", 2)):
        path = out / "work" / f"{journal}.jsonl"
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:kept]))
    for name in names:
        (out / name).unlink()
    foreword.run(study(tiny_model, 2), tmp_path, out)
    assert [name for name in names if (out / name).read_bytes() != whole[name]] == []


@pytest.mark.parametrize(
    ("section", "line", "words"),
    [
        ("model = 'copy'\nsamples = 3", 3, "draws nothing"),
        ("model = 'smollm2'\ntemperature = 0\nsamples = 2", 4, "the likeliest token"),
        ("model = 'smollm2'\nsamples = 2\ntemperature = 0.0", 3, "the likeliest token"),
        ("model = 'smollm2'\nsamples = 0", 3, "greater than or equal to 1"),
        ("model = 'smollm2'\nsamples = 1001", 3, "less than or equal to 1000"),
        ("model = 'smollm2'\nsamples = 2.5", 3, "valid integer"),
    ],
)
def test_samples_that_would_be_equal_or_can_not_be_are_refused_with_their_line(
    section: str, line: int, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "study.toml"
    path.write_text(f"[[predictors]]\n{section}\n")
    with pytest.raises(UsageError, match=words) as caught:
        read_study(path)
    assert str(caught.value).startswith(f"{path}:{line}: predictors.0.samples: ")


def test_the_command_refuses_samples_of_a_predictor_that_draws_nothing() -> None:
    asked = CliRunner().invoke(
        cli, ["forecast", "cuts.parquet", "--predictor", "copy", "--samples", "2", "--out", "f"]
    )
    assert isinstance(asked.exception, UsageError)
    assert "samples: 'copy' draws nothing" in str(asked.exception)


@pytest.mark.parametrize("sample", [-1, 1_000, 2**63])
def test_a_table_with_a_sample_that_can_not_be_is_refused_in_one_sentence(
    sample: int, tmp_path: Path
) -> None:
    cut = Cut(id="p/0/1", paper_id="p", environment="[", context="", opening="", prefix="x=",
              hidden="y", closing="")  # fmt: skip
    kind = pa.uint64() if sample > 0 else pa.int64()
    rows = {"cut_id": ["p/0/1"], "predictor": ["me"], "text": ["y"]}
    path = tmp_path / "forecasts.parquet"
    pq.write_table(pa.table({**rows, "sample": pa.array([sample], kind)}), path)
    with pytest.raises(TableError, match=f"sample {sample}, can't have that number") as caught:
        read_forecasts([path], [cut])
    assert "\n" not in str(caught.value)


def test_a_table_with_one_sample_twice_is_refused(tmp_path: Path) -> None:
    cut = Cut(id="p/0/1", paper_id="p", environment="[", context="", opening="", prefix="x=",
              hidden="y", closing="")  # fmt: skip
    rows = [Forecast(cut_id="p/0/1", predictor="me", text="y", sample=n) for n in (0, 2, 2)]
    write_table(tmp_path / "f.parquet", rows, Forecast, {})
    with pytest.raises(TableError, match=r"sample 2, is there twice"):
        read_forecasts([tmp_path / "f.parquet"], [cut])
    assert len(read_forecasts_of(tmp_path, rows[:2], cut)) == 2


def read_forecasts_of(folder: Path, rows: list[Forecast], cut: Cut) -> list[Forecast]:
    write_table(folder / "g.parquet", rows, Forecast, {})
    return read_forecasts([folder / "g.parquet"], [cut])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["paper"], "is not LEVEL=NUMBER"),
        (["author=2"], "is not LEVEL=NUMBER"),
        (["paper=x"], "not a valid float"),
        (["paper=-1"], "not in the range"),
        (["paper=nan"], "not"),
        (["paper=1", "paper=2"], "there twice"),
    ],
)
def test_a_cost_that_is_none_is_refused(given: list[str], words: str, tmp_path: Path) -> None:
    flags = [word for each in given for word in ("--cost", each)]
    asked = CliRunner().invoke(cli, ["report", str(tmp_path), *flags])
    assert asked.exit_code == 2
    assert words in asked.output


@pytest.mark.parametrize("noise", [None, "0", [], {}, float("inf"), -1.0, 10**400, float("nan")])
def test_noise_that_is_no_number_is_not_on_record(noise: object, tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    probe = {"repeated": -0.1, "shuffled": -4.0, "order_noise": 0.0, "weakness": None}
    write_table(path, [], Score, {"notes": {"probe": {**probe, "repeat_noise": noise}}})
    if noise == -1.0:
        assert repeat_noise(path) is None
    else:
        with pytest.raises(TableError, match=r"notes\.probe\.repeat_noise"):
            repeat_noise(path)
    write_table(path, [], Score, {"notes": {"probe": {**probe, "repeat_noise": 0.0}}})
    assert repeat_noise(path) == 0.0
