"""Dates of papers and cutoffs of models on the page, on studies that the real analysis made."""

from dataclasses import replace
from pathlib import Path

import pytest
from findings_made import draw_study
from make_records import make_study
from page_reader import PageReader
from test_further import study_of, table
from test_page import page_of

from foreword.analysis import Asked
from foreword.dates import first_public
from foreword.findings import PaperDate

MONTHS = ("2025-01", "2025-02", "2025-06-01", "2025-08", "2025-09-30", None)
"""When the six papers of the drawn study were public."""


def dated() -> dict[str, PaperDate]:
    return {
        f"paper{at}": first_public(f"paper{at}", stated=month) for at, month in enumerate(MONTHS)
    }


def page_with(folder: Path, **cutoffs: str) -> str:
    keyed = {"scorer" if k == "scorer" else f"forecast:{k}": v for k, v in cutoffs.items()}
    made = draw_study(num_papers=6)
    return page_of(study_of(made, Asked(cutoffs=keyed, dates=dated())), folder)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("fresh")
    return page_with(folder, high="2025-06-01", low="2025-09", scorer="2025-08")


def test_each_predictor_has_three_groups_by_its_own_cutoff_and_by_the_scorers(page: str) -> None:
    own = {row[0]: row for row in table(page, "By each predictor’s own cutoff")}
    assert [row[1] for row in own.values()] == ["2025-06-01", "2025-09", "not stated", "no model"]
    assert [own["high"][at] for at in (2, 5, 8)] == ["3", "2", "1"]
    assert [own["low"][at] for at in (2, 5, 8)] == ["4", "0", "2"]
    assert [own["none"][at] for at in (2, 5, 8)] == ["0", "0", "6"]
    assert [own["copy"][at] for at in (2, 5, 8)] == ["0", "5", "1"]
    assert [own[name][-1] == "–" for name in own] == [False, True, True, True]
    scorers = table(page, "By the scorer’s cutoff")
    assert [[row[at] for at in (1, 2, 5, 8)] for row in scorers] == [["2025-08", "3", "1", "2"]] * 4


def test_the_page_says_where_dates_come_from_and_lists_them(page: str) -> None:
    text = PageReader(page).text
    assert "5 papers: stated by the user" in text
    assert "1 paper: not known" in text
    assert "paper0 2025-01-01 to 2025-01-31, stated by the user" in text
    assert "paper2 2025-06-01, stated by the user" in text
    assert "A predictor without a model" in text


def test_one_sentence_at_the_head_tells_of_lifts_on_papers_that_may_have_been_read(
    page: str, tmp_path: Path
) -> None:
    head = PageReader(page.partition("<table")[0]).text
    assert (
        "3 of 4 predictors have a lift from papers that the model may have read, because they were "
        "public by its stated knowledge cutoff or can’t be dated against a stated knowledge cutoff"
    ) in head
    unknown = PageReader(page_with(tmp_path).partition("<table")[0]).text
    assert "because they can’t be dated against a stated" in unknown
    assert 'href="#freshness"' in page
    assert 'id="freshness"' in page


def test_there_is_no_such_sentence_where_every_paper_came_later(tmp_path: Path) -> None:
    made = draw_study(num_papers=6)
    dates = {f"paper{at}": first_public(f"paper{at}", stated="2025-06") for at in range(6)}
    cutoffs = {f"forecast:{name}": "2024-12" for name in ("high", "low", "none")}
    page = page_of(study_of(made, Asked(cutoffs=cutoffs, dates=dates)), tmp_path)
    assert "may have read, because" not in page
    assert [row[5] for row in table(page, "By each predictor’s own cutoff")] == ["6"] * 4


def test_the_page_stays_well_formed_and_hostile_names_stay_text(tmp_path: Path) -> None:
    text = "</td><script>alert(1)</script>\u202e"
    made = draw_study(num_papers=3, levels={f"forecast:{text}": -1.0})
    renamed = replace(
        made,
        cuts=[replace(one, paper_id=f"{text}{one.paper_id}") for one in made.cuts],
        scores=[replace(one, paper_id=f"{text}{one.paper_id}") for one in made.scores],
    )
    asked = Asked(cutoffs={f"forecast:{text}": "2025-01"})
    page = page_of(study_of(renamed, asked), tmp_path)
    reader = PageReader(page)
    assert (reader.unbalanced, reader.open) == ([], [])
    assert "script" not in reader.elements
    assert "\u202e" not in page


def test_many_papers_are_listed_in_part_and_none_are_not_shown(tmp_path: Path) -> None:
    many = PageReader(page_of(study_of(draw_study(num_papers=501, per_paper=1)), tmp_path)).text
    assert "501 papers: not known" in many
    assert "and 1 more, which foreword report --json lists" in many
    assert 'id="freshness"' not in page_of(make_study(), tmp_path)
