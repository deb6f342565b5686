"""The first page's sections on windows of prose, other scorers, and trained controls."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from foreword.findings import Contrast, Estimate, OtherScorer, Resampled, WindowLift
from foreword.report.charts import Row, forest
from foreword.report.conditions import FORECAST, control_name, control_order, is_forecast
from foreword.report.leaderboard import Leaderboard


@dataclass(frozen=True, slots=True)
class ByScorer:
    """One predictor under each scorer: the page's own first, then the others in order."""

    name: str
    lifts: Sequence[Estimate | None]
    ceilings: Sequence[Resampled | None]


class Others:
    """What these sections show of an analysis."""

    def __init__(self, board: Leaderboard) -> None:
        self._board = board
        self.scorers: Sequence[OtherScorer] = board.analysis.findings.scorers

    @property
    def window_sizes(self) -> list[int]:
        """Numbers of tokens, of a study of prose."""
        return list(dict.fromkeys(one.window for one in self._windows))

    @property
    def _windows(self) -> Sequence[WindowLift]:
        return self._board.analysis.findings.windows

    @property
    def windows(self) -> list[tuple[str, list[Estimate]]]:
        """Each predictor, best first, and each control with its lift at every size."""
        found: dict[str, list[Estimate]] = {}
        for one in self._windows:
            found.setdefault(one.condition, []).append(one.lift)
        forecasts = [FORECAST + name for name in self._board.predictors]
        controls = sorted((name for name in found if not is_forecast(name)), key=control_order)
        return [
            (self.short(name) if is_forecast(name) else control_name(name), found[name])
            for name in (*forecasts, *controls)
            if name in found
        ]

    @property
    def window_cuts(self) -> list[int]:
        """The most cuts that a condition has at each size."""
        return [
            max(one.lift.num_cuts for one in self._windows if one.window == size)
            for size in self.window_sizes
        ]

    @property
    def windows_chart(self) -> Markup:
        """Each predictor's lift at each size."""
        names = set(self._board.predictors)
        rows = [
            Row(label=name, under=f"first {size} tokens", mean=lift.mean, low=lift.low,
                high=lift.high)
            for name, lifts in self.windows
            if name in names
            for size, lift in zip(self.window_sizes, lifts, strict=True)
        ]  # fmt: skip
        title = "Mean lift over same-budget context by window, with 95 % intervals"
        axis = "lift over same-budget context, nats per token"
        return forest(rows, name="windows", title=title, axis=axis)

    @property
    def verdicts(self) -> list[Contrast]:
        """Each predictor against each trained control."""
        return [
            replace(one, first=self.short(one.first), second=control_name(one.second))
            for one in self._board.analysis.findings.verdicts
        ]

    @property
    def names(self) -> list[str]:
        """The scorers: this page's own, then the others."""
        return ["this page’s", *(one.name or "the first" for one in self.scorers)]

    @property
    def lines(self) -> list[ByScorer]:
        """The leaderboard under each scorer, in this page's order.

        This page's own numbers are those of its leaderboard. Another's are on the cuts that it
        shares with this page's.
        """
        own = {line.name: line.over_context for line in self._board.lines}
        by_predictor = zip(*(one.lifts for one in self.scorers), strict=True)
        return [
            ByScorer(
                name=self.short(lifts[0].condition),
                lifts=[own.get(self.short(lifts[0].condition)), *(each.theirs for each in lifts)],
                ceilings=[lifts[0].my_ceiling, *(each.their_ceiling for each in lifts)],
            )
            for lifts in by_predictor
        ]

    @staticmethod
    def page(scorer: OtherScorer) -> str:
        """The file of a scorer's own page, in the same folder."""
        return f"report-{scorer.name}.html" if scorer.name else "report.html"

    @staticmethod
    def short(condition: str) -> str:
        """A predictor's name."""
        return condition.removeprefix(FORECAST)
