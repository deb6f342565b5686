"""Flags that several commands have."""

import math
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import click

from foreword.findings import Level

if TYPE_CHECKING:
    from foreword.cuts import Rules

Command = TypeVar("Command", bound=Callable[..., Any])


class FiniteRange(click.FloatRange):
    """A number in a range; nan and inf, which compare with nothing or with all, are none."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number.

        Raises:
            click.BadParameter: it is none, or outside of the range.
        """
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


def take_costs(
    ctx: click.Context, param: click.Parameter, given: tuple[str, ...]
) -> dict[Level, float]:
    """What one more paper, cut, sample or repeat costs, from `LEVEL=NUMBER` each.

    Raises:
        click.BadParameter: one is no such thing, or there twice.
    """
    known: dict[str, Level] = {name: name for name in get_args(Level)}
    costs: dict[Level, float] = {}
    for each in given:
        level, sign, number = each.partition("=")
        if not sign or level not in known:
            raise click.BadParameter(
                f"{each!r} is not LEVEL=NUMBER with a LEVEL of {', '.join(known)}"
            )
        if known[level] in costs:
            raise click.BadParameter(f"the cost of one {level} is there twice")
        costs[known[level]] = FiniteRange(min=0, max=_MOST_COST).convert(number, param, ctx)
    return costs


_MOST_COST = 1e15

out_file = click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="The file to write."
)
overwrite_flag = click.option(
    "--overwrite", is_flag=True, help="Replace a file made with other settings."
)
files_flag = click.option(
    "--files",
    type=click.Path(path_type=Path, file_okay=False),
    help="A folder for figures and tables as files for a paper.",
)
seed_flag = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of every draw."
)
TABLE = click.Path(path_type=Path)


def _by_name(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """Cutoffs by name; a name may hold `=`, a date does not."""
    found: dict[str, str] = {}
    for one in given:
        name, equals, cutoff = one.rpartition("=")
        if not (equals and name and cutoff):
            raise click.BadParameter(f"{one[:100]!r} is not NAME=DATE, as in gpt-5=2025-06")
        if name in found:
            raise click.BadParameter(f"{name[:100]!r} is there twice")
        found[name] = cutoff
    return found


cutoff_flag = click.option(
    "--cutoff",
    "cutoffs",
    metavar="NAME=DATE",
    multiple=True,
    callback=_by_name,
    help="Up to when a predictor, or 'scorer', has read: a day or a month; may be repeated.",
)


def cut_flags(command: Command) -> Command:
    """The rules for cuts, of each kind; `take_rules` makes them of what was given."""
    for option in reversed(_CUT_FLAGS):
        command = option(command)
    return command


def _length(name: str, default: int, what: str = "", *, least: int = 1) -> Any:
    return click.option(
        name, type=click.IntRange(min=least), show_default=f"{default}", help=what or None
    )


_CUT_FLAGS = (
    click.option(
        "--kind",
        type=click.Choice(["equation", "prose"]),
        default="equation",
        show_default=True,
        help="What is cut.",
    ),
    _length("--min-context", 10_000, least=0),
    _length("--min-hidden", 50, "Of equations."),
    _length("--max-hidden", 400, "Of equations."),
    _length("--per-paper", 10),
    click.option("--expand-macros", is_flag=True, help="Write the paper's macros out in formulas."),
    _length("--hidden", 2_400, "Of prose: characters behind a cut."),
    _length("--asked", 1_800, "Of prose: characters asked for."),
    _length("--budget", 1_000, "Of prose: characters of a forecast that the scorer reads."),
    click.option(
        "--also-in",
        multiple=True,
        help="Of prose: cut the abstract, related work, acknowledgements, bibliography or "
        "appendix too; may be repeated.",
    ),
)
_CUT_FIELDS = (
    "kind",
    "min_context",
    "min_hidden",
    "max_hidden",
    "per_paper",
    "expand_macros",
    "hidden",
    "asked",
    "budget",
    "also_in",
)


def take_rules(flags: dict[str, Any]) -> "Rules":
    """The rules that a command's flags give; they are taken out of the flags.

    Raises:
        click.UsageError: a flag that cuts of this kind do not heed, or a number that can't be.
    """
    from foreword.cuts import make_rules

    given = {name: flags.pop(name) for name in _CUT_FIELDS}
    kind = given["kind"]
    known = {"kind", *(field.name for field in fields(make_rules({"kind": kind})))}
    settings: dict[str, Any] = {}
    for name, value in given.items():
        if value is None or value is False or value == ():
            continue
        if name not in known:
            flag = name.replace("_", "-")
            raise click.UsageError(f"--{flag} has no meaning for cuts of kind {kind}")
        settings[name] = value
    try:
        return make_rules(settings)
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def scorer_flags(command: Command) -> Command:
    """Which scorer, and how it scores: the arguments of `load_scorer`."""
    for option in reversed(_SCORER_FLAGS):
        command = option(command)
    return command


_SCORER_FLAGS = (
    click.option(
        "--scorer",
        default="smollm2",
        show_default=True,
        help="smollm2, hf:NAME, or openai:BASE_URL#MODEL.",
    ),
    click.option("--boundary", default="exact", show_default=True, help="exact, or paper."),
    click.option("--dtype", default="auto", show_default=True, help="float32, bfloat16, float16."),
    click.option("--device", default="auto", show_default=True, help="cpu, cuda, cuda:1."),
    click.option("--adapter", type=TABLE, help="A folder that `foreword finetune` wrote."),
)


def server_flags(command: Command) -> Command:
    """How a scorer by URL is asked: more arguments of `load_scorer`."""
    for option in reversed(_SERVER_FLAGS):
        command = option(command)
    return command


_SERVER_FLAGS = (
    click.option("--tokenizer", help="The server's, as hf:NAME_OR_PATH: prompts go as token ids."),
    click.option(
        "--max-connections",
        type=click.IntRange(min=1),
        default=8,
        show_default=True,
        help="Requests open at the same time.",
    ),
    click.option(
        "--timeout-s",
        type=FiniteRange(min=0, min_open=True),
        default=300.0,
        show_default=True,
        help="For one try of a request.",
    ),
)


def journal_of(out: Path) -> Path:
    """Where a command keeps what is finished of a table, until the table is whole."""
    return out.with_name(f"{out.name}.journal")
