from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.report.scatter import Point, Spread, log_marks, scatter


def point(label: str, spent: float, lift: float = 0.1, **ends: float | None) -> Point:
    return Point(
        label=label,
        spent=Spread(mean=spent, low=ends.get("left"), high=ends.get("right")),
        lift=Spread(mean=lift, low=ends.get("low"), high=ends.get("high")),
    )


def chart(*points: Point) -> ElementTree.Element:
    drawn = scatter(points, name="s", title="Lift", across="tokens", up="lift, nats")
    return ElementTree.fromstring(drawn)


@given(st.floats(1e-6, 1e6), st.floats(1.0, 1e6))
def test_marks_cover_the_range_and_are_few(low: float, times: float) -> None:
    marks = log_marks(low, low * times)
    assert 2 <= len(marks) <= 9
    assert marks == sorted(set(marks))
    assert marks[0] <= low * (1 + 1e-6)
    assert marks[-1] >= low * times * (1 - 1e-6)


@pytest.mark.parametrize("power", range(-6, 7))
def test_a_power_of_ten_alone_stands_at_a_mark(power: int) -> None:
    assert log_marks(10.0**power, 10.0**power)[0] == pytest.approx(10.0**power)


def test_equal_ratios_are_equal_steps() -> None:
    root = chart(*(point(str(n), 10.0**n) for n in range(1, 5)))
    places = [float(dot.attrib["cx"]) for dot in root.iter("circle")]
    steps = [b - a for a, b in pairwise(places)]
    assert max(steps) - min(steps) < 0.3


def test_zero_has_a_place_of_its_own_left_of_a_break() -> None:
    root = chart(point("none", 0.0), point("low", 40.0), point("high", 9000.0))
    places = [float(dot.attrib["cx"]) for dot in root.iter("circle")]
    assert places[0] < places[1] < places[2]
    assert root.find("path[@class='break']") is not None
    assert "0" in [text.text for text in root.iter("text")]
    alone = chart(point("low", 40.0), point("high", 9000.0))
    assert alone.find("path[@class='break']") is None


def test_nothing_but_zeros_can_be_drawn() -> None:
    root = chart(point("a", 0.0), point("b", 0.0, lift=-0.2))
    assert len({dot.attrib["cx"] for dot in root.iter("circle")}) == 1


def test_bars_are_drawn_where_there_are_intervals_and_stay_on_the_chart() -> None:
    root = chart(point("a", 50.0, low=0.05, high=0.2, left=-10.0, right=1e9), point("b", 90.0))
    bars = [
        path.attrib["d"] for path in root.iter("path") if path.attrib["class"] == "bar predictor"
    ]
    assert len(bars) == 1
    ends = [float(bars[0].rsplit("M", 1)[1].split(" ")[0]), float(bars[0].rsplit("H", 1)[1])]
    assert 56 <= ends[0] < ends[1] <= 544


def test_labels_are_escaped_and_said_in_words() -> None:
    drawn = scatter([point("<b>&\u202e", 1234.0)], name="s", title="<i>", across='"', up="'")
    assert "<b>" not in drawn
    assert "&lt;b&gt;&amp;⟨U+202E⟩" in drawn
    assert "1 &lt;b&gt;&amp;⟨U+202E⟩: 1.23e+03 for a lift of +0.100" in drawn
