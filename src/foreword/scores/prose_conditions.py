r"""The conditions of a cut of prose: what the scorer reads before the true text.

A forecast stands in comment lines between the end of the context and its repetition; the target
that follows is the same in every condition of a cut:

    <last 2,000 characters>
    % Notes about what's next:
    % <Z>
    % Returning to paper text:
    <the same 2,000 characters>

Source: section 7 of 'Likelihood scoring for continuations of mathematical text'.
"""

import difflib

from foreword.errors import UsageError
from foreword.latex.tokens import tokens
from foreword.records import Cut

SCORER_CONTEXT = 2_000
"""Characters before the cut that the scorer reads, twice where there is a scaffold."""
PROSE_CONTROLS = ("empty", "same-budget", "context-in-scaffold", "true-suffix")
"""The controls that a study of prose has unless it says otherwise; there are no others."""

_BEFORE = "% Notes about what's next:\n"
_BEHIND = "% Returning to paper text:\n"


def check_condition(name: str) -> str:
    """The name, if prose has such a control.

    Raises:
        UsageError: it has not; the message names those there are.
    """
    if name in PROSE_CONTROLS:
        return name
    near = difflib.get_close_matches(name, PROSE_CONTROLS, n=1)
    hint = f" (did you mean '{near[0]}'?)" if near else ""
    raise UsageError(
        f"prose has no control '{name}'{hint}: a control of prose is {', '.join(PROSE_CONTROLS)}"
    )


def target(cut: Cut) -> str:
    """What is scored: the true text."""
    return cut.hidden


def forecast_prompt(cut: Cut, forecast: str) -> str:
    r"""The scaffold with a forecast in it, up to the end of the repeated context.

    >>> cut = Cut(id="p/prose/9", paper_id="p", environment="", context="So it is.\n", opening="",
    ...           prefix="", hidden="And so on.", closing="", kind="prose", room=20)
    >>> print(forecast_prompt(cut, "And so\nforth."), end="")
    So it is.
    % Notes about what's next:
    % And so
    % forth.
    % Returning to paper text:
    So it is.
    """
    recent = cut.context[-SCORER_CONTEXT:]
    line_end = "" if recent.endswith("\n") else "\n"
    return recent + line_end + _BEFORE + as_comment(within(forecast, cut.budget)) + _BEHIND + recent


def as_comment(text: str) -> str:
    r"""Comment lines that hold a text: none of it can stand outside of a comment.

    Whatever ends a line anywhere (a carriage return, a line separator of Unicode) begins a new
    comment line. A text without any character is one empty comment.

    >>> print(as_comment("a\r\n\nb\u2028\\end{document}"), end="")
    % a
    %
    % b
    % \end{document}
    """
    return "".join(f"% {line}".rstrip() + "\n" for line in text.splitlines() or [""])


def within(text: str, budget: int) -> str:
    r"""The first `budget` characters of a text; a control word is kept whole or left out.

    >>> within(r"so \alpha", 9), within(r"so \alpha", 8)
    ('so \\alpha', 'so ')
    """
    if len(text) <= budget:
        return text
    cut = next((t for t in tokens(text) if t.end > budget and t.kind in ("word", "symbol")), None)
    return text[: min(budget, cut.start if cut else budget)]


def control_prompt(cut: Cut, condition: str, *, seed: int = 0) -> str:
    """The prompt of a control condition.

    Args:
        cut: the cut; its answer is used by `true-suffix` alone.
        condition: a control that `check_condition` accepts.
        seed: nothing is drawn for these controls.

    Raises:
        ValueError: the cut has too little text for this control; the message says what it lacks.
    """
    del seed
    if condition == "empty":
        return forecast_prompt(cut, "")
    if condition == "true-suffix":
        return forecast_prompt(cut, cut.hidden)
    if condition == "same-budget":
        return _recent(cut)
    if condition == "context-in-scaffold":
        return forecast_prompt(cut, _recent(cut)[: cut.budget])
    raise ValueError(f"prose has no control '{condition}'")


def _recent(cut: Cut) -> str:
    """As many characters before the cut as the scorer's context and the budget are together."""
    needed = SCORER_CONTEXT + cut.budget
    if len(cut.context) < needed:
        raise ValueError(
            f"the context has {len(cut.context)} characters, this control needs {needed}"
        )
    return cut.context[len(cut.context) - needed :]
