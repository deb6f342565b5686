"""The first page's section on attacks: how much of the lift is to be had without forecasting."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from foreword.findings import AttackGroup, AttackLift, Attacks, Estimate
from foreword.report.charts import Row, forest
from foreword.report.conditions import control_name

_GROUPS: dict[AttackGroup, str] = {
    "attack": "attack, without Y",
    "ceiling": "attack, with Y",
    "primed": "forecast with priming",
    "forecast": "forecast",
    "context": "context",
    "reference": "reference",
}


@dataclass(frozen=True, slots=True)
class ByAttack:
    """What one scorer says of all attacks, forecasts and controls."""

    scorer_id: str
    conclusion: str
    lines: Sequence[AttackLift]
    number: int

    @staticmethod
    def group(line: AttackLift) -> str:
        """In a reader's words."""
        return _GROUPS[line.group]

    @staticmethod
    def name(line: AttackLift) -> str:
        """In a reader's words."""
        if line.group in ("context", "reference"):
            return control_name(line.name)
        return f"{line.name} + priming" if line.group == "primed" else line.name

    @property
    def chart(self) -> Markup:
        """All of them over the same-budget context, group by group."""
        rows = [
            Row(
                label=self.name(line),
                mean=_shown(line).mean,
                low=_shown(line).low,
                high=_shown(line).high,
                kind="predictor" if line.group == "forecast" else line.group,
            )
            for line in self.lines
            if line.name != "same-budget"
        ]
        return forest(
            rows,
            name=f"attacks{self.number}",
            title="Lift without forecasting beside honest forecasts, with 95 % intervals",
            axis="lift over same-budget context, nats per token (clip 2)",
        )


def _shown(line: AttackLift) -> Estimate:
    return line.over_same_budget


def by_scorer(attacks: Attacks | None) -> list[ByAttack]:
    """An audit scorer by scorer, the attacked one first; nothing where there is no audit."""
    if attacks is None:
        return []
    return [
        ByAttack(
            scorer_id,
            conclusion,
            [line for line in attacks.lifts if line.scorer_id == scorer_id],
            number,
        )
        for number, (scorer_id, conclusion) in enumerate(attacks.conclusions.items())
    ]
