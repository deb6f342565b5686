"""The first page's sections on other scorers, and on the controls that were trained."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from foreword.findings import Contrast, Estimate, OtherScorer, Resampled
from foreword.report.conditions import FORECAST, control_name
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
