"""What the figures of a paper show of an analysis, before anything is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from foreword.analysis import WindowLift
from foreword.figures.study import BASELINE, Shown
from foreword.findings import Estimate
from foreword.records import Rule
from foreword.report.charts import MAX_CURVES
from foreword.report.conditions import is_forecast
from foreword.report.leaderboard import RULE_UNITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A mean and its 95 % interval, on a line of its own."""

    label: str
    under: str = ""
    """A second line of the label."""
    mean: float | None
    """None leaves the line empty."""
    low: float | None
    """None, as the other end, where there is one paper."""
    high: float | None
    is_forecast: bool = True
    """Else it is of a control, and has another mark."""
    starts: bool = False
    """Whether it stands a little apart from the one above."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Bars over one axis."""

    title: str = ""
    bars: Sequence[Bar]
    axis: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """Panels side by side; those that share their lines are labelled once."""

    panels: Sequence[Panel]
    shares_lines: bool = False
    is_wide: bool = False
    """As wide as a page, not as a column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """One predictor's lifts, cut by cut."""

    label: str
    values: Sequence[float]
    median: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Distributions:
    """Cumulative distributions, a few curves a panel, all over the same axis."""

    panels: Sequence[Sequence[Steps]]
    axis: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One predictor: what it spent, and what it gained."""

    label: str
    family: int
    """Those of one family have one mark and a line through them."""
    spent: Estimate
    lift: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Lift against what was spent, on a logarithmic axis with a place for zero."""

    places: Sequence[Place]
    """Within a family from the least effort to the most."""
    across: str
    up: str


