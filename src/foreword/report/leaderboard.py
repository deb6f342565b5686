"""The first page: the analysis as rows of tables, rows of charts and two sentences."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

from markupsafe import Markup

from foreword.records import Analysis, Contrast, Estimate, Failure, Forecast, Rule, Standing
from foreword.report.charts import MAX_CURVES, Curve, Row, cumulative, forest
from foreword.report.conditions import FORECAST, control_name, control_order, is_forecast
from foreword.report.numbers import counted, interval, signed
from foreword.report.visible import clipped

RULE_NAMES: dict[Rule, str] = {
    "raw": "Raw",
    "clip2": "Clip at 2",
    "clip3": "Clip at 3",
    "clip5": "Clip at 5",
    "sqrt": "Square root",
    "log1p": "Log one plus",
}
RULE_UNITS: dict[Rule, str] = {
    "raw": "nats per token (raw)",
    "clip2": "nats per token (clip 2)",
    "clip3": "nats per token (clip 3)",
    "clip5": "nats per token (clip 5)",
    "sqrt": "square root of nats per token",
    "log1p": "log(1 + nats) per token",
}
_BASELINE = "same-budget"
_LISTED_REASONS = 30
_LISTED_ITEMS = 500


@dataclass(frozen=True, slots=True)
class Line:
    """One predictor on the leaderboard."""

    name: str
    over_context: Estimate | None
    over_empty: Estimate | None
    num_missing: int
    num_failed: int


@dataclass(frozen=True, slots=True)
class Ladder:
    """One predictor's lift under every softening rule."""

    name: str
    lifts: Sequence[Estimate | None]


