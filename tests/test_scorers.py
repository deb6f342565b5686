"""Several scorers in one study."""

from dataclasses import replace
from pathlib import Path

import pytest

import foreword
from foreword.errors import UsageError
from foreword.records import Score
from foreword.report_steps import make_report
from foreword.score_tables import score_tables
from foreword.store import read_provenance, write_table
from foreword.study import CutSection, FurtherScorerSection, PredictorSection, ScorerSection, Study
from foreword.study_file import read_study


@pytest.fixture
def study(tiny_model: Path) -> Study:
    model = f"hf:{tiny_model}"
    return Study(
        cut=CutSection(per_paper=2),
        predictors=(PredictorSection(model="copy"),),
        scorer=ScorerSection(model=model, unproven=True),
        scorers=(FurtherScorerSection(name="half", model=model, dtype="bfloat16", unproven=True),),
    ).model_copy(update={"controls": ("empty", "same-budget")})


def test_each_scorer_has_a_table_and_a_page(study: Study, tmp_path: Path) -> None:
    done = foreword.run(study, tmp_path, tmp_path / "a")
    first, second = (
        foreword.read_table(tmp_path / "a" / name, Score)
        for name in ("scores.parquet", "scores-half.parquet")
    )
    assert [(s.cut_id, s.condition) for s in first] == [(s.cut_id, s.condition) for s in second]
    assert first[0].scorer_id != second[0].scorer_id
    (other,) = done.analysis.findings.scorers
    assert (other.name, other.scorer_id) == ("half", second[0].scorer_id)
    path, theirs = make_report(tmp_path / "a", scorer="half")
    assert path == tmp_path / "a" / "report-half.html"
    assert theirs.scorer_id == second[0].scorer_id
    assert theirs.findings.scorers[0].name == ""
    assert "report-half.html" in done.report.read_text()
    assert 'href="report.html"' in path.read_text()


def test_the_first_scorers_numbers_do_not_hang_on_the_others(study: Study, tmp_path: Path) -> None:
    alone = study.model_copy(update={"scorers": ()})
    one = foreword.run(alone, tmp_path, tmp_path / "a").analysis
    two = foreword.run(study, tmp_path, tmp_path / "a").analysis
    assert replace(two, findings=replace(two.findings, scorers=())) == one
    again = foreword.run(alone, tmp_path, tmp_path / "a").analysis
    assert again == one  # the table of the scorer that the study no longer names is not shown


def test_tables_of_other_cuts_or_forecasts_are_left_out_and_named(
    study: Study, tmp_path: Path
) -> None:
    out = tmp_path / "a"
    foreword.run(study, tmp_path, out)
    rows = foreword.read_table(out / "scores-half.parquet", Score)
    provenance = read_provenance(out / "scores-half.parquet")
    assert provenance
    for name, key in (("cuts", "cuts"), ("forecasts", "forecasts")):
        inputs = {**provenance["inputs"], key: ["0" * 64] if key == "forecasts" else "0" * 64}
        write_table(out / f"scores-{name}.parquet", rows, Score, {**provenance, "inputs": inputs})
    tables, left_out = score_tables(out)
    assert [table.name for table in tables] == ["", "half"]
    assert "scores-cuts.parquet is of other cuts" in left_out[0]
    assert "scores-forecasts.parquet is of other forecasts" in left_out[1]
    _, analysis = make_report(out)
    assert [one.name for one in analysis.findings.scorers] == ["half"]


def test_a_scorer_that_is_not_there_is_refused_with_those_that_are(
    study: Study, tmp_path: Path
) -> None:
    foreword.run(study, tmp_path, tmp_path / "a")
    with pytest.raises(UsageError, match="no scorer of this study is called 'whole': half"):
        make_report(tmp_path / "a", scorer="whole")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("[[scorers]]\nmodel = 'smollm2'", "scorers.0.name: field required"),
        ("[[scorers]]\nname = '../x'", "a name is made of letters"),
        ("[[scorers]]\nname = 'a'", "'a' is the study's [scorer] again"),
        (
            "[[scorers]]\nname = 'a'\ndtype = 'bfloat16'\n"
            "[[scorers]]\nname = 'a'\ndtype = 'float16'",
            "two scorers are named 'a'",
        ),
        ("[[scorers]]\nname = 'a'\nmodle = 'b'", "did you mean 'model'?"),
        ("[scorers]\nname = 'a'", "write each scorer as a table under [[scorers]]"),
    ],
)
def test_a_wrong_scorer_in_the_file_is_named(tmp_path: Path, lines: str, message: str) -> None:
    (tmp_path / "study.toml").write_text(lines)
    with pytest.raises(UsageError) as caught:
        read_study(tmp_path / "study.toml")
    assert message in str(caught.value)


def test_each_scorer_has_a_cutoff_of_its_own(study: Study, tmp_path: Path) -> None:
    first = study.scorer.model_copy(update={"knowledge_cutoff": "2025-01"})
    half = study.scorers[0].model_copy(update={"knowledge_cutoff": "2026-02"})
    dated = study.model_copy(update={"scorer": first, "scorers": (half,)})
    foreword.run(dated, tmp_path, tmp_path / "a")

    def cutoffs(**how: object) -> set[str | None]:
        _, analysis = make_report(tmp_path / "a", **how)  # type: ignore[arg-type]
        assert analysis.findings.freshness
        return {one.cutoff for one in analysis.findings.freshness.lifts if one.by_scorer}

    assert cutoffs() == {"2025-01"}
    assert cutoffs(scorer="half") == {"2026-02"}
    assert cutoffs(scorer="half", cutoffs={"half": "2026-05"}) == {"2026-05"}
    assert cutoffs(cutoffs={"half": "2026-05"}) == {"2025-01"}
