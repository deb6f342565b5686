"""What a search is after: the score of a text as Z, by the ordinary scorer, on some cuts."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from foreword.analysis import soften
from foreword.audit.strategies import cut_to
from foreword.records import Cut, Pair
from foreword.scores import Means, forecast_prompt, score_pairs, target

Plan = Callable[[Cut], str]
"""What an attack sends for a cut; within its budget, or `Objective` cuts it to that."""


def universal(text: str) -> Plan:
    """The same text for every cut."""

    def plan(cut: Cut) -> str:
        del cut
        return text

    return plan


def within_budget(plan: Plan, cut: Cut) -> str:
    """What a plan sends for a cut, cut to the cut's budget."""
    return cut_to(plan(cut), cut.budget)


def clip2_mean(logprobs: Sequence[float]) -> float:
    """The mean over a target's tokens of max(log-probability, −2), in nats.

    >>> clip2_mean([-0.5, -9.0])
    -1.25
    """
    softened = soften(np.array(logprobs, dtype=np.float64), "clip2")
    return math.fsum(softened.tolist()) / len(logprobs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """The mean over some cuts of a text's clip2 score.

    Every value comes from the ordinary scorer, given prompt and target as text: it is tokenised as
    any forecast is. Results are kept in the journal, so that a search that was killed, made again
    from the same seed, finds what it had and goes on.
    """

    cuts: tuple[Cut, ...]
    means: Means

    def values(self, plans: Sequence[Plan]) -> list[float | None]:
        """The value of each plan, in nats per target token; None where a cut can't be scored.

        Args:
            plans: what is tried, scored together.
        """
        pairs = [
            Pair(
                id=f"{cut.id} {number}",
                prompt=forecast_prompt(cut, within_budget(plan, cut)),
                target=target(cut),
            )
            for cut in self.cuts  # those of one cut side by side: they begin alike
            for number, plan in enumerate(plans)
        ]
        how = self.means
        rows = score_pairs(
            pairs, how.scorer, journal=how.journal, cache=how.cache, engine=how.engine
        )
        found: list[float | None] = []
        for number in range(len(plans)):
            of_plan = rows[number :: len(plans)]
            if any(row.failure for row in of_plan):
                found.append(None)
            else:
                values = [clip2_mean(row.logprobs) for row in of_plan]
                found.append(math.fsum(values) / len(values))
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The best text of a search."""

    text: str
    value: float
    """On the cuts it was fitted on, in nats per target token."""
    start: float
    """The value of the best text that the search began with."""
    requests: int
    """How many requests it took, those that were known before included."""
