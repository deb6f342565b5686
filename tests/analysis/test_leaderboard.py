import json

import pytest
from analysis_records import make_cut, make_failed, make_forecast, make_score
from findings_made import draw_study, with_one_large_paper

from foreword.analysis import analyse, analysis_json, leaderboard, leaderboard_text
from foreword.analysis.columns import signed
from foreword.records import Analysis, Forecast


def two_papers(*names: str) -> Analysis:
    """Two cuts in two papers; every predictor is a little worse than the one before."""
    cuts = ["p/0/1", "q/0/1"]
    scores = [
        make_score(cut, condition, value - 0.25 * (cut == "q/0/1"))
        for cut in cuts
        for condition, value in (("empty", -1.5), ("same-budget", -1.0), ("true-suffix", -0.05))
    ]
    scores += [
        make_score(cut, f"forecast:{name}", -0.25 - 0.125 * i)
        for i, name in enumerate(names)
        for cut in cuts
    ]
    forecasts = [make_forecast(cut, name) for cut in cuts for name in names]
    return analyse([make_cut(cut) for cut in cuts], forecasts, scores)


def test_the_leaderboard_reads_as_it_should() -> None:
    assert leaderboard_text(two_papers("good", "fair")).splitlines() == [
        "Likelihood lift over same-budget context (nats per token, clip 2)",
        "2 cuts, 2 papers, scorer s",
        "",
        "predictor    lift     95 % interval  over empty  median  share +  cuts  papers  missing",
        "good       +0.875  [−0.713, +2.463]      +1.375  +0.875    1.000     2       2        0",
        "fair       +0.750  [−0.838, +2.338]      +1.250  +0.750    1.000     2       2        0",
        "",
        "control        lift  95 % interval  over empty  median  share +  cuts  papers  failed",
        "true-suffix  +0.950              –      +1.450  +0.950    1.000     2       2       0",
        "same-budget       –              –      +0.500       –        –     2       2       0",
        "empty        −0.500              –           –  −0.500    0.000     2       2       0",
        "",
        "neighbours, paired  difference  95 % interval  median  share +  cuts  papers",
        "good − fair             +0.125              –  +0.125    1.000     2       2",
        "",
        "The ranking chose these pairs, and their intervals are not corrected for that.",
    ]


def test_long_names_keep_both_ends_and_no_line_is_too_wide() -> None:
    names = [f"hf:someone/{'a-long-model-name-' * 8}effort-{level}" for level in ("high", "low")]
    text = leaderboard_text(two_papers(*names))
    assert max(map(len, text.splitlines())) <= 100
    assert "high" in text
    assert "low" in text


def test_a_name_cannot_move_the_cursor_or_break_a_line() -> None:
    text = leaderboard_text(two_papers("\x1b[2J\n\u202eevil"))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert text.splitlines()[4].startswith("\ufffd[2J")


def test_what_does_not_exist_is_a_dash_and_never_a_number() -> None:
    cuts = [make_cut("p/0/1")]
    forecasts = [Forecast(cut_id="p/0/1", predictor="mute", text=None, missing="empty")]
    text = leaderboard_text(analyse(cuts, forecasts, [make_score("p/0/1", "same-budget", -1.0)]))
    assert text.splitlines()[4].split() == ["mute", *"–––––", "0", "0", "1"]
    assert "nan" not in text


def test_predictors_with_failed_scores_are_named_below_the_table() -> None:
    scores = [make_score("p/0/1", "same-budget", -1.0), make_failed("p/0/1", "forecast:a")]
    text = leaderboard_text(analyse([make_cut("p/0/1")], [make_forecast("p/0/1", "a")], scores))
    assert "a: 1 cut could not be scored" in text


def test_the_unit_follows_the_headline_rule() -> None:
    empty = analyse([], [], [], rule="sqrt")
    assert "per token, square-root loss" in leaderboard_text(empty)
    assert analysis_json(empty)["rule"] == "sqrt"


def test_the_json_holds_everything_but_the_lifts_of_single_cuts() -> None:
    analysis = two_papers("good", "fair")
    found = json.loads(json.dumps(analysis_json(analysis), allow_nan=False))
    assert set(found) == {
        "num_cuts",
        "num_papers",
        "scorer_id",
        "rule",
        "unit",
        "window",
        "standings",
        "contrasts",
        "missing",
        "findings",
    }
    good = found["findings"]["steadiness"][0]
    assert (good["condition"], good["rank"]["high"]) == ("forecast:good", 1)
    assert found["contrasts"][1]["evidence"]["num_tests"] == 0
    assert len(found["standings"]) == len(analysis.standings)
    assert found["standings"][0]["lift"]["mean"] == analysis.standings[0].lift.mean


def test_the_smallest_differences_are_told_where_papers_differ() -> None:
    made = draw_study(num_papers=6)
    analysis = analyse(made.cuts, made.forecasts, made.scores)
    assert "Ranks on" not in leaderboard_text(analysis)
    last = leaderboard_text(analysis).splitlines()[-1]
    seen = [c.evidence.smallest_difference for c in analysis.contrasts if c.evidence]
    ends = [f"{end:.3f}" for end in (min(filter(None, seen)), max(filter(None, seen)))]
    assert last == f"80 % of such studies would find a difference of {ends[0]} to {ends[1]}."
    assert max(map(len, leaderboard_text(analysis).splitlines())) <= 100


def test_a_study_with_one_very_large_paper_has_the_interval_that_allows_for_it() -> None:
    made = draw_study(num_papers=8, per_paper=1)
    text = leaderboard_text(analyse(made.cuts, made.forecasts, made.scores))
    assert "many more cuts" not in text
    made = with_one_large_paper(draw_study(num_papers=8, per_paper=30))
    analysis = analyse(made.cuts, made.forecasts, made.scores)
    text = " ".join(leaderboard_text(analysis).split())
    cr2 = analysis.findings.steadiness[0].by_cr2
    assert cr2 is not None
    assert (
        "Some papers have many more cuts than others: these intervals are too narrow. By CR2, with "
        f"{cr2.degrees:.1f} degrees of freedom of 7, high has [{signed(cr2.low)}, "
        f"{signed(cr2.high)}]; the report has the others."
    ) in text


def test_with_twenty_papers_nothing_is_said_of_too_few() -> None:
    made = draw_study(num_papers=20, per_paper=3)
    text = leaderboard_text(analyse(made.cuts, made.forecasts, made.scores))
    assert "Ranks on " in text
    assert "so few papers" not in text


def test_many_ranks_are_wrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaderboard, "FEW_PAPERS", 2)
    text = leaderboard_text(two_papers(*(f"predictor-{n}" for n in range(12))))
    lines = text.splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("Ranks on"))
    assert "predictor-11 12 (12–12)." in " ".join(lines[first : first + 6])
    assert max(map(len, lines)) <= 100
