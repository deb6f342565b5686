"""Score every cut under every condition, each request once."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from foreword.records import Cut, Forecast, Pair, PairScore, Score, TokenScores
from foreword.scores.conditions import control_prompt, forecast_prompt, target
from foreword.scores.scorer import Scorer
from foreword.store import Journal, fingerprint, from_row, to_row

Progress = Callable[[Sequence[Pair]], Iterable[Pair]]


def score_all(
    cuts: Sequence[Cut],
    forecasts: Sequence[Forecast],
    scorer: Scorer,
    *,
    controls: Sequence[str],
    seed: int,
    journal: Journal,
    progress: Progress = iter,
) -> list[Score]:
    """One row a cut and condition: first the controls, then each predictor's forecast.

    A missing forecast has no row: it is not scored, and not scored as a bad one. A cut whose
    target is not made of the same tokens in every condition is invalid: all its rows say so.

    Args:
        cuts: the cuts.
        forecasts: of any number of predictors; of each, at most one a cut.
        scorer: the frozen model.
        controls: names that `check_condition` accepts.
        seed: for the `reveal:P` controls.
        journal: keeps each request's result as it comes; those it has are not computed again.
        progress: wraps the requests that are to be computed, to show how far they are.
    """
    given: dict[str, list[Forecast]] = {}
    for forecast in forecasts:
        if forecast.text is not None:
            given.setdefault(forecast.cut_id, []).append(forecast)
    rows = [row for cut in cuts for row in _requests(cut, controls, given.get(cut.id, ()), seed)]
    results = iter(_compute([pair for _, pair in rows if pair], scorer, journal, progress))
    scorer_id = scorer.scorer_id
    scores: dict[str, list[Score]] = {}
    for row, pair in rows:
        score = replace(row, scorer_id=scorer_id)
        scores.setdefault(score.cut_id, []).append(_filled(score, next(results)) if pair else score)
    return [score for of_cut in scores.values() for score in _comparable(of_cut)]


def _requests(
    cut: Cut, controls: Sequence[str], forecasts: Iterable[Forecast], seed: int
) -> Iterable[tuple[Score, Pair | None]]:
    """Each condition of a cut with its pair; one that can't be made has a failure instead."""
    for condition in controls:
        row = Score(cut_id=cut.id, paper_id=cut.paper_id, condition=condition, scorer_id="")
        try:
            prompt = control_prompt(cut, condition, seed=seed)
        except ValueError as error:
            yield replace(row, failure=str(error)), None
        else:
            yield row, Pair(id=f"{cut.id} {condition}", prompt=prompt, target=target(cut))
    for forecast in forecasts:
        condition = f"forecast:{forecast.predictor}"
        row = Score(cut_id=cut.id, paper_id=cut.paper_id, condition=condition, scorer_id="")
        prompt = forecast_prompt(cut, forecast.text or "")
        yield row, Pair(id=f"{cut.id} {condition}", prompt=prompt, target=target(cut))


def _compute(
    pairs: Sequence[Pair], scorer: Scorer, journal: Journal, progress: Progress
) -> list[TokenScores]:
    """Results in the order of the pairs; equal pairs are computed once, and kept as they come."""
    scorer_id = scorer.scorer_id
    keys = [fingerprint(["score", scorer_id, pair.prompt, pair.target]) for pair in pairs]
    todo = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in journal}
    pairs = list(todo.values())
    results = scorer.score(pairs)
    for key, _ in zip(todo, progress(pairs), strict=True):
        journal.add({key: to_row(next(results))})
    return [from_row(journal[key], TokenScores) for key in keys]


def _filled(score: Score, result: TokenScores) -> Score:
    return replace(
        score,
        token_ids=result.token_ids,
        token_texts=result.token_texts,
        logprobs=result.logprobs,
        first_byte=result.first_byte,
        prompt_bytes=result.prompt_bytes,
        failure=result.failure,
    )


def _comparable(scores: Sequence[Score]) -> list[Score]:
    """A cut's rows, if their target tokens are the same tokens everywhere; else all failed."""
    done = [score for score in scores if score.failure is None]
    if len({(score.token_ids, score.prompt_bytes) for score in done}) <= 1:
        return list(scores)
    failure = "invalid cut: its target is not the same tokens under every condition"
    empty = TokenScores(failure=failure)
    return [score if score.failure else _filled(score, empty) for score in scores]


def score_pairs(
    pairs: Sequence[Pair], scorer: Scorer, *, journal: Journal, progress: Progress = iter
) -> list[PairScore]:
    """One row a pair, in order: the tokens of its target and their log-probabilities in nats."""
    results = _compute(pairs, scorer, journal, progress)
    scorer_id = scorer.scorer_id
    return [
        PairScore(
            id=pair.id,
            scorer_id=scorer_id,
            token_ids=result.token_ids,
            token_texts=result.token_texts,
            logprobs=result.logprobs,
            first_byte=result.first_byte,
            prompt_bytes=result.prompt_bytes,
            failure=result.failure,
        )
        for pair, result in zip(pairs, results, strict=True)
    ]
