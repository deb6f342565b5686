"""All that the analysis says beyond standings and contrasts, put together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from foreword.analysis.absences import TRAINED
from foreword.analysis.advantages import advantages
from foreword.analysis.clipped import clipped
from foreword.analysis.copies import copies
from foreword.analysis.evidence import with_evidence
from foreword.analysis.families import families
from foreword.analysis.freshness import freshness
from foreword.analysis.hard import hard_cuts
from foreword.analysis.pairing import Means, differences, mean_scores
from foreword.analysis.resampling import DRAWS
from foreword.analysis.softening import CLIPS, clip_rule
from foreword.analysis.steadiness import steadiness
from foreword.analysis.uncertainty import uncertainties
from foreword.analysis.usage import usages
from foreword.findings import Findings, Level, PaperDate, Rule
from foreword.records import Cut, Forecast, Paper, Score

BASELINES = ("same-budget", "empty")
"""What every condition is compared with; the leaderboard is ranked over the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a reader may ask of the findings; each has a default."""

    seed: int = 0
    """Of every draw: equal seeds give equal numbers."""
    clips: Sequence[float] = ()
    """More places to clip at, in nats below 0, beside 2, 3 and 5."""
    reference: str | None = None
    """The predictor that chooses the hard cuts; None for the last of the ranking."""
    texts: Mapping[str, Paper] = field(default_factory=dict)
    """Papers by id, to look for copies in; without one, the cut's context alone is searched."""
    cutoffs: Mapping[str, str] = field(default_factory=dict)
    """Stated knowledge cutoffs: of a predictor by its condition, of the scorer by `scorer`."""
    dates: Mapping[str, PaperDate] = field(default_factory=dict)
    """Papers' first public dates, by id; without one, the id's own month counts."""
    repeat_noise: float | None = None
    """Of the scorer, in nats; None where its probe is not on record."""
    costs: Mapping[Level, float] = field(default_factory=dict)
    """Of one more paper, cut, sample, repeat, in any one unit, for advice; empty for none."""


def find(
    cuts: Sequence[Cut],
    forecasts: Sequence[Forecast],
    scores: Sequence[Score],
    *,
    predictors: Sequence[str],
    controls: Sequence[str],
    means: Mapping[Rule, Means],
    rule: Rule,
    asked: Asked,
) -> Findings:
    """How far each number of the analysis can be trusted, and what else the study says.

    Args:
        cuts: of the study.
        forecasts: of all predictors.
        scores: of one scorer.
        predictors: conditions, best first.
        controls: the other conditions.
        means: rule → condition → cut → mean score.
        rule: the headline rule.
        asked: by the reader.

    Raises:
        UsageError: there is no such reference, a cutoff is of a predictor without a model, or costs
            that are needed are not stated.
        ValueError: nothing can be clipped there.
    """
    papers = {cut.id: cut.paper_id for cut in cuts}
    headline = means[rule]
    lifts = {name: differences(headline, name, BASELINES[0]) for name in predictors}
    seed = asked.seed
    return Findings(
        seed=seed,
        draws=DRAWS,
        steadiness=steadiness(predictors, lifts, means["clip2"], papers, seed=seed),
        families=families(forecasts, headline, papers, rule, seed=seed),
        clipped=clipped(
            (*predictors, *controls),
            scores,
            _under_clips(scores, means, asked.clips),
            papers,
            over=BASELINES[0],
            seed=seed,
        ),
        usage=usages(predictors, forecasts, papers),
        hard=hard_cuts(
            predictors,
            headline,
            papers,
            rule,
            baselines=BASELINES,
            reference=asked.reference,
            seed=seed,
        ),
        copies=copies(cuts, asked.texts, lifts, papers),
        verdicts=with_evidence(
            [(one, each) for each in controls if each.startswith(TRAINED) for one in predictors],
            headline,
            papers,
            rule,
            seed=seed,
        ),
        freshness=freshness(cuts, forecasts, lifts, cutoffs=asked.cutoffs, dates=asked.dates),
        advantages=advantages(predictors, controls, headline, papers, rule),
        uncertainty=uncertainties(
            predictors,
            forecasts,
            scores,
            papers,
            over=BASELINES[0],
            rule=rule,
            repeat_noise=asked.repeat_noise,
            costs=asked.costs,
        ),
        repeat_noise=asked.repeat_noise,
    )


def _under_clips(
    scores: Sequence[Score], means: Mapping[Rule, Means], more: Sequence[float]
) -> dict[str, Means]:
    fixed: dict[str, Means] = {rule: found for rule, found in means.items() if rule in CLIPS}
    rules = dict.fromkeys(clip_rule(k) for k in more)
    return fixed | {rule: mean_scores(scores, rule) for rule in rules if rule not in fixed}
