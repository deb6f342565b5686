"""The second page: single cuts with their forecasts, scores and token strips."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TypeVar

from markupsafe import Markup

from foreword.records import Analysis, Cut, Forecast, Lift, Macro, Score
from foreword.report.conditions import FORECAST, control_name, control_order, is_forecast
from foreword.report.samples import Samples
from foreword.report.strips import strip
from foreword.report.typeset import Typeset, typeset
from foreword.report.visible import clipped, shortened

Item = TypeVar("Item")

_CONTEXT = 600
_PREFIX = 1_500
_ENDING = 1_500
_LEAD = 80
"""Characters of the prefix that are repeated before a forecast's source."""
_TOKENS = 400
_REASON = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """The truth or one forecast, as the page shows it."""

    name: str
    lift: float | None
    formula: Typeset | None
    """None where there is no text to typeset, or it is prose."""
    lead: str
    """The visible beginning, or the last of it, as source."""
    source: str
    missing: str | None
    """Why there is no forecast."""
    of_samples: str = ""
    """Which of the predictor's samples this is, in words; empty where there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One row of an example's table of scores, and its token strip."""

    name: str
    kind: str
    """`forecast` or `control`."""
    prominent: bool
    """Whether its strip is shown at once: forecasts, the baseline and the truth."""
    clip2: float | None
    over_context: float | None
    over_empty: float | None
    tokens: Markup
    num_hidden: int
    """Tokens beyond those that the strip shows."""
    failure: str | None
    of_samples: str = ""
    """As for an ending: score and tokens are this sample's, lifts the mean's over all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """All that the page shows of one cut."""

    place: int
    """On the order of lift, from 1."""
    cut: Cut
    lift: float | None
    """Mean over the predictors, over the same-budget context."""
    context: str
    endings: Sequence[Ending]
    conditions: Sequence[Condition]
    straddling: int
    """Bytes of the prompt that the first scored token carries."""


class Examples:
    """Finds and prepares the cuts that the page shows."""

    def __init__(
        self,
        analysis: Analysis,
        cuts: Sequence[Cut],
        forecasts: Sequence[Forecast],
        scores: Sequence[Score],
        predictors: Sequence[str],
    ) -> None:
        self._predictors = list(predictors)
        self._rule = analysis.rule
        self._samples = Samples(forecasts, scores)
        self._forecasts = self._samples.shown
        self._lifts = {
            (lift.cut_id, lift.condition, lift.over): lift.value for lift in analysis.lifts
        }
        self._scores: dict[str, list[Score]] = {}
        for score in scores:
            if self._samples.shows(score):
                self._scores.setdefault(score.cut_id, []).append(score)
        self._macros: dict[str, dict[str, Macro]] = {}
        for cut in cuts:
            self._macros.setdefault(cut.paper_id, {}).update({m.name: m for m in cut.macros})
        means = _mean_lifts(analysis.lifts)
        self._means = means
        shown = [cut for cut in cuts if cut.hidden]
        self.num_withheld = len(cuts) - len(shown)
        self.ranked = sorted(
            (c for c in shown if c.id in means), key=lambda c: (-means[c.id], c.id)
        )
        self.unranked = [cut for cut in shown if cut.id not in means]
        self._places = {cut.id: n for n, cut in enumerate((*self.ranked, *self.unranked), 1)}

    def choose(self, most: int) -> list[Cut]:
        """At most `most` cuts, evenly over the order of lift; those without a lift come last."""
        ranked = spread(self.ranked, most)
        return ranked + spread(self.unranked, most - len(ranked))

    def example(self, cut: Cut) -> Example:
        """What the page shows of a cut."""
        scores = sorted(self._scores.get(cut.id, []), key=self._order)
        return Example(
            place=self._places[cut.id],
            cut=cut,
            lift=self._means.get(cut.id),
            context=cut.context[-_CONTEXT:],
            endings=[self._truth(cut), *(self._forecast(cut, name) for name in self._predictors)],
            conditions=[self._condition(score) for score in scores],
            straddling=next((s.prompt_bytes for s in scores if s.prompt_bytes), 0),
        )

    def _order(self, score: Score) -> tuple[int, float, str]:
        if is_forecast(score.condition):
            name = score.condition.removeprefix(FORECAST)
            known = name in self._predictors
            place = self._predictors.index(name) if known else len(self._predictors)
            return 4, place, name
        return control_order(score.condition)

    def _truth(self, cut: Cut) -> Ending:
        return Ending(
            name="True suffix",
            lift=self._lifts.get((cut.id, "true-suffix", "same-budget")),
            formula=self._typeset(cut, cut.hidden),
            lead=_last(cut.prefix, _PREFIX),
            source=clipped(cut.hidden, _ENDING).rstrip(),
            missing=None,
        )

    def _forecast(self, cut: Cut, name: str) -> Ending:
        forecast = self._forecasts.get((cut.id, name))
        text = forecast.text if forecast else None
        missing = None
        if text is None:
            missing = "there is no forecast for this cut"
            if forecast:
                missing = f"{forecast.missing or 'failed'}: {forecast.failure or 'no words why'}"
        return Ending(
            name=name,
            of_samples=self._samples.words(cut.id, name),
            lift=self._lift(cut.id, FORECAST + name, "same-budget"),
            formula=self._typeset(cut, text) if text is not None else None,
            lead=_last(cut.prefix, _LEAD),
            source=clipped(text or "", _ENDING).rstrip(),
            missing=clipped(missing, _REASON) if missing else None,
        )

    def _typeset(self, cut: Cut, ending: str) -> Typeset | None:
        """A forecast may use any macro of the paper, so those of its other cuts serve too."""
        if not cut.environment:  # prose is no formula
            return None
        macros = self._macros[cut.paper_id] | {macro.name: macro for macro in cut.macros}
        return typeset(replace(cut, macros=tuple(macros.values())), ending)

    def _lift(self, cut_id: str, condition: str, over: str) -> float | None:
        """A condition's lift; of a predictor with several samples that of the one shown."""
        if not self._samples.words(cut_id, condition.removeprefix(FORECAST)):
            return self._lifts.get((cut_id, condition, over))
        if self._rule != "clip2":
            return None  # an example shows clip-2 means alone
        means = {one.condition: clip2_mean(one.logprobs) for one in self._scores.get(cut_id, ())}
        own, base = means.get(condition), means.get(over)
        return None if own is None or base is None else own - base

    def _condition(self, score: Score) -> Condition:
        forecast = is_forecast(score.condition)
        name = score.condition.removeprefix(FORECAST) if forecast else score.condition
        shown = score.logprobs[:_TOKENS]
        return Condition(
            name=shortened(name) if forecast else control_name(name),
            of_samples=self._samples.words(score.cut_id, name) if forecast else "",
            kind="forecast" if forecast else "control",
            prominent=forecast or name in ("same-budget", "true-suffix"),
            clip2=clip2_mean(score.logprobs),
            over_context=self._lift(score.cut_id, score.condition, "same-budget"),
            over_empty=self._lift(score.cut_id, score.condition, "empty"),
            tokens=strip(_texts(score, len(shown)), shown),
            num_hidden=len(score.logprobs) - len(shown),
            failure=clipped(score.failure, _REASON) if score.failure else None,
        )


