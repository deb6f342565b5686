"""From toys to pairs, and from a scorer's results to rows: through the ordinary scorer."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from foreword.records import Failure, Pair, PairScore, TokenScores
from foreword.scores import Means, filled, of_same_tokens, score_pairs
from foreword.scores.score import Progress
from foreword.toys.item import CONDITIONS, Condition, Toy, ToyScore
from foreword.toys.recovery import recovery_token

_INVALID = "invalid item: its target is not the same tokens under every condition"


def toy_pairs(toys: Sequence[Toy]) -> list[Pair]:
    """A pair for each toy and condition: toy by toy, in the order of `CONDITIONS`."""
    return [
        Pair(id=f"{toy.name} {condition}", prompt=toy.prompt(condition), target=toy.target)
        for toy in toys
        for condition in CONDITIONS
    ]


def toy_rows(toys: Sequence[Toy], scores: Sequence[PairScore]) -> list[ToyScore]:
    """The rows of a table, from what a scorer said of `toy_pairs(toys)`, in that order.

    A toy whose target is not the same tokens under every condition is invalid: all its rows say so.
    """
    rows: list[ToyScore] = []
    for index, toy in enumerate(toys):
        of_toy = scores[index * len(CONDITIONS) : (index + 1) * len(CONDITIONS)]
        if not of_same_tokens(of_toy):
            empty = TokenScores(failure=_INVALID)
            of_toy = [score if score.failure else filled(score, empty) for score in of_toy]
        rows += (
            _row(toy, condition, score) for condition, score in zip(CONDITIONS, of_toy, strict=True)
        )
    return rows


def score_toys(toys: Sequence[Toy], means: Means, progress: Progress = iter) -> list[ToyScore]:
    """Score every toy under every condition."""
    scores = score_pairs(
        toy_pairs(toys),
        means.scorer,
        journal=means.journal,
        cache=means.cache,
        engine=means.engine,
        progress=progress,
    )
    return toy_rows(toys, scores)


def failures_of(rows: Sequence[ToyScore]) -> list[Failure]:
    """What could not be scored, or has no token at the recovery point: a line for each reason.

    A reason that is the same under every condition is named once.
    """
    reasons = [(row, row.failure or row.no_recovery) for row in rows]
    counts = Counter((row.item, reason) for row, reason in reasons)
    found: dict[tuple[str, str], Failure] = {}
    for row, reason in reasons:
        if reason:
            is_all = counts[row.item, reason] == len(CONDITIONS)
            item = row.item if is_all else f"{row.item} {row.condition}"
            found.setdefault((item, reason), Failure(stage="scores", item=item, reason=reason))
    return list(found.values())


def _row(toy: Toy, condition: Condition, score: PairScore) -> ToyScore:
    row = ToyScore(
        item=toy.name,
        kind=toy.kind,
        condition=condition,
        scorer_id=score.scorer_id,
        token_ids=score.token_ids,
        token_texts=score.token_texts,
        logprobs=score.logprobs,
        first_byte=score.first_byte,
        prompt_bytes=score.prompt_bytes,
        failure=score.failure,
    )
    if score.failure is not None:
        return row
    if score.first_byte is None:
        return replace(row, no_recovery="the scorer does not tell where its tokens are")
    try:
        index, before = recovery_token(toy, condition, score.token_texts, score.first_byte)
    except ValueError as error:
        return replace(row, no_recovery=str(error))
    return replace(row, recovery_token=index, recovery_bytes=before)
