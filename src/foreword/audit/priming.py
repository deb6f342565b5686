"""Forecast plus hack: an honest forecast, and a priming text in the room that it leaves."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from foreword.audit.objective import Objective, Plan
from foreword.audit.strategies import cut_to
from foreword.records import Cut

Place = Literal["before", "after"]
_PLACES: tuple[Place, ...] = ("before", "after")


@dataclass(frozen=True, slots=True, kw_only=True)
class Priming:
    """A text that goes with a forecast, and where it stands."""

    name: str
    text: str
    place: Place
    value: float | None = None
    """With forecasts, on the cuts for fitting, in nats per target token."""


def primed(forecast: str, priming: Priming, budget: int) -> str:
    r"""The forecast with as much of the priming as the budget leaves room for.

    >>> primed("y+1", Priming(name="x", text="% same\n", place="before"), 12)
    '% same\ny+1'
    >>> primed("y+1", Priming(name="x", text="% same\n", place="after"), 8)
    'y+1\n% sa'
    >>> primed("y+1", Priming(name="x", text="% same\n", place="before"), 3)
    'y+1'
    """
    room = budget - len(forecast) - 1
    text = cut_to(priming.text.rstrip(), max(room, 0))
    if not text:
        return forecast
    if priming.place == "after":
        return f"{forecast}\n{text}"
    # A comment must end before the forecast begins, or it would be part of the comment.
    return f"{text}\n{forecast}" if "%" in text else f"{text} {forecast}"


def choose_priming(
    objective: Objective, forecasts: Mapping[str, str], texts: Mapping[str, str]
) -> Priming | None:
    """The priming that does most for forecasts on the cuts for fitting; None if none can be scored.

    Args:
        objective: on cuts for fitting that all have a forecast.
        forecasts: of one predictor, by cut.
        texts: primings by name.
    """
    ways = [
        Priming(name=name, text=text, place=place)
        for name, text in texts.items()
        if text.strip()
        for place in _PLACES
    ]
    values = objective.values([_plan(way, forecasts) for way in ways]) if ways else []
    scored = [(v, -i) for i, v in enumerate(values) if v is not None]
    if not scored:
        return None
    value, place = max(scored)
    best = ways[-place]
    return Priming(name=best.name, text=best.text, place=best.place, value=value)


def _plan(priming: Priming, forecasts: Mapping[str, str]) -> Plan:
    def plan(cut: Cut) -> str:
        return primed(forecasts[cut.id], priming, cut.budget)

    return plan
