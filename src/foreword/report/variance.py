"""The section on where the uncertainty of each lift comes from, and on what to add next."""

import math
from dataclasses import dataclass

from foreword.findings import Advised, Level, Source, Uncertainty
from foreword.report.conditions import FORECAST
from foreword.report.leaderboard import Leaderboard
from foreword.report.numbers import amount, percent

_WORDS: dict[tuple[Level, ...], str] = {
    ("paper",): "papers",
    ("paper", "cut"): "papers, with one cut each",
    ("paper", "cut", "sample", "repeat"): "papers, with one cut and one sample each",
    ("cut",): "cuts of a paper",
    ("cut", "sample", "repeat"): "cuts of a paper, with one sample each",
    ("sample", "repeat"): "samples of a cut",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One source of one predictor's uncertainty."""

    name: str
    error: float | None
    """Of the predictor's mean, by all sources."""
    source: Source

    @property
    def level(self) -> str:
        """What varies, in words."""
        levels = self.source.component.levels
        return _WORDS.get(levels, " and ".join(levels))

    @property
    def deviation(self) -> float:
        """The root of the component's variance."""
        return math.sqrt(self.source.component.variance)


@dataclass(frozen=True, slots=True)
class Advice:
    """One more unit for one predictor."""

    name: str
    one: Advised
    of_best: float
    """What the best step saves for the same cost is 1."""


class Variance:
    """What the section shows of an analysis."""

    def __init__(self, board: Leaderboard) -> None:
        self._findings = board.analysis.findings

    @property
    def all(self) -> list[tuple[str, Uncertainty]]:
        """Each predictor with a lift, in the order of the leaderboard."""
        return [(one.condition.removeprefix(FORECAST), one) for one in self._findings.uncertainty]

    @property
    def rows(self) -> list[Row]:
        """Each source of each predictor; none where there is one paper."""
        return [Row(name, one.standard_error, s) for name, one in self.all for s in one.sources]

    @property
    def has_samples(self) -> bool:
        """Whether some cut has several forecasts of one predictor."""
        return any(one.most_samples > 1 for _, one in self.all)

    @property
    def has_negative(self) -> bool:
        """Whether some variance was estimated below 0."""
        return any(row.source.component.is_negative for row in self.rows)

    @property
    def of_repeats(self) -> str:
        """What is known of the scorer's own noise, in a sentence."""
        noise = self._findings.repeat_noise
        if noise is None:
            return "How the scorer’s values vary when it is asked again is not on record."
        if noise == 0:
            return "Asked again, the scorer gave the same values: its repeats add nothing."
        said = f"Asked again, the scorer’s values of a token moved by up to {amount(noise)} nats"
        totals = [
            (one.repeats, sum(s.component.variance for s in one.sources)) for _, one in self.all
        ]
        shares = [repeats / total for repeats, total in totals if repeats is not None and total]
        if not shares:
            return f"{said}."
        most = percent(max(shares)) if max(shares) >= 0.01 else "less than 1 %"
        return (
            f"{said}. Were all tokens as noisy, each by itself, repeats would be {most} of the "
            "variance of one forecast’s lift, at most."
        )

    @property
    def advice(self) -> list[Advice]:
        """Steps at the costs that were stated."""
        return [
            Advice(name, step, step.step.saved_per_cost / best)
            for name, one in self.all
            if one.advised and (best := one.advised[0].step.saved_per_cost)
            for step in one.advised
        ]

    @property
    def not_advised(self) -> list[tuple[str, str]]:
        """Predictors without advice, though costs were stated, and why."""
        return [(name, one.not_advised) for name, one in self.all if one.not_advised]
