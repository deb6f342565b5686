r"""The conditions: what the scorer reads before the true suffix.

The scaffold shows the equation once with a forecast in it and then starts the same equation
again; the target that follows is the same in every condition of a cut:

    % First equation:
    \begin{align}
    <prefix><Z>
    \end{align}

    % Same equation:
    \begin{align}
    <prefix>

Source: section 2 and appendix C of 'Likelihood scoring for continuations of mathematical text'.
"""

import difflib
import random
import re

from foreword.errors import UsageError
from foreword.latex.tokens import tokens
from foreword.records import Cut
from foreword.store import fingerprint

CONTROLS = (
    "empty",
    "same-budget",
    "context-in-scaffold",
    "triple-budget",
    "reveal:0.25",
    "reveal:0.5",
    "reveal:0.75",
    "true-suffix",
)
"""The controls that a study has unless it says otherwise."""

_NAMES = ("empty", "same-budget", "context-in-scaffold", "triple-budget", "true-suffix")
_RUN = 12  # characters: about one factor of a formula, so that a run is wrong as a whole


def check_condition(name: str) -> str:
    """The name, if there is such a control.

    >>> check_condition("reveal:0.5")
    'reveal:0.5'

    Raises:
        UsageError: there is not; the message names those there are.
    """
    if name in _NAMES or _share(name) is not None:
        return name
    near = difflib.get_close_matches(name, [*_NAMES, "reveal:0.5"], n=1)
    hint = f" (did you mean '{near[0]}'?)" if near else ""
    raise UsageError(
        f"there is no control '{name}'{hint}: a control is {', '.join(_NAMES)}, "
        "or reveal:P with a share P from 0 to 1"
    )


def _share(name: str) -> float | None:
    """The P of `reveal:P`; None when the name is no such condition."""
    match = re.fullmatch(r"reveal:(0|1|0?\.\d+|0\.\d+|1\.0+)", name)
    return float(match[1]) if match else None


def target(cut: Cut) -> str:
    """What is scored: the true suffix and the closing delimiter."""
    return cut.hidden + cut.closing


def forecast_prompt(cut: Cut, forecast: str) -> str:
    r"""The scaffold with a forecast in the first equation, up to the second prefix.

    White space before the closing delimiter is layout, not answer: it is the paper's own in every
    condition, so that a forecast is not judged by the line end that it left off.
    """
    layout = cut.hidden[len(cut.hidden.rstrip()) :]
    first = _joined(cut.prefix, forecast.rstrip())
    return (
        f"% First equation:\n{cut.opening}{first}{layout}{cut.closing}\n\n"
        f"% Same equation:\n{cut.opening}{cut.prefix}"
    )


def _joined(prefix: str, forecast: str) -> str:
    r"""Prefix and forecast; a space keeps `\le` and `x` from becoming `\lex`."""
    if re.search(r"\\[A-Za-z]+\Z", prefix) and forecast[:1].isalpha():
        return f"{prefix} {forecast}"
    return prefix + forecast


def context_prompt(cut: Cut, context: str) -> str:
    """Some text in place of the scaffold, and the equation up to the target."""
    return context + cut.opening + cut.prefix


def control_prompt(cut: Cut, condition: str, *, seed: int) -> str:
    """The prompt of a control condition.

    Args:
        cut: the cut; its answer is used by `true-suffix` and `reveal:P` alone.
        condition: a control that `check_condition` accepts.
        seed: for `reveal:P`: which runs are kept, and what stands in place of the rest.

    Raises:
        ValueError: the cut has too little text for this control; the message says what it lacks.
    """
    if condition == "empty":
        return forecast_prompt(cut, "")
    if condition == "true-suffix":
        return forecast_prompt(cut, cut.hidden)
    if condition == "context-in-scaffold":
        return forecast_prompt(cut, _recent(cut, cut.budget))
    if condition in ("same-budget", "triple-budget"):
        recent = _recent(cut, cut.budget * (3 if condition == "triple-budget" else 1))
        return context_prompt(cut, recent)
    share = _share(condition)
    if share is None:
        raise ValueError(f"there is no control '{condition}'")
    return forecast_prompt(cut, reveal(cut, share, seed=seed))


def _recent(cut: Cut, budget: int) -> str:
    """The last characters before the equation."""
    if len(cut.context) < budget:
        raise ValueError(
            f"the context has {len(cut.context)} characters, this control needs {budget}"
        )
    return cut.context[len(cut.context) - budget :]


def reveal(cut: Cut, share: float, *, seed: int) -> str:
    """The true suffix with a share of its characters kept, in runs, and the rest replaced.

    What replaces a run is text of the same length from the paper's other equations. The runs that
    a smaller share keeps are kept by a larger one too, and a run that both replace is replaced by
    the same text: two shares differ in what they reveal and in nothing else.

    Args:
        cut: needs `filler` at least as long as the suffix, unless everything is kept.
        share: how much of the suffix to keep, from 0 to 1, rounded to whole runs.
        seed: draws the runs.

    Raises:
        ValueError: a share outside 0 to 1, or too little filler.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"a share is from 0 to 1, not {share}")
    suffix = cut.hidden.rstrip()
    if share == 1:
        return suffix
    if len(cut.filler) < len(suffix):
        raise ValueError(
            f"the paper's other equations give {len(cut.filler)} characters to replace "
            f"{len(suffix)} with"
        )
    draw = random.Random(fingerprint(["reveal", seed, cut.id]))  # noqa: S311 (no secret)
    runs = _runs(suffix)
    order = list(range(len(runs)))
    draw.shuffle(order)
    start = draw.randrange(len(cut.filler) - len(suffix) + 1)
    other = cut.filler[start : start + len(suffix)]
    kept, characters = set[int](), 0
    for index in order:
        size = runs[index][1] - runs[index][0]
        if characters + size / 2 <= share * len(suffix):
            kept.add(index)
            characters += size
        else:
            break
    return "".join(
        suffix[a:b] if index in kept else other[a:b] for index, (a, b) in enumerate(runs)
    )


def _runs(text: str) -> list[tuple[int, int]]:
    """The text in runs of about twelve characters that break no control word."""
    runs, start = [], 0
    for token in tokens(text):
        if token.end - start >= _RUN:
            runs.append((start, token.end))
            start = token.end
    if start < len(text):
        runs.append((start, len(text)))
    return runs
