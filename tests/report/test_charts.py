from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.report.charts import MAX_CURVES, Curve, Row, cumulative, forest, ticks

NATS = st.floats(-1e3, 1e3)


@given(NATS, st.floats(1e-3, 1e3))
def test_ticks_are_few_round_and_cover_the_range(low: float, span: float) -> None:
    marks = ticks(low, low + span)
    assert 2 <= len(marks) <= 8
    assert marks[0] <= low + 1e-6 * span
    assert marks[-1] >= low + span - 1e-6 * span
    steps = {round((b - a) / (marks[1] - marks[0]), 6) for a, b in pairwise(marks)}
    assert steps == {1.0}


def test_ticks_of_one_value_surround_it() -> None:
    marks = ticks(2.0, 2.0)
    assert marks[0] < 2 < marks[-1]


def chart(rows: list[Row]) -> ElementTree.Element:
    return ElementTree.fromstring(forest(rows, name="f", title="Lifts", axis="nats"))


def test_a_forest_plot_has_a_title_a_description_and_its_numbers_as_text() -> None:
    root = chart([Row(label="one", mean=0.2, low=0.1, high=0.3), Row(label="two", mean=-0.1)])
    assert root.attrib["aria-labelledby"] == "f-t f-d"
    assert root.findtext("title") == "Lifts"
    assert root.findtext("desc") == "one: +0.200  [+0.100, +0.300]; two: −0.100"


def test_a_row_without_an_interval_has_no_bar_and_one_without_a_mean_no_point() -> None:
    root = chart([Row(label="point only", mean=0.2), Row(label="nothing", mean=None)])
    drawn = [element.get("class", "") for element in root.iter()]
    assert "bar predictor" not in drawn
    assert drawn.count("dot predictor") == 1
    assert "no value" in (root.findtext("desc") or "")


def test_controls_stand_apart_and_look_different() -> None:
    together = chart([Row(label="a", mean=0.1), Row(label="b", mean=0.2)])
    apart = chart([Row(label="a", mean=0.1), Row(label="b", mean=0.2, kind="control")])
    assert float(apart.attrib["height"]) > float(together.attrib["height"])
    assert apart.find(".//path[@class='dot control']") is not None


def test_points_stand_in_the_order_of_their_values() -> None:
    root = chart([Row(label=str(n), mean=n / 10) for n in range(-3, 6)])
    places = [float(dot.attrib["cx"]) for dot in root.iter("circle")]
    assert places == sorted(places)


@given(
    st.lists(st.lists(st.floats(-2, 2), min_size=1, max_size=40), min_size=1, max_size=MAX_CURVES)
)
def test_every_curve_climbs_from_none_to_all(values: list[list[float]]) -> None:
    curves = [Curve(label=f"p{n}", values=found) for n, found in enumerate(values)]
    root = ElementTree.fromstring(cumulative(curves, name="e", title="t", axis="nats"))
    for number in range(len(curves)):
        path = root.find(f"path[@class='curve s{number}']")
        assert path is not None
        heights = [float(step.partition("H")[0]) for step in path.attrib["d"].split("V")[1:]]
        assert heights == sorted(heights, reverse=True)
        assert heights[-1] == pytest.approx(14.0)


def test_a_curve_of_many_cuts_stays_small() -> None:
    values = [n / 25_000 - 1 for n in range(50_000)]
    drawn = cumulative([Curve(label="a", values=values)], name="e", title="t", axis="nats")
    assert len(drawn) < 25_000


def test_labels_are_escaped() -> None:
    drawn = forest([Row(label="<b>&\u202e", mean=0.1)], name="f", title="<i>", axis='"')
    assert "<b>" not in drawn
    assert "&lt;b&gt;&amp;⟨U+202E⟩" in drawn
