"""The slate in a study: made before models run, on record, and in the report."""

import json
from pathlib import Path

import pytest

import foreword
from foreword.catalogue import Candidate, Listing
from foreword.errors import ForewordError, TableError, UsageError
from foreword.store import hash_file, read_table, write_table
from foreword.study import CutSection, Papers, PredictorSection, ScorerSection, SlateSection, Study
from foreword.study_file import read_study

BODY = "\\documentclass{{a}}\\begin{{document}}{}{}\\end{{document}}"
FORMULA = (
    r"\[ {0} = \alpha_{{1}} + \beta_{{2}} + \gamma_{{3}} {0} + \delta_{{4}} + \epsilon_{{5}} \]"
)


@pytest.fixture
def study(tiny_model: Path, tmp_path: Path) -> Study:
    for number, count in enumerate((3, 1, 4)):
        formulas = "".join(FORMULA.format(f"x_{{{number}{n}}}") for n in range(count))
        (tmp_path / f"paper{number}.tex").write_text(BODY.format("Some words. " * 200, formulas))
    return Study(
        papers=Papers(paths=tuple(f"paper{n}.tex" for n in range(3))),
        slate=SlateSection(min_cuts=2),
        cut=CutSection(min_context=2_000, min_hidden=10),
        predictors=(PredictorSection(model="copy"),),
        scorer=ScorerSection(model=f"hf:{tiny_model}", unproven=True),
    ).model_copy(update={"controls": ("empty", "same-budget")})


def taken(out: Path) -> list[str]:
    rows = read_table(out / "slate.parquet", Candidate)
    return [row.paper_id for row in rows if row.place]


def history(out: Path) -> list[bool]:
    lines = (out / "slates.jsonl").read_text().splitlines()
    return [row["models_had_run"] for line in lines for row in json.loads(line).values()]


def test_cuts_are_of_the_slates_papers_alone(study: Study, tmp_path: Path) -> None:
    ready = foreword.prepare(study, tmp_path, tmp_path / "out")
    assert taken(tmp_path / "out") == ["paper0", "paper2"]
    cuts = foreword.read_table(ready.cuts.path, foreword.Cut)
    assert {cut.paper_id for cut in cuts} == {"paper0", "paper2"}
    assert ready.slate.notes["left_out"] == {"too few cuts": 1}
    assert not list((tmp_path / "out").glob("forecasts*"))


