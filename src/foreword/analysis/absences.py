"""What has no number, and why: missing forecasts, failed scores, tables that don't fit."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from foreword.analysis.pairing import PREDICTOR as PREDICTOR
from foreword.analysis.pairing import check_agreement
from foreword.errors import TableError
from foreword.records import MOST_SAMPLES, Cut, Failure, Forecast, Score, item_name

TRAINED = "trained:"
"""How the condition of a trained control begins: of the scorer, trained on contexts alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Absences:
    """Condition → cut → why there is no number. No cut is in both for one condition."""

    missing: Mapping[str, Mapping[str, str]]
    """The predictor gave no forecast."""
    failed: Mapping[str, Mapping[str, str]]
    """The condition was not scored, though it could be tried."""
    samples: Sequence[Failure] = ()
    """Single samples without a number, of cuts that others of the predictor's samples have one
    for: such a cut is in neither of the two."""

    def count(self, condition: str, over: str) -> tuple[int, int]:
        """Cuts with a missing forecast, and other cuts that failed here or under the baseline."""
        missing = self.missing.get(condition, {})
        failed = self.failed.get(condition, {}).keys() | self.failed.get(over, {}).keys()
        return len(missing), len(failed - missing.keys())

    def rows(self) -> tuple[Failure, ...]:
        """Each of them once, forecasts first, single samples last."""
        forecasts = [
            Failure(
                stage="forecasts", item=item_name(cut, name.removeprefix(PREDICTOR)), reason=reason
            )
            for name, reasons in self.missing.items()
            for cut, reason in reasons.items()
        ]
        scores = [
            Failure(stage="scores", item=item_name(cut, condition), reason=reason)
            for condition, reasons in self.failed.items()
            for cut, reason in reasons.items()
        ]
        return (*forecasts, *scores, *self.samples)


def find_absences(
    conditions: Sequence[str],
    cuts: Sequence[Cut],
    forecasts: Sequence[Forecast],
    scores: Sequence[Score],
) -> Absences:
    """Account for every cut under every condition that has no score.

    A predictor without a row for a cut has no forecast for it; any other condition without a row
    was not scored. So the cuts with a number, the missing and the failed add up to all cuts. Of
    several samples, one with a number is enough for the cut; without any, the cut is missing where
    all are, with the reason of the first, and failed where one of them could be tried.

    >>> cut = Cut(id="p/0/2", paper_id="p", environment="equation", context="", opening="",
    ...           prefix="x=", hidden="y", closing="")
    >>> find_absences(["forecast:mine"], [cut], [], []).rows()[0].reason
    'there is no forecast for this cut'
    """
    given = _by_cut({(PREDICTOR + f.predictor, f.cut_id, f.sample): f for f in forecasts})
    scored = _by_cut({(s.condition, s.cut_id, s.sample): s for s in scores})
    missing: dict[str, dict[str, str]] = {}
    failed: dict[str, dict[str, str]] = {}
    singly: list[Failure] = []
    for condition in conditions:
        for cut in cuts:
            key = condition, cut.id
            found = _of_samples(condition, given.get(key, {}), scored.get(key, {}))
            no_forecast = [why for why, _ in found.values()]
            no_score = [why for absent, why in found.values() if absent is None]
            if None not in no_forecast:
                missing.setdefault(condition, {})[cut.id] = str(no_forecast[0])
            elif None not in no_score:
                failed.setdefault(condition, {})[cut.id] = str(no_score[0])
            else:
                singly += _singly(condition, cut.id, found)
    return Absences(missing=missing, failed=failed, samples=tuple(singly))


