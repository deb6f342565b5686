import json
from dataclasses import replace

import pytest
from analysis_records import make_cut, make_failed, make_forecast, make_score
from hypothesis import given, settings
from hypothesis import strategies as st

from foreword.analysis import RULES, analyse, analysis_json, leaderboard_text
from foreword.errors import TableError
from foreword.records import Analysis, Cut, Forecast, Score, Standing

Tables = tuple[list[Cut], list[Forecast], list[Score]]
CUTS = ("p/0/1", "p/1/1", "q/0/1")


def study(**logprobs: float) -> Tables:
    """Three cuts in two papers; a predictor a keyword, every token at its log-probability."""
    scores = [
        make_score(cut, c, x) for cut in CUTS for c, x in (("same-budget", -1), ("empty", -2))
    ]
    scores += [make_score(cut, f"forecast:{p}", x) for cut in CUTS for p, x in logprobs.items()]
    forecasts = [make_forecast(cut, p) for cut in CUTS for p in logprobs]
    return [make_cut(cut) for cut in CUTS], forecasts, scores


def ranking(analysis: Analysis) -> list[str]:
    return list(dict.fromkeys(standing.condition for standing in analysis.standings))


def standing(analysis: Analysis, condition: str, over: str = "same-budget") -> Standing:
    (found,) = (
        s for s in analysis.standings if (s.condition, s.over, s.rule) == (condition, over, "clip2")
    )
    return found


def test_every_condition_stands_over_both_baselines_under_every_rule() -> None:
    analysis = analyse(*study(a=-0.5))
    found = [(s.condition, s.over, s.rule) for s in analysis.standings]
    pairs = [
        ("forecast:a", "same-budget"),
        ("forecast:a", "empty"),
        ("same-budget", "empty"),
        ("empty", "same-budget"),
    ]
    assert found == [(condition, over, rule) for condition, over in pairs for rule in RULES]
    assert standing(analysis, "forecast:a").lift.mean == 0.5
    assert standing(analysis, "forecast:a", "empty").lift.mean == 1.5
    assert (analysis.num_cuts, analysis.num_papers, analysis.scorer_id) == (3, 2, "s")


def test_predictors_come_best_first_and_ties_by_name() -> None:
    analysis = analyse(*study(worst=-1.5, tied_b=-0.5, best=-0.25, tied_a=-0.5))
    assert ranking(analysis)[:4] == [
        "forecast:best",
        "forecast:tied_a",
        "forecast:tied_b",
        "forecast:worst",
    ]


def test_the_ranking_follows_the_headline_rule() -> None:
    cuts, forecasts, scores = study(even=-1.0, wild=-1.0)
    scores = [
        replace(s, logprobs=(-0.1, -0.1, -0.1, -9.0)) if s.condition == "forecast:wild" else s
        for s in scores
    ]
    assert ranking(analyse(cuts, forecasts, scores))[0] == "forecast:wild"
    raw = analyse(cuts, forecasts, scores, rule="raw")
    assert ranking(raw)[0] == "forecast:even"
    assert raw.rule == "raw"
    assert {lift.rule for lift in raw.lifts} == {"raw"}


def test_a_predictor_without_any_lift_comes_last_and_has_no_contrast() -> None:
    cuts, forecasts, scores = study(a=-0.5, b=-1.5)
    forecasts += [
        Forecast(cut_id=cut, predictor="Absent", text=None, missing="refused") for cut in CUTS
    ]
    analysis = analyse(cuts, forecasts, scores)
    assert ranking(analysis)[:3] == ["forecast:a", "forecast:b", "forecast:Absent"]
    absent = standing(analysis, "forecast:Absent")
    assert (absent.lift.mean, absent.lift.num_cuts, absent.num_missing) == (None, 0, 3)
    assert {(c.first, c.second) for c in analysis.contrasts} == {("forecast:a", "forecast:b")}


