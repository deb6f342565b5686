"""The command that tries a scorer on toy equations with equivalent continuations."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from foreword.flags import (
    TABLE,
    files_flag,
    journal_of,
    overwrite_flag,
    scorer_flags,
    server_flags,
)
from foreword.records import Failure
from foreword.terminal import exit_code, say, show, show_files

if TYPE_CHECKING:
    from foreword.score_steps import Scoring
    from foreword.toys import Toy, ToyScore


@click.command()
@click.option("--items", type=TABLE, help="Your own toys, in place of the built-in ones.")
@click.option("--show-items", is_flag=True, help="Print the built-in toys: a file to extend.")
@scorer_flags
@server_flags
@click.option(
    "--unproven", is_flag=True, help="Use a scorer that doctor finds too weak to be trusted."
)
@click.option("--out", type=click.Path(path_type=Path), help="A file for the rows, token by token.")
@overwrite_flag
@files_flag
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
def probe(
    items: Path | None,
    show_items: bool,
    scorer: str,
    unproven: bool,
    out: Path | None,
    overwrite: bool,
    files: Path | None,
    as_json: bool,
    **how: Any,
) -> int:
    """See how a scorer takes a forecast that is right in other words: on toy equations.

    \b
    Examples:
      foreword probe
      foreword probe --scorer hf:models/Qwen3-8B-Base --out probe.parquet
      foreword probe --show-items > items.toml
      foreword probe --items items.toml
    """
    from foreword.scores import load_scorer
    from foreword.store import disk_errors, hash_file
    from foreword.toys import (
        BUILT_IN,
        find,
        findings_json,
        findings_text,
        read_toys,
        write_probe,
    )

    if show_items:
        click.echo(BUILT_IN.read_text(encoding="utf-8"), nl=False)
        return 0
    toys = read_toys(items or BUILT_IN)
    with _scoring(out, load_scorer(scorer, **how), unproven=unproven) as scoring:
        rows, failures = _rows(toys, out, scoring, overwrite=overwrite)
    found = find(rows)
    if as_json:
        click.echo(json.dumps(findings_json(found, rows), indent=2, allow_nan=False))
    else:
        say(findings_text(found), err=False)
    if out:
        say(f"{out}: {len(rows)} rows")
    if files:
        toys_used = f"toys, SHA-256 {hash_file(items or BUILT_IN)}"
        with disk_errors(files):
            show_files(write_probe(found, files, source=toys_used), files)
    code = exit_code(failures)
    say("next: foreword probe --show-items > items.toml, to add toys of your own")
    return code


@contextmanager
def _scoring(out: Path | None, scorer: Any, *, unproven: bool) -> Iterator["Scoring"]:
    """How to score; without a file to write, the journal is gone after the block."""
    from foreword.score_steps import Scoring
    from foreword.store import find_cache

    with TemporaryDirectory(prefix="foreword-") as folder:
        yield Scoring(
            scorer=scorer,
            journal=journal_of(out or Path(folder) / "probe"),
            cache=find_cache(),
            unproven=unproven,
        )


def _rows(
    toys: "Sequence[Toy]", out: Path | None, scoring: "Scoring", *, overwrite: bool
) -> tuple["Sequence[ToyScore]", list[Failure]]:
    """What the scorer said, from the file if it is there and from the same toys."""
    from foreword.store import beside, read_table
    from foreword.toy_steps import make_toy_scores, score_toys_now
    from foreword.toys import ToyScore, failures_of

    if out is None:
        rows, _ = score_toys_now(toys, scoring=scoring, show=show)
        return rows, failures_of(rows)
    with beside(out.parent):
        made = make_toy_scores(toys, out, scoring=scoring, overwrite=overwrite, show=show)
        return read_table(out, ToyScore), made.failures