def check_tables(
    cuts: Sequence[Cut], forecasts: Sequence[Forecast], scores: Sequence[Score]
) -> None:
    """See that three tables belong together.

    Raises:
        TableError: they are of other cuts, hold a row twice, or the scores contradict each other.
    """
    papers: dict[str, str] = {}
    for cut in cuts:
        if cut.id in papers:
            raise TableError(f"the cuts hold {cut.id} twice; cut the papers again")
        papers[cut.id] = cut.paper_id
    missing = _check_forecasts(forecasts, papers)
    for score in scores:
        if papers.get(score.cut_id) != score.paper_id:
            raise TableError(
                f"a score is for {score.cut_id} of paper {score.paper_id}, which is not among the "
                "cuts; use the cuts that were scored"
            )
        key = score.cut_id, score.condition, score.sample
        if score.failure is None and key in missing:
            raise TableError(
                f"{score.cut_id} has a score under {score.condition}, though that forecast is "
                "missing; score these forecasts again"
            )
    try:
        check_agreement(scores)
    except ValueError as error:
        raise TableError(f"{error}; score these cuts again, with one scorer") from error


def _check_forecasts(
    forecasts: Sequence[Forecast], papers: Mapping[str, str]
) -> set[tuple[str, str, int]]:
    """Cut, condition and sample of each missing forecast, once each row has a place."""
    missing, seen = set(), set()
    for forecast in forecasts:
        key = (forecast.cut_id, PREDICTOR + forecast.predictor, forecast.sample)
        if forecast.cut_id not in papers:
            raise TableError(
                f"a forecast by {forecast.predictor} is for {forecast.cut_id}, which is not among "
                "the cuts; use the cuts that the forecasts were made for"
            )
        if not 0 <= forecast.sample < MOST_SAMPLES:
            raise TableError(
                f"the forecast by {forecast.predictor} for {forecast.cut_id} is sample "
                f"{forecast.sample}; give a number from 0 to {MOST_SAMPLES - 1}"
            )
        if key in seen:
            raise TableError(
                f"{forecast.predictor} has two forecasts for {forecast.cut_id}; give each "
                "predictor and each setting its own name, and each sample its number"
            )
        for what in ("reasoning_tokens", "cost_usd"):
            spent = getattr(forecast, what)
            if spent is not None and not 0 <= spent < math.inf:
                raise TableError(
                    f"the forecast by {forecast.predictor} for {forecast.cut_id} has {what} of "
                    f"{spent}; give a number from 0 up, or leave it empty"
                )
        seen.add(key)
        if forecast.is_missing:
            missing.add(key)
    return missing


_Row = TypeVar("_Row", Forecast, Score)


def _by_cut(
    rows: Mapping[tuple[str, str, int], _Row],
) -> dict[tuple[str, str], dict[int, _Row]]:
    """Condition and cut → sample → row."""
    found: dict[tuple[str, str], dict[int, _Row]] = {}
    for (condition, cut, sample), row in rows.items():
        found.setdefault((condition, cut), {})[sample] = row
    return found


def _of_samples(
    condition: str, forecasts: Mapping[int, Forecast], scores: Mapping[int, Score]
) -> dict[int, tuple[str | None, str | None]]:
    """For each sample of a cut why it has no forecast, and why no score; None where it has one."""
    samples = sorted(forecasts.keys() | scores.keys()) or [0]
    return {
        sample: (
            _why_missing(condition, forecasts.get(sample), scores.get(sample)),
            _why_failed(scores.get(sample)),
        )
        for sample in samples
    }


def _singly(
    condition: str, cut: str, found: Mapping[int, tuple[str | None, str | None]]
) -> Iterator[Failure]:
    """The samples without a number, each by its own."""
    for sample, (no_forecast, no_score) in found.items():
        if no_forecast is not None:
            item = item_name(cut, condition.removeprefix(PREDICTOR), sample)
            yield Failure(stage="forecasts", item=item, reason=no_forecast)
        elif no_score is not None:
            yield Failure(stage="scores", item=item_name(cut, condition, sample), reason=no_score)


def _why_missing(condition: str, forecast: Forecast | None, score: Score | None) -> str | None:
    if not condition.startswith(PREDICTOR):
        return None
    if forecast is None:
        return "there is no forecast for this cut" if score is None else None
    if not forecast.is_missing:
        return None
    parts = [forecast.missing or "no text, and no reason given", forecast.failure]
    return ": ".join(part for part in parts if part)


def _why_failed(score: Score | None) -> str | None:
    return "not scored" if score is None else score.failure