Drawing = Forest | Distributions | Spending


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of a paper."""

    name: str
    """Of its files, without the ending."""
    caption: str
    """In words: what it shows."""
    drawing: Drawing


Made = Figure | tuple[str, str]
"""A figure, or the name that it would have and why there is none."""
_BARS = "Bars: paper-clustered 95 % intervals from t."


def figures(
    shown: Shown, windows: Sequence[WindowLift] = ()
) -> tuple[list[Figure], dict[str, str]]:
    """The figures that a study has the numbers for, and why each other one is not there.

    Args:
        shown: the analysis.
        windows: lifts by window, of a study of prose.
    """
    made: list[Made] = [
        _lift(shown),
        _contrasts(shown),
        _reasoning(shown),
        _distribution(shown),
        _controls(shown),
        by_window(windows),
    ]
    found = [figure for figure in made if isinstance(figure, Figure)]
    return found, dict(one for one in made if not isinstance(one, Figure))


def _lift(shown: Shown) -> Made:
    bars = [_bar(label, lift) for label, lift in shown.lifts() if lift.mean is not None]
    if not bars:
        return "figure-lift", "no predictor has a lift over the same-budget context"
    return Figure(
        name="figure-lift",
        caption=f"Forecast lift over the same-budget context, {shown.unit}. {_BARS}",
        drawing=Forest(panels=[Panel(bars=bars, axis=f"lift, {shown.unit}")]),
    )


def _contrasts(shown: Shown) -> Made:
    """Steps of effort where there are any: they were planned. Else neighbours on the ranking."""
    chosen, words = shown.steps, "steps of reasoning effort within one model"
    if not chosen:
        chosen, words = shown.neighbours, "neighbours on the ranking"
    bars = [
        replace(
            _bar(shown.label(one.first), one.difference),
            under=f"− {shown.label(one.second)}",
            starts=before is not None and before.second != one.first,
        )
        for before, one in zip([None, *chosen], chosen, strict=False)
    ]
    if not bars:
        return "figure-contrasts", "a contrast needs two predictors with a lift"
    return Figure(
        name="figure-contrasts",
        caption=f"Paired contrasts on shared cuts, {words}, {shown.unit}. {_BARS}",
        drawing=Forest(panels=[Panel(bars=bars, axis=f"difference, {shown.unit}")]),
    )


def _reasoning(shown: Shown) -> Made:
    spent = {one.condition: one.reasoning_tokens for one in shown.usage}
    lifts = {name: shown.estimate(name, BASELINE) for name in shown.predictors}
    related = [family.conditions for family in shown.families]
    lone = [(name,) for name in shown.predictors if not any(name in some for some in related)]
    places = [
        Place(label=shown.label(name), family=number, spent=spent[name], lift=lift)
        for number, names in enumerate([*related, *lone])
        for name in names
        if name in spent
        and spent[name].mean is not None
        and (lift := lifts[name])
        and lift.mean is not None
    ]
    if not places:
        return "figure-reasoning", "no predictor's reasoning tokens are known"
    return Figure(
        name="figure-reasoning",
        caption=f"Forecast lift over the same-budget context, {shown.unit}, against mean reasoning "
        f"tokens of a forecast (logarithmic; zero apart, at the left). {_BARS}",
        drawing=Spending(
            places=places, across="mean reasoning tokens of a forecast", up=f"lift, {shown.unit}"
        ),
    )


def _distribution(shown: Shown) -> Made:
    values = {name: [one.value for one in lifts] for name, lifts in shown.of_cuts().items()}
    curves = [
        Steps(label=shown.label(name), values=sorted(values[name]), median=lift.median)
        for name in shown.predictors
        if name in values and (lift := shown.estimate(name, BASELINE)) and lift.median is not None
    ]
    if not curves:
        return "figure-distribution", "no cut has a lift over the same-budget context"
    starts = range(0, len(curves), MAX_CURVES)
    return Figure(
        name="figure-distribution",
        caption="Cumulative distribution over cuts of the forecast lift over the same-budget "
        f"context, {shown.unit}. Dashed vertical lines: medians; "
        "markers only tell the curves apart.",
        drawing=Distributions(
            panels=[curves[start : start + MAX_CURVES] for start in starts],
            axis=f"lift of a cut, {shown.unit}",
        ),
    )


def _controls(shown: Shown) -> Made:
    """The ladder, and the best predictor over each control."""
    best = shown.predictors[0] if shown.predictors else ""
    ladder = [
        replace(_bar(shown.rung(name), lift), is_forecast=name == best)
        for name, lift in shown.ladder()
    ]
    over = [_bar(shown.label(one.second), one.difference) for one in shown.advantages(best)]
    panels = [
        Panel(title=title, bars=bars, axis=axis)
        for title, bars, axis in (
            ("Over the empty scaffold", ladder, f"lift, {shown.unit}"),
            ("Forecast minus control, paired", over, f"difference, {shown.unit}"),
        )
        if bars
    ]
    if not panels:
        return "figure-controls", "no control was scored together with a predictor"
    return Figure(
        name="figure-controls",
        caption=f"Controls, and the forecast by the best predictor, {shown.label(best)}, over the "
        "empty scaffold; that forecast minus each control, paired on shared cuts; "
        f"{shown.unit}. {_BARS}",
        drawing=Forest(panels=panels, is_wide=True),
    )


def by_window(rows: Sequence[WindowLift]) -> Made:
    """Each predictor's lift over the first tokens of the targets: figure 4 of arXiv 2605.10810."""
    kept = [row for row in rows if is_forecast(row.condition) and row.lift.mean is not None]
    if not kept:
        why = "windows are of studies of prose; `foreword windows` has them of any"
        return "figure-windows", why
    rule: Rule = kept[0].rule
    windows = list(dict.fromkeys(row.window for row in kept))
    by = {(row.condition, row.window): row.lift for row in kept}
    of_first = {row.condition: row.lift.mean or 0.0 for row in reversed(kept)}
    names = sorted(of_first, key=lambda name: -of_first[name])
    panels = [
        Panel(
            title=f"first {window} tokens",
            bars=[_bar(Shown.label(name), by.get((name, window))) for name in names],
            axis=f"lift, {RULE_UNITS[rule]}",
        )
        for window in windows
    ]
    over = Shown.label(kept[0].over)
    return Figure(
        name="figure-windows",
        caption=f"Forecast lift over {over} by scored target tokens, {RULE_UNITS[rule]}. {_BARS}",
        drawing=Forest(panels=panels, shares_lines=True, is_wide=True),
    )


def _bar(label: str, estimate: Estimate | None) -> Bar:
    if estimate is None:
        return Bar(label=label, mean=None, low=None, high=None)
    return Bar(label=label, mean=estimate.mean, low=estimate.low, high=estimate.high)
