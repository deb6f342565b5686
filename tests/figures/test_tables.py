from dataclasses import replace

import pytest
from studies_drawn import draw_models, draw_windows

from foreword.figures.study import Shown
from foreword.figures.tables import tables
from foreword.figures.tex import Table
from foreword.records import Analysis

EFFORTS = {"large": ("high", "medium", "low", "none"), "small": ("high", "low")}


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return draw_models(EFFORTS, ("copy",))


@pytest.fixture(scope="module")
def made(analysis: Analysis) -> dict[str, Table]:
    found, left_out = tables(Shown(analysis), draw_windows())
    assert left_out == {}
    return {table.name: table for table in found}


def number(cell: str) -> float:
    return float(cell.strip("$").split(r"\pm")[0])


def test_every_row_has_a_cell_under_each_head(made: dict[str, Table]) -> None:
    for table in made.values():
        for group in table.groups:
            assert {len(row) for row in group} == {len(table.heads)}


def test_lifts_are_those_of_the_leaderboard(analysis: Analysis, made: dict[str, Table]) -> None:
    (rows,) = made["table-lift"].groups
    board = [
        (one.condition.removeprefix("forecast:"), one.lift)
        for one in analysis.standings
        if (one.over, one.rule) == ("same-budget", "clip2") and "forecast:" in one.condition
    ]
    assert [row[0] for row in rows] == [name for name, _ in board]
    for row, (_, lift) in zip(rows, board, strict=True):
        assert lift.mean is not None
        assert lift.standard_error is not None
        assert number(row[1]) == pytest.approx(lift.mean, abs=5e-4)
        assert number(row[2]) == pytest.approx(lift.standard_error, abs=5e-4)
        assert row[-2:] == (str(lift.num_cuts), "6")


def test_contrasts_are_the_planned_steps_and_then_the_neighbours(made: dict[str, Table]) -> None:
    steps, neighbours = made["table-contrasts"].groups
    assert [row[0] for row in steps] == [
        "large-high $-$ large-medium",
        "large-medium $-$ large-low",
        "large-low $-$ large-none",
        "small-high $-$ small-low",
    ]
    assert len(neighbours) == 6


def test_each_rule_has_a_column(analysis: Analysis, made: dict[str, Table]) -> None:
    (rows,) = made["table-rules"].groups
    assert len(made["table-rules"].heads) == 7
    raw = {
        one.condition.removeprefix("forecast:"): one.lift.mean
        for one in analysis.standings
        if (one.over, one.rule) == ("same-budget", "raw")
    }
    for row in rows:
        assert number(row[1]) == pytest.approx(raw[row[0]], abs=5e-4)


def test_the_ladder_ends_with_the_truth_and_has_the_best_forecast_below(
    made: dict[str, Table], analysis: Analysis
) -> None:
    (rows,) = made["table-ladder"].groups
    best = analysis.standings[0].condition.removeprefix("forecast:")
    assert [row[0] for row in rows] == [
        "Same-budget context",
        f"Forecast by {best}",
        "True suffix",
    ]


def test_the_best_predictor_is_set_against_each_control(
    made: dict[str, Table], analysis: Analysis
) -> None:
    (rows,) = made["table-advantages"].groups
    assert [row[0] for row in rows] == ["Empty scaffold", "Same-budget context", "True suffix"]
    first = analysis.findings.advantages[0].first
    for row, control in zip(rows, ("empty", "same-budget", "true-suffix"), strict=True):
        (one,) = (
            one
            for one in analysis.findings.advantages
            if (one.first, one.second) == (first, control)
        )
        assert one.difference.mean is not None
        assert number(row[1]) == pytest.approx(one.difference.mean, abs=5e-4)


def test_a_trained_control_is_a_row_like_the_others(analysis: Analysis) -> None:
    trained = tuple(
        replace(one, second="trained:shortcut") if one.second == "same-budget" else one
        for one in analysis.findings.advantages
    )
    with_it = replace(analysis, findings=replace(analysis.findings, advantages=trained))
    found = {table.name: table for table in tables(Shown(with_it))[0]}
    labels = [row[0] for row in found["table-advantages"].groups[0]]
    assert len(labels) == 3
    assert any("shortcut" in label for label in labels)


def test_spending_is_listed_where_it_is_known(made: dict[str, Table]) -> None:
    (rows,) = made["table-usage"].groups
    assert "copy" not in {row[0] for row in rows}
    spent = {row[0]: row[1] for row in rows}
    assert spent["large-high"] == "$4{,}800$"
    assert spent["large-none"] == "$0$"


def test_windows_say_of_how_many_cuts_they_are(made: dict[str, Table]) -> None:
    lines, (cuts,) = made["table-windows"].groups
    assert made["table-windows"].heads[1:] == ("1 tokens", "2 tokens", "4 tokens", "8 tokens")
    assert cuts[-1] == "0"
    assert {row[-1] for row in lines} == {"--"}


def test_a_study_of_nothing_has_no_table_and_says_why() -> None:
    nothing = Analysis(
        num_cuts=0,
        num_papers=0,
        scorer_id="",
        standings=(),
        contrasts=(),
        lifts=(),
        missing=(),
    )
    found, left_out = tables(Shown(nothing))
    assert found == []
    assert len(left_out) == 8
    assert all(left_out.values())


def test_one_paper_has_means_and_no_interval() -> None:
    found, _ = tables(Shown(draw_models({}, ("a", "b"), num_papers=1)))
    (rows,) = next(table for table in found if table.name == "table-lift").groups
    assert all(row[2:4] == ("--", "--") for row in rows)
