"""What the tables of a paper show of an analysis. Each number is the analysis's own."""

from collections.abc import Iterable, Sequence
from typing import get_args

from foreword.analysis import WindowLift
from foreword.figures.study import BASELINE, Shown
from foreword.figures.tex import (
    NONE,
    Table,
    amount,
    escaped,
    interval,
    p_value,
    plain,
    signed,
    with_error,
)
from foreword.findings import Contrast, Estimate, Rule
from foreword.report.leaderboard import RULE_NAMES

_ERROR = "paper-clustered standard error (CRV1)"
_COLUMNS = rf"SE: {_ERROR}; intervals: 95\,\% from $t$"
_CELLS = rf"Behind $\pm$: {_ERROR}"
_NUMBERS = ("Mean", "SE", r"95\,\% interval", "Median", "Frac. $+$", "Cuts", "Papers")
_FIRST, _SECOND = 34, 28
Rows = tuple[tuple[str, ...], ...]


def tables(shown: Shown, windows: Sequence[WindowLift] = ()) -> tuple[list[Table], dict[str, str]]:
    """The tables that a study has the numbers for, and why each other one is not there.

    Args:
        shown: the analysis.
        windows: lifts by window, of a study of prose.
    """
    made = [
        _lift(shown),
        _contrasts(shown),
        _rules(shown),
        _usage(shown),
        _ladder(shown),
        _advantages(shown),
        _all_advantages(shown),
        by_window(windows),
    ]
    found = [table for table in made if isinstance(table, Table)]
    return found, dict(one for one in made if not isinstance(one, Table))


Made = Table | tuple[str, str]
"""A table, or the name that it would have and why there is none."""


def _lift(shown: Shown) -> Made:
    name = "table-lift"
    rows = tuple(
        (escaped(label), *_numbers(lift)) for label, lift in shown.lifts() if lift.mean is not None
    )
    return _table(
        name,
        f"Mean forecast lift over the same-budget context, {shown.unit_tex}",
        ("Predictor", *_NUMBERS),
        [rows],
        "no predictor has a lift over the same-budget context",
    )


def _contrasts(shown: Shown) -> Made:
    heads = ("Contrast", "Mean", "SE", r"95\,\% interval", "$p$ (Holm)", "Frac. $+$", "Cuts")
    groups = [
        tuple(_contrast(shown, one) for one in some) for some in (shown.steps, shown.neighbours)
    ]
    said = "Paired contrasts on shared cuts: " + " and ".join(
        words
        for words, group in zip(
            ("steps of reasoning effort", "neighbours on the ranking"), groups, strict=True
        )
        if group
    )
    return _table(
        "table-contrasts",
        f"{said}, {shown.unit_tex}",
        (*heads, "Papers"),
        groups,
        "a contrast needs two predictors with a lift",
    )


def _contrast(shown: Shown, one: Contrast) -> tuple[str, ...]:
    names = (escaped(shown.label(name), _SECOND) for name in (one.first, one.second))
    mean, error, ends, _, share, *counts = _numbers(one.difference)
    p_holm = p_value(one.evidence.p_holm if one.evidence else None)
    return " $-$ ".join(names), mean, error, ends, p_holm, share, *counts


def _rules(shown: Shown) -> Made:
    rules: tuple[Rule, ...] = get_args(Rule)
    lifts = {
        condition: [shown.estimate(condition, BASELINE, rule) for rule in rules]
        for condition in shown.predictors
    }
    rows = tuple(
        (escaped(shown.label(condition), _FIRST), *map(with_error, found))
        for condition, found in lifts.items()
        if any(one and one.num_cuts for one in found)
    )
    return _table(
        "table-rules",
        "Mean forecast lift over the same-budget context under each softening rule, per target "
        "token and each in the rule's own unit" + shown.window_tex,
        ("Predictor", *(RULE_NAMES[rule] for rule in rules)),
        [rows],
        "no predictor has a lift over the same-budget context",
    )


def _usage(shown: Shown) -> Made:
    rows = tuple(
        (
            escaped(shown.label(one.condition)),
            *_spent(one.reasoning_tokens),
            *_spent(one.cost_usd),
            f"{one.num_forecasts}",
        )
        for one in shown.usage
    )
    heads = ("Reasoning tokens", "SE", "Known", "Cost (USD)", "SE", "Known", "Forecasts")
    return _table(
        "table-usage",
        "Mean reasoning tokens and cost of a forecast, over the forecasts of which it is known",
        ("Predictor", *heads),
        [rows],
        "neither reasoning tokens nor costs of these forecasts are known",
    )


