"""The stage itself: every cut put to a predictor, each answer kept at once and then trimmed."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from foreword.errors import ForewordError
from foreword.forecasts.forms import trim
from foreword.forecasts.predictor import Answer, Predictor, sample_seed
from foreword.records import MOST_SAMPLES, Cut, Forecast
from foreword.store import JSON, Journal, fingerprint, from_row, to_row

Progress = Callable[[Sequence[Cut]], Iterable[Cut]]


def forecast_all(
    cuts: Sequence[Cut],
    predictor: Predictor,
    *,
    seed: int,
    journal: Journal,
    samples: int = 1,
    progress: Progress = iter,
    retry_failed: bool = True,
) -> list[Forecast]:
    """So many forecasts a cut; a missing one has its reason and no text.

    The first sample of every cut comes first, in the order of the cuts, then the second of each.
    Each answer is in the journal before the next is waited for, under the hash of all that could
    change it: the predictor's identity, the seed, the question, and the sample past the first.
    What is there is not asked again, so more samples ask for those alone.

    Args:
        cuts: with ids that differ.
        predictor: sees each cut's question, never the cut.
        seed: each answer has its own, made of this, the cut's id and, past the first, the sample.
        journal: where answers are kept from run to run.
        samples: how often each question is put, from 1 to `MOST_SAMPLES`.
        progress: wraps the cuts that are to be asked, to show how far they are; a cut comes once a
            sample.
        retry_failed: whether to ask again where an answer was lost to a failure of the machinery.
            What a model refused, left empty or did not finish is a result, and stays.

    Raises:
        ValueError: `samples` is out of its range.
        ForewordError: two cuts share an id, or the predictor does not answer each question once.
    """
    if not 1 <= samples <= MOST_SAMPLES:
        raise ValueError(f"samples is {samples}; it must be from 1 to {MOST_SAMPLES}")
    if len({cut.id for cut in cuts}) < len(cuts):
        raise ForewordError("two cuts share an id, so their forecasts can't be told apart")
    rows = [(sample, cut) for sample in range(samples) for cut in cuts]
    keys = {(sample, cut.id): _key(cut, predictor, seed, sample) for sample, cut in rows}
    todo = [
        [cut for cut in cuts if not _is_done(journal, keys[sample, cut.id], retry_failed)]
        for sample in range(samples)
    ]
    answers = _answers(todo, predictor, seed)
    for _ in progress(list(chain.from_iterable(todo))):
        sample, answer = next(answers)
        journal.add({keys[sample, answer.cut_id]: to_row(answer)})
    settings = json.dumps(dict(predictor.identity), sort_keys=True)
    return [
        replace(
            _forecast(cut, from_row(journal[keys[sample, cut.id]], Answer), predictor.name),
            settings=settings,
            sample=sample,
        )
        for sample, cut in rows
    ]


def _answers(
    todo: Sequence[Sequence[Cut]], predictor: Predictor, seed: int
) -> Iterator[tuple[int, Answer]]:
    """Each answer with its sample, as they come: all of one sample before any of the next."""
    for sample, cuts in enumerate(todo):
        waiting = {cut.id for cut in cuts}
        answers = predictor.answers([cut.question for cut in cuts], seed=sample_seed(seed, sample))
        while waiting:
            answer = next(answers, None)
            if answer is None or answer.cut_id not in waiting:
                said = (
                    "stopped" if answer is None else f"answered {answer.cut_id}, not a cut it owed,"
                )
                raise ForewordError(
                    f"the predictor {predictor.name} {said} with {len(waiting)} cuts unanswered; "
                    "it must answer each question once"
                )
            waiting.remove(answer.cut_id)
            yield sample, answer


def _key(cut: Cut, predictor: Predictor, seed: int, sample: int) -> str:
    identity: Mapping[str, JSON] = predictor.identity
    question = to_row(cut.question)
    if question["kind"] == "equation":
        del question["kind"]  # as before there was another: answers that are there stay
    more = {"sample": sample} if sample else {}  # and as before there were several samples
    return fingerprint({"forecast": dict(identity), "seed": seed, "question": question, **more})


def _is_done(journal: Journal, key: str, retry_failed: bool) -> bool:
    if key not in journal:
        return False
    return not (retry_failed and from_row(journal[key], Answer).missing == "failed")


def _forecast(cut: Cut, answer: Answer, name: str) -> Forecast:
    text, missing, failure = None, answer.missing, answer.failure
    if missing is None:
        text = trim(answer.raw or "", cut.question, cut.budget) or None
        if text is None:
            missing = "empty"
            failure = failure or "nothing is left of the answer after trimming"
    return Forecast(
        cut_id=cut.id,
        predictor=name,
        text=text,
        raw=answer.raw,
        missing=missing,
        failure=failure,
        model=answer.model,
        seed=answer.seed,
        finish_reason=answer.finish_reason,
        input_tokens=answer.input_tokens,
        output_tokens=answer.output_tokens,
        reasoning_tokens=answer.reasoning_tokens,
        cost_usd=answer.cost_usd,
    )
