"""A study's published form: all numbers, no text of closed papers, and the way back."""

import dataclasses
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import foreword
from foreword.catalogue import Candidate, Listing, Reference
from foreword.errors import TableError, UsageError
from foreword.publish import export_study, rebuild_cuts
from foreword.records import Cut, Forecast, Score
from foreword.report_steps import make_report
from foreword.step import quiet
from foreword.store import hash_file, read_table, write_table
from foreword.study import (
    CutSection,
    FurtherScorerSection,
    Papers,
    PredictorSection,
    ScorerSection,
    Study,
)

COMMONS = "http://creativecommons.org/licenses"
SECRET = "Zanzibar"
OPENED = "Qaanaaq"
"""Words of the closed and of the open paper, in their prose and in their formulas."""


def source(word: str) -> str:
    formula = (
        rf"\[ \mathrm{{{word}}}_{{%d}} = \own_{{1}} + \mathrm{{{word}}}_{{%d}} + \beta_{{2}} \]"
    )
    formulas = "".join(formula % (n, n + 10) for n in range(4))
    prose = f"{word} is far away. " * 150
    return (
        rf"\documentclass{{a}}\newcommand{{\own}}{{\mathsf{{{word}}}}}"
        rf"\begin{{document}}{prose}{formulas}\end{{document}}"
    )


@pytest.fixture
def study(tiny_model: Path, tmp_path: Path) -> Study:
    (tmp_path / "arxiv" / "sources").mkdir(parents=True)
    rows = []
    for name, word, licence in (
        ("2611.00001v1", OPENED, "by/4.0/"),
        ("2611.00002v3", SECRET, "by-nc-nd/4.0/"),
    ):
        path = tmp_path / "arxiv" / "sources" / f"{name}.tex"
        path.write_text(source(word))
        rows.append(
            Listing(
                paper_id=name,
                id=name[:-2],
                version=int(name[-1]),
                state="ok",
                source=f"sources/{name}.tex",
                source_sha256=hash_file(path),
                title=f"On \u202e{name}",
                authors="A. Author",
                licence=f"{COMMONS}/{licence}",
            )
        )
    write_table(tmp_path / "arxiv" / "listing.parquet", rows, Listing, {})
    return Study(
        title="A study",
        papers=Papers(listing="arxiv/listing.parquet"),
        cut=CutSection(min_context=2_000, min_hidden=10, per_paper=3),
        predictors=(PredictorSection(model="copy"),),
        scorer=ScorerSection(model=f"hf:{tiny_model}", unproven=True),
    ).model_copy(update={"controls": ("empty", "same-budget", "true-suffix")})


@pytest.fixture
def results(study: Study, tmp_path: Path) -> Path:
    foreword.run(study, tmp_path, tmp_path / "results")
    return tmp_path / "results"


def forecasts(folder: Path) -> list[Forecast]:
    return read_table(folder / "forecasts-copy.parquet", Forecast)


def everything(folder: Path) -> str:
    """All that the files of a folder say."""
    parts = []
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        if path.suffix == ".parquet":
            table = pq.read_table(path)
            parts += [json.dumps(table.to_pylist(), default=str), str(table.schema.metadata)]
        else:
            parts.append(path.read_text())
    return "\n".join(parts)


def test_nothing_of_a_closed_paper_is_in_the_published_form(results: Path, tmp_path: Path) -> None:
    assert SECRET in everything(results)
    done = export_study(results, tmp_path / "published")
    assert done.closed_papers == ("2611.00002v3",)
    said = everything(tmp_path / "published")
    assert OPENED in said
    assert SECRET not in said
    assert str(tmp_path) not in said


def test_the_published_numbers_are_those_of_the_study(results: Path, tmp_path: Path) -> None:
    export_study(results, tmp_path / "published")
    _, study = make_report(results)
    report, published = make_report(tmp_path / "published")
    assert (study.standings, study.contrasts) == (published.standings, published.contrasts)
    assert published.num_papers == 2
    page = report.read_text()
    assert "3 cuts are not among them: the licence of their papers keeps the text" in page
    wrote = f"1 predictor wrote {sum(one.text is not None for one in forecasts(results))} forecasts"
    assert wrote in page
    assert "2611.00002v3" in page


