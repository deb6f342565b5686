"""One model at several reasoning efforts: a comparison whose order is known beforehand."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from foreword.analysis.absences import PREDICTOR
from foreword.analysis.evidence import with_evidence
from foreword.analysis.pairing import Means
from foreword.analysis.planned import t_p, trend
from foreword.findings import Family, Rule
from foreword.records import Forecast
from foreword.store import JSON

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""The names whose order is known, from the least effort on."""

_FREE = ("reasoning_effort", "max_tokens")
"""Settings that may differ within a family: the effort, and the room that a higher one needs."""


@dataclass(frozen=True, slots=True)
class Relatives:
    """The predictors of one family."""

    model: str
    efforts: Mapping[str, str]
    """Effort → condition, from the least on."""


def families(
    forecasts: Sequence[Forecast],
    means: Means,
    papers: Mapping[str, str],
    rule: Rule,
    *,
    seed: int,
) -> tuple[Family, ...]:
    """Each family's trend, and each of its efforts against the one below.

    The steps of all families are one set of planned tests, for Holm's correction.

    Args:
        forecasts: of all predictors, for their settings.
        means: condition → cut → mean score under the rule.
        papers: cut → its paper.
        rule: under which the means are.
        seed: of the wild cluster bootstrap.
    """
    found = find_relatives(forecasts, means)
    pairs = [
        (more, less) for relatives in found for less, more in pairwise(relatives.efforts.values())
    ]
    steps = iter(with_evidence(pairs, means, papers, rule, seed=seed))
    rows = []
    for relatives in found:
        conditions = tuple(relatives.efforts.values())
        slope = trend(means, conditions, papers)
        rows.append(
            Family(
                model=relatives.model,
                conditions=conditions,
                efforts=tuple(relatives.efforts),
                slope=slope,
                p=t_p(slope),
                steps=tuple(next(steps) for _ in conditions[1:]),
            )
        )
    return tuple(rows)


def find_relatives(forecasts: Iterable[Forecast], scored: Iterable[str]) -> list[Relatives]:
    """Predictors of one model that differ in the reasoning effort, and in nothing else that counts.

    A predictor has a place in a family where all of its forecasts have the same settings, these
    name a model and an effort of `EFFORTS`, and it was scored. Two with the same effort, all else
    equal, make no order, so they make no family. `max_tokens` may differ.

    >>> rows = [Forecast(cut_id="p/0/1", predictor=effort, text="y",
    ...                  settings=json.dumps({"model": "m", "reasoning_effort": effort}))
    ...         for effort in ("high", "low")]
    >>> find_relatives(rows, ["forecast:high", "forecast:low"])[0].efforts
    {'low': 'forecast:low', 'high': 'forecast:high'}
    """
    settings: dict[str, set[str]] = {}
    for forecast in forecasts:
        settings.setdefault(PREDICTOR + forecast.predictor, set()).add(forecast.settings)
    groups: dict[str, list[tuple[str, str, str]]] = {}
    has_scores = set(scored)
    for condition, texts in settings.items():
        asked = _settings(texts) if condition in has_scores else {}
        model, effort = asked.get("model"), asked.get("reasoning_effort")
        if isinstance(model, str) and effort in EFFORTS:
            rest = {name: value for name, value in asked.items() if name not in _FREE}
            key = json.dumps(rest, sort_keys=True)
            groups.setdefault(key, []).append((effort, condition, model))
    return [
        Relatives(rows[0][2], {effort: condition for effort, condition, _ in _in_order(rows)})
        for rows in groups.values()
        if len(rows) > 1 and len({effort for effort, _, _ in rows}) == len(rows)
    ]


def _settings(texts: set[str]) -> dict[str, JSON]:
    """The settings, where there is one set of them; any program may have written them."""
    if len(texts) != 1:
        return {}
    try:
        found = json.loads(next(iter(texts)))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _in_order(rows: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    return sorted(rows, key=lambda row: EFFORTS.index(row[0]))
