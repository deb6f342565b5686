"""Which papers a model can have read, and what each predictor gains on those and on the others.

A paper is before, after or unknown of a cutoff (`dates.group_of`); unknown is never counted as
either. The scorer has a cutoff of its own: what it has read it may expect without any forecast.
"""

import json
import math
from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import get_args

from foreword.analysis.absences import PREDICTOR
from foreword.analysis.columns import WIDTH, short_name
from foreword.analysis.estimates import t_quantile
from foreword.analysis.pairing import estimate
from foreword.dates import first_public, group_of
from foreword.errors import UsageError
from foreword.findings import (
    Estimate,
    FreshLift,
    Freshness,
    Group,
    GroupLift,
    PaperDate,
    Unpaired,
)
from foreword.records import Cut, Forecast

SCORER = "scorer"
"""The scorer's key among the cutoffs; those of predictors are their conditions."""
NO_MODEL = "copy"
"""What the settings of a forecast that no model wrote say of themselves, as `kind`."""


def freshness(
    cuts: Sequence[Cut],
    forecasts: Sequence[Forecast],
    lifts: Mapping[str, Mapping[str, float]],
    *,
    cutoffs: Mapping[str, str],
    dates: Mapping[str, PaperDate],
) -> Freshness | None:
    """Each predictor's lift on papers before, after and unknown of its and the scorer's cutoff.

    Args:
        cuts: of the study.
        forecasts: of all predictors; their settings say which of them have no model.
        lifts: predictor's condition → cut → lift over `same-budget`, best first.
        cutoffs: condition, or `scorer` → a day or a month; those that nobody stated are not there.
        dates: of papers, by id; a paper without one has what its own id says.

    Returns:
        None where there is no cut.

    Raises:
        UsageError: a cutoff is stated of a predictor without a model.
    """
    if not cuts:
        return None
    papers = {cut.paper_id: dates.get(cut.paper_id) or first_public(cut.paper_id) for cut in cuts}
    modelless = without_model(forecasts)
    for condition in modelless & cutoffs.keys():
        raise UsageError(
            f"the predictor {condition.removeprefix(PREDICTOR)!r} has no model that could have "
            "read a paper: state no knowledge cutoff for it"
        )
    rows = []
    for condition in lifts:
        has_model = condition not in modelless
        rows.append((condition, False, cutoffs.get(condition), has_model))
    rows += [(condition, True, cutoffs.get(SCORER), True) for condition in lifts]
    return Freshness(
        papers=tuple(papers.values()),
        lifts=tuple(_fresh_lift(*row, cuts, lifts[row[0]], papers) for row in rows),
    )


def without_model(forecasts: Sequence[Forecast]) -> set[str]:
    """The conditions of predictors all of whose forecasts say that no model wrote them.

    >>> rows = [Forecast(cut_id="p/0/1", predictor="mine", text="y", settings='{"kind": "copy"}')]
    >>> without_model(rows)
    {'forecast:mine'}
    """
    every = {PREDICTOR + forecast.predictor for forecast in forecasts}
    settings = {forecast.settings for forecast in forecasts}
    no_model = {text for text in settings if _kind(text) == NO_MODEL}
    return every - {PREDICTOR + one.predictor for one in forecasts if one.settings not in no_model}


def unpaired(after: Estimate, before: Estimate) -> Unpaired | None:
    """The difference of two means over different papers, which vary independently.

        SE² = SE_a² + SE_b²,    degrees = SE⁴ / (SE_a⁴ / (G_a − 1) + SE_b⁴ / (G_b − 1))

    (Welch 1947, Satterthwaite 1946), with the paper-clustered errors of both.

    Returns:
        None where either has fewer than two papers, or both have no spread.

    >>> from foreword.analysis import clustered_mean
    >>> after = clustered_mean([0.1, 0.2, 0.3], ["a", "b", "c"])
    >>> found = unpaired(after, clustered_mean([0.4, 0.6, 0.8], ["d", "e", "f"]))
    >>> round(found.mean, 3), round(found.standard_error, 3), round(found.degrees, 2)
    (-0.4, 0.129, 2.94)
    """
    if after.mean is None or before.mean is None:
        return None
    if not after.standard_error and not before.standard_error:
        return None
    if after.standard_error is None or before.standard_error is None:
        return None
    a, b = after.standard_error**2, before.standard_error**2
    degrees = (a + b) ** 2 / (a**2 / (after.num_papers - 1) + b**2 / (before.num_papers - 1))
    mean, error = after.mean - before.mean, math.sqrt(a + b)
    half = t_quantile(degrees) * error
    return Unpaired(
        mean=mean, standard_error=error, low=mean - half, high=mean + half, degrees=degrees
    )


def freshness_line(found: Freshness | None) -> list[str]:
    """One line for the terminal where a cutoff was stated; none else.

    >>> freshness_line(None)
    []
    """
    stated = {
        (row.by_scorer, "" if row.by_scorer else row.condition): row
        for row in (found.lifts if found else ())
        if row.cutoff is not None
    }
    if not found or not stated:
        return []
    counts = ", ".join(f"{_name(row)} {_num_after(row)}" for row in stated.values())
    words = f"Papers after a stated knowledge cutoff, of {len(found.papers)}: {counts}"
    return [shorten(words, WIDTH, placeholder=" …")]


def _name(row: FreshLift) -> str:
    return f"the {SCORER}" if row.by_scorer else short_name(row.condition[len(PREDICTOR) :], 20)


def _num_after(row: FreshLift) -> int:
    return sum(one.num_papers for one in row.groups if one.group == "after")


def _kind(settings: str) -> object:
    """What made a forecast, by its settings; any program may have written them."""
    try:
        found = json.loads(settings)
    except (ValueError, RecursionError):
        return None
    return found.get("kind") if isinstance(found, dict) else None


def _fresh_lift(
    condition: str,
    by_scorer: bool,
    cutoff: str | None,
    has_model: bool,
    cuts: Sequence[Cut],
    lifts: Mapping[str, float],
    papers: Mapping[str, PaperDate],
) -> FreshLift:
    group = {name: _group(paper, cutoff, has_model) for name, paper in papers.items()}
    groups = {one: _group_lift(one, group, cuts, lifts) for one in get_args(Group)}
    return FreshLift(
        condition=condition,
        by_scorer=by_scorer,
        cutoff=cutoff,
        has_model=has_model,
        groups=tuple(groups.values()),
        after_minus_before=unpaired(groups["after"].lift, groups["before"].lift),
    )


def _group(paper: PaperDate, cutoff: str | None, has_model: bool) -> Group:
    if not has_model:
        return "unknown" if paper.first is None else "after"
    return group_of(paper, cutoff)


def _group_lift(
    group: Group, of: Mapping[str, Group], cuts: Sequence[Cut], lifts: Mapping[str, float]
) -> GroupLift:
    paper_of = {cut.id: cut.paper_id for cut in cuts if of[cut.paper_id] == group}
    values = {cut: lift for cut, lift in lifts.items() if cut in paper_of}
    return GroupLift(
        group=group,
        num_papers=len(set(paper_of.values())),
        num_cuts=len(paper_of),
        lift=estimate(values, paper_of),
    )
