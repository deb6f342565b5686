import base64
import dataclasses
import hashlib
import re
from itertools import pairwise
from pathlib import Path

import pytest
from make_records import Study, make_study
from page_reader import PageReader

from foreword.errors import ForewordError
from foreword.records import Analysis
from foreword.report import write_report
from foreword.report.examples import spread


def page_of(study: Study, folder: Path, **changes: object) -> str:
    settings: dict[str, object] = {
        "title": "Three notes",
        "analysis": study.analysis,
        "cuts": study.cuts,
        "forecasts": study.forecasts,
        "scores": study.scores,
        "facts": {"Scorer": "smollm2", "Seed": "0"},
        "rejected": {"no candidate site": 12, "suffix too short": 40},
    }
    path = folder / "report.html"
    write_report(path, **(settings | changes))  # type: ignore[arg-type]
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    return page_of(make_study(), tmp_path_factory.mktemp("page"))


def test_the_page_asks_for_nothing_outside(page: str) -> None:
    reader = PageReader(page)
    assert not reader.elements.keys() & {
        "script",
        "link",
        "img",
        "iframe",
        "object",
        "form",
        "base",
    }
    assert set(reader.values("href")) == {"#leaderboard", "#examples"}
    assert "src" not in {name for _, name, _ in reader.attributes}
    assert not re.search(r"https?:|url\(|@import|\bstyle=", page)


def test_the_policy_allows_only_the_one_style_sheet(page: str) -> None:
    policy = next(value for value in PageReader(page).values("content") if "default-src" in value)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy
    for part in (
        "default-src 'none'",
        "script-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    ):
        assert part in policy
    assert "unsafe" not in policy


def test_the_page_says_first_how_it_is_to_be_read(page: str) -> None:
    assert page.startswith('<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">')
    reader = PageReader(page)
    assert "viewport" in reader.values("name")
    assert (reader.unbalanced, reader.open) == ([], [])
    assert len(reader.ids) == len(set(reader.ids))


def test_headings_skip_no_level(page: str) -> None:
    levels = PageReader(page).headings
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels))


def test_every_table_has_a_caption_and_every_heading_cell_a_scope(page: str) -> None:
    reader = PageReader(page)
    assert reader.elements["table"] == reader.elements["caption"]
    assert reader.elements["th"] == sum(
        tag == "th" for tag, name, _ in reader.attributes if name == "scope"
    )
    assert reader.elements["svg"] == 3


def test_everything_that_labels_points_at_something(page: str) -> None:
    reader = PageReader(page)
    for value in reader.values("aria-labelledby"):
        assert set(value.split()) <= set(reader.ids)


def test_equal_studies_give_equal_bytes(page: str, tmp_path: Path) -> None:
    assert page_of(make_study(), tmp_path) == page


def test_the_leaderboard_shows_the_analysis(page: str) -> None:
    text = PageReader(page).text
    study = make_study()
    standing = next(
        s for s in study.analysis.standings if s.over == "same-budget" and s.rule == "clip2"
    )
    assert standing.lift.mean is not None
    assert f"{standing.lift.mean:+.3f}" in text
    assert "3 predictors wrote" in text
    assert "52 equations set aside" in text
    assert "the model declined to answer" in text
    for words in (
        "Empty scaffold",
        "Triple-budget context",
        "25 % of the truth revealed",
        "True suffix",
    ):
        assert words in text


def test_the_examples_show_place_source_formula_and_tokens(page: str) -> None:
    reader = PageReader(page)
    assert reader.elements["article"] == 12
    assert "sections/main.tex:100" in reader.text
    assert reader.elements["math"] > 12
    assert "not typeset" in reader.text
    cut = make_study().cuts[0]
    assert cut.hidden in "".join(reader.pieces)


def test_the_count_of_what_is_not_typeset_is_right(page: str) -> None:
    found = re.search(
        r"(\d+) of (\d+) equations are typeset; (\d+) could not", PageReader(page).text
    )
    assert found is not None
    typeset, total, not_typeset = map(int, found.groups())
    assert typeset == PageReader(page).elements["math"]
    assert not_typeset == total - typeset == page.count("not typeset: ")


