"""Lifts and contrasts: two conditions compared on the same cut, token for token."""

import math
from collections.abc import Mapping, Sequence
from itertools import chain, islice

import numpy as np

from foreword.analysis.estimates import clustered_mean
from foreword.analysis.softening import soften
from foreword.records import MOST_SAMPLES, Estimate, Lift, Rule, Score

PREDICTOR = "forecast:"
"""How the condition of a predictor begins; its name follows."""

Means = Mapping[str, Mapping[str, float]]
"""Condition → cut → mean over the target's tokens of their softened log-probabilities.

Where a predictor has several forecasts of a cut, the mean over those that were scored: all that
follows from a cut's number, follows from this mean."""


def lifts(
    scores: Sequence[Score], *, over: str = "same-budget", rule: Rule = "clip2"
) -> list[Lift]:
    """What every condition gains over a baseline, cut by cut, in nats per target token.

        lift = (1/T) Σ_t soften(x_t | condition) − (1/T) Σ_t soften(x_t | baseline)

    Source: section 2 of arXiv 2605.10810. A cut that failed under either of the two is left out.

    Args:
        scores: of one scorer; several conditions of the same cuts, in any order.
        over: the baseline, a condition; usually `same-budget` or `empty`.
        rule: one of `RULES`.

    Returns:
        A lift a cut and condition, in the order of the scores; the baseline itself has none.

    Raises:
        ValueError: no score is of the baseline, or the scores contradict each other: two scorers,
            two scores for one cut, condition and sample, unequal tokens, papers, samples or
            log-probabilities that can't be.

    >>> from foreword.records import Score
    >>> ids = dict(cut_id="p/0/9", paper_id="p", scorer_id="s", token_ids=(7, 8))
    >>> control = Score(condition="same-budget", logprobs=(-1.0, -0.5), **ids)
    >>> forecast = Score(condition="forecast:mine", logprobs=(-0.5, -9.0), **ids)
    >>> [(lift.condition, lift.value) for lift in lifts([control, forecast])]
    [('forecast:mine', -0.5)]
    """
    check_agreement(scores)
    means = mean_scores(scores, rule)
    _expect(over, means)
    papers = papers_of(scores)
    return [
        Lift(
            cut_id=cut, paper_id=papers[cut], condition=condition, over=over, rule=rule, value=value
        )
        for condition in means
        if condition != over
        for cut, value in differences(means, condition, over).items()
    ]


def contrast(scores: Sequence[Score], first: str, second: str, *, rule: Rule = "clip2") -> Estimate:
    """By how much one condition beats another on the cuts that both have, in nats per token.

    Args:
        scores: as for `lifts`.
        first: a condition, such as `forecast:NAME`.
        second: the condition that is subtracted.
        rule: one of `RULES`.

    Raises:
        ValueError: as for `lifts`.

    >>> from foreword.records import Score
    >>> ids = dict(cut_id="p/0/9", paper_id="p", scorer_id="s", token_ids=(7,))
    >>> one = Score(condition="forecast:one", logprobs=(-0.5,), **ids)
    >>> two = Score(condition="forecast:two", logprobs=(-0.75,), **ids)
    >>> contrast([one, two], "forecast:one", "forecast:two").mean
    0.25
    """
    check_agreement(scores)
    means = mean_scores(scores, rule)
    _expect(first, means)
    _expect(second, means)
    return estimate(differences(means, first, second), papers_of(scores))


def mean_scores(scores: Sequence[Score], rule: str) -> Means:
    """Condition → cut → mean softened log-probability per token; what failed has no entry.

    Args:
        scores: as `check_agreement` wants them. Samples count alike, those that failed not at all.
        rule: one of `RULES`, or `clip:K`.

    Raises:
        ValueError: no such rule.

    >>> mean_scores([], "raw")
    {}
    """
    return {
        condition: {cut: math.fsum(found.values()) / len(found) for cut, found in cuts.items()}
        for condition, cuts in sample_scores(scores, rule).items()
    }


