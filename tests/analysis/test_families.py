import json
from dataclasses import replace

import pytest
from findings_made import draw_study

from foreword.analysis import Asked, analyse, t_p, trend
from foreword.analysis.families import find_relatives
from foreword.analysis.pairing import mean_scores
from foreword.records import Forecast


def asked(predictor: str, **settings: object) -> Forecast:
    return Forecast(cut_id="p/0/1", predictor=predictor, text="y", settings=json.dumps(settings))


def orders(*rows: Forecast) -> list[list[str]]:
    scored = [f"forecast:{row.predictor}" for row in rows]
    return [
        [name.removeprefix("forecast:") for name in found.efforts.values()]
        for found in find_relatives(rows, scored)
    ]


def test_efforts_of_one_model_are_a_family_in_their_known_order() -> None:
    efforts = ["xhigh", "none", "medium", "minimal", "high", "low", "max"]
    rows = [asked(f"p{effort}", model="m", reasoning_effort=effort) for effort in efforts]
    assert orders(*rows) == [["pnone", "pminimal", "plow", "pmedium", "phigh", "pxhigh", "pmax"]]


def test_room_for_more_tokens_does_not_part_a_family_but_other_settings_do() -> None:
    low = asked("a", model="m", reasoning_effort="low", max_tokens=100, temperature=1)
    assert orders(low, asked("b", model="m", reasoning_effort="high", temperature=1)) == [
        ["a", "b"]
    ]
    assert orders(low, asked("b", model="m", reasoning_effort="high", temperature=0)) == []
    assert orders(low, asked("b", model="n", reasoning_effort="high", temperature=1)) == []


def test_what_has_no_known_order_is_no_family() -> None:
    low = asked("a", model="m", reasoning_effort="low")
    for other in (
        asked("b", model="m", reasoning_effort="low"),
        asked("b", model="m", reasoning_effort="heroic"),
        asked("b", model="m", reasoning_effort=["high"]),
        asked("b", model="m"),
        asked("b", reasoning_effort="high"),
        replace(asked("b"), settings="[" * 100_000),
        replace(asked("b"), settings="not json"),
        replace(asked("b"), settings="7"),
    ):
        assert orders(low, other) == []


def test_a_predictor_with_two_settings_is_in_no_family() -> None:
    rows = [
        asked("a", model="m", reasoning_effort="low"),
        asked("a", model="m", reasoning_effort="high"),
        asked("b", model="m", reasoning_effort="high"),
    ]
    assert find_relatives(rows, ["forecast:a", "forecast:b"]) == []


def test_a_predictor_without_a_score_is_in_no_family() -> None:
    rows = [asked(name, model="m", reasoning_effort=name) for name in ("low", "high")]
    assert find_relatives(rows, ["forecast:low"]) == []


def test_the_analysis_has_each_familys_trend_and_steps() -> None:
    made = draw_study()
    findings = analyse(made.cuts, made.forecasts, made.scores, asked=Asked(seed=5)).findings
    (family,) = findings.families
    conditions = ("forecast:none", "forecast:low", "forecast:high")
    assert (family.model, family.efforts) == ("maker/model", ("none", "low", "high"))
    assert family.conditions == conditions
    papers = {cut.id: cut.paper_id for cut in made.cuts}
    assert family.slope == trend(mean_scores(made.scores, "clip2"), conditions, papers)
    assert family.p == t_p(family.slope)
    assert [(step.first, step.second) for step in family.steps] == [
        ("forecast:low", "forecast:none"),
        ("forecast:high", "forecast:low"),
    ]
    total = sum(step.difference.mean or 0 for step in family.steps)
    assert family.slope.mean == pytest.approx(total / 2)
    assert {step.evidence.num_tests for step in family.steps if step.evidence} == {2}
