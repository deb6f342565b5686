import numpy as np
import pytest
from analysis_records import make_cut, make_failed, make_forecast, make_score
from findings_made import draw_study

from foreword.analysis import Asked, analyse, lifts
from foreword.records import Rule


def test_every_condition_has_a_row_a_clip_rule_with_its_own_share_of_tokens() -> None:
    made = draw_study(num_papers=4)
    findings = analyse(
        made.cuts, made.forecasts, made.scores, asked=Asked(clips=(1.0, 5, 0.25))
    ).findings
    rules = ["clip2", "clip3", "clip5", "clip:1", "clip:0.25"]
    conditions = {score.condition for score in made.scores}
    assert len(findings.clipped) == len(conditions) * len(rules)
    for row in findings.clipped:
        tokens = np.concatenate(
            [score.logprobs for score in made.scores if score.condition == row.condition]
        )
        assert row.num_tokens == len(tokens)
        assert row.floor == -float(row.rule.removeprefix("clip").removeprefix(":"))
        assert row.at_floor.value == pytest.approx((tokens <= row.floor).mean())
        assert row.at_floor.low is not None
        assert row.at_floor.low <= row.at_floor.value
    assert list(dict.fromkeys(row.rule for row in findings.clipped)) == rules


@pytest.mark.parametrize("rule", ["clip3", "clip:0.25"])
def test_a_lift_under_a_clip_is_that_of_lifts(rule: Rule) -> None:
    made = draw_study(num_papers=4)
    findings = analyse(made.cuts, made.forecasts, made.scores, asked=Asked(clips=[0.25])).findings
    (row,) = (
        row for row in findings.clipped if (row.condition, row.rule) == ("forecast:low", rule)
    )
    values = [one.value for one in lifts(made.scores, rule=rule) if one.condition == "forecast:low"]
    assert row.lift is not None
    assert row.lift.mean == pytest.approx(np.mean(values))


def test_the_baseline_has_no_lift_and_what_failed_has_no_row() -> None:
    cut = "p/0/1"
    scores = [make_score(cut, "same-budget", -3.0), make_failed(cut, "forecast:a")]
    rows = analyse([make_cut(cut)], [make_forecast(cut, "a")], scores).findings.clipped
    assert [(row.condition, row.lift, row.at_floor.value) for row in rows] == [
        ("same-budget", None, 1.0), ("same-budget", None, 1.0), ("same-budget", None, 0.0)
    ]  # fmt: skip


def test_nothing_can_be_clipped_at_zero() -> None:
    with pytest.raises(ValueError, match="nothing can be clipped at 0"):
        analyse([], [], [], asked=Asked(clips=[0.0]))
