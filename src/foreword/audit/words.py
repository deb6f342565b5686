"""What the audit says: a table for the terminal, a sentence, and JSON."""

from collections.abc import Sequence
from itertools import groupby

from foreword.audit.findings import findings, shares
from foreword.audit.rows import AuditRow
from foreword.findings import AttackGroup as Group
from foreword.findings import AttackLift as Finding
from foreword.findings import AttackShare as Share
from foreword.findings import Estimate
from foreword.report.numbers import NONE, counted, signed
from foreword.store import JSON, to_row

UNIT = "nats per token, clip 2"
_HEADINGS: dict[Group, str] = {
    "attack": "attack, without Y",
    "ceiling": "attack, with Y",
    "primed": "forecast with priming",
    "forecast": "forecast",
    "context": "context",
    "reference": "reference",
}
_NAMES = ("over same-budget", "95 % interval", "over empty", "95 % interval", "cuts", "papers")
_LONGEST = 24
_OF_ITSELF = (NONE, NONE)
"""A baseline has no lift over itself."""


def audit_text(rows: Sequence[AuditRow]) -> str:
    """The table, scorer by scorer, and what it comes to in one line each.

    Raises:
        ForewordError: a paper is in both halves.
    """
    found = findings(rows)
    said = shares(rows)
    blocks = [f"Lift without forecasting ({UNIT}), on papers that no attack was fitted on"]
    for scorer_id, mine in groupby(found, key=lambda one: one.scorer_id):
        blocks += [f"scorer {_short(scorer_id, 60)}", _table(list(mine))]
        blocks.append(conclusion([one for one in said if one.scorer_id == scorer_id]))
    return "\n\n".join(blocks)


def conclusion(said: Sequence[Share]) -> str:
    """What share of the honest lift the best attack without Y reaches: over each baseline.

    Args:
        said: of one scorer.
    """
    return f"In short: {'; '.join(map(_share_words, said))}."


def _share_words(one: Share) -> str:
    if one.attack is None or one.attack_lift is None or one.honest_lift is None:
        return f"over {one.over}: no attack and no forecast were scored on the same cut"
    best = (
        f"the best of {counted(one.num_attacks, 'attack')} without Y, {one.attack} "
        f"({signed(one.attack_lift.mean)})"
    )
    honest = f"{_short(one.honest or '', _LONGEST)} ({signed(one.honest_lift.mean)})"
    on = f"on {counted(one.attack_lift.num_cuts, 'cut')}"
    if one.share is None:
        return (
            f"over {one.over}: the best honest lift, by {honest}, is not above zero, so that "
            f"{best} has no share of it, {on}"
        )
    low = one.honest_lift.low
    unsure = "" if low is not None and low > 0 else ", itself not told apart from zero"
    return (
        f"over {one.over}: {best}, reaches {100 * one.share:.0f} % of the honest lift by "
        f"{honest}{unsure}, {on}"
    )


def audit_json(rows: Sequence[AuditRow], notes: JSON) -> dict[str, JSON]:
    """The findings as JSON-able data; None where nothing exists.

    Args:
        rows: of the table.
        notes: from its provenance: the split, what the searches found.
    """
    said = shares(rows)
    scorers = dict.fromkeys(one.scorer_id for one in said)
    return {
        "unit": UNIT,
        "findings": [to_row(one) for one in findings(rows)],
        "shares": [to_row(one) for one in said],
        "conclusions": {
            each: conclusion([one for one in said if one.scorer_id == each]) for each in scorers
        },
        **{name: notes[name] for name in ("split", "searches", "priming", "left_out")},
    }


def _table(found: Sequence[Finding]) -> str:
    lines: list[list[str]] = []
    for group, mine in groupby(found, key=lambda one: one.group):
        lines += [[_HEADINGS[group], *(_NAMES if not lines else [""] * len(_NAMES))]]
        lines += [_line(one) for one in mine]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = [
        "  ".join(
            [line[0].ljust(widths[0])]
            + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        ).rstrip()
        for line in lines
    ]
    return "\n".join([*text, *_added(found)])


def _line(one: Finding) -> list[str]:
    sample = one.over_same_budget if one.over_same_budget.num_cuts else one.over_empty
    failed = f" ({one.num_failed} without)" if one.num_failed else ""
    return [
        f"  {_short(one.name, _LONGEST)}{failed}",
        *(_OF_ITSELF if one.name == "same-budget" else _mean_and_interval(one.over_same_budget)),
        *(_OF_ITSELF if one.name == "empty" else _mean_and_interval(one.over_empty)),
        str(sample.num_cuts),
        str(sample.num_papers),
    ]


def _added(found: Sequence[Finding]) -> list[str]:
    """What priming adds to each forecast, paired."""
    return [
        f"priming adds {signed(one.over_forecast.mean)} {_mean_and_interval(one.over_forecast)[1]} "
        f"to the forecasts by {_short(one.name, _LONGEST)}, paired"
        for one in found
        if one.over_forecast is not None
    ]


def _mean_and_interval(estimate: Estimate) -> tuple[str, str]:
    if estimate.low is None or estimate.high is None or estimate.standard_error == 0:
        return signed(estimate.mean), NONE
    return signed(estimate.mean), f"[{signed(estimate.low)}, {signed(estimate.high)}]"


def _short(name: str, width: int) -> str:
    """A name in at most `width` characters; nothing that moves a cursor."""
    plain = "".join(letter if letter.isprintable() else "\ufffd" for letter in name)
    return plain if len(plain) <= width else f"{plain[: width - 1]}…"
