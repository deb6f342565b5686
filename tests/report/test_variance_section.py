"""The section on where the uncertainty comes from, on studies put through the real analysis."""

from dataclasses import replace
from pathlib import Path

from make_records import Study
from page_reader import PageReader
from test_further import table
from test_page import page_of
from test_uncertainty import COSTS, ME, Made, drawn

from foreword.analysis import Asked, analyse
from foreword.report.samples import Samples


def page(made: Made, folder: Path, **asked: object) -> str:
    analysis = analyse(made.cuts, made.forecasts, made.scores, asked=Asked(**asked))  # type: ignore[arg-type]
    scores = [replace(one, token_texts=tuple("y" for _ in one.logprobs)) for one in made.scores]
    text = page_of(Study(analysis, made.cuts, made.forecasts, scores), folder)
    reader = PageReader(text)
    assert (reader.unbalanced, reader.open) == ([], [])
    return text


def test_every_source_has_its_line_with_what_doubling_would_give(tmp_path: Path) -> None:
    made = drawn(deviations=(0.2, 0.1, 0.1))
    rows = table(page(made, tmp_path), "Sources of the error")
    sources = made.found().sources
    assert [row[1] for row in rows] == ["papers", "cuts of a paper", "samples of a cut"]
    assert [row[2] for row in rows] == ["8", "24", "48"]
    assert [row[7] for row in rows] == [f"{one.error_if_doubled:.4f}" for one in sources]


def test_with_one_sample_the_page_says_what_can_not_be_told(tmp_path: Path) -> None:
    text = page(drawn(samples=1), tmp_path)
    rows = table(text, "Sources of the error")
    assert [row[1] for row in rows] == ["papers", "cuts of a paper, with one sample each"]
    assert "two samples a cut would tell" in PageReader(text).text
    assert "Forecasts of each cut" not in text


def test_a_study_of_one_paper_has_no_such_section(tmp_path: Path) -> None:
    assert "Where the uncertainty comes from" not in page(drawn(papers=1), tmp_path)


def test_missing_samples_are_counted(tmp_path: Path) -> None:
    made = drawn()
    gone = made.forecasts[1]
    forecasts = [replace(f, text=None, missing="empty") if f is gone else f for f in made.forecasts]
    scores = [s for s in made.scores if (s.condition, s.cut_id, s.sample) != (ME, gone.cut_id, 1)]
    text = page(Made(made.cuts, forecasts, scores), tmp_path)
    assert table(text, "Forecasts of each cut") == [["me", "2", "47", "24", "1", "0"]]


def test_advice_stands_where_costs_were_stated_and_nowhere_else(tmp_path: Path) -> None:
    made = drawn(deviations=(0.2, 0.1, 0.1))
    assert "What to add next" not in page(made, tmp_path)
    rows = table(page(made, tmp_path, costs=COSTS), "What to add next")
    assert [row[1] for row in rows] == [one.step.level for one in made.found(costs=COSTS).advised]
    assert rows[0][4] == "100 %"
    unknown = {level: cost for level, cost in COSTS.items() if level != "sample"}
    assert "No advice for me" in PageReader(page(made, tmp_path, costs=unknown)).text


def test_the_scorers_repeats_are_told_as_far_as_they_are_known(tmp_path: Path) -> None:
    made = drawn(deviations=(0.2, 0.1, 0.1))
    assert "is not on record" in page(made, tmp_path)
    assert "its repeats add nothing" in page(made, tmp_path, repeat_noise=0.0)
    assert "less than 1 %" in page(made, tmp_path, repeat_noise=1e-4)
    assert "moved by up to 0.1 nats" in page(made, tmp_path, repeat_noise=0.1)


def test_an_example_shows_one_sample_and_says_which(tmp_path: Path) -> None:
    made = drawn(samples=3)
    text = page(made, tmp_path)
    assert text.count("<small>sample 1 of 3</small>") == 2 * len(made.cuts)
    assert "sample 2 of 3" not in text
    found = Samples(made.forecasts, made.scores)
    assert found.words(made.cuts[0].id, "nobody") == ""
    assert sum(map(found.shows, made.scores)) == 3 * len(made.cuts)
