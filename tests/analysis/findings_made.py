"""Studies drawn for the analysis's tests: noisy scores, papers of unequal size, efforts and costs.

Nothing is tuned: forecasts differ by a constant, papers and cuts by draws from a seeded generator.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from analysis_records import make_cut

from foreword.records import Cut, Forecast, Score

LEVELS = {"forecast:high": -0.9, "forecast:low": -1.1, "forecast:none": -1.3, "forecast:copy": -1.6}
"""What a token has on average under each forecast."""
CONTROLS = {"same-budget": -1.7, "empty": -2.2, "true-suffix": -0.2}


@dataclass(frozen=True)
class Made:
    """Three tables that belong together."""

    cuts: list[Cut]
    forecasts: list[Forecast]
    scores: list[Score]


def draw_study(
    *,
    seed: int = 0,
    num_papers: int = 12,
    per_paper: int = 10,
    tokens: int = 8,
    levels: Mapping[str, float] = LEVELS,
) -> Made:
    """Papers with 1 to `per_paper` cuts each."""
    rng = np.random.default_rng(seed)
    cuts = [
        make_cut(f"paper{paper}/{n}/2")
        for paper in range(num_papers)
        for n in range(rng.integers(1, per_paper + 1))
    ]
    of_paper = rng.normal(0, 0.2, num_papers)
    scores = [
        Score(
            cut_id=cut.id,
            paper_id=cut.paper_id,
            condition=condition,
            scorer_id="drawn",
            token_ids=tuple(range(tokens)),
            logprobs=tuple(
                rng.exponential(max(0.05, of_paper[int(cut.paper_id[5:])] - level), tokens) * -1.0
            ),
        )
        for cut in cuts
        for condition, level in (levels | CONTROLS).items()
    ]
    forecasts = [
        made_forecast(cut.id, condition.removeprefix("forecast:"), rng)
        for condition in levels
        for cut in cuts
    ]
    return Made(cuts, forecasts, scores)


def with_one_large_paper(made: Made, most: int = 2) -> Made:
    """The same study, but of every paper other than the first at most so many cuts."""

    def is_kept(cut_id: str) -> bool:
        paper, number, _ = cut_id.split("/")
        return paper == "paper0" or int(number) < most

    return Made(
        [cut for cut in made.cuts if is_kept(cut.id)],
        [forecast for forecast in made.forecasts if is_kept(forecast.cut_id)],
        [score for score in made.scores if is_kept(score.cut_id)],
    )


def made_forecast(cut_id: str, name: str, rng: np.random.Generator) -> Forecast:
    """`copy` has no effort, no tokens and no cost; the others differ in effort alone."""
    if name == "copy":
        return Forecast(cut_id=cut_id, predictor=name, text="y+1", settings='{"kind": "copy"}')
    most = {"none": 0.0, "low": 200.0, "high": 5000.0}.get(name, 50.0)
    settings = {"model": "maker/model", "reasoning_effort": name, "context_characters": 9}
    spent = int(rng.uniform(0.5, 1.5) * most)
    return Forecast(
        cut_id=cut_id, predictor=name, text="y+1", settings=json.dumps(settings),
        reasoning_tokens=spent, cost_usd=spent / 1e5 + 0.001,
    )  # fmt: skip