def clip2_mean(logprobs: Sequence[float]) -> float | None:
    """Mean log-probability in nats, no token counted below −2; None without tokens.

    >>> clip2_mean([-0.5, -9.5]), clip2_mean([])
    (-1.25, None)
    """
    return fmean(max(logprob, -2.0) for logprob in logprobs) if logprobs else None


def spread(items: Sequence[Item], most: int) -> list[Item]:
    """At most `most` items at even distances, the first and the last among them.

    >>> spread(range(10), 4)
    [0, 3, 6, 9]
    """
    if len(items) <= most:
        return list(items)
    if most < 2:
        return list(items[: max(0, most)])
    return [items[round(n * (len(items) - 1) / (most - 1))] for n in range(most)]


def _mean_lifts(lifts: Sequence[Lift]) -> dict[str, float]:
    """Mean lift of the forecasts of each cut over the same-budget context."""
    values: dict[str, list[float]] = {}
    for lift in lifts:
        if is_forecast(lift.condition) and lift.over == "same-budget":
            values.setdefault(lift.cut_id, []).append(lift.value)
    return {cut_id: fmean(found) for cut_id, found in values.items()}


def _last(text: str, length: int) -> str:
    """The end of a text, without the line breaks that a display often begins with."""
    return text.lstrip() if len(text) <= length else "…" + text[-length:]


def _texts(score: Score, count: int) -> Sequence[str]:
    """The first tokens in words; by their ids where another program wrote no texts."""
    if len(score.token_texts) == len(score.logprobs):
        return score.token_texts[:count]
    return [f"⟨{id_}⟩" for id_ in score.token_ids[:count]]