def test_rows_keep_their_numbers_and_lose_their_words(results: Path, tmp_path: Path) -> None:
    export_study(results, tmp_path / "published")
    before = read_table(results / "scores.parquet", Score)
    after = read_table(tmp_path / "published" / "scores.parquet", Score)
    assert [one.logprobs for one in after] == [one.logprobs for one in before]
    assert {bool(one.token_ids) for one in after if one.paper_id == "2611.00002v3"} == {False}
    assert [one for one in after if one.paper_id == "2611.00001v1"] == [
        one for one in before if one.paper_id == "2611.00001v1"
    ]
    closed = [
        (own, one)
        for own, one in zip(forecasts(tmp_path / "published"), forecasts(results), strict=True)
        if one.cut_id.startswith("2611.00002v3")
    ]
    assert {(own.text, own.raw) for own, _ in closed} == {(None, None)}
    assert [own.missing for own, _ in closed] == [one.missing or "withheld" for _, one in closed]
    assert "withheld" in [own.missing for own, _ in closed]


def test_a_study_without_a_title_goes_by_its_own_folders_name(study: Study, tmp_path: Path) -> None:
    foreword.run(study.model_copy(update={"title": ""}), tmp_path, tmp_path / "results")
    export_study(tmp_path / "results", tmp_path / "published")
    (tmp_path / "results" / "study.json").unlink()
    export_study(tmp_path / "results", tmp_path / "stage-by-stage")
    for name in ("published", "stage-by-stage"):
        assert "<bdi>results</bdi>" in (tmp_path / name / "report.html").read_text()
        assert (tmp_path / name / "README.txt").read_text().startswith("results\n")


def test_cuts_are_made_again_byte_for_byte(results: Path, tmp_path: Path) -> None:
    export_study(results, tmp_path / "published")
    done = rebuild_cuts(
        tmp_path / "published", [tmp_path / "arxiv"], tmp_path / "again.parquet", show=quiet
    )
    assert done.failures == ()
    assert done.is_same_file
    assert hash_file(tmp_path / "again.parquet") == hash_file(results / "cuts.parquet")
    again = rebuild_cuts(tmp_path / "published", [results], tmp_path / "again.parquet")
    assert again == done, "it is there already, and stays"


def test_cuts_with_macros_written_out_are_made_again_too(study: Study, tmp_path: Path) -> None:
    cut = study.cut.model_copy(update={"expand_macros": True})
    foreword.run(study.model_copy(update={"cut": cut}), tmp_path, tmp_path / "results")
    export_study(tmp_path / "results", tmp_path / "published")
    out = tmp_path / "again.parquet"
    done = rebuild_cuts(tmp_path / "published", [tmp_path / "arxiv"], out, show=quiet)
    assert (done.num_cuts, done.is_same_file) == (6, True)


def test_another_source_is_named_and_the_others_are_made(results: Path, tmp_path: Path) -> None:
    export_study(results, tmp_path / "published")
    path = tmp_path / "arxiv" / "sources" / "2611.00002v3.tex"
    path.write_text(path.read_text() + "% another byte")
    out = tmp_path / "again.parquet"
    done = rebuild_cuts(tmp_path / "published", [tmp_path / "arxiv"], out, show=quiet)
    assert [(one.item, one.reason[:28]) for one in done.failures] == [
        ("2611.00002v3", "its source has other bytes t")
    ]
    assert {cut.paper_id for cut in read_table(out, Cut)} == {"2611.00001v1"}
    assert not done.is_same_file
    path.unlink()
    with pytest.raises(TableError, match="give --overwrite to replace it"):
        rebuild_cuts(tmp_path / "published", [tmp_path / "arxiv"], out, show=quiet)
    done = rebuild_cuts(tmp_path / "published", [tmp_path / "arxiv"], out, overwrite=True)
    assert "is not among those given" in done.failures[0].reason


def test_another_reading_of_the_same_bytes_is_named(results: Path, tmp_path: Path) -> None:
    export_study(results, tmp_path / "published")
    table = tmp_path / "published" / "references.parquet"
    from foreword.store import read_provenance

    provenance = read_provenance(table) or {}
    provenance.pop("kind")
    rows = read_table(table, Reference)
    rows[0] = dataclasses.replace(rows[0], sha256="0" * 64)
    write_table(table, rows, Reference, provenance)
    done = rebuild_cuts(
        tmp_path / "published", [tmp_path / "arxiv"], tmp_path / "again.parquet", show=quiet
    )
    assert "differs from what was published" in done.failures[0].reason
    assert f"use foreword {provenance['cuts']['provenance']['version']}" in done.failures[0].reason