def sample_scores(scores: Sequence[Score], rule: str) -> dict[str, dict[str, dict[int, float]]]:
    """Condition → cut → sample → mean softened log-probability per token.

    Arguments and errors are those of `mean_scores`.

    >>> ids = dict(cut_id="p/0/9", paper_id="p", condition="forecast:me", scorer_id="s")
    >>> rows = [Score(token_ids=(7,), logprobs=(x,), sample=n, **ids)
    ...         for n, x in enumerate((-0.5, -1.0))]
    >>> sample_scores(rows, "raw"), mean_scores(rows, "raw")
    ({'forecast:me': {'p/0/9': {0: -0.5, 1: -1.0}}}, {'forecast:me': {'p/0/9': -0.75}})
    """
    every_token = chain.from_iterable(score.logprobs for score in scores)
    softened = iter(soften(np.fromiter(every_token, np.float64), rule).tolist())
    means: dict[str, dict[str, dict[int, float]]] = {score.condition: {} for score in scores}
    for score in scores:
        if score.failure is None:
            num_tokens = len(score.logprobs)
            total = math.fsum(islice(softened, num_tokens))
            of_cut = means[score.condition].setdefault(score.cut_id, {})
            of_cut[score.sample] = total / num_tokens
    return means


def differences(means: Means, first: str, second: str) -> dict[str, float]:
    """Cut → first minus second, on the cuts that have both.

    >>> differences({"a": {"x": -0.5, "y": -1.0}, "b": {"x": -0.75}}, "a", "b")
    {'x': 0.25}
    """
    others = means.get(second, {})
    return {cut: v - others[cut] for cut, v in means.get(first, {}).items() if cut in others}


def shared_cuts(values: Sequence[Mapping[str, float]]) -> list[str]:
    """The cuts that all have, in the order of the first.

    >>> shared_cuts([{"y": 1.0, "x": 1.0, "z": 1.0}, {"x": 2.0, "y": 3.0}])
    ['y', 'x']
    """
    if not values:
        return []
    return [cut for cut in values[0] if all(cut in others for others in values[1:])]


def estimate(values: Mapping[str, float], papers: Mapping[str, str]) -> Estimate:
    """`clustered_mean` of a value a cut, clustered by the cut's paper.

    >>> estimate({"x": 0.25}, {"x": "p", "y": "p"}).mean
    0.25
    """
    return clustered_mean(list(values.values()), [papers[cut] for cut in values])


def papers_of(scores: Sequence[Score]) -> dict[str, str]:
    """Cut → its paper."""
    return {score.cut_id: score.paper_id for score in scores}


def check_agreement(scores: Sequence[Score]) -> None:
    """See that scores are of one scorer, one a cut, condition and sample, and of the same tokens.

    Predictors alone have samples.

    Raises:
        ValueError: they are not; the message names the first cut and condition that differ.
    """
    seen: set[tuple[str, str, int]] = set()
    first: dict[str, Score] = {}
    tokens: dict[str, Score] = {}
    for score in scores:
        where = f"cut {score.cut_id} under {score.condition}"
        if score.sample:
            where += f", sample {score.sample},"
            _check_sample(score, where)
        key = score.cut_id, score.condition, score.sample
        if key in seen:
            raise ValueError(f"{where} was scored twice")
        seen.add(key)
        if score.scorer_id != scores[0].scorer_id:
            raise ValueError(f"scores of two scorers, {scores[0].scorer_id} and {score.scorer_id}")
        if score.paper_id != first.setdefault(score.cut_id, score).paper_id:
            raise ValueError(f"{where} is of paper {score.paper_id}, elsewhere of another")
        _check_numbers(score, where)
        if score.failure is None:
            other = tokens.setdefault(score.cut_id, score)
            mine, theirs = score.token_ids, other.token_ids
            if mine != theirs or len(score.logprobs) != len(other.logprobs):
                raise ValueError(f"{where} has other target tokens than under {other.condition}")


def _check_sample(score: Score, where: str) -> None:
    if not score.condition.startswith(PREDICTOR):
        raise ValueError(f"{where} can't be: a control has no samples")
    if not 0 <= score.sample < MOST_SAMPLES:
        raise ValueError(f"{where} can't have that number: it is from 0 to {MOST_SAMPLES - 1}")


def _check_numbers(score: Score, where: str) -> None:
    if score.failure is not None:
        if score.logprobs:
            raise ValueError(f"{where} has log-probabilities and a failure; it can't have both")
        return
    is_withheld = not score.token_ids  # of a paper whose text may not be handed on
    if not score.logprobs or not (is_withheld or len(score.logprobs) == len(score.token_ids)):
        raise ValueError(
            f"{where} has {len(score.token_ids)} tokens, {len(score.logprobs)} "
            "log-probabilities and no failure that says why"
        )
    try:
        soften(np.array(score.logprobs), "raw")
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error


def _expect(condition: str, means: Means) -> None:
    if condition not in means:
        there = ", ".join(means) or "none"
        raise ValueError(f"no score is of condition {condition!r}; the conditions are: {there}")
