"""The commands that get, read and show papers."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from foreword.engine_flags import Place, engine_flags, shards_of
from foreword.flags import out_file, overwrite_flag
from foreword.terminal import exit_code, finish, say, show

_keep_hidden = click.option(
    "--keep-hidden", is_flag=True, help="Leave white and tiny text where it is."
)
_day = click.DateTime(formats=["%Y-%m-%d"])


@click.group()
def papers() -> None:
    """Fetch, read and inspect papers."""


@papers.command("read")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@out_file
@click.option("--main", multiple=True, help="The main file; of one of several papers: ID=FILE.")
@_keep_hidden
@overwrite_flag
@engine_flags
def papers_read(
    paths: Sequence[Path],
    out: Path,
    main: Sequence[str],
    keep_hidden: bool,
    overwrite: bool,
    place: Place,
) -> int:
    """Read LaTeX papers: files, folders, or e-prints as arXiv gives them, singly or in bulk.

    \b
    Examples:
      foreword papers read paper.tex 2604.19885v2.tar.gz folder/ --out papers.parquet
      foreword papers read arXiv_src_2604_001.tar --out papers.parquet
    """
    from foreword.stages import make_papers
    from foreword.store import beside

    mains = _mains(paths, main)
    with beside(out.parent), place.engines(shards_of(out)) as engines:
        made = make_papers(
            paths,
            out,
            mains=mains,
            keep_hidden=keep_hidden,
            read=engines.read,
            overwrite=overwrite,
            show=show,
        )
    for paper, words in made.notes.get("read", {}).items():
        say(f"  {paper}: {words}".replace("\n", "\\n"))
    if made.failures:
        states = Counter(failure.state or "repeated" for failure in made.failures).most_common()
        say(", ".join([f"  {made.rows} ok", *(f"{count} {state}" for state, count in states)]))
    return finish(made, "paper", f"foreword cut {out} --out {out.parent / 'cuts.parquet'}")


def _mains(paths: Sequence[Path], given: Sequence[str]) -> dict[str, str]:
    """By a paper's id, its main file, from `FILE` for a single paper or `ID=FILE`."""
    from foreword.papers import find_eprints

    ids = [eprint.id for eprint in find_eprints(paths)] if given else []
    mains: dict[str, str] = {}
    for one in given:
        name, _, file = one.partition("=")
        if file and name in ids:
            mains[name] = file
        elif len(ids) == 1 and len(given) == 1:
            mains[ids[0]] = one
        else:
            raise click.UsageError(
                f"--main {one}: of several papers, say which: --main ID=FILE, with an id among "
                f"{', '.join(ids[:5])}{', …' if len(ids) > 5 else ''}"
            )
    return mains


@papers.command("fetch")
@click.argument("ids", nargs=-1)
@click.option("--category", "categories", multiple=True, help="Such as quant-ph; may be repeated.")
@click.option("--from", "first", type=_day, help="First day on which a first version came in.")
@click.option("--to", "last", type=_day, help="Last such day.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many papers in all.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to fill.")
@click.option("--base-url", help="Of a mirror, in place of arXiv.")
@click.option("--contact", help="Your mail address, for arXiv; or FOREWORD_CONTACT.")
def papers_fetch(
    ids: Sequence[str],
    categories: Sequence[str],
    first: datetime | None,
    last: datetime | None,
    out: Path,
    **how: Any,
) -> int:
    """Fetch papers' sources from arXiv: by identifier, or by category and days.

    \b
    Examples:
      foreword papers fetch 2604.19885v2 hep-th/9901001 --contact me@example.org --out arxiv
      foreword papers fetch --category quant-ph --from 2026-11-01 --to 2026-11-30 --limit 50 \\
        --contact me@example.org --out arxiv
    """
    from foreword.arxiv import Query, fetch_papers

    if bool(ids) == bool(categories):
        raise click.UsageError("give identifiers, or --category with --from and --to")
    if categories and not (first and last):
        raise click.UsageError("--category needs --from DAY and --to DAY")
    if categories and first and last and last < first:
        raise click.UsageError(
            f"the days are reversed: --from {first:%Y-%m-%d} comes after --to {last:%Y-%m-%d}"
        )
    query = None
    if first and last and categories:
        query = Query(categories=tuple(categories), first=first.date(), last=last.date())
    fetched = fetch_papers(
        out, ids=ids, query=query, tell=say, progress=show("fetching sources"), **how
    )
    counts = ", ".join(f"{count} {state}" for state, count in fetched.counts.items())
    num = len(fetched.listings)
    say(f"{fetched.path}: {num} paper{'s' * (num != 1)}: {counts or 'none'}", err=False)
    code = exit_code(fetched.failures)
    if "ok" in fetched.counts:
        say(f"next: foreword papers read {out} --out {out / 'papers.parquet'}")
    return code


@papers.command("inspect")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--main", help="The main file, where there are several candidates.")
@click.option("--json", "as_json", is_flag=True, help="Print what was seen as JSON.")
@_keep_hidden
def papers_inspect(path: Path, main: str | None, as_json: bool, keep_hidden: bool) -> int:
    """Show what is read of one paper, and why.

    The main file, the files in order, each display with its place, and what was set apart.

    \b
    Example:
      foreword papers inspect 2604.19885v2.tar.gz --json
    """
    from dataclasses import asdict

    from foreword.papers.inspect import inspect_paper, inspection_text

    found = inspect_paper(path, main=main, keep_hidden=keep_hidden)
    if as_json:
        click.echo(json.dumps(asdict(found), indent=2, allow_nan=False))
    else:
        say(inspection_text(found), err=False)
    return 0 if found.state == "ok" else 1
