"""Figures drawn with matplotlib: the one module that imports it.

Nothing global is touched or heeded: no pyplot, no settings of the user's, no clock. Equal figures
give equal bytes. Sizes are in inches, of text in points.
"""

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from math import log10
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, get_font
from matplotlib.lines import Line2D

from foreword.figures.panels import (
    Bar,
    Distributions,
    Drawing,
    Forest,
    Panel,
    Place,
    Spending,
    Steps,
)
from foreword.report.charts import ticks
from foreword.report.numbers import plain, signed
from foreword.report.scatter import log_marks
from foreword.report.visible import shortened, visible

COLUMN, PAGE = 3.3, 6.8
"""Widths of a column and of a page of print."""
Format = Literal["pdf", "svg"]
_ROW, _TALL_ROW, _APART = 0.17, 0.27, 0.6
_CURVES_HEIGHT, _LOW_CURVES_HEIGHT, _LEGEND_ROW = 2.2, 1.75, 0.145
_SMALL, _USUAL = 7.0, 7.5
_LONGEST = 2_000
"""Characters of a name that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ink:
    """Colours for one background, which itself is left transparent."""

    text: str
    faint: str
    """Of grid lines."""
    series: tuple[str, ...]
    """Colours of Okabe and Ito, told apart by colour-blind readers; the first is the text's."""


_OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
LIGHT = Ink(text="#000000", faint="#d0d0d0", series=(*_OKABE_ITO, "#000000"))
DARK = Ink(
    text="#f0f0f0", faint="#4a4a4a", series=("#56B4E9", *_OKABE_ITO[1:5], "#0072B2", "#f0f0f0")
)
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "<")
_DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (1, 1)),
    (0, (6, 1.5, 1, 1.5)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (9, 2)),
)
_SETTINGS = {
    "font.family": ["DejaVu Sans"],  # comes with matplotlib, so that it is the same everywhere
    "font.size": _USUAL,
    "axes.labelsize": _USUAL,
    "axes.titlesize": _USUAL,
    "xtick.labelsize": _SMALL,
    "ytick.labelsize": _USUAL,
    "legend.fontsize": _SMALL,
    "legend.frameon": False,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.1,
    "text.usetex": False,
    "text.parse_math": False,  # a name with two dollar signs is a name
    "pdf.fonttype": 42,  # TrueType: publishers refuse Type 3, and the text can be searched
    "svg.fonttype": "path",  # a browser without the font would set other widths
    "svg.hashsalt": "foreword",
}


def drawn(drawing: Drawing, kind: Format, *, ink: Ink = LIGHT, about: str = "") -> bytes:
    """A figure as the bytes of a file.

    Args:
        drawing: what to draw.
        kind: of the file.
        ink: for which background.
        about: a line for the file's metadata: where the numbers come from.
    """
    with _settings(ink):
        if isinstance(drawing, Forest):
            figure = _forest(drawing, ink)
        elif isinstance(drawing, Distributions):
            figure = _distributions(drawing, ink)
        else:
            figure = _spending(drawing, ink)
        about = spelt(about, 600)
        said = {"Date": None, "Description": about} if kind == "svg" else {
            "CreationDate": None, "Subject": about
        }  # fmt: skip
        file = io.BytesIO()
        figure.savefig(file, format=kind, transparent=True, metadata=said)
    return file.getvalue()


@contextmanager
def _settings(ink: Ink) -> Iterator[None]:
    colours = ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color")
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(
            _SETTINGS | dict.fromkeys(colours, ink.text) | {"grid.color": ink.faint}
        )
        yield


def spelt(text: str, limit: int = 28) -> str:
    r"""A name that can be drawn, on one line and in at most so many characters.

    What hides or reorders text is spelt out, and so is what the font has no shape for.

    >>> spelt("a\n\u202eb"), spelt("模型")
    ('a ⟨U+202E⟩b', '⟨U+6A21⟩⟨U+578B⟩')
    """
    line = " ".join(visible(text[:_LONGEST]).split())
    known = (c if ord(c) in _glyphs() else f"⟨U+{ord(c):04X}⟩" for c in line)
    return shortened("".join(known), limit)


@cache
def _glyphs() -> frozenset[int]:
    return frozenset(get_font(findfont("DejaVu Sans")).get_charmap())


