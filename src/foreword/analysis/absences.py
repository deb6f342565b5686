"""What has no number, and why: missing forecasts, failed scores, tables that don't fit."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from foreword.analysis.pairing import check_agreement
from foreword.errors import TableError
from foreword.records import Cut, Failure, Forecast, Score

PREDICTOR = "forecast:"
"""How the condition of a predictor begins; its name follows."""
TRAINED = "trained:"
"""How the condition of a trained control begins: of the scorer, trained on contexts alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Absences:
    """Condition → cut → why there is no number. No cut is in both for one condition."""

    missing: Mapping[str, Mapping[str, str]]
    """The predictor gave no forecast."""
    failed: Mapping[str, Mapping[str, str]]
    """The condition was not scored, though it could be tried."""

    def count(self, condition: str, over: str) -> tuple[int, int]:
        """Cuts with a missing forecast, and other cuts that failed here or under the baseline."""
        missing = self.missing.get(condition, {})
        failed = self.failed.get(condition, {}).keys() | self.failed.get(over, {}).keys()
        return len(missing), len(failed - missing.keys())

    def rows(self) -> tuple[Failure, ...]:
        """Each of them once, forecasts first."""
        forecasts = [
            Failure(stage="forecasts", item=f"{cut} {name.removeprefix(PREDICTOR)}", reason=reason)
            for name, reasons in self.missing.items()
            for cut, reason in reasons.items()
        ]
        scores = [
            Failure(stage="scores", item=f"{cut} {condition}", reason=reason)
            for condition, reasons in self.failed.items()
            for cut, reason in reasons.items()
        ]
        return (*forecasts, *scores)


def find_absences(
    conditions: Sequence[str],
    cuts: Sequence[Cut],
    forecasts: Sequence[Forecast],
    scores: Sequence[Score],
) -> Absences:
    """Account for every cut under every condition that has no score.

    A predictor without a row for a cut has no forecast for it; any other condition without a row
    was not scored. So the cuts with a number, the missing and the failed add up to all cuts.

    >>> cut = Cut(id="p/0/2", paper_id="p", environment="equation", context="", opening="",
    ...           prefix="x=", hidden="y", closing="")
    >>> find_absences(["forecast:mine"], [cut], [], []).rows()[0].reason
    'there is no forecast for this cut'
    """
    forecast_of = {
        (PREDICTOR + forecast.predictor, forecast.cut_id): forecast for forecast in forecasts
    }
    score_of = {(score.condition, score.cut_id): score for score in scores}
    missing: dict[str, dict[str, str]] = {}
    failed: dict[str, dict[str, str]] = {}
    for condition in conditions:
        for cut in cuts:
            key = (condition, cut.id)
            no_forecast = _why_missing(condition, forecast_of.get(key), score_of.get(key))
            no_score = _why_failed(score_of.get(key))
            if no_forecast is not None:
                missing.setdefault(condition, {})[cut.id] = no_forecast
            elif no_score is not None:
                failed.setdefault(condition, {})[cut.id] = no_score
    return Absences(missing=missing, failed=failed)


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
        if score.failure is None and (score.cut_id, score.condition) in missing:
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
) -> set[tuple[str, str]]:
    """Cut and condition of each missing forecast, once each row was seen to have a place."""
    missing, seen = set(), set()
    for forecast in forecasts:
        key = (forecast.cut_id, PREDICTOR + forecast.predictor)
        if forecast.cut_id not in papers:
            raise TableError(
                f"a forecast by {forecast.predictor} is for {forecast.cut_id}, which is not among "
                "the cuts; use the cuts that the forecasts were made for"
            )
        if key in seen:
            raise TableError(
                f"{forecast.predictor} has two forecasts for {forecast.cut_id}; give each "
                "predictor and each setting its own name"
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
