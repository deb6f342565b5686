"""Several scorers in one study."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import foreword
from foreword.errors import TableError, UsageError
from foreword.records import Score
from foreword.report_steps import left_out, make_report
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


def copied(out: Path, name: str, rows: list[Score] | None = None, **inputs: object) -> Path:
    """The second scorer's table under another name, with other rows or inputs."""
    path = out / f"scores-{name}.parquet"
    provenance = read_provenance(out / "scores-half.parquet")
    assert provenance
    changed = {**provenance, "inputs": {**provenance["inputs"], **inputs}}
    found = foreword.read_table(out / "scores-half.parquet", Score) if rows is None else rows
    write_table(path, found, Score, changed)
    return path


def test_a_table_with_an_odd_name_takes_nobodys_page(study: Study, tmp_path: Path) -> None:
    out = tmp_path / "a"
    page = foreword.run(study, tmp_path, out).report.read_bytes()
    for name in ("", "a b", "\udcff"):
        copied(out, "x").rename(out / f"scores-{name}.parquet")
    tables, left_out = score_tables(out)
    assert [table.name for table in tables] == ["", "half"]
    assert sum("has no name of letters" in words for words in left_out) == 3
    assert all(words.isprintable() for words in left_out)
    make_report(out)
    assert (out / "report.html").read_bytes() == page


def test_one_scorer_counts_once_and_the_studys_own_name_for_it(
    study: Study, tmp_path: Path
) -> None:
    out = tmp_path / "a"
    foreword.run(study, tmp_path, out)
    copied(out, "aaa")
    tables, left_out = score_tables(out)
    assert [table.name for table in tables] == ["", "aaa"]
    assert "scores-half.parquet is by the same scorer as scores-aaa.parquet" in left_out[0]
    _, analysis = make_report(out)
    assert [one.name for one in analysis.findings.scorers] == ["half"]


def test_rows_of_two_scorers_in_one_table_are_refused(study: Study, tmp_path: Path) -> None:
    out = tmp_path / "a"
    foreword.run(study, tmp_path, out)
    rows = foreword.read_table(out / "scores-half.parquet", Score)
    path = out / "scores-half.parquet"
    write_table(
        path,
        [replace(row, scorer_id="other") for row in rows[:1]] + rows[1:],
        Score,
        read_provenance(path) or {},
    )
    with pytest.raises(TableError, match="has rows by several scorers"):
        make_report(out)


def test_a_cutoff_in_the_file_is_of_the_models_that_made_the_tables(
    study: Study, tmp_path: Path
) -> None:
    out = tmp_path / "a"
    first = study.scorer.model_copy(update={"knowledge_cutoff": "2025-01"})
    foreword.run(study.model_copy(update={"scorer": first}), tmp_path, out)
    settings = json.loads((out / "study.json").read_text())
    settings["scorer"] |= {"model": "smollm2", "knowledge_cutoff": "2020-01"}
    (out / "study.json").write_text(json.dumps(settings))
    _, analysis = make_report(out)
    assert analysis.findings.freshness
    assert {one.cutoff for one in analysis.findings.freshness.lifts if one.by_scorer} == {None}
    assert any("the knowledge cutoff of scorer" in words for words in left_out(out))


def test_a_name_that_could_be_two_is_refused(study: Study, tmp_path: Path) -> None:
    out = tmp_path / "a"
    foreword.run(study, tmp_path, out)
    (out / "scores-half.parquet").rename(out / "scores-copy.parquet")
    with pytest.raises(UsageError, match="'copy' is a scorer of this study and something else too"):
        make_report(out, cutoffs={"copy": "2025-01"})
    (out / "scores-copy.parquet").rename(out / "scores-half.parquet")
    with pytest.raises(UsageError, match="is no date"):
        make_report(out, cutoffs={"half": "rubbish"})


@pytest.mark.parametrize(
    "said",
    [
        {"notes": []},
        {"inputs": None},
        {"notes": {"scorer": None}},
        {"notes": {"scorer": {"route": {}}}},
        {"notes": {"probe": "fine"}},
        {"notes": {"probe": {"repeat_noise": 0.1}}},
        {"inputs": {"forecasts": 5}},
        {"inputs": {"forecasts": [{}]}},
        {"inputs": {"controls": "empty"}},
    ],
)
def test_a_table_that_says_of_itself_what_no_stage_would_is_refused(
    study: Study, tmp_path: Path, said: dict[str, object]
) -> None:
    out = tmp_path / "a"
    alone = study.model_copy(update={"scorers": ()})
    foreword.run(alone, tmp_path, out)
    path = out / "scores.parquet"
    rows = foreword.read_table(path, Score)
    write_table(path, rows, Score, {**(read_provenance(path) or {}), **said})
    with pytest.raises(TableError, match="says of itself what no stage would write"):
        make_report(out)
