"""The command that chooses a study's papers."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from foreword.flags import TABLE, cut_flags, out_file, overwrite_flag, seed_flag, take_rules
from foreword.terminal import finish, say, show

if TYPE_CHECKING:
    from foreword.step import Made

_day = click.DateTime(formats=["%Y-%m-%d"])


@click.command()
@click.argument("papers", type=TABLE)
@click.option("--listing", type=TABLE, help="What `papers fetch` wrote of these papers.")
@click.option("--category", "categories", multiple=True, help="Such as quant-ph; may be repeated.")
@click.option("--primary-category", "primary_categories", multiple=True, help="The first one.")
@click.option("--from", "first_day", type=_day, help="First day on which a first version came in.")
@click.option("--to", "last_day", type=_day, help="Last such day.")
@click.option("--licence", "licences", multiple=True, help="Such as CC-BY; may be repeated.")
@click.option("--min-characters", type=click.IntRange(min=0), default=0, help="Of clean text.")
@click.option("--max-characters", type=click.IntRange(min=1))
@click.option("--min-cuts", type=click.IntRange(min=0), default=0, help="Cuts that are possible.")
@click.option("--max-papers", type=click.IntRange(min=1), help="Draw so many of those left.")
@cut_flags
@seed_flag
@out_file
@overwrite_flag
def slate(
    papers: Path, listing: Path | None, seed: int, out: Path, overwrite: bool, **settings: Any
) -> int:
    """Choose a study's papers by criteria, before any model runs; keep why each was left out.

    \b
    Example:
      foreword slate papers.parquet --listing arxiv/listing.parquet --licence CC-BY \\
        --min-cuts 5 --max-papers 40 --out slate.parquet
    """
    from foreword.folder import the_listing
    from foreword.stages import make_slate
    from foreword.store import beside
    from foreword.study import SlateSection
    from foreword.study_file import checked

    how = take_rules(settings)
    days = {name: settings.pop(name) for name in ("first_day", "last_day")}
    settings |= {name: _date(day) for name, day in days.items()}
    criteria = checked(SlateSection, settings).criteria
    with beside(out.parent):
        made = make_slate(
            papers,
            out,
            criteria=criteria,
            rules=how,
            seed=seed,
            listing=the_listing(listing) if listing else None,
            overwrite=overwrite,
            show=show,
        )
    show_slate(made)
    cuts = out.parent / "cuts.parquet"
    return finish(made, "candidate", f"foreword cut {papers} --slate {out} --out {cuts}")


def show_slate(made: "Made") -> None:
    """Say how many papers are taken, how many are left out and why, and the slate's hash."""
    from foreword.slate import read_choices
    from foreword.store import hash_file

    left_out = made.notes["left_out"]
    taken = made.rows - sum(left_out.values())
    say(f"  {taken} of {made.rows} papers taken")
    for reason, count in left_out.items():
        say(f"  {count} left out: {reason}")
    say(f"  SHA-256 of {made.path}: {hash_file(made.path)}")
    late = sum(one.models_had_run for one in read_choices(made.path.parent))
    if late:
        say(
            f"  {late} choice{'s' * (late != 1)} of papers in this folder came after a model had "
            "run: the report says so; a new folder begins afresh"
        )


def _date(day: datetime | None) -> Any:
    return day.date() if day else None