def test_controls_follow_from_the_true_suffix_down_to_empty() -> None:
    cuts, forecasts, scores = study(a=-0.5)
    others = (
        "reveal:0.25",
        "triple-budget",
        "reveal:0.75",
        "true-suffix",
        "reveal:0.5",
        "reveal:x",
    )
    scores += [make_score(cut, condition, -0.5) for condition in others for cut in CUTS]
    assert ranking(analyse(cuts, forecasts, scores)) == [
        "forecast:a",
        "true-suffix",
        "reveal:0.75",
        "reveal:0.5",
        "reveal:0.25",
        "triple-budget",
        "same-budget",
        "empty",
        "reveal:x",
    ]


def test_neighbours_are_contrasted_under_every_rule() -> None:
    analysis = analyse(*study(a=-0.25, b=-0.5, c=-1.0))
    assert [(c.first, c.second, c.rule) for c in analysis.contrasts] == [
        (f"forecast:{x}", f"forecast:{y}", rule) for x, y in ("ab", "bc") for rule in RULES
    ]
    assert analysis.contrasts[1].difference.mean == 0.25


def test_lifts_are_listed_per_cut_over_both_baselines() -> None:
    analysis = analyse(*study(a=-0.5))
    found = {(lift.condition, lift.over): lift.value for lift in analysis.lifts}
    assert found == {
        ("forecast:a", "same-budget"): 0.5,
        ("empty", "same-budget"): -1.0,
        ("forecast:a", "empty"): 1.5,
        ("same-budget", "empty"): 1.0,
    }
    assert len(analysis.lifts) == 12


def test_missing_and_failed_are_counted_once_each_and_listed_with_their_reasons() -> None:
    cuts, forecasts, scores = study(a=-0.5)
    forecasts[0] = Forecast(
        cut_id=CUTS[0], predictor="a", text=None, missing="failed", failure="timed out"
    )
    at = next(i for i, s in enumerate(scores) if (s.cut_id, s.condition) == (CUTS[0], "forecast:a"))
    scores[at] = make_failed(CUTS[0], "forecast:a", "no forecast")  # not counted a second time
    scores = [
        make_failed(CUTS[1], s.condition, "tokens differ") if s.cut_id == CUTS[1] else s
        for s in scores
        if s.condition != "empty"
    ]
    analysis = analyse(cuts, forecasts, scores)
    a = standing(analysis, "forecast:a")
    assert (a.lift.num_cuts, a.num_missing, a.num_failed) == (1, 1, 1)
    assert [(f.stage, f.item, f.reason) for f in analysis.missing] == [
        ("forecasts", "p/0/1 a", "failed: timed out"),
        ("scores", "p/1/1 forecast:a", "tokens differ"),
        ("scores", "p/1/1 same-budget", "tokens differ"),
    ]


def test_a_cut_without_any_row_is_accounted_for() -> None:
    cuts, forecasts, scores = study(a=-0.5, b=-0.5)
    forecasts = [f for f in forecasts if (f.cut_id, f.predictor) != (CUTS[0], "a")]
    gone = {(CUTS[0], "forecast:a"), (CUTS[1], "forecast:b"), (CUTS[2], "empty")}
    scores = [s for s in scores if (s.cut_id, s.condition) not in gone]
    analysis = analyse(cuts, forecasts, scores)
    assert [(f.item, f.reason) for f in analysis.missing] == [
        ("p/0/1 a", "there is no forecast for this cut"),
        ("p/1/1 forecast:b", "not scored"),
        ("q/0/1 empty", "not scored"),
    ]


def test_a_baseline_that_the_study_left_out_is_no_failure() -> None:
    cuts, forecasts, scores = study(a=-0.5, b=-0.25)
    analysis = analyse(cuts, forecasts, [s for s in scores if s.condition != "same-budget"])
    assert ranking(analysis)[:2] == ["forecast:b", "forecast:a"]
    b = standing(analysis, "forecast:b")
    assert (b.lift.mean, b.num_missing, b.num_failed) == (None, 0, 0)
    assert analysis.missing == ()


fates = st.sampled_from(["scored", "missing", "missing and failed", "failed", "no row", "no score"])


