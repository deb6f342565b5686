"""Lift against what it cost, as a static SVG with a logarithmic axis.

Zero has no place on such an axis. It gets one of its own at the left, before a mark that breaks
the axis. Each point bears a number, which the legend explains. Coordinates are in CSS pixels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from markupsafe import Markup

from foreword.report.charts import ticks
from foreword.report.numbers import plain, signed
from foreword.report.svg import WIDTH, drawing, escaped
from foreword.report.visible import shortened

_TOP, _BOTTOM, _LEFT, _RIGHT = 32.0, 322.0, 56.0, WIDTH - 236.0
_AXIS = 44
_LINE = 18
_ZERO = _LEFT + 20
_BREAK = _LEFT + 44


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A mean and its 95 % interval, where there is one."""

    mean: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One predictor: what it spent, and what it gained."""

    label: str
    spent: Spread
    """From 0 up."""
    lift: Spread


def log_marks(low: float, high: float) -> list[float]:
    """Round numbers that cover a range of positive ones, evenly or nearly so on a log axis.

    Powers of ten, and twice and five times them where the range is short.

    >>> log_marks(30, 4000)
    [10.0, 100.0, 1000.0, 10000.0]
    >>> log_marks(300, 900)
    [200.0, 500.0, 1000.0]
    """
    first, last = floor(log10(low) + 1e-9), ceil(log10(high) - 1e-9)
    if last - first > 2:
        step = ceil((last - first) / 7)
        return [10.0**power for power in range(first, last + step, step)]
    fine = [float(f"{n}e{power}") for power in range(first - 1, last + 1) for n in (1, 2, 5)]
    fine.append(float(f"1e{last + 1}"))
    start = max(at for at, mark in enumerate(fine) if mark <= low * (1 + 1e-9))
    end = min(at for at, mark in enumerate(fine) if mark >= high * (1 - 1e-9))
    return fine[start : max(end, start + 1) + 1]


def scatter(points: Sequence[Point], *, name: str, title: str, across: str, up: str) -> Markup:
    """Points with bars for both intervals, numbered in the order given, and a legend.

    An interval of what was spent that reaches below the axis ends at its edge.

    Args:
        points: one at least.
        name: makes the ids of the title and the description unique on the page.
        title: for readers who can't see the chart, with a description of each point.
        across: what the horizontal axis shows.
        up: what the vertical axis shows.
    """
    place = _Places(points)
    parts = [*_across(place, across), *_up(place, up)]
    for number, point in enumerate(points, 1):
        parts.append(_point(point, number, place))
        parts.append(_legend(point, number))
    said = "; ".join(f"{number} {_words(point)}" for number, point in enumerate(points, 1))
    height = max(_BOTTOM + _AXIS, _TOP + 8 + _LINE * len(points))
    return drawing("".join(parts), height, name, title, said)


class _Places:
    """From a value to a place."""

    def __init__(self, points: Sequence[Point]) -> None:
        positive = [point.spent.mean for point in points if point.spent.mean > 0]
        self.has_zero = len(positive) < len(points)
        self.marks = log_marks(min(positive), max(positive)) if positive else []
        ends = [
            end
            for point in points
            for end in (point.lift.mean, point.lift.low, point.lift.high)
            if end is not None
        ]
        self.lifts = ticks(min([0.0, *ends]), max([0.0, *ends]))
        self._left = _BREAK + 8 if self.has_zero else _LEFT

    def x(self, value: float) -> float:
        """Within the axis: what lies beyond it stands at its edge."""
        if value == 0 or not self.marks:
            return _ZERO if self.has_zero else self._left
        low, high = log10(self.marks[0]), log10(self.marks[-1])
        share = (log10(value) - low) / (high - low) if value > 0 else 0.0
        return self._left + min(1.0, max(0.0, share)) * (_RIGHT - self._left)

    def y(self, value: float) -> float:
        low, high = self.lifts[0], self.lifts[-1]
        return _BOTTOM - (value - low) / (high - low) * (_BOTTOM - _TOP)


def _across(place: _Places, axis: str) -> list[str]:
    parts = []
    for mark in place.marks:
        x = place.x(mark)
        parts.append(f'<path class="grid" d="M{x:.1f} {_TOP:g}V{_BOTTOM + 4:g}"/>')
        parts.append(f'<text class="tick" x="{x:.1f}" y="{_BOTTOM + 18:g}">{mark:,g}</text>')
    if place.has_zero:
        slashes = f"M{_BREAK - 6:g} {_BOTTOM + 5:g}l5 -10m3 10l5 -10"
        parts.append(f'<path class="grid zero" d="M{_ZERO:g} {_TOP:g}V{_BOTTOM + 4:g}"/>')
        parts.append(f'<text class="tick" x="{_ZERO:g}" y="{_BOTTOM + 18:g}">0</text>')
        parts.append(f'<path class="break" d="{slashes}"/>')
    middle = (_LEFT + _RIGHT) / 2
    parts.append(f'<text class="tick" x="{middle:g}" y="{_BOTTOM + 36:g}">{escaped(axis)}</text>')
    return parts


def _up(place: _Places, axis: str) -> list[str]:
    parts = [f'<text class="legend tick" x="{_LEFT:g}" y="{_TOP - 22:g}">{escaped(axis)}</text>']
    decimals = max(len(f"{mark:g}".partition(".")[2]) for mark in place.lifts)
    for mark in place.lifts:
        y, zero = place.y(mark), " zero" if mark == 0 else ""
        shown = plain(mark, decimals)
        parts.append(f'<path class="grid{zero}" d="M{_LEFT:g} {y:.1f}H{_RIGHT:g}"/>')
        parts.append(f'<text class="tick end" x="{_LEFT - 8:g}" y="{y + 4:.1f}">{shown}</text>')
    return parts


def _point(point: Point, number: int, place: _Places) -> str:
    x, y = place.x(point.spent.mean), place.y(point.lift.mean)
    bars = []
    if point.lift.low is not None and point.lift.high is not None:
        bars.append(f"M{x:.1f} {place.y(point.lift.low):.1f}V{place.y(point.lift.high):.1f}")
    if point.spent.mean > 0 and point.spent.low is not None and point.spent.high is not None:
        bars.append(f"M{place.x(point.spent.low):.1f} {y:.1f}H{place.x(point.spent.high):.1f}")
    bar = f'<path class="bar predictor" d="{"".join(bars)}"/>' if bars else ""
    return (
        f"<g><title>{escaped(_words(point))}</title>{bar}"
        f'<circle class="dot predictor" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'
        f'<text class="value start" x="{x + 7:.1f}" y="{y - 6:.1f}">{number}</text></g>'
    )


def _legend(point: Point, number: int) -> str:
    y = _TOP + 8 + _LINE * (number - 1)
    return (
        f'<text class="value" x="{_RIGHT + 38:g}" y="{y + 4:g}">{number}</text>'
        f'<text class="legend" x="{_RIGHT + 48:g}" y="{y:g}">'
        f"{escaped(shortened(point.label, 26))}</text>"
    )


def _words(point: Point) -> str:
    label = shortened(point.label, 200)
    return f"{label}: {point.spent.mean:,.3g} for a lift of {signed(point.lift.mean)}"
