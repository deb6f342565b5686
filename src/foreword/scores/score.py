"""Score every cut under every condition, each request once."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import TypeVar

from foreword.adapters import work_of
from foreword.records import Cut, Forecast, Pair, PairScore, Score, TokenScores, item_name
from foreword.scores.reuse import is_done, recall, sharing
from foreword.scores.scaffolds import control_prompt, forecast_prompt, target
from foreword.scores.scorer import Scorer, papers_seen
from foreword.store import Cache, Journal, fingerprint, from_row, to_row

Progress = Callable[[Sequence[Pair]], Iterable[Pair]]
Engine = Callable[
    [Sequence[Sequence[Pair]], Scorer, bool], Iterator[tuple[int, Sequence[TokenScores]]]
]
"""What has groups scored: it gives each group's number and results once, in any order, as they
finish. The last argument says whether statistics are asked for."""
Scored = TypeVar("Scored", Score, PairScore)
SEEN = "the scorer's adapter was trained on this paper"
"""The failure of a cut that could tell how well the scorer remembers, and nothing else."""
_GROUP = 16  # pairs of a file that are scored, and kept, together


def in_threads(
    groups: Sequence[Sequence[Pair]],
    scorer: Scorer,
    statistics: bool,
) -> Iterator[tuple[int, Sequence[TokenScores]]]:
    """Each group's number and results as they finish, as many at once as the scorer takes."""
    if scorer.workers == 1:
        for index, group in enumerate(groups):
            yield index, scorer.score(group, statistics=statistics)
        return
    waiting = iter(enumerate(groups))
    pool = ThreadPoolExecutor(scorer.workers)
    running: dict[Future[Sequence[TokenScores]], int] = {}
    try:
        while True:
            for index, group in islice(waiting, 2 * scorer.workers - len(running)):
                running[pool.submit(scorer.score, group, statistics=statistics)] = index
            if not running:
                return
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(done), done.result()
    finally:
        # Who stops early does not wait: a server may take minutes to answer what is still open.
        pool.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """By what scores are made, and where they are kept: the same for every request of a run."""

    scorer: Scorer
    journal: Journal
    """Of the study: what it has is not computed again."""
    cache: Cache | None = None
    """Of all studies: what it has is not computed again either."""
    statistics: bool = False
    """Whether to give the statistics of each token's distribution too."""
    engine: Engine = in_threads
    """Has the scorer score, here or elsewhere."""


def score_all(
    cuts: Sequence[Cut],
    forecasts: Sequence[Forecast],
    scorer: Scorer,
    *,
    controls: Sequence[str],
    seed: int,
    journal: Journal,
    statistics: bool = False,
    cache: Cache | None = None,
    engine: Engine = in_threads,
    progress: Progress = iter,
) -> list[Score]:
    """One row a cut and condition: first the controls, then each predictor's forecasts.

    A predictor's further samples of a cut are rows of the same condition.

    A missing forecast has no row: it is not scored, and not scored as a bad one. A cut whose
    target is not made of the same tokens in every condition is invalid: all its rows say so.

    Args:
        cuts: the cuts.
        forecasts: of any number of predictors; of each, at most one a cut and sample.
        scorer: the frozen model.
        controls: names that `check_condition` accepts.
        seed: for the `reveal:P` controls.
        journal: keeps the results of each cut as they come; those it has are not computed again.
        statistics: whether to give the statistics of each token's distribution too.
        cache: results of other studies; those it has are not computed again either.
        engine: has the scorer score the cuts, here or elsewhere.
        progress: wraps the requests that are to be computed, to show how far they are.
    """
    of_cuts = requests(cuts, forecasts, controls=controls, seed=seed, seen=papers_seen(scorer))
    groups = [[pair for _, pair in rows if pair] for rows in of_cuts]
    means = Means(scorer=scorer, journal=journal, cache=cache, statistics=statistics, engine=engine)
    results = iter(_compute(groups, means, progress))
    scorer_id = scorer.scorer_id
    scores: list[Score] = []
    for rows in of_cuts:
        named = ((replace(row, scorer_id=scorer_id), pair) for row, pair in rows)
        of_cut = [filled(row, next(results)) if pair else row for row, pair in named]
        scores += _comparable(of_cut)
    return scores


def requests(
    cuts: Sequence[Cut],
    forecasts: Sequence[Forecast],
    *,
    controls: Sequence[str],
    seed: int,
    seen: Sequence[str] = (),
) -> list[list[tuple[Score, Pair | None]]]:
    """For each cut, its conditions' rows, each with its pair, or with the reason why it has none.

    The arguments are those of `score_all`, and the papers that the scorer was trained on here:
    their cuts have rows, and no pairs.
    """
    given: dict[str, list[Forecast]] = {}
    for forecast in forecasts:
        if forecast.text is not None:
            given.setdefault(forecast.cut_id, []).append(forecast)
    works = set(map(work_of, seen))
    of_cuts = []
    for cut in cuts:
        rows = list(_requests(cut, controls, given.get(cut.id, ()), seed))
        if work_of(cut.paper_id) in works:
            rows = [(replace(row, failure=SEEN), None) for row, _ in rows]
        of_cuts.append(rows)
    return of_cuts


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
        row = Score(
            cut_id=cut.id,
            paper_id=cut.paper_id,
            condition=f"forecast:{forecast.predictor}",
            scorer_id="",
            sample=forecast.sample,
        )
        name = item_name(cut.id, row.condition, row.sample)
        prompt = forecast_prompt(cut, forecast.text or "")
        yield row, Pair(id=name, prompt=prompt, target=target(cut))