@settings(deadline=None)
@given(data=st.data())
def test_the_cuts_with_a_lift_the_missing_and_the_failed_add_up(data: st.DataObject) -> None:
    cuts, _, scores = study()
    forecasts = []
    scores = [make_failed(s.cut_id, s.condition) if data.draw(st.booleans()) else s for s in scores]
    for predictor in ("a", "b"):
        for cut in CUTS:
            fate = data.draw(fates)
            if fate != "no row":
                text = None if fate.startswith("missing") else "y"
                missing = None if text else "empty"
                forecasts.append(
                    Forecast(cut_id=cut, predictor=predictor, text=text, missing=missing)
                )
            if fate == "scored":
                scores.append(make_score(cut, f"forecast:{predictor}", -0.5))
            elif fate.endswith("failed"):
                scores.append(make_failed(cut, f"forecast:{predictor}"))
    analysis = analyse(cuts, forecasts, scores)
    for found in analysis.standings:
        assert found.lift.num_cuts + found.num_missing + found.num_failed == len(cuts)
    items = [failure.item for failure in analysis.missing]
    assert len(items) == len(set(items))
    json.dumps(analysis_json(analysis), allow_nan=False)
    leaderboard_text(analysis)


def test_one_paper_has_means_and_no_interval() -> None:
    cuts, forecasts, scores = study(a=-0.5, b=-1.0)
    cuts, forecasts, scores = (
        [c for c in cuts if c.paper_id == "p"],
        [f for f in forecasts if f.cut_id.startswith("p")],
        [s for s in scores if s.paper_id == "p"],
    )
    analysis = analyse(cuts, forecasts, scores)
    assert all(s.lift.low is None for s in analysis.standings)
    assert standing(analysis, "forecast:a").lift.mean == 0.5


def test_one_predictor_has_no_neighbour() -> None:
    assert analyse(*study(a=-0.5)).contrasts == ()


def test_no_cuts_give_an_empty_analysis() -> None:
    analysis = analyse([], [], [])
    assert analysis == Analysis(
        num_cuts=0, num_papers=0, scorer_id="", standings=(), contrasts=(), lifts=(), missing=()
    )


def test_the_order_of_the_scores_does_not_matter() -> None:
    cuts, forecasts, scores = study(a=-0.5, b=-0.75)
    first = analyse(cuts, forecasts, scores)
    second = analyse(cuts, forecasts[::-1], scores[::-1])
    assert (first.standings, first.contrasts) == (second.standings, second.contrasts)


def test_tables_that_do_not_belong_together_are_refused() -> None:
    cuts, forecasts, scores = study(a=-0.5)
    with pytest.raises(TableError, match="two scorers"):
        analyse(cuts, forecasts, [*scores[:-1], replace(scores[-1], scorer_id="t")])
    with pytest.raises(TableError, match="p/0/1 twice"):
        analyse([*cuts, cuts[0]], forecasts, scores)
    with pytest.raises(TableError, match="a score is for q/0/1"):
        analyse(cuts[:2], forecasts[:2], scores)
    with pytest.raises(TableError, match="a forecast by a is for q/0/1"):
        analyse(cuts[:2], forecasts, [])
    with pytest.raises(TableError, match="two forecasts for p/0/1"):
        analyse(cuts, [*forecasts, forecasts[0]], scores)
    with pytest.raises(TableError, match="other target tokens"):
        analyse(cuts, forecasts, [*scores[:-1], replace(scores[-1], token_ids=(1, 2, 3, 4))])
    with pytest.raises(TableError, match="no log-probability"):
        analyse(cuts, forecasts, [*scores[:-1], replace(scores[-1], logprobs=(1.0,) * 4)])
    refused = [replace(f, text=None, missing="refused") for f in forecasts]
    with pytest.raises(TableError, match="though that forecast is missing"):
        analyse(cuts, refused, scores)


def test_an_unknown_headline_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="'clip9'"):
        analyse([], [], [], rule="clip9")  # type: ignore[arg-type]
