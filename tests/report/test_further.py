"""The further sections of the page, on a study that the real analysis has gone through."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from findings_made import Made, draw_study, with_one_large_paper
from make_records import Study
from page_reader import PageReader
from test_page import page_of

from foreword.analysis import Asked, analyse
from foreword.findings import UNEVEN
from foreword.records import Analysis
from foreword.report.numbers import interval


def study_of(made: Made, asked: Asked = Asked()) -> Study:  # noqa: B008 (frozen)
    analysis = analyse(made.cuts, made.forecasts, made.scores, asked=asked)
    scores = [replace(one, token_texts=tuple("y" for _ in one.logprobs)) for one in made.scores]
    return Study(analysis, made.cuts, made.forecasts, scores)


@pytest.fixture(scope="module")
def study() -> Study:
    return study_of(draw_study(num_papers=8), Asked(clips=(1.0,)))


@pytest.fixture(scope="module")
def page(study: Study, tmp_path_factory: pytest.TempPathFactory) -> str:
    return page_of(study, tmp_path_factory.mktemp("further"))


def table(page: str, caption: str) -> list[list[str]]:
    """The rows of the table whose caption holds these words, as a reader sees their cells."""
    for found in re.findall(r"<table.*?</table>", page, re.DOTALL):
        if caption in PageReader(found).text:
            rows = re.findall(r"<tr>(.*?)</tr>", found.partition("<tbody>")[2], re.DOTALL)
            return [
                [PageReader(cell).text for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)]
                for row in rows
            ]
    raise AssertionError(f"no table is called {caption}")


def test_the_page_is_well_formed_and_says_nothing_of_none(page: str) -> None:
    reader = PageReader(page)
    assert (reader.unbalanced, reader.open) == ([], [])
    assert reader.elements["table"] == reader.elements["caption"]
    assert len(reader.ids) == len(set(reader.ids))
    assert not re.search(r"\bNone\b|\bnan\b", reader.text.replace("None is on record", ""))


def test_ranks_medians_and_shares_stand_with_their_intervals(page: str, study: Study) -> None:
    rows = table(page, "Rank, median lift")
    assert [row[0] for row in rows] == ["high", "low", "none", "copy"]
    one = study.analysis.findings.steadiness[0]
    assert one.rank is not None
    assert one.median is not None
    assert rows[0][1:4] == [
        "1", f"{one.rank.low} to {one.rank.high}", f"{one.median.value:+.3f}"
    ]  # fmt: skip
    assert re.fullmatch(r"[+−]?\d\.\d{3} to [+−]?\d\.\d{3}", rows[0][4])
    assert re.fullmatch(r"\d+ to \d+ %", rows[0][6])
    assert "8 papers can’t be drawn in many ways" in PageReader(page).text


def test_other_errors_and_the_paper_that_counts_most_are_shown(page: str, study: Study) -> None:
    rows = table(page, "other standard errors")
    one = study.analysis.findings.steadiness[0]
    assert one.influence is not None
    assert rows[0][3] == f"{one.others[0].standard_error:.4f}"
    assert rows[0][4] == interval(one.by_cr2)
    assert rows[0][8] == one.influence.cluster
    assert rows[0][10].endswith(" SE")


def test_papers_of_very_unequal_size_are_told(tmp_path: Path) -> None:
    study = study_of(with_one_large_paper(draw_study(num_papers=8, per_paper=30)))
    cr2 = study.analysis.findings.steadiness[0].by_cr2
    assert cr2 is not None
    assert cr2.degrees is not None
    assert cr2.degrees < UNEVEN * 7
    assert (
        f"for high CR2 has {cr2.degrees:.1f} degrees of freedom, where papers of one size would "
        "give 7"
    ) in PageReader(page_of(study, tmp_path)).text
    study = study_of(draw_study(num_papers=8, per_paper=1))
    assert "many more cuts" not in page_of(study, tmp_path)


def test_every_neighbour_has_its_evidence(page: str, study: Study) -> None:
    rows = table(page, "What these 8 papers can tell")
    tested = [one for one in study.analysis.contrasts if one.evidence]
    assert [row[0] for row in rows] == ["high − low", "low − none", "none − copy"]
    for row, one in zip(rows, tested, strict=True):
        assert one.evidence is not None
        assert one.evidence.p_t is not None
        assert row[1] == ("< 0.001" if one.evidence.p_t < 0.0005 else f"{one.evidence.p_t:.3f}")
        assert row[4] == f"{one.evidence.smallest_difference:.3f}"
        assert row[5] == f"{one.evidence.papers_needed:,}"


def test_a_family_of_efforts_has_its_trend_and_its_steps(page: str) -> None:
    assert table(page, "Trend over efforts")[0][:2] == ["maker/model", "none → low → high"]
    assert [row[0] for row in table(page, "minus the one below")] == ["low − none", "high − low"]


def test_what_was_spent_is_drawn_and_told(page: str) -> None:
    rows = table(page, "whose number is known")
    assert [row[0] for row in rows] == ["high", "low", "none"]  # copy has no numbers
    assert rows[2][2] == "0"
    assert page.count("<svg") == 5  # lifts, contrasts, distribution, tokens, cost
    assert page.count('class="break"') == 1  # tokens have a zero, costs have none


def test_a_clip_that_was_asked_for_stands_beside_the_six_rules(page: str) -> None:
    assert "softened in 7 ways" in page
    assert ">Clip at 1</th>" in page
    shares = table(page, "at the floor of each clip rule")
    assert len(shares) == 7
    assert [len(row) for row in shares] == [6] * 7


def test_hard_cuts_and_copies_are_told(page: str) -> None:
    assert [row[0] for row in table(page, "on the hard cuts")] == ["high − low", "low − none"]
    text = PageReader(page).text
    assert "gains least: a lift of" in text
    assert "0 of them back to the start of the paper" in text
    assert table(page, "answer stands before them")[0] == ["Exact", "0", "0"]


def test_more_predictors_than_a_chart_can_hold_get_more_charts(tmp_path: Path) -> None:
    levels = {f"forecast:p{n}": -1.0 - n / 20 for n in range(14)}
    page = page_of(study_of(draw_study(num_papers=4, levels=levels)), tmp_path)
    assert page.count('aria-label="Chart of distributions"') == 3
    assert "All charts have the same axis" in page
    marks = re.findall(r'id="ecdf\d+-d".*?<path class="grid[^"]*" d="(M[\d.]+)', page)
    assert len(marks) == 3
    assert len(set(marks)) == 1


def test_one_paper_has_no_interval_and_says_so(tmp_path: Path) -> None:
    page = page_of(study_of(draw_study(num_papers=1)), tmp_path)
    assert "one paper gives none" in page
    assert not re.search(r"\bNone\b|\bnan\b", PageReader(page).text.replace("None is", ""))
    assert table(page, "What these 1 paper can tell")[0][1:4] == ["–", "–", "–"]


@pytest.mark.parametrize("levels", [{}, {"forecast:a": -1.0}])
def test_a_study_with_little_in_it_still_makes_sense(
    levels: dict[str, float], tmp_path: Path
) -> None:
    page = page_of(study_of(draw_study(num_papers=3, levels=levels)), tmp_path)
    reader = PageReader(page)
    assert (reader.unbalanced, reader.open) == ([], [])
    assert not re.search(r"\bNone\b", reader.text.replace("None is", ""))


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    text = "</td><script>alert(1)</script>\u202e"
    made = draw_study(num_papers=3, levels={f"forecast:{text}{n}": -1.0 - n for n in range(3)})
    forecasts = [
        replace(one, settings=f'{{"model": "<b>", "reasoning_effort": "{effort}"}}')
        for one in made.forecasts
        for effort in [("none", "low", "high")[int(one.predictor[-1])]]
    ]
    study = study_of(replace(made, forecasts=forecasts))
    analysis: Analysis = study.analysis
    assert analysis.findings.families
    page = page_of(study, tmp_path)
    reader = PageReader(page)
    assert not reader.elements.keys() & {"script", "b"} - {"b"}
    assert "<b>" not in page.replace("<b class", "")
    assert "\u202e" not in page
    assert (reader.unbalanced, reader.open) == ([], [])