def test_a_slate_chosen_after_a_model_ran_is_on_record_and_in_the_report(
    study: Study, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    foreword.prepare(study, tmp_path, out)
    first = foreword.run(study, tmp_path, out).report.read_text()
    assert "was made before any model had run here, and is the only one on record" in first
    assert "may flatter" not in first
    assert history(out) == [False]
    other = study.model_copy(update={"slate": SlateSection(min_cuts=1)})
    second = foreword.run(other, tmp_path, out).report.read_text()
    assert taken(out) == ["paper0", "paper1", "paper2"]
    assert history(out) == [False, True]
    assert "after a model had run here; it is number 2 of 2 choices" in second
    assert "may flatter" in second
    third = foreword.run(study, tmp_path, out).report.read_text()
    assert history(out) == [False, True]
    assert "before any model had run here; it is number 1 of 2 choices" in third
    assert "may flatter" in third


def test_the_report_names_criteria_and_every_paper_left_out(study: Study, tmp_path: Path) -> None:
    page = foreword.run(study, tmp_path, tmp_path / "out").report.read_text()
    assert "2 of 3 candidates were taken" in page
    assert "min cuts" in page
    assert "<code>paper1</code> <bdi>too few cuts: 1 qualify, 2 asked for</bdi>" in page


def test_no_paper_that_meets_the_criteria_ends_in_a_sentence(study: Study, tmp_path: Path) -> None:
    other = study.model_copy(update={"slate": SlateSection(min_cuts=9)})
    with pytest.raises(
        ForewordError, match=r"no paper meets .* \(3 too few cuts; the first, paper0"
    ):
        foreword.prepare(other, tmp_path, tmp_path / "out")


def test_a_slate_that_is_not_the_cuts_own_is_refused(study: Study, tmp_path: Path) -> None:
    from foreword.report_steps import make_report

    out = tmp_path / "out"
    foreword.run(study, tmp_path, out)
    rows = read_table(out / "slate.parquet", Candidate)
    write_table(out / "slate.parquet", rows[:1], Candidate, {})
    with pytest.raises(TableError, match="made from another slate"):
        make_report(out)


def test_a_listing_gives_the_papers_and_what_arxiv_says_of_them(
    study: Study, tmp_path: Path
) -> None:
    arxiv = tmp_path / "arxiv"
    (arxiv / "sources").mkdir(parents=True)
    rows = []
    for number, licence in enumerate(("by/4.0/", "by-nc-nd/4.0/", "by/4.0/")):
        name = f"2611.0000{number}v1"
        (tmp_path / f"paper{number}.tex").rename(arxiv / "sources" / f"{name}.tex")
        rows.append(
            Listing(
                paper_id=name,
                id=name[:-2],
                version=1,
                state="ok",
                source=f"sources/{name}.tex",
                source_sha256=hash_file(arxiv / "sources" / f"{name}.tex"),
                first_submitted="2026-11-03T00:00:00Z",
                licence=f"http://creativecommons.org/licenses/{licence}",
                categories=("quant-ph",),
            )
        )
    rows.append(Listing(paper_id="2611.00009v2", id="2611.00009", version=2, state="withdrawn",
                        reason="it is withdrawn"))  # fmt: skip
    query = {"categories": ["quant-ph"], "from": "2026-11-01", "to": "2026-11-30", "limit": None,
             "finished": True}  # fmt: skip
    write_table(arxiv / "listing.parquet", rows, Listing, {"queries": [query]})
    text = "[papers]\nlisting = 'arxiv/listing.parquet'\n[slate]\nlicences = ['CC-BY']\n"
    (tmp_path / "s.toml").write_text(text + "[[predictors]]\nmodel = 'copy'\n")
    found = read_study(tmp_path / "s.toml")
    listed = found.model_copy(update={"cut": study.cut, "scorer": study.scorer,
                                      "controls": study.controls})  # fmt: skip
    page = foreword.run(listed, tmp_path, tmp_path / "out").report.read_text()
    assert taken(tmp_path / "out") == ["2611.00000v1", "2611.00002v1"]
    assert "all of quant-ph whose first version came in from 2026-11-01 to 2026-11-30" in page
    assert "licence: CC-BY-NC-ND-4.0" in page
    assert "no text: withdrawn: it is withdrawn" in page


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[slate]\ncategories = ['x']\n", "2: slate: categories can be told from a listing alone"),
        ("[slate]\nlicences = ['CC-BI']\n", "2: slate.licences: arXiv has no licence CC-BI"),
        ("[slate]\nfirst_day = 2026-02-03\nlast_day = 2026-02-01\n", "last_day must not be"),
        ("[slate]\nmin_charakters = 3\n", "did you mean 'min_characters'?"),
        ("[papers]\nlisting = 'none.parquet'\n", "2: papers.listing: "),
    ],
)
def test_a_slate_that_can_not_be_is_refused_with_its_line(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "s.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        read_study(path)
    assert said in str(caught.value)


def test_a_listing_names_no_file_outside_of_its_folder(tmp_path: Path) -> None:
    for source in ("/etc/passwd", "../mine.tex", "sources/../../mine.tex", ""):
        row = Listing(paper_id="p", id="p", version=1, state="ok", source=source)
        write_table(tmp_path / "listing.parquet", [row], Listing, {})
        (tmp_path / "s.toml").write_text("[papers]\nlisting = 'listing.parquet'\n")
        with pytest.raises(UsageError, match="names a source outside of its folder"):
            read_study(tmp_path / "s.toml")


def test_a_damaged_record_of_choices_ends_in_a_sentence(study: Study, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    for text in ('{"abc": 5}\n', "[1]\n", "{not\n", '{"abc": {"models_had_run": true}}\n'):
        (tmp_path / "out" / "slates.jsonl").write_text(text)
        with pytest.raises(TableError, match=r"slates\.jsonl is damaged"):
            foreword.prepare(study, tmp_path, tmp_path / "out")


def test_the_same_choice_made_elsewhere_is_the_same_file(study: Study, tmp_path: Path) -> None:
    (tmp_path / "torn.gz").write_bytes(b"\x1f\x8bno")
    papers = study.papers.model_copy(update={"paths": (*study.papers.paths, "torn.gz")})
    other = tmp_path / "moved"
    other.mkdir()
    for path in tmp_path.glob("*.*"):
        (other / path.name).write_bytes(path.read_bytes())
    for folder in (tmp_path, other):
        foreword.prepare(study.model_copy(update={"papers": papers}), folder, folder / "out")
    for name in ("papers.parquet", "slate.parquet", "cuts.parquet", "slates.jsonl"):
        assert (tmp_path / "out" / name).read_bytes() == (other / "out" / name).read_bytes(), name


def test_nothing_is_made_over_what_it_is_made_from(study: Study, tmp_path: Path) -> None:
    from foreword.cuts import CutRules
    from foreword.stages import make_cuts

    ready = foreword.prepare(study, tmp_path, tmp_path / "out")
    with pytest.raises(UsageError, match="is what this is made from"):
        make_cuts(ready.papers.path, ready.papers.path, rules=CutRules(), seed=0, overwrite=True)
