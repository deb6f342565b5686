"""The greedy coordinate search: a gradient proposes, the ordinary scorer decides."""

import logging
import random
from collections.abc import Sequence
from typing import Protocol

from foreword.audit.objective import Found, Objective, universal, within_budget
from foreword.errors import ForewordError
from foreword.records import Cut
from foreword.scores import forecast_prompt, target
from foreword.store import fingerprint

_log = logging.getLogger(__name__)


class Proposer(Protocol):
    """What proposes texts near another one: `gradient.Gradient`, or a fake in tests."""

    def propose(
        self, text: str, cuts: Sequence[Cut], *, count: int, most: int, draw: random.Random
    ) -> list[str]:
        """Texts of at most `most` characters that might score higher."""
        ...


def descend(
    objective: Objective,
    proposer: Proposer,
    start: str,
    *,
    most: int,
    steps: int,
    batch: int,
    seed: int,
    what: str,
) -> Found:
    """The best text on a path that takes, at each step, the best of a batch of proposals.

    A step whose proposals are all worse stays where it is and draws anew. Proposals are kept in the
    journal as their values are: a search that was killed computes nothing twice.

    Args:
        objective: what is wanted.
        proposer: proposes texts.
        start: where to begin; not empty.
        most: characters of a text.
        steps: how many.
        batch: proposals a step.
        seed: of the draws.
        what: names the search in the log.

    Raises:
        ForewordError: the start can't be scored.
    """
    [value] = objective.values([universal(start)])
    if value is None:
        raise ForewordError(
            f"{what}: the text it begins with can't be scored; `foreword score` on these cuts "
            "says why"
        )
    text, first, requests = start, value, len(objective.cuts)
    for step in range(steps):
        texts = _proposals(objective, proposer, text, most=most, batch=batch, seed=seed + step)
        values = objective.values([universal(each) for each in texts])
        requests += len(texts) * len(objective.cuts)
        scored = [(-v, len(t), t) for t, v in zip(texts, values, strict=True) if v is not None]
        if scored and -min(scored)[0] > value:
            value, text = -min(scored)[0], min(scored)[2]
        _log.info("%s: step %d of %d, %+.4f so far", what, step + 1, steps, value - first)
    return Found(text=text, value=value, start=first, requests=requests)


def _proposals(
    objective: Objective, proposer: Proposer, text: str, *, most: int, batch: int, seed: int
) -> list[str]:
    """From the journal, or made now and kept there."""
    means, plan = objective.means, universal(text)
    asked = [
        [forecast_prompt(cut, within_budget(plan, cut)), target(cut)] for cut in objective.cuts
    ]
    key = fingerprint(["audit proposals", means.scorer.scorer_id, most, batch, seed, text, asked])
    if key not in means.journal:
        draw = random.Random(key)  # noqa: S311 (no secret)
        texts = proposer.propose(text, objective.cuts, count=batch, most=most, draw=draw)
        means.journal.add({key: {"texts": texts}})
    return [str(each) for each in means.journal[key]["texts"]]
