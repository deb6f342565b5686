"""How much lift can be had without forecasting: what an audit found."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from foreword.findings.estimates import Estimate

AttackGroup = Literal["attack", "ceiling", "primed", "forecast", "context", "reference"]
"""`attack`: made without sight of Y; `ceiling`: with it, on the very cut; `primed`: an honest
forecast and a priming text; `forecast`: an honest one; `context`: the controls that show context;
`reference`: the empty scaffold and the true suffix."""

Base = Literal["empty", "same-budget"]
"""What a lift is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackLift:
    """One attack, forecast or control on the judged cuts, under one scorer."""

    name: str
    group: AttackGroup
    scorer_id: str
    over_empty: Estimate
    over_same_budget: Estimate
    over_forecast: Estimate | None
    """Of a forecast with priming: what the priming adds to the forecast, paired."""
    num_failed: int
    """Judged cuts without a score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackShare:
    """What the best attack without Y reaches of the best honest forecast's lift, paired."""

    scorer_id: str
    over: Base
    attack: str | None
    """None where no attack has a cut in common with a forecast, as all that follows."""
    attack_lift: Estimate | None
    honest: str | None
    honest_lift: Estimate | None
    share: float | None
    """Of the means; None where the honest one is not above zero."""
    num_attacks: int
    """Among how many the best was picked, on the very cuts it is judged on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacks:
    """An audit of a study, as a report shows it."""

    lifts: tuple[AttackLift, ...]
    """Scorer by scorer, in each by group."""
    conclusions: Mapping[str, str]
    """Scorer's id → what share of the honest lift the best attack without Y reaches, in words."""
    texts: tuple[tuple[str, str], ...]
    """What was searched for, and the text that was found."""
    effort: Mapping[str, str]
    """How hard the audit tried."""
    fitted_on: tuple[str, ...]
    """Papers."""
    judged_on: tuple[str, ...]
    left_out: tuple[str, ...]
    """Attacks that were not made, and why."""
    sha256: str
    """Of the audit's table."""
