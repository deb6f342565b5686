"""From the audit's rows to lifts beside each other, and to the share of the honest lift."""

from collections.abc import Mapping, Sequence
from typing import get_args

from foreword.analysis import clustered_mean
from foreword.audit.rows import AuditRow
from foreword.audit.split import Split
from foreword.findings import AttackGroup as Group
from foreword.findings import AttackLift as Finding
from foreword.findings import AttackShare as Share
from foreword.findings import Base, Estimate

Values = Mapping[str, float]
"""Cut → a value."""


def findings(rows: Sequence[AuditRow]) -> list[Finding]:
    """A finding for each name and scorer: by group, in each the highest lift first.

    Only rows of papers that no attack was fitted on count.

    Raises:
        ForewordError: a paper is in both halves.
    """
    check_halves(rows)
    judged = [row for row in rows if row.half == "judge"]
    order = {group: place for place, group in enumerate(get_args(Group))}
    scorers = list(dict.fromkeys(row.scorer_id for row in judged))
    names = list(dict.fromkeys((row.scorer_id, row.group, row.name) for row in judged))
    found = [_finding(judged, *each) for each in names]
    return sorted(
        found,
        key=lambda one: (scorers.index(one.scorer_id), order[one.group], _falling(one)),
    )


def check_halves(rows: Sequence[AuditRow]) -> None:
    """See that no paper is in both halves.

    Raises:
        ForewordError: one is, or a half has none.
    """
    halves: dict[str, set[str]] = {"fit": set(), "judge": set()}
    for row in rows:
        halves[row.half].add(row.paper_id)
    Split(seed=0, fit=tuple(halves["fit"]), judge=tuple(halves["judge"]))


def _falling(one: Finding) -> float:
    for estimate in (one.over_same_budget, one.over_empty):
        if estimate.mean is not None:
            return -estimate.mean
    return float("inf")


def _finding(rows: Sequence[AuditRow], scorer_id: str, group: Group, name: str) -> Finding:
    mine = [r for r in rows if (r.scorer_id, r.group, r.name) == (scorer_id, group, name)]
    papers = {row.cut_id: row.paper_id for row in mine}
    over_forecast = None
    if group == "primed":
        own = {
            r.cut_id: r.score
            for r in rows
            if (r.scorer_id, r.group, r.name) == (scorer_id, "forecast", name)
            and r.score is not None
        }
        gains = {
            r.cut_id: r.score - own[r.cut_id]
            for r in mine
            if r.score is not None and r.cut_id in own
        }
        over_forecast = _estimate(gains, papers)
    return Finding(
        name=name,
        group=group,
        scorer_id=scorer_id,
        over_empty=_estimate(_lifts(mine, "empty"), papers),
        over_same_budget=_estimate(_lifts(mine, "same-budget"), papers),
        over_forecast=over_forecast,
        num_failed=sum(row.score is None for row in mine),
    )


def _lifts(rows: Sequence[AuditRow], over: Base) -> dict[str, float]:
    values = ((r.cut_id, r.over_empty if over == "empty" else r.over_same_budget) for r in rows)
    return {cut: value for cut, value in values if value is not None}


def _estimate(values: Values, papers: Mapping[str, str]) -> Estimate:
    return clustered_mean(list(values.values()), [papers[cut] for cut in values])


def shares(rows: Sequence[AuditRow]) -> list[Share]:
    """For each scorer, over the empty scaffold and over same-budget context.

    The best attack and the best forecast are those of the highest mean on the judged cuts; both are
    then compared on the cuts that both have. That the best of several attacks is picked on the cuts
    it is judged on favours the attack: a share is rather too high than too low.
    """
    judged = [row for row in rows if row.half == "judge"]
    scorers = dict.fromkeys(row.scorer_id for row in judged)
    return [_share(judged, each, over) for each in scorers for over in get_args(Base)]


def _share(rows: Sequence[AuditRow], scorer_id: str, over: Base) -> Share:
    papers = {row.cut_id: row.paper_id for row in rows}

    def of_group(group: Group) -> dict[str, dict[str, float]]:
        mine = [row for row in rows if (row.scorer_id, row.group) == (scorer_id, group)]
        lifts = {n: _lifts([r for r in mine if r.name == n], over) for n in {r.name for r in mine}}
        return {name: values for name, values in sorted(lifts.items()) if values}

    attacks, forecasts = of_group("attack"), of_group("forecast")
    attack, honest = _highest(attacks), _highest(forecasts)
    common = [c for c in attacks.get(attack or "", {}) if c in forecasts.get(honest or "", {})]
    if attack is None or honest is None or not common:
        return Share(scorer_id=scorer_id, over=over, attack=None, attack_lift=None, honest=None,
                     honest_lift=None, share=None, num_attacks=len(attacks))  # fmt: skip
    gained = _estimate({cut: attacks[attack][cut] for cut in common}, papers)
    lift = _estimate({cut: forecasts[honest][cut] for cut in common}, papers)
    return Share(
        scorer_id=scorer_id,
        over=over,
        attack=attack,
        attack_lift=gained,
        honest=honest,
        honest_lift=lift,
        share=_ratio(gained.mean, lift.mean),
        num_attacks=len(attacks),
    )


def _ratio(gained: float | None, honest: float | None) -> float | None:
    """The share; None where the honest lift is not above zero, and so has no shares."""
    if gained is None or honest is None or honest <= 0:
        return None
    return gained / honest


def _highest(lifts: Mapping[str, Values]) -> str | None:
    means = {name: sum(values.values()) / len(values) for name, values in lifts.items()}
    return max(means, key=lambda name: means[name]) if means else None