def test_who_may_hand_on_a_paper_can_say_so(results: Path, tmp_path: Path) -> None:
    done = export_study(results, tmp_path / "published", allowed=["2611.00002v3"])
    assert done.closed_papers == ()
    words = (tmp_path / "published" / "README.txt").read_text()
    assert "CC-BY-NC-ND-4.0 (whoever published this study says that it may be handed on)" in words
    with pytest.raises(UsageError, match="no cut is of a paper nobody"):
        export_study(results, tmp_path / "other", allowed=["nobody"])


def test_words_of_others_in_the_readme_hide_nothing(results: Path, tmp_path: Path) -> None:
    export_study(results, tmp_path / "published")
    words = (tmp_path / "published" / "README.txt").read_text()
    assert "On ⟨U+202E⟩2611.00001v1. A. Author. arXiv:2611.00001v1. Licence: CC-BY-4.0" in words
    assert (tmp_path / "published" / "ids.txt").read_text() == "2611.00001v1\n2611.00002v3\n"


def test_places_that_hold_other_things_are_refused(results: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is the study itself"):
        export_study(results, results)
    with pytest.raises(UsageError, match="holds other things"):
        export_study(results, tmp_path)
    export_study(results, tmp_path / "published")
    export_study(results, tmp_path / "published")
    with pytest.raises(TableError, match="is a published form already"):
        export_study(tmp_path / "published", tmp_path / "twice")
    with pytest.raises(TableError, match="is not there"):
        rebuild_cuts(results, [tmp_path / "arxiv"], tmp_path / "x.parquet", show=quiet)


def test_equal_studies_are_published_as_equal_bytes(results: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        export_study(results, tmp_path / name)
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path.name


def test_a_study_without_licences_on_record_is_closed(tiny_model: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.tex").write_text(source(SECRET))
    study = Study(
        papers=Papers(paths=("mine.tex",)),
        cut=CutSection(min_context=2_000, min_hidden=10, per_paper=2),
        predictors=(PredictorSection(model="copy"),),
        scorer=ScorerSection(model=f"hf:{tiny_model}", unproven=True),
    ).model_copy(update={"controls": ("empty", "same-budget")})
    foreword.run(study, tmp_path, tmp_path / "results")
    done = export_study(tmp_path / "results", tmp_path / "published")
    assert done.closed_papers == ("mine",)
    said = everything(tmp_path / "published")
    assert SECRET not in said
    assert "Licence: none that is known" in said
    page = (tmp_path / "published" / "report.html").read_text()
    assert "There is no cut to show: the licences of these papers keep their text" in page


def test_an_earlier_export_leaves_nothing_behind(results: Path, tmp_path: Path) -> None:
    out = tmp_path / "published"
    export_study(results, out, allowed=["2611.00002v3"])
    assert SECRET in everything(out)
    (out / "forecasts-old.parquet").write_bytes((out / "forecasts-copy.parquet").read_bytes())
    export_study(results, out)
    assert SECRET not in everything(out)
    assert not (out / "forecasts-old.parquet").exists()
    (out / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"holds other things than an export \(notes.txt\)"):
        export_study(results, out)
    assert (out / "notes.txt").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir() if ".published" in path.name) == []


def test_addresses_of_servers_and_folders_stay_behind(
    study: Study, tiny_model: Path, tmp_path: Path
) -> None:
    from foreword.step import make_table
    from foreword.store import read_provenance

    (tmp_path / "arxiv" / "sources" / "torn.tar.gz").write_bytes(b"\x1f\x8bnothing")
    papers = study.papers.model_copy(update={"paths": ("arxiv/sources/torn.tar.gz",)})
    out = tmp_path / "results"
    foreword.run(study.model_copy(update={"papers": papers}), tmp_path, out)
    rows = [
        dataclasses.replace(
            one, settings='{"base_url": "http://10.9.8.7/v1"}', failure="no answer of 10.9.8.7"
        )
        for one in forecasts(out)
    ]
    found = read_provenance(out / "forecasts-copy.parquet") or {}
    inputs = {**found["inputs"], "predictor": ["copy", {"base_url": "http://10.9.8.7/v1"}]}
    make_table(
        out / "forecasts-copy.parquet",
        Forecast,
        "forecasts",
        inputs,
        lambda: (rows, {"failed": []}),
        overwrite=True,
    )
    scores = read_provenance(out / "scores.parquet") or {}
    make_table(
        out / "scores.parquet",
        Score,
        "scores",
        {**scores["inputs"], "forecasts": [hash_file(out / "forecasts-copy.parquet")]},
        lambda: (read_table(out / "scores.parquet", Score), {"failed": []}),
        overwrite=True,
    )
    assert "10.9.8.7" in everything(out)
    export_study(out, tmp_path / "published")
    said = everything(tmp_path / "published")
    assert "torn.tar.gz" in said
    assert [one for one in ("10.9.8.7", str(tmp_path), str(tiny_model.parent)) if one in said] == []


def test_a_licence_is_of_the_bytes_that_were_fetched(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "arxiv" / "sources" / "2611.00001v1.tex"
    path.write_text(source(SECRET + "na"))
    foreword.run(study, tmp_path, tmp_path / "results")
    rows = read_table(tmp_path / "results" / "slate.parquet", Candidate)
    assert [(one.paper_id, one.place, one.reason) for one in rows] == [
        ("2611.00001v1", None, "not listed"),
        ("2611.00002v3", 1, None),
    ]
    assert "other bytes than the one that the listing tells of" in rows[0].detail


def test_damaged_files_end_in_a_sentence(results: Path, tmp_path: Path) -> None:
    out = tmp_path / "published"
    export_study(results, out)
    with pytest.raises(UsageError, match="lies in the published folder"):
        rebuild_cuts(out, [tmp_path / "arxiv"], out / "cuts.parquet", overwrite=True)
    from foreword.store import read_provenance

    table = out / "references.parquet"
    provenance = read_provenance(table) or {}
    provenance.pop("kind")
    rows = read_table(table, Reference)
    write_table(table, rows[1:], Reference, provenance)
    with pytest.raises(TableError, match="are of other cuts"):
        rebuild_cuts(out, [tmp_path / "arxiv"], tmp_path / "again.parquet")
    write_table(table, rows, Reference, {**provenance, "reading": 5})
    with pytest.raises(TableError, match="does not say how"):
        rebuild_cuts(out, [tmp_path / "arxiv"], tmp_path / "again.parquet")
    (results / "study.json").write_text("[1")
    with pytest.raises(TableError, match=r"study\.json is damaged"):
        export_study(results, tmp_path / "another")
    assert not (tmp_path / "another").exists()


def test_offsets_are_compared_as_well(results: Path, tmp_path: Path) -> None:
    from foreword.store import read_provenance

    export_study(results, tmp_path / "published")
    table = tmp_path / "published" / "references.parquet"
    provenance = read_provenance(table) or {}
    provenance.pop("kind")
    rows = [dataclasses.replace(one, start=one.start + 1) for one in read_table(table, Reference)]
    write_table(table, rows, Reference, provenance)
    done = rebuild_cuts(tmp_path / "published", [tmp_path / "arxiv"], tmp_path / "again.parquet")
    assert (done.num_cuts, len(done.failures)) == (0, 2)


def test_every_scorers_table_is_published_without_the_texts_of_closed_papers(
    study: Study, tmp_path: Path
) -> None:
    half = FurtherScorerSection(
        name="half", model=study.scorer.model, dtype="bfloat16", unproven=True
    )
    several = study.model_copy(update={"scorers": (half,)})
    foreword.run(several, tmp_path, tmp_path / "results")
    done = export_study(tmp_path / "results", tmp_path / "published")
    assert [one.name for one in done.analysis.findings.scorers] == ["half"]
    assert (tmp_path / "published" / "report-half.html").exists()
    said = everything(tmp_path / "published")
    assert OPENED in said
    assert SECRET not in said
    assert str(tmp_path) not in said
    _, own = make_report(tmp_path / "results", scorer="half")
    _, published = make_report(tmp_path / "published", scorer="half")
    assert own.standings == published.standings
    export_study(tmp_path / "results", tmp_path / "published")  # it may take its own place


def test_the_address_of_a_scorers_server_stays_at_home(study: Study, tmp_path: Path) -> None:
    foreword.run(study, tmp_path, tmp_path / "results")
    path = tmp_path / "results" / "study.json"
    settings = json.loads(path.read_text())
    settings["scorer"]["model"] = "openai:http://10.1.2.3:8000/v1#big"
    path.write_text(json.dumps(settings))
    export_study(tmp_path / "results", tmp_path / "published")
    published = json.loads((tmp_path / "published" / "study.json").read_text())
    assert published["scorer"]["model"] == "openai:#big"
