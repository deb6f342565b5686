"""What the scorer reads, by the kind of cut: each kind has its scaffold and its controls."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from foreword.records import Cut, CutKind
from foreword.scores import conditions, prose_conditions


@dataclass(frozen=True, slots=True)
class _Scaffold:
    """The conditions of one kind of cut."""

    controls: tuple[str, ...]
    check: Callable[[str], str]
    target: Callable[[Cut], str]
    forecast_prompt: Callable[[Cut, str], str]
    control_prompt: Callable[..., str]


_SCAFFOLDS: Mapping[CutKind, _Scaffold] = MappingProxyType(
    {
        "equation": _Scaffold(
            conditions.CONTROLS,
            conditions.check_condition,
            conditions.target,
            conditions.forecast_prompt,
            conditions.control_prompt,
        ),
        "prose": _Scaffold(
            prose_conditions.PROSE_CONTROLS,
            prose_conditions.check_condition,
            prose_conditions.target,
            prose_conditions.forecast_prompt,
            prose_conditions.control_prompt,
        ),
    }
)


def controls_of(kind: CutKind) -> tuple[str, ...]:
    """The controls that a study has unless it says otherwise.

    >>> controls_of("prose")
    ('empty', 'same-budget', 'context-in-scaffold', 'true-suffix')
    """
    return _SCAFFOLDS[kind].controls


def check_condition(name: str, kind: CutKind = "equation") -> str:
    """The name, if cuts of this kind have such a control.

    >>> check_condition("reveal:0.5")
    'reveal:0.5'

    Raises:
        UsageError: they have not; the message names those there are.
    """
    return _SCAFFOLDS[kind].check(name)


def target(cut: Cut) -> str:
    """What is scored: an equation's true suffix and its closing delimiter; of prose the text."""
    return _SCAFFOLDS[cut.kind].target(cut)


def forecast_prompt(cut: Cut, forecast: str) -> str:
    """The scaffold with a forecast in it, up to where the target starts."""
    return _SCAFFOLDS[cut.kind].forecast_prompt(cut, forecast)


def control_prompt(cut: Cut, condition: str, *, seed: int) -> str:
    """The prompt of a control condition.

    Args:
        cut: the cut; its answer is used by `true-suffix` and `reveal:P` alone.
        condition: a control that `check_condition` accepts for cuts of this kind.
        seed: for `reveal:P`: which runs are kept, and what stands in place of the rest.

    Raises:
        ValueError: the cut has too little text for this control; the message says what it lacks.
    """
    return _SCAFFOLDS[cut.kind].control_prompt(cut, condition, seed=seed)
