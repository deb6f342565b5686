"""What a user states of dates: in the study file, in a folder's study.json, on the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import foreword
from foreword.catalogue import Candidate
from foreword.errors import TableError, UsageError
from foreword.publish import export_study
from foreword.records import Analysis, Forecast, Score
from foreword.report_steps import make_report
from foreword.stated import named_cutoffs, paper_dates, read_stated
from foreword.study import (
    CutSection,
    Papers,
    PredictorSection,
    ScorerSection,
    Study,
    sample_papers,
)
from foreword.study_file import read_study
from test_study import refusal, study

SCORE = Score(cut_id="p/0/2", paper_id="p", condition="empty", scorer_id="small@1", failure="none")


def forecast(name: str) -> Forecast:
    return Forecast(cut_id="p/0/2", predictor=name, text="y")


def test_a_cutoff_is_a_day_or_a_month_of_a_predictor_or_the_scorer(tmp_path: Path) -> None:
    (tmp_path / "note.tex").write_text("none is read here")
    found = read_study(
        study(
            tmp_path,
            "[papers]\npaths = ['note.tex']\ndates = { note = 2026-10-01 }\n"
            "[[predictors]]\nmodel = 'smollm2'\nknowledge_cutoff = 2025-06-01\n"
            "[scorer]\nknowledge_cutoff = '2024-10'\n",
        )
    )
    assert found.predictors[0].knowledge_cutoff == "2025-06-01"
    assert found.scorer.knowledge_cutoff == "2024-10"
    assert found.papers.dates == {"note": "2026-10-01"}
    assert Study.model_validate_json(found.model_dump_json()) == found


def test_what_is_no_date_is_named_with_its_line(tmp_path: Path) -> None:
    for value, said in (
        ("'2025-13'", "is no date"),
        ("'June 2025'", "is no date"),
        ("2025", "it should be a day"),
        ("true", "it should be a day"),
        ("[2025-06-01]", "it should be a day"),
        ("2025-06-01T10:00:00Z", "it should be a day"),
    ):
        for table in ("[[predictors]]\nmodel = 'smollm2'", "[scorer]\nmodel = 'smollm2'"):
            (line,) = refusal(tmp_path, f"\n{table}\nknowledge_cutoff = {value}\n")
            assert line.startswith("4: ")
            assert "knowledge_cutoff" in line
            assert said in line


def test_a_date_of_a_paper_that_is_not_there_and_a_cutoff_without_a_model_are_refused(
    tmp_path: Path,
) -> None:
    (line,) = refusal(tmp_path, "[papers]\ndates = { nowhere = 2026-10-01 }\n")
    assert line.startswith("2: papers.dates: no paper has the id nowhere")
    (line,) = refusal(tmp_path, "[papers]\ndates = { 2604.19885v2 = 2026-10-01 }\n")
    assert "a key with a dot in it goes into quotes" in line
    (line,) = refusal(tmp_path, "[[predictors]]\nmodel = 'copy'\nknowledge_cutoff = 2025-06-01\n")
    assert line == "3: predictors.0.knowledge_cutoff: 'copy' has no model; leave it out"


def test_a_cutoff_is_no_part_of_a_predictor_or_a_scorer(tiny_model: Path) -> None:
    model = f"hf:{tiny_model}"
    plain, dated = (PredictorSection(model=model, knowledge_cutoff=at) for at in (None, "2025-06"))
    assert plain.settings == dated.settings
    assert plain.predictor.identity == dated.predictor.identity
    own, dated_scorer = (
        ScorerSection(model=model, knowledge_cutoff=at) for at in (None, "2025-06")
    )
    assert own.scorer.identity == dated_scorer.scorer.identity


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("mine", "forecast:mine"),
        ("forecast:mine", "forecast:mine"),
        ("a=b", "forecast:a=b"),
        ("../x y\n", "forecast:../x y\n"),
        ("forecast:odd", "forecast:forecast:odd"),
        ("scorer", "scorer"),
        ("small@1", "scorer"),
    ],
)
def test_a_name_finds_its_predictor_or_the_scorer(name: str, key: str) -> None:
    names = ("mine", "a=b", "../x y\n", "forecast:odd", "odd")
    found = named_cutoffs({name: "2025-06"}, [forecast(one) for one in names], [SCORE])
    assert found == {key: "2025-06"}


def test_a_predictor_called_scorer_is_not_taken_for_the_scorer() -> None:
    both = [forecast("scorer")]
    with pytest.raises(
        UsageError, match="write 'forecast:scorer' for the predictor, and 'small@1'"
    ):
        named_cutoffs({"scorer": "2025-06"}, both, [SCORE])
    given = {"forecast:scorer": "2025-06", "small@1": "2024-10"}
    found = named_cutoffs(given, both, [SCORE])
    assert found == {"forecast:scorer": "2025-06", "scorer": "2024-10"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"mime": "2025-06"}, "did you mean 'mine'"),
        ({"\x1b[31m" * 99: "2025-06"}, "there are: mine, scorer"),
        ({"mine": "soon"}, "'soon' is no date"),
        ({"mine": "2025-06", "forecast:mine": "2025-07"}, "stated twice"),
    ],
)
def test_a_name_or_a_date_that_is_none_ends_in_a_sentence(given: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        named_cutoffs(given, [forecast("mine")], [SCORE])
    assert len(str(caught.value)) < 500
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    "text", ["[1", "[]", '{"predictors": [{"model": "m", "knowledge_cutoff": "never"}]}',
             '{"papers": {"dates": {"a": 7}}}', '{"scorer": 3}']
)  # fmt: skip
def test_a_damaged_study_json_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "study.json").write_text(text)
    with pytest.raises(TableError, match=r"study\.json is damaged"):
        read_stated(tmp_path)


def test_a_study_json_of_before_states_nothing(tmp_path: Path) -> None:
    assert read_stated(tmp_path).cutoffs == {}
    (tmp_path / "study.json").write_text('{"title": "x", "predictors": [{"model": "copy"}]}')
    assert (read_stated(tmp_path).cutoffs, read_stated(tmp_path).dates) == ({}, {})


def test_a_listing_speaks_for_the_papers_that_were_taken() -> None:
    time = "2026-03-31T23:59:59Z"
    taken = Candidate(paper_id="2604.00001v3", place=1, first_submitted=time)
    left = Candidate(paper_id="2604.00002v1", reason="not listed", first_submitted=time)
    ids = [taken.paper_id, left.paper_id, "note"]
    found = paper_dates(ids, [taken, left], {"note": "2026-10"})
    assert [(one.first, one.source) for one in found.values()] == [
        ("2026-03-31", "listing"), ("2026-04-01", "identifier"), ("2026-10-01", "stated"),
    ]  # fmt: skip


@pytest.fixture
def small(tiny_model: Path, tmp_path: Path) -> Study:
    """Two predictors, one of them a model; a sample paper whose date is stated."""
    return Study(
        title="Small",
        papers=Papers(paths=(str(sample_papers()[0]),)),
        cut=CutSection(per_paper=2),
        predictors=(
            PredictorSection(model="copy"),
            PredictorSection(model=f"hf:{tiny_model}", max_tokens=8, context_characters=200),
        ),
        scorer=ScorerSection(model=f"hf:{tiny_model}", unproven=True),
    ).model_copy(update={"controls": ("empty", "same-budget")})


def stating(study: Study, cutoff: str, day: str) -> Study:
    copy, model = study.predictors
    papers = study.papers.model_copy(update={"dates": {sample_papers()[0].name: day}})
    return study.model_copy(
        update={
            "papers": papers,
            "predictors": (copy, model.model_copy(update={"knowledge_cutoff": cutoff})),
            "scorer": study.scorer.model_copy(update={"knowledge_cutoff": cutoff}),
        }
    )


def groups(analysis: Analysis) -> list[list[int]]:
    assert analysis.findings.freshness is not None
    rows = sorted(analysis.findings.freshness.lifts, key=lambda row: (row.by_scorer, row.condition))
    return [[one.num_papers for one in row.groups] for row in rows]


def test_stating_a_cutoff_redoes_the_report_and_nothing_else(small: Study, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = foreword.run(small, tmp_path, out)
    assert groups(first.analysis) == [[0, 0, 1]] * 4
    page = first.report.read_text()
    assert "1 of 2 predictors has a lift from papers that the model may have read" in page
    tables = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in out.glob("*.parquet")}
    work = {path: path.read_bytes() for path in (out / "work").iterdir()}
    second = foreword.run(stating(small, "2025-06", "2026-10-01"), tmp_path, out)
    assert groups(second.analysis) == [[0, 1, 0]] * 4
    assert "may have read, because" not in second.report.read_text()
    third = foreword.run(stating(small, "2026-10-01", "2026-10-01"), tmp_path, out)
    assert groups(third.analysis) == [[0, 1, 0], [1, 0, 0], [1, 0, 0], [1, 0, 0]]
    assert "were public by its stated knowledge cutoff:" in third.report.read_text()
    assert tables == {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tables}
    assert work == {path: path.read_bytes() for path in work}
    assert first.analysis.standings == third.analysis.standings


def test_a_cutoff_on_the_command_line_overrides_the_studys(small: Study, tmp_path: Path) -> None:
    out = tmp_path / "out"
    foreword.run(stating(small, "2025-06", "2026-10-01"), tmp_path, out)
    name = small.predictors[1].label
    shown = report(out, "--json", "--cutoff", f"{name}=2026-12", "--cutoff", "scorer=2026-10-01")
    assert shown.returncode == 0, shown.stderr
    lifts = json.loads(shown.stdout)["findings"]["freshness"]["lifts"]
    assert [row["cutoff"] for row in lifts if not row["by_scorer"] and row["has_model"]] == [
        "2026-12"
    ]
    assert {row["cutoff"] for row in lifts if row["by_scorer"]} == {"2026-10-01"}
    assert "\nPapers after a stated knowledge cutoff, of 1: " in report(out).stdout
    for wrong in ("", "=2025", "mine", "mine=", "=", f"{name}=2025-99", "nobody=2025-06",
                  "copy=2025-06", "$(id)=2025-06", "\x1b]0;x\x07=2025-06"):  # fmt: skip
        refused = report(out, "--cutoff", wrong)
        assert refused.returncode == 2, wrong
        assert "Traceback" not in refused.stderr
        assert "\x1b" not in refused.stderr
    twice = report(out, "--cutoff", "scorer=2025-06", "--cutoff", "scorer=2025-07")
    assert (twice.returncode, "is there twice" in twice.stderr) == (2, True)


def test_a_published_form_keeps_what_was_stated(small: Study, tmp_path: Path) -> None:
    foreword.run(stating(small, "2025-06", "2026-10-01"), tmp_path, tmp_path / "out")
    export_study(tmp_path / "out", tmp_path / "published")
    _, analysis = make_report(tmp_path / "published")
    assert groups(analysis) == [[0, 1, 0]] * 4


def report(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    code = "from foreword.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code, "report", str(folder), *arguments],
        capture_output=True,
        text=True,
    )