def _spent(one: Estimate) -> tuple[str, str, str]:
    error = NONE if one.standard_error is None else amount(one.standard_error)
    return amount(one.mean), error, f"{one.num_cuts}"


def _ladder(shown: Shown) -> Made:
    rows = tuple((escaped(shown.rung(name)), *_numbers(lift)) for name, lift in shown.ladder())
    return _table(
        "table-ladder",
        f"The control ladder: mean over the empty scaffold, {shown.unit_tex}; the forecast is "
        "that of the best predictor; each line is of the cuts that it has",
        ("Condition", *_NUMBERS),
        [rows],
        "nothing was scored under the empty scaffold",
    )


def _advantages(shown: Shown) -> Made:
    best = shown.predictors[0] if shown.predictors else ""
    rows = tuple(
        (escaped(shown.label(one.second)), *_numbers(one.difference))
        for one in shown.advantages(best)
    )
    return _table(
        "table-advantages",
        rf"Paired advantage of \emph{{{escaped(shown.label(best))}}}, the best predictor, over "
        f"each control, {shown.unit_tex}; below zero over the true suffix",
        ("Forecast minus", *_NUMBERS),
        [rows],
        "no predictor shares a cut with a control",
    )


def _all_advantages(shown: Shown) -> Made:
    controls = [name for name in shown.controls if not name.startswith("reveal:")]
    found = {
        (one.first, one.second): one.difference
        for name in shown.predictors
        for one in shown.advantages(name)
    }
    rows = tuple(
        (escaped(shown.label(name), _FIRST), *(with_error(found.get((name, c))) for c in controls))
        for name in shown.predictors
        if any((name, control) in found for control in controls)
    )
    return _table(
        "table-advantages-all",
        f"Paired advantage of each predictor over each control, {shown.unit_tex}",
        ("Predictor", *(escaped(shown.label(name), _SECOND) for name in controls)),
        [rows],
        "no predictor shares a cut with a control",
    )


def by_window(rows: Sequence[WindowLift]) -> Made:
    """Every condition by window of target tokens: table 10 of arXiv 2605.10810."""
    by = {(row.condition, row.window): row.lift for row in rows}
    windows = list(dict.fromkeys(row.window for row in rows))
    conditions = list(dict.fromkeys(row.condition for row in rows))
    over = escaped(Shown.label(rows[0].over)) if rows else ""
    widest = [max(by[name, window].num_cuts for name in conditions) for window in windows]
    lines = [
        (escaped(Shown.label(name), _FIRST), *(with_error(by[name, w]) for w in windows))
        for name in conditions
    ]
    cuts = ("Cuts, at most", *(f"{number}" for number in widest))
    return _table(
        "table-windows",
        rf"Lift over \emph{{{over}}} by scored target tokens"
        + (f", {RULE_NAMES[rows[0].rule].lower()}" if rows else ""),
        ("Condition", *(f"{window} tokens" for window in windows)),
        [tuple(lines), (cuts,)] if lines else [],
        "windows are of studies of prose; `foreword windows` has them of any",
    )


def _numbers(one: Estimate) -> tuple[str, ...]:
    """A cell for each of `_NUMBERS`."""
    return (
        signed(one.mean),
        plain(one.standard_error),
        interval(one),
        signed(one.median),
        plain(one.share_positive),
        f"{one.num_cuts}",
        f"{one.num_papers}",
    )


def _table(
    name: str, caption: str, heads: Sequence[str], groups: Iterable[Rows], why_not: str
) -> Made:
    filled = tuple(group for group in groups if group)
    if not filled:
        return name, why_not
    return Table(
        name=name,
        caption=f"{caption}. {_words_of_error(heads)}.",
        heads=tuple(heads),
        groups=filled,
    )


def _words_of_error(heads: Sequence[str]) -> str:
    if "SE" not in heads:
        return _CELLS
    return _COLUMNS if any("interval" in head for head in heads) else f"SE: {_ERROR}"