def _forest(forest: Forest, ink: Ink) -> Figure:
    """Lines of bars, the panels beside each other."""
    row = _TALL_ROW if any(bar.under for one in forest.panels for bar in one.bars) else _ROW
    places = [_places(panel.bars) for panel in forest.panels]
    height = row * (max(one[-1] for one in places) + 1) + (0.75 if _has_title(forest) else 0.55)
    figure = Figure(figsize=(PAGE if forest.is_wide else COLUMN, height), layout="constrained")
    grid = figure.subplots(1, len(forest.panels), sharey=forest.shares_lines, squeeze=False)
    marks = [_marks(panel.bars) for panel in forest.panels]
    if forest.shares_lines:
        marks = [_marks([bar for panel in forest.panels for bar in panel.bars])] * len(marks)
        figure.supxlabel(forest.panels[0].axis, fontsize=_USUAL)
    for number, (axes, panel) in enumerate(zip(grid[0], forest.panels, strict=True)):
        _bars(axes, panel, places[number], ink)
        _across(axes, marks[number], "" if forest.shares_lines else panel.axis)
        if not forest.shares_lines or number == 0:
            axes.set_yticks(places[number], [_label(bar) for bar in panel.bars])
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(places[number][-1] + 0.6, -0.6)
        axes.set_title(spelt(panel.title, 40), loc="right")
    return figure


def _label(bar: Bar) -> str:
    return "\n".join(spelt(line) for line in (bar.label, bar.under) if line)


def _has_title(forest: Forest) -> bool:
    return any(panel.title for panel in forest.panels)


def _places(bars: Sequence[Bar]) -> list[float]:
    """How many lines below the first each bar stands."""
    places: list[float] = []
    for bar in bars:
        places.append(places[-1] + 1 + _APART * bar.starts if places else 0.0)
    return places


def _marks(bars: Sequence[Bar]) -> list[float]:
    ends = [end for bar in bars for end in (bar.mean, bar.low, bar.high) if end is not None]
    return ticks(min([0.0, *ends]), max([0.0, *ends]), 5)


def _bars(axes: Axes, panel: Panel, places: Sequence[float], ink: Ink) -> None:
    axes.axvline(0, color=ink.text, linewidth=0.8, zorder=1)
    for bar, y in zip(panel.bars, places, strict=True):
        colour, mark = (ink.series[0], "o") if bar.is_forecast else (ink.series[1], "D")
        if bar.low is not None and bar.high is not None:
            axes.plot([bar.low, bar.high], [y, y], color=colour, solid_capstyle="butt", zorder=2)
        if bar.mean is not None:
            filled = colour if bar.is_forecast else "none"
            axes.plot(
                bar.mean, y, mark, color=colour, markersize=3.8, markerfacecolor=filled, zorder=3
            )
    axes.spines["left"].set_visible(False)


