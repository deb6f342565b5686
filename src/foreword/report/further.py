"""The first page's further sections: how sure its numbers are, and what else the study says."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from foreword.findings import (
    FEW_PAPERS,
    Clipped,
    Contrast,
    Copies,
    Estimate,
    Family,
    HardCuts,
    Steadiness,
    Usage,
)
from foreword.report.conditions import FORECAST, control_name, is_forecast
from foreword.report.leaderboard import RULE_NAMES, Leaderboard
from foreword.report.scatter import Point, Spread, scatter

_LISTED_COPIES = 200


@dataclass(frozen=True, slots=True)
class Sure:
    """How far one predictor's line can be trusted."""

    name: str
    lift: Estimate | None
    """Over the same-budget context, as on the leaderboard."""
    of: Steadiness

    @property
    def paper(self) -> str:
        """The paper whose removal moves the lift most."""
        return str(self.of.influence.cluster) if self.of.influence else ""


class Further:
    """What the further sections show of an analysis."""

    def __init__(self, board: Leaderboard) -> None:
        self._board = board
        self.findings = board.analysis.findings

    def name(self, condition: str) -> str:
        """A condition in a reader's words."""
        if is_forecast(condition):
            return condition.removeprefix(FORECAST)
        return control_name(condition)

    def _named(self, contrasts: Iterable[Contrast]) -> list[Contrast]:
        return [
            replace(one, first=self.name(one.first), second=self.name(one.second))
            for one in contrasts
        ]

    @property
    def sure(self) -> list[Sure]:
        """Each predictor with a lift, in the order of the leaderboard."""
        lifts = {line.name: line.over_context for line in self._board.lines}
        rows = [
            Sure(self.name(one.condition), lifts.get(self.name(one.condition)), one)
            for one in self.findings.steadiness
        ]
        return [row for row in rows if row.of.median]

    @property
    def num_shared(self) -> int:
        """Cuts that the ranks rest on."""
        return next((row.of.rank.num_cuts for row in self.sure if row.of.rank), 0)

    @property
    def is_narrow(self) -> bool:
        """Whether there are so few papers that intervals by resampling are too narrow."""
        return 1 < self._board.analysis.num_papers < FEW_PAPERS

    @property
    def evidence(self) -> list[Contrast]:
        """Neighbours on the ranking, as far as they were tested."""
        return [one for one in self._board.contrasts if one.evidence]

    @property
    def families(self) -> Sequence[Family]:
        """Each model that was asked at several efforts."""
        return self.findings.families

    @property
    def steps(self) -> list[Contrast]:
        """All steps of effort of all families."""
        return self._named(step for family in self.families for step in family.steps)

    @property
    def clips(self) -> list[str]:
        """The clip rules beyond the fixed ones, in words."""
        rules = dict.fromkeys(row.rule for row in self.findings.clipped)
        return [_rule_name(rule) for rule in rules if rule not in RULE_NAMES]

    def clip_lifts(self, name: str) -> list[Estimate | None]:
        """A predictor's lift under each of them."""
        found = {
            _rule_name(row.rule): row.lift
            for row in self.findings.clipped
            if row.condition == FORECAST + name
        }
        return [found.get(rule) for rule in self.clips]

    @property
    def floor_rules(self) -> list[str]:
        """Every clip rule, in words, from the highest floor down."""
        floors = {row.rule: row.floor for row in self.findings.clipped}
        return [_rule_name(rule) for rule in sorted(floors, key=lambda rule: -floors[rule])]

    @property
    def floors(self) -> list[tuple[str, list[Clipped]]]:
        """Each condition with its share of tokens at each floor, in the same order."""
        rows: dict[str, list[Clipped]] = {}
        for row in self.findings.clipped:
            rows.setdefault(row.condition, []).append(row)
        return [
            (self.name(condition), sorted(found, key=lambda row: -row.floor))
            for condition, found in rows.items()
        ]

    @property
    def usage(self) -> list[tuple[str, Usage]]:
        """What each predictor spent, where anything is known of it."""
        return [
            (self.name(one.condition), one)
            for one in self.findings.usage
            if one.reasoning_tokens.num_cuts or one.cost_usd.num_cuts
        ]

    @property
    def spent_charts(self) -> list[Markup]:
        """Lift against reasoning tokens, and against cost, as far as they are known."""
        ways = (
            ("tokens", "mean reasoning tokens of a forecast", "reasoning_tokens"),
            ("cost", "mean cost of a forecast, USD", "cost_usd"),
        )
        charts = []
        for name, across, what in ways:
            spent = {name: getattr(one, what) for name, one in self.usage}
            points = [
                Point(label=line.name, spent=x, lift=y)
                for line in self._board.lines
                if (x := _spread(spent.get(line.name))) and (y := _spread(line.over_context))
            ]
            if points:
                charts.append(
                    scatter(
                        points,
                        name=name,
                        title=f"Lift over same-budget context against {across}",
                        across=across,
                        up=f"lift over same-budget context, {self._board.unit}",
                    )
                )
        return charts

    @property
    def hard(self) -> HardCuts | None:
        """The cuts that the reference does worst on."""
        return self.findings.hard

    @property
    def hard_contrasts(self) -> list[Contrast]:
        """Neighbours on these cuts."""
        return self._named(self.hard.contrasts) if self.hard else []

    @property
    def copies(self) -> Copies | None:
        """Answers that stand before their cut."""
        return self.findings.copies

    @property
    def listed_copies(self) -> Sequence[tuple[str, str]]:
        """The first of them, in words."""
        found = self.copies.found if self.copies else ()
        return [
            (
                one.cut_id,
                f"{'exact' if one.is_exact else 'near'}, "
                f"{'in the context' if one.in_context else 'earlier in the paper'}, "
                f"{100 * one.shared:.0f} % of its runs",
            )
            for one in found[:_LISTED_COPIES]
        ]

    def count_copies(self, *, is_exact: bool, in_context: bool) -> int:
        """How many there are of one kind."""
        found = self.copies.found if self.copies else ()
        return sum((one.is_exact, one.in_context) == (is_exact, in_context) for one in found)


def _spread(estimate: Estimate | None) -> Spread | None:
    if estimate is None or estimate.mean is None:
        return None
    return Spread(mean=estimate.mean, low=estimate.low, high=estimate.high)


def _rule_name(rule: str) -> str:
    for fixed, name in RULE_NAMES.items():
        if rule == fixed:
            return name
    return f"Clip at {rule.removeprefix('clip:')}"