class Leaderboard:
    """What the first page shows of an analysis."""

    def __init__(self, analysis: Analysis, forecasts: Sequence[Forecast]) -> None:
        self.analysis = analysis
        of_window = f", first {analysis.window} tokens" if analysis.window else ""
        self.unit = RULE_UNITS[analysis.rule] + of_window
        self.num_forecasts = sum(not forecast.is_missing for forecast in forecasts)
        self._standings = {(s.condition, s.over, s.rule): s for s in analysis.standings}
        conditions = dict.fromkeys(standing.condition for standing in analysis.standings)
        self.predictors = [c.removeprefix(FORECAST) for c in conditions if is_forecast(c)]
        self.controls = sorted(
            {*(c for c in conditions if not is_forecast(c)), *self._baseline()}, key=control_order
        )

    def _baseline(self) -> list[str]:
        """The baseline has no standing over itself, but its place on the ladder is zero."""
        return [_BASELINE] if self.analysis.standings else []

    def _estimate(self, condition: str, over: str, rule: Rule | None = None) -> Estimate | None:
        standing = self._standings.get((condition, over, rule or self.analysis.rule))
        return standing.lift if standing else None

    @property
    def lines(self) -> list[Line]:
        """The leaderboard, best first."""
        return [self._line(name) for name in self.predictors]

    def _line(self, name: str) -> Line:
        standing: Standing | None = self._standings.get(
            (FORECAST + name, _BASELINE, self.analysis.rule)
        )
        return Line(
            name,
            self._estimate(FORECAST + name, _BASELINE),
            self._estimate(FORECAST + name, "empty"),
            standing.num_missing if standing else 0,
            standing.num_failed if standing else 0,
        )

    @property
    def contrasts(self) -> list[Contrast]:
        """Neighbours under the headline rule, by the predictors' names."""
        return [
            replace(c, first=c.first.removeprefix(FORECAST), second=c.second.removeprefix(FORECAST))
            for c in self.analysis.contrasts
            if c.rule == self.analysis.rule
        ]

    @property
    def rules(self) -> list[str]:
        """The softening rules, in words."""
        return [RULE_NAMES[rule] for rule in get_args(Rule)]

    @property
    def ladders(self) -> list[Ladder]:
        """Each predictor under every rule."""
        return [
            Ladder(
                name,
                [self._estimate(FORECAST + name, _BASELINE, r) for r in get_args(Rule)],
            )
            for name in self.predictors
        ]

    @property
    def has_intervals(self) -> bool:
        """Whether there are the two papers that an interval needs."""
        return self.analysis.num_papers > 1

    @property
    def finding(self) -> str:
        """The first place in words, and whether the second is apart from it."""
        best = next((line for line in self.lines if _mean(line.over_context) is not None), None)
        if best is None:
            return "No forecast could be scored, so there is no ranking."
        verb = "comes first, at" if len(self.predictors) > 1 else "has a lift of"
        said = f"{best.name} {verb} {signed(_mean(best.over_context))} {self.unit}"
        if best.over_context and best.over_context.low is not None:
            said += f", 95 % interval {interval(best.over_context)}"
        else:
            said += ", on one paper alone, which can't tell how papers differ: this is no ranking"
        for contrast in self.contrasts:
            low, high = contrast.difference.low, contrast.difference.high
            if contrast.first == best.name and low is not None and high is not None:
                apart = "excludes" if low > 0 or high < 0 else "includes"
                said += (
                    f"; its paired difference from {contrast.second} is "
                    f"{signed(contrast.difference.mean)} ({interval(contrast.difference)}), "
                    f"which {apart} zero"
                )
        return said + "."

    @property
    def lifts_chart(self) -> Markup | None:
        """Every condition over the same-budget context."""
        rows = [self._lift_row(FORECAST + name, name) for name in self.predictors]
        rows += [
            self._lift_row(name, control_name(name)) for name in self.controls if name != _BASELINE
        ]
        if any(row.mean is not None for row in rows):
            zero = Row(label=f"{control_name(_BASELINE)} (zero)", mean=0.0, kind="control")
            rows.insert(len(self.predictors) + self.controls.index(_BASELINE), zero)
        title = "Mean lift over same-budget context, with 95 % intervals"
        axis = f"lift over same-budget context, {self.unit}"
        return forest(rows, name="lifts", title=title, axis=axis) if rows else None

    def _lift_row(self, condition: str, label: str) -> Row:
        kind = "predictor" if is_forecast(condition) else "control"
        return _row(label, self._estimate(condition, _BASELINE), kind)

    @property
    def contrasts_chart(self) -> Markup | None:
        """Paired differences between neighbours."""
        rows = [
            replace(_row(c.first, c.difference, "predictor"), under=f"− {c.second}")
            for c in self.contrasts
        ]
        title = "Paired differences between neighbours, with 95 % intervals"
        axis = f"first minus second, {self.unit}"
        return forest(rows, name="contrasts", title=title, axis=axis) if rows else None

    @property
    def distribution_charts(self) -> list[Markup]:
        """Per-cut lifts of every predictor, as many a chart as can be told apart."""
        values: dict[str, list[float]] = {name: [] for name in self.predictors}
        for lift in self.analysis.lifts:
            if lift.over == _BASELINE and is_forecast(lift.condition):
                values.setdefault(lift.condition.removeprefix(FORECAST), []).append(lift.value)
        curves = [Curve(label=name, values=found) for name, found in values.items() if found]
        every = [value for curve in curves for value in curve.values]
        return [
            cumulative(
                curves[start : start + MAX_CURVES],
                name=f"ecdf{start}",
                title="Cumulative distribution of lifts over same-budget context, cut by cut",
                axis=f"lift of a cut over same-budget context, {self.unit}",
                span=(min(every), max(every)),
            )
            for start in range(0, len(curves), MAX_CURVES)
        ]

    @property
    def reasons(self) -> list[tuple[str, str, int]]:
        """Missing and failed items: stage, reason, number, the most frequent first."""
        found = Counter((item.stage, clipped(item.reason, 200)) for item in self.analysis.missing)
        rows = [(stage, reason, number) for (stage, reason), number in found.most_common()]
        rest = rows[_LISTED_REASONS:]
        if rest:
            others = counted(len(rest), "other reason")
            rows[_LISTED_REASONS:] = [("all", others, sum(number for *_, number in rest))]
        return rows

    @property
    def failures(self) -> Sequence[Failure]:
        """The first of the missing and failed items."""
        return self.analysis.missing[:_LISTED_ITEMS]

    @property
    def unlisted(self) -> int:
        """Missing and failed items beyond the list."""
        return len(self.analysis.missing) - len(self.failures)


def _mean(estimate: Estimate | None) -> float | None:
    return estimate.mean if estimate else None


def _row(label: str, estimate: Estimate | None, kind: str) -> Row:
    if estimate is None:
        return Row(label=label, mean=None, kind=kind)
    return Row(label=label, mean=estimate.mean, low=estimate.low, high=estimate.high, kind=kind)
