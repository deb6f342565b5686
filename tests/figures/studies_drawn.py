"""Studies for the tests of figures: several models at several efforts, and names that bite."""

import json
from collections.abc import Mapping
from dataclasses import replace

from findings_made import draw_study

from foreword.analysis import WindowLift, analyse, window_lifts
from foreword.records import Analysis, Forecast

HOSTILE = (
    r"$x$ \input{/etc/passwd} $",
    "[6pt] & % # _ ^ ~ { } \\",
    "*\u202eevil\u200b\x00\n\n\\end{tabular}",
    "模型 é ﬃ 😀 a--b",
    "a/very/long/name/of/a/model/that/goes/on-and-on-and-on-2026-12-01-preview-high",
)
TOKENS = {"none": 0, "low": 400, "medium": 1500, "high": 4800}


def draw_models(
    efforts: Mapping[str, tuple[str, ...]], lone: tuple[str, ...] = (), *, num_papers: int = 6
) -> Analysis:
    """An analysis of models at efforts, `MODEL-EFFORT`, and of predictors without either."""
    names = [f"{model}-{effort}" for model, some in efforts.items() for effort in some]
    levels = {f"forecast:{name}": -0.8 - 0.03 * n for n, name in enumerate([*names, *lone])}
    study = draw_study(num_papers=num_papers, per_paper=6, levels=levels)
    forecasts = [_with_effort(one, lone) for one in study.forecasts]
    return analyse(study.cuts, forecasts, study.scores)


def _with_effort(one: Forecast, lone: tuple[str, ...]) -> Forecast:
    if one.predictor in lone:
        return replace(one, settings='{"kind": "copy"}', reasoning_tokens=None, cost_usd=None)
    model, _, effort = one.predictor.rpartition("-")
    settings = json.dumps({"model": model, "reasoning_effort": effort})
    return replace(one, settings=settings, reasoning_tokens=TOKENS[effort], cost_usd=0.01)


def draw_windows(num_papers: int = 6) -> list[WindowLift]:
    """Lifts by window over 1, 2, 4 and 8 tokens, of which some targets have too few."""
    scores = draw_study(num_papers=num_papers, per_paper=3, tokens=4).scores
    return window_lifts(scores, windows=(1, 2, 4, 8))