def _across(axes: Axes, marks: Sequence[float], words: str) -> None:
    decimals = max(len(f"{mark:g}".partition(".")[2]) for mark in marks)
    axes.set_xticks(marks, [plain(mark, decimals) for mark in marks])
    axes.set_xlim(marks[0], marks[-1])
    axes.grid(axis="x", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.set_xlabel(words, loc="right")  # a narrow panel has room for it at the left alone


def _distributions(drawing: Distributions, ink: Ink) -> Figure:
    """Panels below each other, each with its legend at the right, in the order of the ranking."""
    num_panels = len(drawing.panels)
    height = num_panels * (_CURVES_HEIGHT if num_panels < 5 else _LOW_CURVES_HEIGHT)
    figure = Figure(figsize=(PAGE, height), layout="constrained")
    values = [value for panel in drawing.panels for curve in panel for value in curve.values]
    marks = ticks(min(values), max(values))
    for axes, panel in zip(
        figure.subplots(len(drawing.panels), 1, squeeze=False)[:, 0], drawing.panels, strict=True
    ):
        for number, curve in enumerate(panel):
            _curve(axes, curve, number, marks, ink)
        _across(axes, marks, drawing.axis)
        axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
        axes.set_ylim(-0.015, 1.015)
        axes.grid(axis="y", linewidth=0.5)
        axes.set_ylabel("share of cuts")
        axes.legend(
            loc="upper left",
            bbox_to_anchor=(1.01, 1.04),
            handlelength=3.2,
            title="predictor, median",
            title_fontsize=_SMALL,
            alignment="left",
        )
    return figure


def _curve(axes: Axes, curve: Steps, number: int, marks: Sequence[float], ink: Ink) -> None:
    """Steps up at each value, and a line down at the median."""
    shares = [rank / len(curve.values) for rank in range(1, len(curve.values) + 1)]
    colour = ink.series[number]
    axes.step(
        [marks[0], *curve.values, marks[-1]],
        [0.0, *shares, 1.0],
        where="post",
        color=colour,
        linestyle=_DASHES[number % len(_DASHES)],
        marker=_MARKS[number],
        markersize=3.5,
        markevery=(number / 12, 0.25),
        label=_heard(f"{spelt(curve.label)}  {signed(curve.median)}"),
    )
    axes.axvline(curve.median, color=colour, linestyle=(0, (3, 2)), linewidth=0.7)


def _heard(label: str) -> str:
    """A label that gets into the legend: matplotlib leaves out those that begin with `_`."""
    return f" {label}" if label.startswith("_") else label


def _spending(drawing: Spending, ink: Ink) -> Figure:
    """Points with both intervals, numbered as the legend at the right has them."""
    height = max(2.6, _LEGEND_ROW * len(drawing.places) + 0.3)
    figure = Figure(figsize=(PAGE, height), layout="constrained")
    axes: Axes = figure.subplots()
    scale = _LogScale([place.spent.mean or 0.0 for place in drawing.places])
    numbered = list(enumerate(drawing.places, 1))
    legend: list[Line2D] = []
    for order, (_, group) in enumerate(groupby(numbered, key=lambda one: one[1].family)):
        legend += _family(axes, list(group), order, scale, ink)
    scale.label(axes, drawing.across)
    marks = _marks([_as_bar(place) for place in drawing.places])
    decimals = max(len(f"{mark:g}".partition(".")[2]) for mark in marks)
    axes.set_yticks(marks, [plain(mark, decimals) for mark in marks])
    axes.set_ylim(marks[0], marks[-1])
    axes.grid(linewidth=0.5)
    axes.set_axisbelow(True)
    axes.axhline(0, color=ink.text, linewidth=0.8, zorder=1)
    axes.set_ylabel(drawing.up)
    figure.legend(handles=legend, loc="outside right upper", handlelength=1.2, labelspacing=0.25)
    return figure


def _as_bar(place: Place) -> Bar:
    return Bar(label="", mean=place.lift.mean, low=place.lift.low, high=place.lift.high)


class _LogScale:
    """From an amount to a place: its power of ten; zero has one of its own, left of all others."""

    def __init__(self, amounts: Sequence[float]) -> None:
        positive = [amount for amount in amounts if amount > 0]
        self.marks = log_marks(min(positive), max(positive)) if positive else []
        self._low, self._high = (
            (log10(self.marks[0]), log10(self.marks[-1])) if positive else (0.0, 1.0)
        )
        self._gap = 0.14 * (self._high - self._low)
        self._has_zero = len(positive) < len(amounts)

    def __call__(self, amount: float) -> float:
        """What lies beyond the axis, as the end of an interval may, stands at its edge."""
        if amount <= 0:
            return self._low - self._gap if self._has_zero else self._low
        return min(max(log10(amount), self._low), self._high)

    def label(self, axes: Axes, words: str) -> None:
        """Set the axis."""
        places = [log10(mark) for mark in self.marks]
        texts = [f"{mark:,g}" for mark in self.marks]
        if self._has_zero:
            places, texts = [self._low - self._gap, *places], ["0", *texts]
            axes.axvline(self._low - self._gap / 2, color=axes.spines["left"].get_edgecolor(),
                         linestyle=(0, (1, 2)), linewidth=0.8)  # fmt: skip
        axes.set_xticks(places, texts)
        axes.set_xlim(self._low - 1.6 * self._gap * self._has_zero, self._high)
        axes.set_xlabel(words)


def _family(
    axes: Axes, places: Sequence[tuple[int, Place]], order: int, scale: _LogScale, ink: Ink
) -> list[Line2D]:
    """One family's points, with a line through them; an entry of the legend for each."""
    colour, mark = ink.series[order % len(ink.series)], _MARKS[order % len(_MARKS)]
    at = [(scale(one.spent.mean or 0.0), one.lift.mean or 0.0) for _, one in places]
    axes.plot(*zip(*at, strict=True), color=colour, linewidth=0.7, linestyle=(0, (1, 1)), zorder=2)
    entries: list[Line2D] = []
    for (number, one), (x, y) in zip(places, at, strict=True):
        _cross(axes, one, x, y, scale, colour)
        axes.plot(x, y, mark, color=colour, markersize=4.2, zorder=3, clip_on=False)
        axes.annotate(f"{number}", (x, y), (3, 3), textcoords="offset points", fontsize=_SMALL)
        label = f"{number}  {spelt(one.label)}"
        entries += [Line2D([], [], color=colour, marker=mark, markersize=4.2, linestyle="none",
                           label=label)]  # fmt: skip
    return entries


def _cross(axes: Axes, one: Place, x: float, y: float, scale: _LogScale, colour: str) -> None:
    lift, spent = one.lift, one.spent
    if lift.low is not None and lift.high is not None:
        axes.plot([x, x], [lift.low, lift.high], color=colour, linewidth=0.9, zorder=2)
    if spent.mean and spent.low is not None and spent.high is not None:
        ends = [scale(max(spent.low, 1e-300)), scale(spent.high)]
        axes.plot(ends, [y, y], color=colour, linewidth=0.9, zorder=2)
