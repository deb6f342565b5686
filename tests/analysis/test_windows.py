import math
from random import Random

import pytest
from analysis_records import make_cut, make_forecast

from foreword.analysis import (
    WINDOWS,
    analyse,
    clustered_mean,
    first_tokens,
    headline_window,
    leaderboard_text,
    window_lifts,
    windows_text,
)
from foreword.records import Cut, Score, TokenStatistics

CONDITIONS = ("empty", "same-budget", "forecast:mine")


def made(cut_id: str, condition: str, logprobs: list[float]) -> Score:
    return Score(
        cut_id=cut_id,
        paper_id=cut_id.split("/")[0],
        condition=condition,
        scorer_id="s",
        token_ids=tuple(range(len(logprobs))),
        token_texts=("x",) * len(logprobs),
        logprobs=tuple(logprobs),
    )


def study(lengths: dict[str, int]) -> list[Score]:
    draw = Random(0)
    return [
        made(cut_id, condition, [-4 * draw.random() for _ in range(length)])
        for cut_id, length in lengths.items()
        for condition in CONDITIONS
    ]


def prose_cut(cut_id: str) -> Cut:
    return Cut(
        id=cut_id,
        paper_id=cut_id.split("/")[0],
        environment="",
        context="",
        opening="",
        prefix="",
        hidden="y",
        closing="",
        kind="prose",
    )


LENGTHS = {"a/prose/1": 450, "a/prose/2": 400, "b/prose/1": 120, "c/prose/1": 700}


def test_lift_by_window_is_its_definition_in_a_plain_loop() -> None:
    scores = study(LENGTHS)
    by = {(score.cut_id, score.condition): score.logprobs for score in scores}
    for row in window_lifts(scores):
        values, papers = [], []
        for cut_id, length in LENGTHS.items():
            if length >= row.window:
                of, base = by[cut_id, row.condition], by[cut_id, "same-budget"]
                values.append(
                    sum(max(of[t], -2) - max(base[t], -2) for t in range(row.window)) / row.window
                )
                papers.append(cut_id[0])
        expected = clustered_mean(values, papers)
        assert row.lift.mean is not None
        assert expected.mean is not None
        assert math.isclose(row.lift.mean, expected.mean, abs_tol=1e-12)
        assert row.lift.num_cuts == len(values)
        assert row.num_short == len(LENGTHS) - len(values)


def test_windows_are_nested_beginnings_of_the_same_tokens() -> None:
    scores = study(LENGTHS)
    for wide, narrow in ((400, 200), (200, 50)):
        assert first_tokens(first_tokens(scores, wide)[:6], narrow) == first_tokens(
            scores[:6], narrow
        )
    assert first_tokens(scores, None) == scores
    assert all(len(score.logprobs) == 50 for score in first_tokens(scores, 50))


def test_a_short_target_has_the_windows_that_it_fills_and_a_reason_for_the_others() -> None:
    (score,) = first_tokens([made("b/prose/1", "empty", [-1.0] * 120)], 200)
    assert score.logprobs == score.token_ids == score.token_texts == ()
    assert score.failure == "its target has 120 tokens, the window 200"
    failed = Score(cut_id="x", paper_id="x", condition="empty", scorer_id="s", failure="why")
    assert first_tokens([failed], 50) == [failed]
    with pytest.raises(ValueError, match="at least one token"):
        first_tokens([failed], 0)


def test_statistics_are_cut_with_their_tokens() -> None:
    statistics = TokenStatistics(
        ranks=(1, 2),
        ties=(0, 0),
        top_1=(True, False),
        top_2=(True, True),
        top_3=(True, True),
        top_5=(True, True),
        entropies=(0.5, 0.25),
        largest_probabilities=(0.5, 0.5),
        probabilities=(0.5, 0.25),
    )
    score = Score(
        cut_id="x",
        paper_id="x",
        condition="empty",
        scorer_id="s",
        token_ids=(1, 2),
        logprobs=(-1.0, -2.0),
        statistics=statistics,
    )
    (kept,) = first_tokens([score], 1)
    assert kept.statistics is not None
    assert (kept.statistics.ranks, kept.statistics.entropies) == ((1,), (0.5,))
    (short,) = first_tokens([score], 3)
    assert short.statistics is None


def test_the_headline_of_prose_is_the_largest_window_that_half_of_the_targets_fill() -> None:
    cuts = [prose_cut(cut_id) for cut_id in LENGTHS]
    assert headline_window(cuts, study(LENGTHS)) == 400
    assert headline_window(cuts, study(dict.fromkeys(LENGTHS, 150))) == 100
    assert headline_window(cuts, study(dict.fromkeys(LENGTHS, 10))) == 50
    assert headline_window(cuts, []) == 50
    assert headline_window([make_cut("p/1/2")], study({"p/1/2": 700})) is None


def test_the_leaderboard_of_prose_is_of_its_window_and_accounts_for_every_cut() -> None:
    cuts = [prose_cut(cut_id) for cut_id in LENGTHS]
    forecasts = [make_forecast(cut.id, "mine") for cut in cuts]
    scores = study(LENGTHS)
    analysis = analyse(cuts, forecasts, scores)
    assert analysis.window == 400
    (standing,) = (
        one for one in analysis.standings
        if (one.condition, one.over, one.rule) == ("forecast:mine", "same-budget", "clip2")
    )  # fmt: skip
    (row,) = (
        one for one in window_lifts(scores, windows=(400,)) if one.condition == "forecast:mine"
    )
    assert standing.lift == row.lift
    assert (standing.lift.num_cuts, standing.num_failed) == (3, 1)
    assert "its first 400 tokens" in leaderboard_text(analysis)
    assert any("120 tokens, the window 400" in failure.reason for failure in analysis.missing)


def test_the_table_has_a_column_for_each_window_and_says_of_how_many_cuts() -> None:
    text = windows_text(window_lifts(study(LENGTHS)))
    lines = text.splitlines()
    assert lines[0].startswith("Lift over same-budget")
    assert lines[2].split("  ")[0] == "condition"
    assert all(f"first {window}" in lines[2] for window in WINDOWS)
    assert lines[-1].split() == ["cuts", "4", "4", "3", "3"]
    assert "\x1b" not in windows_text(
        window_lifts([
            made("a/prose/1", "same-budget", [-1.0]), made("a/prose/1", "forecast:\x1b[2J", [-0.5]),
        ], windows=(1,))
    )  # fmt: skip


def test_what_can_not_be_is_refused() -> None:
    scores = study({"a/prose/1": 60})
    with pytest.raises(ValueError, match="no score is of condition 'triple-budget'"):
        window_lifts(scores, over="triple-budget")
    with pytest.raises(ValueError, match="no rule is called"):
        window_lifts(scores, rule="clip4")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least one token"):
        window_lifts(scores, windows=(0,))
