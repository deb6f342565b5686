"""The stage itself: every cut put to a predictor, each answer kept at once and then trimmed."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence

from foreword.errors import ForewordError
from foreword.forecasts.forms import trim
from foreword.forecasts.predictor import Answer, Predictor
from foreword.records import Cut, Forecast
from foreword.store import JSON, Journal, fingerprint, from_row, to_row

Progress = Callable[[Sequence[Cut]], Iterable[Cut]]


def forecast_all(
    cuts: Sequence[Cut],
    predictor: Predictor,
    *,
    seed: int,
    journal: Journal,
    progress: Progress = iter,
    retry_failed: bool = True,
) -> list[Forecast]:
    """One forecast a cut, in the order of the cuts; a missing one has its reason and no text.

    Each answer is in the journal before the next is waited for, under the hash of all that could
    change it: the predictor's identity, the seed, the question. Cuts whose answer is there are not
    asked again.

    Args:
        cuts: with ids that differ.
        predictor: sees each cut's question, never the cut.
        seed: each answer has its own, made of this and the cut's id.
        journal: where answers are kept from run to run.
        progress: wraps the cuts that are to be asked, to show how far they are.
        retry_failed: whether to ask again where an answer was lost to a failure of the machinery.
            What a model refused, left empty or did not finish is a result, and stays.

    Raises:
        ForewordError: two cuts share an id, or the predictor does not answer each question once.
    """
    keys = {cut.id: _key(cut, predictor, seed) for cut in cuts}
    if len(keys) < len(cuts):
        raise ForewordError("two cuts share an id, so their forecasts can't be told apart")
    todo = [cut for cut in cuts if not _is_done(journal, keys[cut.id], retry_failed)]
    waiting = {cut.id for cut in todo}
    answers = predictor.answers([cut.question for cut in todo], seed=seed)
    for _ in progress(todo):
        answer = next(answers, None)
        if answer is None or answer.cut_id not in waiting:
            said = "stopped" if answer is None else f"answered {answer.cut_id}, not a cut it owed,"
            raise ForewordError(
                f"the predictor {predictor.name} {said} with {len(waiting)} cuts unanswered; "
                "it must answer each question once"
            )
        waiting.remove(answer.cut_id)
        journal.add({keys[answer.cut_id]: to_row(answer)})
    settings = json.dumps(dict(predictor.identity), sort_keys=True)
    return [
        _forecast(cut, from_row(journal[keys[cut.id]], Answer), predictor.name, settings)
        for cut in cuts
    ]


def _key(cut: Cut, predictor: Predictor, seed: int) -> str:
    identity: Mapping[str, JSON] = predictor.identity
    question = to_row(cut.question)
    if question["kind"] == "equation":
        del question["kind"]  # as before there was another: answers that are there stay
    return fingerprint({"forecast": dict(identity), "seed": seed, "question": question})


def _is_done(journal: Journal, key: str, retry_failed: bool) -> bool:
    if key not in journal:
        return False
    return not (retry_failed and from_row(journal[key], Answer).missing == "failed")


def _forecast(cut: Cut, answer: Answer, name: str, settings: str) -> Forecast:
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
        settings=settings,
        finish_reason=answer.finish_reason,
        input_tokens=answer.input_tokens,
        output_tokens=answer.output_tokens,
        reasoning_tokens=answer.reasoning_tokens,
        cost_usd=answer.cost_usd,
    )
