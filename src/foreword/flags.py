"""Flags that several commands have."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

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


out_file = click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="The file to write."
)
overwrite_flag = click.option(
    "--overwrite", is_flag=True, help="Replace a file made with other settings."
)
seed_flag = click.option(
    "--seed", type=int, default=0, show_default=True, help="Of every random choice."
)
TABLE = click.Path(path_type=Path)


def cut_flags(command: Command) -> Command:
    """The rules for cuts: the fields of `CutRules`."""
    for option in reversed(_CUT_FLAGS):
        command = option(command)
    return command


_CUT_FLAGS = (
    click.option("--min-context", type=click.IntRange(min=0), default=10_000, show_default=True),
    click.option("--min-hidden", type=click.IntRange(min=1), default=50, show_default=True),
    click.option("--max-hidden", type=click.IntRange(min=1), default=400, show_default=True),
    click.option("--per-paper", type=click.IntRange(min=1), default=10, show_default=True),
    click.option("--expand-macros", is_flag=True, help="Write the paper's macros out in formulas."),
)


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
