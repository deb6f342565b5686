"""Synthetic studies for the report's tests: every record consistent with the others.

Numbers come from a seeded generator and from arithmetic on the tokens made here; nothing is tuned.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median, stdev
from typing import get_args

from foreword.records import (
    Analysis,
    Contrast,
    Cut,
    Estimate,
    Failure,
    Forecast,
    Lift,
    Macro,
    Rule,
    Score,
    Standing,
)

HALF = Macro(name="half", num_args=0, default=None, body=r"\tfrac{1}{2}")
NORM = Macro(name="norm", num_args=2, default="2", body=r"\lVert #2\rVert_{#1}")
EQUATIONS = (
    (
        "equation",
        r"E_{N}(t)=\max\bigl\{0,-\ln\bigl[\eta\,e^{-2r}+(1-\eta)m\bigr]\bigr\},\qquad m=",
        r"2\bar n+1,\qquad \eta(t)=e^{-\gamma t}\,,\label{eq:neg}",
    ),
    (
        "align",
        "\n  \\norm[p]{u}^{\\half} &\\le C\\int_{0}^{T}\\norm{\\nabla u(s)}\\,ds \\\\\n  &\\le",
        "\n  C\\,T^{\\half}\\Bigl(\\int_0^T\\norm{\\nabla u}^2\\,ds\\Bigr)^{\\half}"
        "\n  <\\infty .\\nonumber\n",
    ),
    (
        "eqnarray",
        r"Z &=& \sum_{n\ge 0} e^{-\beta\omega(n+\half)} \\ &=&",
        r"\frac{e^{-\beta\omega/2}}{1-e^{-\beta\omega}}=\frac{1}{2\sinh(\beta\omega/2)}\,",
    ),
    (
        "[",
        r"\begin{pmatrix} a & b\\ c & d\end{pmatrix}^{-1} =",
        r"\frac{1}{ad-bc}\begin{pmatrix} d & -b\\ -c & a\end{pmatrix}\quad\text{if $ad\ne bc$}",
    ),
)
LADDER = ("empty", "same-budget", "triple-budget", "reveal:0.25", "reveal:0.5", "true-suffix")
_LEVEL = {"empty": 0.3, "same-budget": 0.45, "triple-budget": 0.5, "reveal:0.25": 0.55,
          "reveal:0.5": 0.7, "true-suffix": 0.97}  # fmt: skip


@dataclass(frozen=True)
class Study:
    """What `write_report` takes."""

    analysis: Analysis
    cuts: Sequence[Cut]
    forecasts: Sequence[Forecast]
    scores: Sequence[Score]


def make_study(
    *,
    num_cuts: int = 12,
    num_papers: int = 3,
    predictors: Sequence[str] = ("large", "small", "copy"),
    controls: Sequence[str] = LADDER,
    tokens_each: int = 24,
    context: str = "Since the field is free, we find that\n",
    missing_every: int = 7,
    seed: int = 0,
) -> Study:
    """A study whose forecasts get worse from the first predictor to the last."""
    chance = random.Random(seed)
    cuts = [
        make_cut(n, f"26{n % num_papers:02d}.0100{n % num_papers}", context)
        for n in range(num_cuts)
    ]
    forecasts = [
        _forecast(cut, name, missing=(n + 3 * place) % missing_every == 2)
        for place, name in enumerate(predictors)
        for n, cut in enumerate(cuts)
    ]
    written = {(f.cut_id, f.predictor) for f in forecasts if f.text is not None}
    level = _LEVEL | {f"forecast:{name}": 0.62 - 0.05 * n for n, name in enumerate(predictors)}
    scores = [
        _score(cut, condition, level[condition], tokens_each, chance)
        for cut in cuts
        for condition in (*controls, *(f"forecast:{name}" for name in predictors))
        if condition in controls or (cut.id, condition.removeprefix("forecast:")) in written
    ]
    return Study(analyse(cuts, forecasts, scores, predictors, controls), cuts, forecasts, scores)


def make_cut(number: int, paper_id: str = "2601.01001", context: str = "Hence ") -> Cut:
    """The `number`-th cut; equations repeat."""
    environment, prefix, hidden = EQUATIONS[number % len(EQUATIONS)]
    opening, closing = ("\\[", "\\]") if environment == "[" else (
        f"\\begin{{{environment}}}", f"\\end{{{environment}}}"
    )  # fmt: skip
    return Cut(
        id=f"{paper_id}/{number}/{len(prefix)}", paper_id=paper_id, environment=environment,
        context=context * 40, opening=opening, prefix=prefix, hidden=hidden, closing=closing,
        file="sections/main.tex", line=100 + 17 * number, macros=(HALF, NORM),
    )  # fmt: skip


def _forecast(cut: Cut, predictor: str, *, missing: bool) -> Forecast:
    if missing:
        return Forecast(cut_id=cut.id, predictor=predictor, text=None, missing="refused",
                        failure="the model declined to answer")  # fmt: skip
    endings = {"large": cut.hidden.replace("2", "3"), "small": r"\frac{1}{2}x+\cdots",
               "copy": r"\frac{a}{b"}  # fmt: skip
    text = endings.get(predictor, "0")
    return Forecast(cut_id=cut.id, predictor=predictor, text=text, raw=text)


def _score(cut: Cut, condition: str, level: float, count: int, chance: random.Random) -> Score:
    words = [cut.hidden[n : n + 3] for n in range(0, len(cut.hidden), 3)]
    texts = tuple((words * (count // len(words) + 1))[:count])
    logprobs = tuple(-chance.expovariate(1.0) * 4 * (1 - level) for _ in texts)
    return Score(
        cut_id=cut.id, paper_id=cut.paper_id, condition=condition, scorer_id="smollm2@float32",
        token_ids=tuple(range(count)), token_texts=texts, logprobs=logprobs,
        first_byte=1000, prompt_bytes=1,
    )  # fmt: skip


def analyse(
    cuts: Sequence[Cut],
    forecasts: Sequence[Forecast],
    scores: Sequence[Score],
    predictors: Sequence[str],
    controls: Sequence[str],
) -> Analysis:
    """A stand-in for the analysis: plain means and a normal interval over papers."""
    means = {(s.cut_id, s.condition): fmean(max(x, -2.0) for x in s.logprobs) for s in scores}
    papers = {cut.id: cut.paper_id for cut in cuts}
    conditions = [*(f"forecast:{name}" for name in predictors), *controls]
    lifts = tuple(
        Lift(cut_id=cut.id, paper_id=cut.paper_id, condition=condition, over=over, rule="clip2",
             value=means[cut.id, condition] - means[cut.id, over])
        for condition in conditions
        for over in ("same-budget", "empty")
        for cut in cuts
        if condition != over and (cut.id, condition) in means and (cut.id, over) in means
    )  # fmt: skip
    values = {
        (c, over): {x.cut_id: x.value for x in lifts if (x.condition, x.over) == (c, over)}
        for c in conditions
        for over in ("same-budget", "empty")
    }
    missing = [f for f in forecasts if f.text is None]
    return Analysis(
        num_cuts=len(cuts),
        num_papers=len(set(papers.values())),
        scorer_id="smollm2@float32" if scores else "",
        standings=tuple(
            Standing(condition=c, over=over, rule=rule, lift=estimate(found, papers),
                     num_missing=sum(f"forecast:{f.predictor}" == c for f in missing), num_failed=0)
            for (c, over), found in values.items()
            if c != over
            for rule in get_args(Rule)
        ),
        contrasts=tuple(
            Contrast(first=first, second=second, rule="clip2", difference=estimate(both, papers))
            for first, second in pairwise(predictors)
            for a, b in [(values[f"forecast:{n}", "same-budget"] for n in (first, second))]
            if (both := {cut: a[cut] - b[cut] for cut in a if cut in b})
        ),
        lifts=lifts,
        missing=tuple(
            Failure(stage="forecasts", item=f"{f.cut_id} {f.predictor}", reason="refused")
            for f in missing
        ),
    )  # fmt: skip


def estimate(values: dict[str, float], papers: dict[str, str]) -> Estimate:
    """The mean over cuts, with an interval where there are two papers."""
    by_paper: dict[str, list[float]] = {}
    for cut, value in values.items():
        by_paper.setdefault(papers[cut], []).append(value)
    mean = fmean(values.values()) if values else None
    error = None
    if mean is not None and len(by_paper) > 1:
        error = stdev(fmean(found) for found in by_paper.values()) / len(by_paper) ** 0.5
    return Estimate(
        num_cuts=len(values), num_papers=len(by_paper), mean=mean, standard_error=error,
        low=None if error is None or mean is None else mean - 2 * error,
        high=None if error is None or mean is None else mean + 2 * error,
        median=median(values.values()) if values else None,
        share_positive=fmean(value > 0 for value in values.values()) if values else None,
        degrees=None if error is None else len(by_paper) - 1,
    )  # fmt: skip