def _compute(
    groups: Sequence[Sequence[Pair]], means: Means, progress: Progress
) -> list[TokenScores]:
    """Results in the order of the pairs; equal pairs are computed once."""
    keyed = with_keys(groups, means.scorer.scorer_id, statistics=means.statistics)
    keys = [key for group in keyed for key, _ in group]
    recall(keys, means.scorer.scorer_id, means.journal, means.cache)
    compute_left(left_to_do(keyed, means.journal), means, progress)
    return [from_row(means.journal[key], TokenScores) for key in keys]


def with_keys(
    groups: Sequence[Sequence[Pair]], scorer_id: str, *, statistics: bool
) -> list[list[tuple[str, Pair]]]:
    """The pairs of each group with the keys of their results."""
    return [
        [(request_key(scorer_id, pair, statistics=statistics), pair) for pair in group]
        for group in groups
    ]


def left_to_do(
    keyed: Sequence[Sequence[tuple[str, Pair]]], journal: Journal
) -> list[dict[str, Pair]]:
    """Of each group what has no result yet, by key; each key once, and no group that is done."""
    taken: set[str] = set()
    left: list[dict[str, Pair]] = []
    for group in keyed:
        new = {key: pair for key, pair in group if not is_done(key, journal) and key not in taken}
        if new:
            taken |= new.keys()
            left.append(new)
    return left


def compute_left(
    left: Sequence[Mapping[str, Pair]], means: Means, progress: Progress = iter
) -> None:
    """Score groups of requests, and keep the results under their keys.

    A group is scored in one go and kept in one go, so that a run that was killed forms the same
    groups again: what is scored beside a pair can change its last digits. Where a part of a group
    was known before, from another study or before a predictor was added, only the rest is scored.
    """
    shown = iter(progress([pair for new in left for pair in new.values()]))
    next(shown, None)  # it begins now, and hears of each request as it is done
    asked = [list(new.values()) for new in left]
    with sharing(means.scorer.scorer_id, means.cache) as share:
        for index, results in means.engine(asked, means.scorer, means.statistics):
            pairs = zip(left[index], results, strict=True)
            rows = {key: to_row(result) for key, result in pairs}
            means.journal.add(rows)
            share(rows)
            deque(islice(shown, len(results)), maxlen=0)


def request_key(scorer_id: str, pair: Pair, *, statistics: bool) -> str:
    """The key that a result is kept under: the hash of all that can change it.

    Text and scorer determine the token ids: the scorer's id covers its tokenizer. So nothing has to
    be loaded to know that a request was done before, and a server's own tokenizer need not be here.
    """
    more = ["statistics"] if statistics else []
    return fingerprint(["score", scorer_id, pair.prompt, pair.target, *more])


def filled(row: Scored, result: TokenScores) -> Scored:
    """A row with what was found: tokens and numbers, or the failure."""
    return replace(row, **{each.name: getattr(result, each.name) for each in fields(result)})


def of_same_tokens(scores: Sequence[Scored]) -> bool:
    """Whether all that were scored are of the same tokens; their texts too, if ids aren't told."""
    done = [score for score in scores if score.failure is None]
    return len({(score.token_ids, score.token_texts, score.prompt_bytes) for score in done}) <= 1


def _comparable(scores: Sequence[Score]) -> list[Score]:
    """A cut's rows, if their target tokens are the same tokens everywhere; else all failed."""
    if of_same_tokens(scores):
        return list(scores)
    failure = "invalid cut: its target is not the same tokens under every condition"
    empty = TokenScores(failure=failure)
    return [score if score.failure else filled(score, empty) for score in scores]


def score_pairs(
    pairs: Sequence[Pair],
    scorer: Scorer,
    *,
    journal: Journal,
    statistics: bool = False,
    cache: Cache | None = None,
    engine: Engine = in_threads,
    progress: Progress = iter,
) -> list[PairScore]:
    """One row a pair, in order: the tokens of its target and their log-probabilities in nats.

    Consecutive pairs are scored together; where their prompts begin alike, put them side by side.
    The arguments are those of `score_all`.
    """
    groups = grouped(pairs)
    means = Means(scorer=scorer, journal=journal, cache=cache, statistics=statistics, engine=engine)
    results = _compute(groups, means, progress)
    scorer_id = scorer.scorer_id
    return [
        filled(PairScore(id=pair.id, scorer_id=scorer_id), result)
        for pair, result in zip(pairs, results, strict=True)
    ]


def grouped(pairs: Sequence[Pair]) -> list[Sequence[Pair]]:
    """Consecutive pairs, as many as are scored, and kept, together."""
    return [pairs[start : start + _GROUP] for start in range(0, len(pairs), _GROUP)]
