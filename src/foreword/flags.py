"""Flags that several commands have."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

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


def journal_of(out: Path) -> Path:
    """Where a command keeps what is finished of a table, until the table is whole."""
    return out.with_name(f"{out.name}.journal")
