"""Where a command's work is done: the flags, and the engines that they stand for."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from foreword.engines import Engines


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a user said of where the work is to be done."""

    engine: str
    ray_address: str | None
    actors: int | None = None

    def engines(self, shards: Path) -> AbstractContextManager["Engines"]:
        """Who does it, for as long as a block runs.

        Args:
            shards: the folder for what is finished elsewhere and not filed here yet.

        Raises:
            UsageError: flags of one engine were given with another.
            ForewordError: a package is not installed.
        """
        if self.engine == "ray":
            from foreword.cluster import ray_engines

            return ray_engines(shards, address=self.ray_address, num_actors=self.actors)
        for flag, value in (("--ray-address", self.ray_address), ("--actors", self.actors)):
            if value is not None:
                raise click.UsageError(f"{flag} goes with --engine ray")
        from foreword.engines import LOCAL

        return nullcontext(LOCAL)


def engine_flags(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where the work is done; the command is given a `place`."""

    @wraps(command)
    def placed(*, engine: str, ray_address: str | None, **others: Any) -> Any:
        actors = {"actors": others.pop("actors")} if "actors" in others else {}
        place = Place(engine=engine, ray_address=ray_address, **actors)
        return command(place=place, **others)

    for option in reversed(_FLAGS):
        placed = option(placed)
    return placed


_FLAGS = (
    click.option(
        "--engine",
        type=click.Choice(["local", "ray"]),
        default="local",
        show_default=True,
        help="Here, or on a Ray cluster.",
    ),
    click.option("--ray-address", help="Of a cluster to join, or auto; else Ray is started here."),
)
actors_flag = click.option(
    "--actors", type=click.IntRange(min=1), help="With ray: that score, each with one model."
)


def shards_of(out: Path) -> Path:
    """Where a command keeps what actors finished of a table, until its journal has it."""
    return out.with_name(f"{out.name}.shards")
