"""What an adapter is trained on: the very requests that the scorer makes of cuts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from foreword.errors import UsageError
from foreword.finetune.settings import CONTEXTS, Task
from foreword.finetune.split import Split, drawn
from foreword.records import Cut, Failure, Forecast, item_name
from foreword.scores import requests
from foreword.scores.request import Request, make_request


@dataclass(frozen=True, slots=True, kw_only=True)
class Examples:
    """Requests of the papers of both sides, and what could not be made one."""

    trained_on: tuple[Request, ...]
    held_out: tuple[Request, ...]
    failures: tuple[Failure, ...]


def check_route(task: Task) -> None:
    """See that a route has what it needs and is given nothing that it would ignore.

    Raises:
        UsageError: it is not so.
    """
    if task.control not in CONTEXTS:
        raise UsageError(
            f"no adapter can be trained on {task.control!r}: the contexts are {', '.join(CONTEXTS)}"
        )
    if task.route == "context-only":
        if task.forecasts:
            raise UsageError("the context-only route sees no forecast: leave the tables out")
        return
    if not task.forecasts:
        raise UsageError("the scaffold-aware route needs tables of forecasts: give some after CUTS")
    if task.control != CONTEXTS[0]:
        raise UsageError("a control goes with the context-only route; leave it out")


def make_examples(
    cuts: Sequence[Cut],
    forecasts: Sequence[Forecast],
    split: Split,
    task: Task,
    *,
    tokenizer: Any,
    most_tokens: int | None,
) -> Examples:
    """The requests of a route, in the order of the cuts.

    Prompts, targets, tokens and the first token that counts are the scorer's own: what is trained
    is what is scored.

    Args:
        cuts: of papers of both sides; those of other papers are left alone.
        forecasts: for the scaffold-aware route, of any predictors; missing ones are left alone.
        split: which papers are trained on.
        task: which route, and how many examples of each side.
        tokenizer: the scorer's.
        most_tokens: that the model reads; None where there is no limit.

    Raises:
        UsageError: a side has no example.
    """
    ours = {*split.trained_on, *split.held_out}
    mine = [cut for cut in cuts if cut.paper_id in ours]
    made, failures = _requests(mine, forecasts, task, tokenizer, most_tokens)

    def side(what: str, papers: Sequence[str], most: int | None) -> tuple[Request, ...]:
        kept = set(papers)
        names = [name for name, (paper, _) in made.items() if paper in kept]
        if not names:
            raise UsageError(_nothing(what, failures))
        taken = drawn(names, most, seed=task.settings.seed, what=what)
        return tuple(made[name][1] for name in names if name in taken)

    return Examples(
        trained_on=side("trained on", split.trained_on, task.most_examples),
        held_out=side("held out", split.held_out, task.most_held_out),
        failures=tuple(failures),
    )


def _requests(
    cuts: Sequence[Cut],
    forecasts: Sequence[Forecast],
    task: Task,
    tokenizer: Any,
    most_tokens: int | None,
) -> tuple[Mapping[str, tuple[str, Request]], list[Failure]]:
    """Each request by the names of its cut and condition, with its paper; and what failed."""
    controls = (task.control,) if task.route == "context-only" else ()
    rule, seed = task.settings.boundary, task.settings.seed
    made: dict[str, tuple[str, Request]] = {}
    failures = []
    for row, pair in (
        each
        for of_cut in requests(cuts, forecasts, controls=controls, seed=seed)
        for each in of_cut
    ):
        name = item_name(row.cut_id, row.condition, row.sample)
        reason = row.failure
        if pair is not None:
            try:
                made[name] = (row.paper_id, make_request(pair, tokenizer, rule, most_tokens))
            except ValueError as error:
                reason = str(error)
        if reason:
            failures.append(Failure(stage="finetune", item=name, reason=reason))
    return made, failures


def _nothing(what: str, failures: Sequence[Failure]) -> str:
    why = f" (the first of {len(failures)} failures: {failures[0].reason})" if failures else ""
    return f"there is no example of a paper that is {what}{why}: give more cuts"
