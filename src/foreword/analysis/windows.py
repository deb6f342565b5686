"""Lift by window: over the first 50, 100, 200, 400 tokens of each target.

Windows are nested: each is a beginning of the same stored tokens, so that none needs another pass.

Source: section 7 and table 10 of arXiv 2605.10810.
"""

from collections.abc import Sequence
from dataclasses import fields, replace

from foreword.analysis.columns import NOTHING, signed, table
from foreword.analysis.pairing import check_agreement, differences, estimate, mean_scores, papers_of
from foreword.analysis.softening import RULES
from foreword.findings import WindowLift
from foreword.records import Cut, Estimate, Rule, Score, TokenStatistics

WINDOWS = (50, 100, 200, 400)
"""Tokens, from a target's first on."""


def first_tokens(scores: Sequence[Score], window: int | None) -> list[Score]:
    """The same scores, of the first tokens of each target alone.

    A target with fewer tokens has no score here, for its mean would be over another stretch: its
    row has a failure that says so.

    Args:
        scores: any, in any order.
        window: how many tokens; None for all of them.

    Raises:
        ValueError: a window without a token.

    >>> ids = dict(cut_id="p/prose/9", paper_id="p", scorer_id="s")
    >>> score = Score(condition="empty", token_ids=(7, 8), logprobs=(-1.0, -0.5), **ids)
    >>> [short.logprobs or short.failure for short in first_tokens([score], 1)]
    [(-1.0,)]
    >>> [short.logprobs or short.failure for short in first_tokens([score], 3)]
    ['its target has 2 tokens, the window 3']
    """
    if window is None:
        return list(scores)
    if window < 1:
        raise ValueError(f"a window has at least one token, not {window}")
    return [_first(score, window) for score in scores]


def _first(score: Score, window: int) -> Score:
    if score.failure is not None:
        return score
    num_tokens = len(score.logprobs)
    is_short = num_tokens < window
    kept = 0 if is_short else window
    failure = f"its target has {num_tokens} tokens, the window {window}" if is_short else None
    statistics = score.statistics
    if statistics is not None:
        names = [field.name for field in fields(TokenStatistics)]
        shorter = {name: getattr(statistics, name)[:kept] for name in names}
        statistics = None if is_short else TokenStatistics(**shorter)
    return replace(
        score,
        token_ids=score.token_ids[:kept],
        token_texts=score.token_texts[:kept],
        logprobs=score.logprobs[:kept],
        statistics=statistics,
        failure=failure,
    )


def headline_window(cuts: Sequence[Cut], scores: Sequence[Score]) -> int | None:
    """How many tokens of each target the leaderboard is of; None for all of them.

    An equation counts whole. Prose goes on beyond any window, so its targets are as long as the
    cut made them: of them counts the largest window that at least half of the scored ones fill, or
    the smallest. It depends on how many tokens there are, never on what they score.

    >>> headline_window([], [])
    """
    if all(cut.kind == "equation" for cut in cuts):
        return None
    lengths = {score.cut_id: len(score.logprobs) for score in scores if score.failure is None}
    filled = [
        window
        for window in WINDOWS
        if 2 * sum(length >= window for length in lengths.values()) >= len(lengths)
    ]
    return filled[-1] if lengths and filled else WINDOWS[0]


def window_lifts(
    scores: Sequence[Score],
    *,
    windows: Sequence[int] = WINDOWS,
    over: str = "same-budget",
    rule: Rule = "clip2",
) -> list[WindowLift]:
    """Every condition over a baseline, by window: the mean over cuts, paper-clustered.

        lift(N) = (1/N) Σ_{t ≤ N} (soften(x_t | condition) − soften(x_t | baseline))

    The cuts of a window are those whose target has at least so many tokens, so that larger windows
    may be of fewer cuts.

    Args:
        scores: of one scorer; several conditions of the same cuts.
        windows: numbers of tokens.
        over: the baseline, a condition.
        rule: one of `RULES`.

    Returns:
        One entry a condition and window, in the order of the scores and of the windows.

    Raises:
        ValueError: no score is of the baseline, there is no such rule, a window has no token, or
            the scores contradict each other (as for `lifts`).

    >>> ids = dict(cut_id="p/prose/9", paper_id="p", scorer_id="s", token_ids=(7, 8))
    >>> rows = [Score(condition="same-budget", logprobs=(-1.0, -0.5), **ids),
    ...         Score(condition="forecast:mine", logprobs=(-0.5, -0.5), **ids)]
    >>> [(one.window, one.lift.mean) for one in window_lifts(rows, windows=(1, 2))]
    [(1, 0.5), (2, 0.25)]
    """
    if rule not in RULES:
        raise ValueError(f"no rule is called {rule!r}; the rules are {', '.join(RULES)}")
    check_agreement(scores)
    conditions = dict.fromkeys(score.condition for score in scores)
    if over not in conditions:
        there = ", ".join(conditions) or "none"
        raise ValueError(f"no score is of condition {over!r}; the conditions are: {there}")
    found = {
        (condition, window): lift
        for window in windows
        for condition, lift in _at_window(scores, window, over, rule).items()
    }
    others = [condition for condition in conditions if condition != over]
    return [found[condition, window] for condition in others for window in windows]


def _at_window(
    scores: Sequence[Score], window: int, over: str, rule: Rule
) -> dict[str, WindowLift]:
    papers = papers_of(scores)
    whole = mean_scores(scores, rule)
    means = mean_scores(first_tokens(scores, window), rule)
    found: dict[str, WindowLift] = {}
    for condition in whole:
        values = differences(means, condition, over)
        scored = differences(whole, condition, over)
        found[condition] = WindowLift(
            condition=condition,
            over=over,
            rule=rule,
            window=window,
            lift=estimate(values, papers),
            num_short=len(scored) - len(values),
        )
    return found


def windows_text(rows: Sequence[WindowLift]) -> str:
    """A line a condition, a column a window: the mean with its paper-clustered standard error.

    >>> windows_text([])
    'There is no score.'
    """
    if not rows:
        return "There is no score."
    windows = list(dict.fromkeys(row.window for row in rows))
    conditions = list(dict.fromkeys(row.condition for row in rows))
    by = {(row.condition, row.window): row for row in rows}
    names = ["condition", *(f"first {window}" for window in windows)]
    lines = [[name, *(_mean_and_error(by[name, w].lift) for w in windows)] for name in conditions]
    widest = {w: max(by[name, w].lift.num_cuts for name in conditions) for w in windows}
    lines.append(["cuts", *(str(widest[window]) for window in windows)])
    heading = f"Lift over {rows[0].over} by tokens of the target ({rows[0].rule}, mean ± its error)"
    return f"{heading}\n\n{table(names, lines)}"


def _mean_and_error(lift: Estimate) -> str:
    if lift.mean is None:
        return NOTHING
    error = NOTHING if lift.standard_error is None else f"{lift.standard_error:.3f}"
    return f"{signed(lift.mean)} ± {error}"
