"""The verdict: forecasts before a frozen scorer against a context shortcut that was trained."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from foreword.adapters import work_of
from foreword.analysis.absences import PREDICTOR
from foreword.analysis.pairing import (
    check_agreement,
    differences,
    estimate,
    mean_scores,
    papers_of,
)
from foreword.records import Estimate, Rule, Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One predictor against the trained control, on held-out papers."""

    condition: str
    """Under the frozen scorer: `forecast:NAME`."""
    control: str
    """Under the trained one."""
    rule: Rule
    values: Mapping[str, float]
    """Cut → frozen score minus trained control, in nats per target token."""
    difference: Estimate
    """Their clustered mean. Above zero: the forecasts tell more than a trained shortcut does."""


def verdicts(
    frozen: Sequence[Score],
    adapted: Sequence[Score],
    *,
    held_out: Collection[str],
    control: str = "same-budget",
    conditions: Sequence[str] | None = None,
    rule: Rule = "clip2",
) -> list[Verdict]:
    """Each predictor's score under the frozen scorer minus the control under the trained one.

        d_i = (1/T) Σ_t soften(x_t | forecast, frozen) − (1/T) Σ_t soften(x_t | control, trained)

    on the cuts i of held-out papers that both tables have, over the same T target tokens; then
    `clustered_mean` by paper. Source: section 4 and table 9 of arXiv 2605.10810, whose control is
    `same-budget`, trained on the same prompt.

    Args:
        frozen: of one scorer without an adapter, forecasts among its conditions.
        adapted: of the same model with an adapter that was trained on prompts without forecasts.
        held_out: the papers that the adapter has not seen; of others nothing is told, in whatever
            version they come.
        control: the condition of `adapted` that is subtracted.
        conditions: of `frozen`, in this order; None for every predictor, best first.
        rule: one of `RULES`.

    Raises:
        ValueError: no such condition; tables that contradict themselves or each other: a cut whose
            target is not the same tokens in both, scores of one scorer in both.

    >>> from foreword.records import Score
    >>> ids = dict(cut_id="p/0/9", paper_id="p", token_ids=(7,))
    >>> frozen = Score(condition="forecast:me", scorer_id="m", logprobs=(-0.25,), **ids)
    >>> trained = Score(condition="same-budget", scorer_id="m+", logprobs=(-1.0,), **ids)
    >>> verdicts([frozen], [trained], held_out={"p"})[0].difference.mean
    0.75
    """
    for table in (frozen, adapted):
        check_agreement(table)
    works = set(map(work_of, held_out))
    kept = [score for score in frozen if work_of(score.paper_id) in works]
    trained = [
        score
        for score in adapted
        if work_of(score.paper_id) in works and score.condition == control
    ]
    _check_pair(frozen, adapted, kept, trained, control)
    means = mean_scores(kept, rule)
    theirs = mean_scores(trained, rule)[control]
    papers = papers_of(kept)
    found = []
    for condition in _conditions(means, conditions):
        both = {"frozen": means[condition], "trained": theirs}
        values = differences(both, "frozen", "trained")
        found.append(
            Verdict(
                condition=condition,
                control=control,
                rule=rule,
                values=values,
                difference=estimate(values, papers),
            )
        )
    return found if conditions is not None else sorted(found, key=_place)


def _place(verdict: Verdict) -> tuple[bool, float, str]:
    mean = verdict.difference.mean
    return mean is None, -(mean or 0.0), verdict.condition


def _conditions(means: Mapping[str, object], wanted: Sequence[str] | None) -> list[str]:
    if wanted is None:
        return [condition for condition in means if condition.startswith(PREDICTOR)]
    for condition in wanted:
        if condition not in means:
            there = ", ".join(means) or "none"
            raise ValueError(f"no held-out score is of {condition!r}; the conditions are: {there}")
    return list(wanted)


def _check_pair(
    frozen: Sequence[Score],
    adapted: Sequence[Score],
    kept: Sequence[Score],
    trained: Sequence[Score],
    control: str,
) -> None:
    """See that two tables can be subtracted cut by cut."""
    if frozen and adapted and frozen[0].scorer_id == adapted[0].scorer_id:
        raise ValueError(
            f"both tables are of the scorer {frozen[0].scorer_id}: one has to be with the adapter"
        )
    if not trained:
        raise ValueError(
            f"no score of a held-out paper under {control!r} is in the table with the adapter"
        )
    targets = {score.cut_id: score for score in trained if score.failure is None}
    for score in kept:
        other = targets.get(score.cut_id)
        if score.failure or other is None:
            continue
        same_length = len(score.logprobs) == len(other.logprobs)
        if score.token_ids != other.token_ids or not same_length:
            raise ValueError(
                f"cut {score.cut_id} has other target tokens in one table than in the other: "
                "score both with the same model, tokenizer and boundary rule"
            )