def test_one_paper_gives_no_interval_but_words(tmp_path: Path) -> None:
    page = page_of(make_study(num_papers=1), tmp_path)
    assert "All cuts come from one paper" in page
    assert "none (one paper)" in page
    assert 'class="bar' not in page
    assert "nan" not in PageReader(page).text.replace("nano", "")


@pytest.mark.parametrize(
    ("study", "words"),
    [
        (make_study(predictors=()), "There is no predictor to rank"),
        (make_study(predictors=("large",)), "A comparison needs two predictors"),
        (make_study(num_cuts=0), "There is no cut to show"),
        (make_study(predictors=("large",), missing_every=1), "No forecast could be scored"),
        (make_study(predictors=(), controls=()), "No condition was scored"),
    ],
    ids=["no predictor", "one predictor", "no cut", "all missing", "no score"],
)
def test_a_study_with_little_in_it_still_makes_sense(
    study: Study, words: str, tmp_path: Path
) -> None:
    if words == "No forecast could be scored":
        study = without_forecasts(study)
    reader = PageReader(page_of(study, tmp_path))
    assert words in reader.text
    assert (reader.unbalanced, reader.open) == ([], [])
    assert "None" not in reader.text.replace("None is on record", "")


def without_forecasts(study: Study) -> Study:
    """The same with every forecast missing: no score and no lift of any."""
    forecasts = [dataclasses.replace(f, text=None, missing="empty") for f in study.forecasts]
    standings = tuple(
        dataclasses.replace(
            s,
            num_missing=len(study.cuts),
            lift=dataclasses.replace(
                s.lift, num_cuts=0, num_papers=0, mean=None, standard_error=None, low=None,
                high=None, median=None, share_positive=None, degrees=None,
            ),
        )
        if s.condition.startswith("forecast:")
        else s
        for s in study.analysis.standings
    )  # fmt: skip
    analysis = dataclasses.replace(
        study.analysis,
        standings=standings,
        lifts=tuple(x for x in study.analysis.lifts if not x.condition.startswith("forecast:")),
    )
    scores = [s for s in study.scores if not s.condition.startswith("forecast:")]
    return Study(analysis, study.cuts, forecasts, scores)


def test_five_hundred_cuts_stay_under_two_megabytes(tmp_path: Path) -> None:
    study = make_study(
        num_cuts=500,
        num_papers=50,
        tokens_each=190,
        controls=("empty", "same-budget", "triple-budget", "reveal:0.5", "true-suffix"),
    )
    page = page_of(study, tmp_path)
    assert len(page.encode()) <= 2_000_000
    assert page.count("<article") >= 30


def test_fewer_examples_are_shown_where_they_would_not_fit(tmp_path: Path) -> None:
    study = make_study(num_cuts=30)
    whole = page_of(study, tmp_path)
    less = page_of(study, tmp_path, max_bytes=len(whole.encode()) // 2)
    shown = less.count("<article")
    assert 5 < shown < 30
    assert f"{shown} of 30 cuts are shown, taken at even distances" in less
    assert "place 1 by lift" in less


def test_a_limit_that_not_even_the_leaderboard_meets_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ForewordError, match="even without examples"):
        page_of(make_study(), tmp_path, max_bytes=10_000)
    assert not list(tmp_path.iterdir())


def test_best_middle_and_worst_are_among_the_examples(tmp_path: Path) -> None:
    study = make_study(num_cuts=60)
    page = page_of(study, tmp_path, max_examples=5)
    places = sorted(int(place) for place in re.findall(r"place (\d+) by lift", page))
    assert len(places) == 5
    ranked = len({lift.cut_id for lift in study.analysis.lifts if lift.condition.startswith("f")})
    assert places[0] == 1
    assert places[-1] == ranked
    assert abs(places[2] - ranked / 2) <= 1


@pytest.mark.parametrize("most", range(8))
def test_a_spread_takes_each_item_once_and_both_ends(most: int) -> None:
    taken = spread(range(6), most)
    assert taken == sorted(set(taken))
    assert len(taken) == min(most, 6)
    if most > 1:
        assert (taken[0], taken[-1]) == (0, 5)


def test_other_rules_name_their_unit(tmp_path: Path) -> None:
    study = make_study()
    analysis: Analysis = dataclasses.replace(study.analysis, rule="raw")
    page = page_of(Study(analysis, study.cuts, study.forecasts, study.scores), tmp_path)
    assert "nats per token (raw)" in page
