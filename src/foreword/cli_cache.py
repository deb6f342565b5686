"""The command that shows the score cache of this machine, and makes it smaller."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from foreword.errors import ForewordError
from foreword.flags import FiniteRange
from foreword.terminal import say

if TYPE_CHECKING:
    from foreword.store import Cache
    from foreword.store.cache_file import Held

_ALL = "all"
_MIB = 2**20


@click.command()
@click.option(
    "--trim",
    type=FiniteRange(min=0, max=1e9),
    metavar="GIB",
    help="Remove what was not used for longest, until so much is left.",
)
@click.option(
    "--clear",
    is_flag=False,
    flag_value=_ALL,
    metavar="[SCORER_ID]",
    help="Remove the scores of one scorer, or all.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what is there as JSON.")
def cache(trim: float | None, clear: str | None, as_json: bool) -> int:
    """Show the scores that are kept for all studies of this machine, or remove some.

    It is safe to remove any: they are computed again when a study needs them.

    \b
    Examples:
      foreword cache
      foreword cache --trim 0.5
      foreword cache --clear smollm2@fa2880586a2de0d3
    """
    from foreword.store import find_cache

    if trim is not None and clear is not None:
        raise click.UsageError("give --trim or --clear, not both")
    found = find_cache()
    if found is None:
        raise ForewordError(
            "there is no score cache: FOREWORD_CACHE is off, or there is no home folder"
        )
    if trim is not None:
        _say_removed(found.trim(int(trim * 2**30)))
    if clear is not None:
        _say_removed(_clear(found, clear))
    held = found.sizes()
    if as_json:
        click.echo(json.dumps(_as_json(found, held), indent=2))
    else:
        say("\n".join(_lines(found, held)), err=False)
    return 0


def _clear(found: "Cache", scorer_id: str) -> int:
    if scorer_id == _ALL:
        return found.clear()
    known = [each.scorer_id for each in found.sizes()]
    if scorer_id not in known:
        has = f"it has {', '.join(known)}" if known else "it is empty"
        raise ForewordError(f"the score cache has nothing of the scorer {scorer_id}: {has}")
    return found.clear(scorer_id)


def _say_removed(count: int) -> None:
    say(f"removed: {count:,} score{'s' * (count != 1)}")


def _lines(found: "Cache", held: "Sequence[Held]") -> list[str]:
    of = f"{found.size_bytes / _MIB:,.1f} of at most {found.max_bytes / _MIB:,.1f} MiB"
    width = max((len(each.scorer_id) for each in held), default=0)
    return [
        f"{found.path}: {of}",
        *(
            f"  {each.scorer_id:{width}} {each.rows:>11,} scores {each.bytes / _MIB:>9,.1f} MiB"
            for each in held
        ),
    ]


def _as_json(found: "Cache", held: "Sequence[Held]") -> dict[str, object]:
    return {
        "path": str(found.path),
        "bytes": found.size_bytes,
        "max_bytes": found.max_bytes,
        "scorers": [asdict(each) for each in held],
    }
