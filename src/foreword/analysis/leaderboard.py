"""The leaderboard as text for a terminal, and the analysis as JSON for a program."""

from collections.abc import Sequence
from dataclasses import replace
from textwrap import fill

from foreword.analysis.absences import PREDICTOR
from foreword.analysis.columns import NOTHING, WIDTH, short_name, signed, table
from foreword.analysis.freshness import freshness_line
from foreword.findings import FEW_PAPERS, Contrast, SharedContrast
from foreword.records import Analysis, Estimate, Rule, Standing
from foreword.store import JSON, to_row

RULE_NAMES: dict[Rule, str] = {
    "raw": "nats per token, not clipped",
    "clip2": "nats per token, clip 2",
    "clip3": "nats per token, clip 3",
    "clip5": "nats per token, clip 5",
    "sqrt": "per token, square-root loss",
    "log1p": "per token, log-one-plus loss",
}
"""The unit of a mean under each rule; sqrt and log1p have scales of their own."""

_NUMBERS = ("lift", "95 % interval", "over empty", "median", "share +", "cuts", "papers")


def leaderboard_text(analysis: Analysis) -> str:
    """What the terminal shows: predictors, then the ladder of controls, then contrasts.

    Plain text, at most 100 columns wide: a long name loses its middle. `–` stands for what does
    not exist. The lift, its median and its positive share are over `same-budget`, in the unit that
    the heading names. Cuts and papers are those with a lift.

    >>> from foreword.records import Analysis
    >>> nothing = Analysis(num_cuts=0, num_papers=0, scorer_id="", standings=(), contrasts=(),
    ...                    lifts=(), missing=())
    >>> print(leaderboard_text(nothing))
    Likelihood lift over same-budget context (nats per token, clip 2)
    0 cuts, 0 papers, scorer –
    <BLANKLINE>
    There is no predictor and no score.
    """
    by_condition = _headline(analysis)
    predictors = {c: s for c, s in by_condition.items() if c.startswith(PREDICTOR)}
    controls = {c: s for c, s in by_condition.items() if c not in predictors}
    blocks = [_heading(analysis)]
    if not by_condition:
        blocks.append("There is no predictor and no score.")
    if predictors:
        rows = [[*_row(c, s), _missing(s)] for c, s in predictors.items()]
        blocks.append(table(("predictor", *_NUMBERS, "missing"), rows))
        blocks += _failed(predictors)
        blocks += _samples(analysis)
        blocks += _ranks(analysis) + _uneven(analysis)
    if controls:
        rows = [[*_row(c, s), _failed_here(s)] for c, s in controls.items()]
        blocks.append(table(("control", *_NUMBERS, "failed"), rows))
    blocks += _neighbours(analysis)
    blocks += _verdicts(analysis)
    blocks += _scorers(analysis)
    blocks += freshness_line(analysis.findings.freshness)
    return "\n\n".join(blocks)


def analysis_json(analysis: Analysis) -> dict[str, JSON]:
    """The analysis as JSON-able data, without the lifts of single cuts; None where nothing exists.

    >>> from foreword.records import Analysis
    >>> nothing = Analysis(num_cuts=0, num_papers=0, scorer_id="", standings=(), contrasts=(),
    ...                    lifts=(), missing=())
    >>> analysis_json(nothing)["unit"]
    'nats per token, clip 2'
    """
    row = to_row(replace(analysis, lifts=()))
    kept = {name: value for name, value in row.items() if name != "lifts"}
    return {**kept, "unit": RULE_NAMES[analysis.rule]}


Standings = dict[str, Standing]
"""Baseline → one condition's standing under the headline rule."""


def _headline(analysis: Analysis) -> dict[str, Standings]:
    found: dict[str, Standings] = {}
    for standing in analysis.standings:
        if standing.rule == analysis.rule:
            found.setdefault(standing.condition, {})[standing.over] = standing
    return found


def _heading(analysis: Analysis) -> str:
    return (
        f"Likelihood lift over same-budget context ({RULE_NAMES[analysis.rule]})\n"
        f"{_count(analysis.num_cuts, 'cut')}, {_count(analysis.num_papers, 'paper')}, "
        f"scorer {short_name(analysis.scorer_id, 60) or NOTHING}"
        + (f"\nOf each target its first {analysis.window} tokens" if analysis.window else "")
    )


def _row(condition: str, standings: Standings) -> list[str]:
    over_context, over_empty = standings.get("same-budget"), standings.get("empty")
    lift = over_context.lift if over_context else None
    sample = lift or (over_empty.lift if over_empty else None)
    return [
        condition.removeprefix(PREDICTOR),
        *_mean_and_interval(lift),
        signed(over_empty.lift.mean if over_empty else None),
        signed(lift.median if lift else None),
        _share(lift),
        str(sample.num_cuts) if sample else NOTHING,
        str(sample.num_papers) if sample else NOTHING,
    ]


def _missing(standings: Standings) -> str:
    return str(next(iter(standings.values())).num_missing)


def _failed_here(standings: Standings) -> str:
    return str(next(iter(standings.values())).num_failed)


