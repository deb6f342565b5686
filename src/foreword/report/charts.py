"""The report's two charts as static SVG: means with intervals, and cumulative distributions.

Text stays text, colours come from the page's style sheet by class, and every series differs from
the others in its dashes as well as in its colour. Coordinates are in CSS pixels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil, floor, log10

from markupsafe import Markup

from foreword.report.numbers import plain, signed
from foreword.report.svg import WIDTH, drawing, escaped
from foreword.report.visible import shortened

MAX_CURVES = 6

_LABELS = 226
_VALUES = 176
_ROW = 26
_TALL_ROW = 40
_TOP = 8
_AXIS = 44


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a forest plot."""

    label: str
    under: str = ""
    """A second line of the label."""
    mean: float | None
    low: float | None = None
    high: float | None = None
    kind: str = "predictor"
    """`predictor` or `control`; rows of another kind than the one before stand a little apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The per-cut lifts of one predictor."""

    label: str
    values: Sequence[float]


def ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Round numbers that cover a range: multiples of 1, 2 or 5 times a power of ten.

    The first is at most `low`, the last at least `high`, and there are at most `most` (3 or more).

    >>> ticks(-0.13, 0.42)
    [-0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    """
    if high <= low:
        low, high = low - 0.5, high + 0.5
    exponent = floor(log10((high - low) / most))
    for power in (exponent, exponent + 1, exponent + 2):
        for factor in (1, 2, 5):
            step = factor * 10.0**power
            first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
            if last - first <= most:
                return [round(n * step, max(0, -power) + 1) for n in range(first, last + 1)]
    raise AssertionError(f"no ticks for {low} to {high}")


def forest(rows: Sequence[Row], *, name: str, title: str, axis: str) -> Markup:
    """Means as points, intervals as lines, a line at zero, the numbers at the right.

    Args:
        rows: in order from the top. A row without a mean says so and has no point.
        name: makes the ids of the title and the description unique on the page.
        title: for readers who can't see the chart, with a description of each row.
        axis: what the horizontal axis shows.
    """
    ends = [end for row in rows for end in (row.mean, row.low, row.high) if end is not None]
    marks = ticks(min([0.0, *ends]), max([0.0, *ends]))
    left, right = _LABELS, WIDTH - _VALUES
    scale = _Scale(marks[0], marks[-1], left, right)
    parts, y = [], float(_TOP)
    height = _TALL_ROW if any(row.under for row in rows) else _ROW
    for kind, group in groupby(rows, key=lambda row: row.kind):
        y += 0 if y == _TOP else 14
        for row in group:
            parts.append(_forest_row(row, kind, y + height / 2, scale))
            y += height
    parts.insert(0, _axis(scale, marks, y, axis))
    said = "; ".join(f"{_name(row)}: {_numbers(row)}" for row in rows)
    return drawing("".join(parts), y + _AXIS, name, title, said)


def _forest_row(row: Row, kind: str, y: float, scale: "_Scale") -> str:
    kind = "predictor" if kind == "predictor" else "control"
    lines = [line for line in (row.label, row.under) if line]
    parts = [
        f'<text class="label" x="{_LABELS - 14}" y="{y + 11 - 7 * len(lines) + 15 * number:g}">'
        f"{escaped(shortened(line, 28))}</text>"
        for number, line in enumerate(lines)
    ]
    if row.low is not None and row.high is not None:
        x1, x2 = f"{scale(row.low):.1f}", f"{scale(row.high):.1f}"
        path = f"M{x1} {y:g}H{x2}M{x1} {y - 4:g}v8M{x2} {y - 4:g}v8"
        parts.append(f'<path class="bar {kind}" d="{path}"/>')
    if row.mean is not None:
        x = scale(row.mean)
        shape = (
            f'<circle class="dot {kind}" cx="{x:.1f}" cy="{y:g}" r="4.5"/>'
            if kind == "predictor"
            else f'<path class="dot {kind}" d="M{x:.1f} {y - 5:g}l5 5-5 5-5-5z"/>'
        )
        parts.append(shape)
    parts.append(f'<text class="value" x="{WIDTH}" y="{y + 4:g}">{_numbers(row)}</text>')
    return f"<g><title>{escaped(_name(row))}: {_numbers(row)}</title>{''.join(parts)}</g>"


def _name(row: Row) -> str:
    return shortened(f"{row.label} {row.under}".strip(), 200)


def _numbers(row: Row) -> str:
    if row.mean is None:
        return "no value"
    if row.low is None or row.high is None:
        return signed(row.mean)
    return f"{signed(row.mean)}  [{signed(row.low)}, {signed(row.high)}]"


def cumulative(
    curves: Sequence[Curve],
    *,
    name: str,
    title: str,
    axis: str,
    span: tuple[float, float] | None = None,
) -> Markup:
    """Empirical cumulative distributions as steps, with a point at each median.

    The legend stands at the right in the order of the medians, which is the order in which a
    horizontal line at one half meets the curves, read from the right.

    Args:
        curves: at most `MAX_CURVES`, each with one value or more.
        name: makes the ids of the title and the description unique on the page.
        title: for readers who can't see the chart.
        axis: what the horizontal axis shows.
        span: the lowest and the highest value that it covers at least; of these curves by default.
    """
    values = [value for curve in curves for value in curve.values]
    marks = ticks(*(span or (min(values), max(values))))
    top, bottom, left, right = 14.0, 304.0, 46, WIDTH - 230
    scale = _Scale(marks[0], marks[-1], left, right)
    parts = [_axis(scale, marks, bottom, axis, top=top)]
    for share in (0, 0.25, 0.5, 0.75, 1):
        y = bottom - share * (bottom - top)
        parts.append(f'<path class="grid" d="M{left} {y:g}H{right}"/>')
        parts.append(f'<text class="tick end" x="{left - 8}" y="{y + 4:g}">{share:g}</text>')
    ranked = sorted(range(len(curves)), key=lambda n: -_median(curves[n].values))
    for place, number in enumerate(ranked):
        parts.append(_curve(curves[number], number, scale, top, bottom))
        parts.append(_legend(curves[number], number, right + 22, top + 10 + 34 * place))
    said = "; ".join(
        f"{curves[n].label}: median {signed(_median(curves[n].values))}" for n in ranked
    )
    return drawing("".join(parts), bottom + _AXIS, name, title, said)


def _curve(curve: Curve, number: int, scale: "_Scale", top: float, bottom: float) -> str:
    """Steps up at each value; values that fall on the same half pixel make one step."""
    ordered = sorted(curve.values)
    path, total = [f"M{scale.left} {bottom:g}"], len(ordered)
    places = [round(2 * scale(value)) / 2 for value in ordered]
    for rank, place in enumerate(places, 1):
        if rank == total or places[rank] != place:
            path.append(f"H{place:g}V{bottom - rank / total * (bottom - top):.1f}")
    path.append(f"H{scale.right}")
    x, y = scale(_median(ordered)), (top + bottom) / 2
    return (
        f'<path class="curve s{number}" d="{"".join(path)}"/>'
        f'<circle class="median s{number}" cx="{x:.1f}" cy="{y:g}" r="4"/>'
    )


def _legend(curve: Curve, number: int, x: float, y: float) -> str:
    label, median = escaped(shortened(curve.label, 24)), signed(_median(curve.values))
    return (
        f'<path class="curve s{number}" d="M{x:g} {y:g}h30"/>'
        f'<circle class="median s{number}" cx="{x + 15:g}" cy="{y:g}" r="4"/>'
        f'<text class="legend" x="{x + 40:g}" y="{y:g}">{label}'
        f'<tspan class="tick" x="{x + 40:g}" dy="14">median {median}</tspan></text>'
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    """From a value to a horizontal place."""

    low: float
    high: float
    left: int
    right: int

    def __call__(self, value: float) -> float:
        return self.left + (value - self.low) / (self.high - self.low) * (self.right - self.left)


def _axis(
    scale: _Scale, marks: Sequence[float], y: float, axis: str, top: float = float(_TOP)
) -> str:
    parts = []
    decimals = max(len(f"{mark:g}".partition(".")[2]) for mark in marks)
    for mark in marks:
        x = scale(mark)
        zero = " zero" if mark == 0 else ""
        parts.append(f'<path class="grid{zero}" d="M{x:.1f} {top:g}V{y + 4:g}"/>')
        parts.append(
            f'<text class="tick" x="{x:.1f}" y="{y + 18:g}">{plain(mark, decimals)}</text>'
        )
    middle = (scale.left + scale.right) / 2
    parts.append(f'<text class="tick" x="{middle:g}" y="{y + 36:g}">{escaped(axis)}</text>')
    return "".join(parts)


def _median(values: Sequence[float]) -> float:
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2
