"""An analysis as the figures and tables of a paper read it: in what order, under which names."""

from collections.abc import Sequence
from dataclasses import dataclass

from foreword.figures.tex import escaped
from foreword.findings import Contrast, Estimate, Family, Rule, Usage
from foreword.records import Analysis, Lift
from foreword.report.conditions import FORECAST, control_name, control_order, is_forecast
from foreword.report.leaderboard import RULE_UNITS

BASELINE = "same-budget"
_GROUND = "empty"
"""What the ladder stands on."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One analysis: of one study, by one scorer."""

    analysis: Analysis

    @staticmethod
    def label(condition: str) -> str:
        """A condition in a reader's words.

        >>> Shown.label("forecast:mine"), Shown.label("reveal:0.5")
        ('mine', '50 % of the truth revealed')
        """
        if is_forecast(condition):
            return condition.removeprefix(FORECAST)
        return control_name(condition)

    @staticmethod
    def rung(condition: str) -> str:
        """A condition as one of the ladder, where the others are controls.

        >>> Shown.rung("forecast:mine")
        'Forecast by mine'
        """
        return "Forecast by " * is_forecast(condition) + Shown.label(condition)

    @property
    def unit(self) -> str:
        """Of every mean under the headline rule."""
        window = self.analysis.window
        of_window = f", first {window} tokens" if window else ""
        return RULE_UNITS[self.analysis.rule] + of_window

    @property
    def unit_tex(self) -> str:
        """The same as TeX."""
        return escaped(self.unit, 200)

    @property
    def window_tex(self) -> str:
        """Which tokens of a target count, where not all do, as TeX."""
        window = self.analysis.window
        return f", first {window} tokens" if window else ""

    @property
    def predictors(self) -> list[str]:
        """Conditions, best first."""
        return [name for name in self._conditions() if is_forecast(name)]

    @property
    def controls(self) -> list[str]:
        """Conditions, from knowing nothing to knowing all."""
        names = {name for name in self._conditions() if not is_forecast(name)}
        # A baseline has no standing over itself, but others have one over it.
        names |= {one.over for one in self.analysis.standings if one.lift.num_cuts}
        return sorted(names, key=control_order)

    def _conditions(self) -> list[str]:
        return list(dict.fromkeys(one.condition for one in self.analysis.standings))

    def estimate(self, condition: str, over: str, rule: Rule | None = None) -> Estimate | None:
        """A condition over a baseline, under the headline rule unless another is named."""
        wanted = (condition, over, rule or self.analysis.rule)
        for one in self.analysis.standings:
            if (one.condition, one.over, one.rule) == wanted:
                return one.lift
        return None

    def lifts(self) -> list[tuple[str, Estimate]]:
        """Each predictor with a standing over the same-budget context, best first."""
        found = [(self.label(name), self.estimate(name, BASELINE)) for name in self.predictors]
        return [(label, lift) for label, lift in found if lift is not None]

    def ladder(self) -> list[tuple[str, Estimate]]:
        """Conditions over the empty scaffold: the controls, and the best predictor among them."""
        rungs = sorted([*self.controls, *self.predictors[:1]], key=control_order)
        found = [(name, self.estimate(name, _GROUND)) for name in rungs]
        return [(name, lift) for name, lift in found if lift and lift.mean is not None]

    @property
    def neighbours(self) -> list[Contrast]:
        """Contrasts between neighbours on the ranking, under the headline rule."""
        return [
            one
            for one in self.analysis.contrasts
            if one.rule == self.analysis.rule and one.difference.mean is not None
        ]

    @property
    def families(self) -> Sequence[Family]:
        """Each model that was asked at several efforts."""
        return self.analysis.findings.families

    @property
    def steps(self) -> list[Contrast]:
        """Each effort minus the one below it, the highest first, family by family."""
        return [
            step
            for family in self.families
            for step in reversed(family.steps)
            if step.difference.mean is not None
        ]

    @property
    def usage(self) -> list[Usage]:
        """What each predictor spent, where anything is known of it."""
        return [
            one
            for one in self.analysis.findings.usage
            if one.reasoning_tokens.num_cuts or one.cost_usd.num_cuts
        ]

    def advantages(self, predictor: str) -> list[Contrast]:
        """A predictor minus each control, in the order of the controls."""
        found = [one for one in self.analysis.findings.advantages if one.first == predictor]
        return sorted(found, key=lambda one: control_order(one.second))

    def of_cuts(self) -> dict[str, list[Lift]]:
        """Each predictor's lifts over the same-budget context, cut by cut."""
        found: dict[str, list[Lift]] = {}
        for one in self.analysis.lifts:
            if one.over == BASELINE and is_forecast(one.condition):
                found.setdefault(one.condition, []).append(one)
        return found