def _failed(predictors: dict[str, Standings]) -> list[str]:
    """A line for each predictor with cuts that could not be scored, which the table leaves out."""
    counts = {name: int(_failed_here(standings)) for name, standings in predictors.items()}
    lines = [
        f"{short_name(name.removeprefix(PREDICTOR), 50)}: "
        f"{_count(count, 'cut')} could not be scored"
        for name, count in counts.items()
        if count
    ]
    return ["\n".join(lines)] if lines else []


def _neighbours(analysis: Analysis) -> list[str]:
    found = [contrast for contrast in analysis.contrasts if contrast.rule == analysis.rule]
    if not found:
        return []
    chosen = "The ranking chose these pairs, and their intervals are not corrected for that."
    return [_contrasts("neighbours, paired", found), chosen + _smallest(analysis)]


def _verdicts(analysis: Analysis) -> list[str]:
    found = analysis.findings.verdicts
    return [_contrasts("over trained control", found)] if found else []


def _scorers(analysis: Analysis) -> list[str]:
    """How far each other scorer agrees, and that its numbers are to be had."""
    rows = [
        [
            one.name or "the first",
            short_name(one.scorer_id, 40),
            signed(one.order.value if one.order else None),
            _agreeing(one.contrasts),
        ]
        for one in analysis.findings.scorers
    ]
    names = ("other scorer", "id", "order, tau", "differences of the same sign")
    return [table(names, rows)] if rows else []


def _agreeing(contrasts: Sequence[SharedContrast]) -> str:
    """How many of the differences that both scorers have are of one sign."""
    means = [(one.mine.mean, one.theirs.mean) for one in contrasts]
    both = [(mine, theirs) for mine, theirs in means if mine and theirs]
    return f"{sum(mine * theirs > 0 for mine, theirs in both)} of {len(both)}" if both else NOTHING


def _samples(analysis: Analysis) -> list[str]:
    """A line for each predictor with several forecasts a cut: a cut counts with their mean."""
    lines = [
        f"{short_name(one.condition.removeprefix(PREDICTOR), 50)}: "
        f"{_count(one.num_samples, 'sample')} of {_count(one.num_cuts, 'cut')}; "
        f"{one.num_missing} missing, {one.num_failed} not scored"
        for one in analysis.findings.uncertainty
        if one.most_samples > 1
    ]
    return ["\n".join(lines)] if lines else []


def _contrasts(name: str, contrasts: Sequence[Contrast]) -> str:
    rows = [
        [
            " − ".join(
                short_name(name.removeprefix(PREDICTOR), 18)
                for name in (contrast.first, contrast.second)
            ),
            *_mean_and_interval(contrast.difference),
            signed(contrast.difference.median),
            _share(contrast.difference),
            str(contrast.difference.num_cuts),
            str(contrast.difference.num_papers),
        ]
        for contrast in contrasts
    ]
    return table((name, "difference", *(n for n in _NUMBERS[1:] if n != "over empty")), rows)


def _ranks(analysis: Analysis) -> list[str]:
    """The 95 % interval of each predictor's rank, where there are two to rank."""
    sure = [(one.condition, one.rank) for one in analysis.findings.steadiness if one.rank]
    if len(sure) < 2 or sure[0][1].low is None or sure[0][1].num_papers < FEW_PAPERS:
        return []  # of few papers the draws say "surely", which the paired interval does not
    places = [
        f"{short_name(name.removeprefix(PREDICTOR), 30)} {rank.rank} ({rank.low}–{rank.high})"
        for name, rank in sure
    ]
    said = f"Ranks on {_count(sure[0][1].num_cuts, 'shared cut')}, with 95 % intervals: "
    return [fill(f"{said}{', '.join(places)}.", WIDTH, break_on_hyphens=False)]


def _uneven(analysis: Analysis) -> list[str]:
    """That the intervals are too narrow, where papers differ so much in cuts."""
    line = analysis.findings.uneven
    if line is None or line.by_cr2 is None or line.by_cr2.degrees is None:
        return []
    said = (
        "Some papers have many more cuts than others: these intervals are too narrow. By CR2, with "
        f"{line.by_cr2.degrees:.1f} degrees of freedom of {line.by_cr2.num_papers - 1}, "
        f"{short_name(line.condition.removeprefix(PREDICTOR), 30)} has "
        f"{_mean_and_interval(line.by_cr2)[1]}; the report has the others."
    )
    return [fill(said, WIDTH, break_on_hyphens=False)]


def _smallest(analysis: Analysis) -> str:
    """The differences that the study could see, from its best contrast to its worst."""
    seen = sorted(
        contrast.evidence.smallest_difference
        for contrast in analysis.contrasts
        if contrast.evidence and contrast.evidence.smallest_difference
    )
    if not seen:
        return ""
    ends = dict.fromkeys(f"{end:.3f}" for end in (seen[0], seen[-1]))
    return f"\n80 % of such studies would find a difference of {' to '.join(ends)}."


def _mean_and_interval(estimate: Estimate | None) -> list[str]:
    if estimate is None:
        return [NOTHING, NOTHING]
    if estimate.low is None or estimate.high is None or estimate.standard_error == 0:
        return [signed(estimate.mean), NOTHING]  # papers that are all alike tell nothing of others
    return [signed(estimate.mean), f"[{signed(estimate.low)}, {signed(estimate.high)}]"]


def _share(estimate: Estimate | None) -> str:
    share = estimate.share_positive if estimate else None
    return NOTHING if share is None else f"{share:.3f}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
