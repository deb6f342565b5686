"""The commands that publish a study, and that make a published one's cuts again."""

from collections.abc import Sequence
from pathlib import Path

import click

from foreword.flags import overwrite_flag
from foreword.terminal import exit_code, say, show


@click.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to write.")
@click.option(
    "--allow", "allowed", multiple=True, help="A paper whose text you may hand on; repeatable."
)
def export(results: Path, out: Path, allowed: Sequence[str]) -> int:
    """Write a study's published form: every number, and no text that may not be handed on.

    \b
    Example:
      foreword export results --out published
    """
    from foreword.publish import export_study

    done = export_study(results, out, allowed=allowed)
    for word, papers in (("with", done.open_papers), ("without", done.closed_papers)):
        say(f"  {len(papers)} paper{'s' * (len(papers) != 1)} {word} text", err=False)
    say(f"{out}: read README.txt and report.html before you hand it on", err=False)
    return 0


@click.command()
@click.argument("published", type=click.Path(path_type=Path))
@click.argument("sources", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The table to write.")
@overwrite_flag
def rebuild(published: Path, sources: Sequence[Path], out: Path, overwrite: bool) -> int:
    """Make the cuts of a published study again from its papers' sources, and compare hashes.

    \b
    Example:
      foreword rebuild published arxiv/sources --out cuts.parquet
    """
    from foreword.publish import rebuild_cuts
    from foreword.store import beside

    with beside(out.parent):
        done = rebuild_cuts(published, sources, out, overwrite=overwrite, show=show)
    same = ", byte for byte the table that was published from" if done.is_same_file else ""
    say(f"{out}: {done.num_cuts} cut{'s' * (done.num_cuts != 1)}{same}", err=False)
    return exit_code(done.failures)
