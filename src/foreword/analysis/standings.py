"""The whole analysis: every condition over every baseline under every rule, from stored tokens."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from foreword.analysis.absences import PREDICTOR, TRAINED, Absences, check_tables, find_absences
from foreword.analysis.evidence import with_evidence
from foreword.analysis.findings import BASELINES, Asked, find
from foreword.analysis.pairing import Means, differences, estimate, mean_scores
from foreword.analysis.softening import RULES
from foreword.analysis.windows import first_tokens, headline_window, window_lifts
from foreword.findings import WindowLift
from foreword.records import (
    Analysis,
    Contrast,
    Cut,
    Estimate,
    Forecast,
    Lift,
    Rule,
    Score,
    Standing,
)

_REVEAL = re.compile(r"reveal:(\d*\.?\d+)")
_LADDER = (
    "true-suffix",
    "reveal",
    "trained",
    "triple-budget",
    "context-in-scaffold",
    "same-budget",
    "empty",
    "other",
)


def analyse(
    cuts: Sequence[Cut],
    forecasts: Sequence[Forecast],
    scores: Sequence[Score],
    *,
    rule: Rule = "clip2",
    asked: Asked = Asked(),  # noqa: B008 (it is frozen)
) -> Analysis:
    """All numbers of a study, computed from the stored log-probabilities of target tokens.

    Predictors come first, ranked by mean lift over `same-budget` under the headline rule; equal
    ones by name; those without any lift last. Then the controls, from `true-suffix` down to
    `empty`. Neighbours on that ranking are contrasted on the cuts that both have. The sums that
    a reader can check: cuts with a lift + missing + failed = all cuts, wherever the baseline was
    scored at all. Of prose the first tokens of each target count (`headline_window`); a target with
    fewer has failed.

    Args:
        cuts: all cuts of the study.
        forecasts: of all predictors, missing ones included.
        scores: of one scorer, failed ones included.
        rule: the headline rule, by which predictors are ranked.
        asked: the seed of every draw (0 by default), and what else is asked of the findings.

    Returns:
        Standings, contrasts, lifts in nats per target token, what is missing and why, and how far
        all that can be trusted.

    Raises:
        ValueError: no such rule, or nothing can be clipped where `asked` says.
        TableError: the tables don't belong together, or the scores are of several scorers.
        UsageError: `asked` names a reference that is no predictor with a lift.

    >>> analyse([], [], []).standings
    ()
    """
    if rule not in RULES:
        raise ValueError(f"no rule is called {rule!r}; the rules are {', '.join(RULES)}")
    check_tables(cuts, forecasts, scores)
    window = headline_window(cuts, scores)
    by_window = _by_window(scores, rule) if window else ()
    scores = first_tokens(scores, window)
    means = {each: mean_scores(scores, each) for each in RULES}
    papers = {cut.id: cut.paper_id for cut in cuts}
    predictors = _ranked(_predictors(forecasts, scores), means[rule], papers)
    controls = _controls(scores)
    conditions = (*predictors, *controls)
    absences = find_absences(conditions, cuts, forecasts, scores)
    return Analysis(
        num_cuts=len(cuts),
        num_papers=len(set(papers.values())),
        scorer_id=scores[0].scorer_id if scores else "",
        rule=rule,
        standings=_standings(conditions, means, papers, absences),
        contrasts=_contrasts(predictors, means, papers, rule, asked.seed),
        lifts=_lifts(conditions, means[rule], papers, rule),
        missing=absences.rows(),
        window=window,
        findings=replace(
            find(
                cuts,
                forecasts,
                scores,
                predictors=predictors,
                controls=controls,
                means=means,
                rule=rule,
                asked=asked,
            ),
            windows=by_window,
        ),
    )


def _by_window(scores: Sequence[Score], rule: Rule) -> tuple[WindowLift, ...]:
    """Where the baseline was scored at all."""
    has_baseline = any(score.condition == BASELINES[0] for score in scores)
    return tuple(window_lifts(scores, over=BASELINES[0], rule=rule)) if has_baseline else ()


def _predictors(forecasts: Sequence[Forecast], scores: Sequence[Score]) -> set[str]:
    scored = {score.condition for score in scores if score.condition.startswith(PREDICTOR)}
    return scored | {PREDICTOR + forecast.predictor for forecast in forecasts}


def _ranked(predictors: set[str], means: Means, papers: Mapping[str, str]) -> list[str]:
    """Best first. Without a lift over `same-budget`, the lift over `empty` orders."""

    def place(condition: str) -> tuple[tuple[bool, float], tuple[bool, float], str]:
        over_context, over_empty = (
            _place(estimate(differences(means, condition, over), papers)) for over in BASELINES
        )
        return over_context, over_empty, condition

    return sorted(predictors, key=place)


def _place(lift: Estimate) -> tuple[bool, float]:
    return (True, 0.0) if lift.mean is None else (False, -lift.mean)


def _controls(scores: Sequence[Score]) -> list[str]:
    def place(condition: str) -> tuple[int, float, str]:
        reveal = _REVEAL.fullmatch(condition)
        if reveal:
            return _LADDER.index("reveal"), -float(reveal[1]), condition
        if condition.startswith(TRAINED):
            return _LADDER.index("trained"), 0.0, condition
        return _LADDER.index(condition if condition in _LADDER else "other"), 0.0, condition

    found = {score.condition for score in scores if not score.condition.startswith(PREDICTOR)}
    return sorted(found, key=place)


def _standings(
    conditions: Sequence[str],
    means: Mapping[Rule, Means],
    papers: Mapping[str, str],
    absences: Absences,
) -> tuple[Standing, ...]:
    rows = []
    for condition in conditions:
        for over in BASELINES:
            if condition == over:
                continue
            num_missing, num_failed = absences.count(condition, over)
            rows += [
                Standing(
                    condition=condition,
                    over=over,
                    rule=rule,
                    lift=estimate(differences(means[rule], condition, over), papers),
                    num_missing=num_missing,
                    num_failed=num_failed,
                )
                for rule in RULES
            ]
    return tuple(rows)


def _contrasts(
    ranked: Sequence[str],
    means: Mapping[Rule, Means],
    papers: Mapping[str, str],
    rule: Rule,
    seed: int,
) -> tuple[Contrast, ...]:
    """Neighbours under every rule; under the headline rule with their evidence."""
    placed = [name for name in ranked if any(differences(means["raw"], name, b) for b in BASELINES)]
    pairs = list(pairwise(placed))
    headline = iter(with_evidence(pairs, means[rule], papers, rule, seed=seed))
    return tuple(
        next(headline)
        if each == rule
        else Contrast(
            first=first,
            second=second,
            rule=each,
            difference=estimate(differences(means[each], first, second), papers),
        )
        for first, second in pairs
        for each in RULES
    )


def _lifts(
    conditions: Sequence[str], means: Means, papers: Mapping[str, str], rule: Rule
) -> tuple[Lift, ...]:
    return tuple(
        Lift(
            cut_id=cut, paper_id=papers[cut], condition=condition, over=over, rule=rule, value=value
        )
        for over in BASELINES
        for condition in conditions
        if condition != over
        for cut, value in differences(means, condition, over).items()
    )
