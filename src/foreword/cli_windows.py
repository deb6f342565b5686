"""The command that shows lift by the tokens of a target that count."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from foreword.errors import TableError, UsageError
from foreword.flags import files_flag
from foreword.terminal import say, show_files

if TYPE_CHECKING:
    from foreword.analysis import WindowLift
    from foreword.records import Rule, Score


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--window",
    "windows",
    type=click.IntRange(min=1),
    multiple=True,
    help="Tokens from the first on; may be repeated; default: 50, 100, 200, 400.",
)
@click.option("--over", default="same-budget", show_default=True, help="The baseline.")
@click.option("--rule", default="clip2", show_default=True, help="How tokens are softened.")
@files_flag
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
def windows(
    folder: Path,
    windows: tuple[int, ...],
    over: str,
    rule: str,
    files: Path | None,
    as_json: bool,
) -> int:
    """Show the lift over the first tokens of each target, window by window.

    Windows are beginnings of the tokens that scores.parquet holds: nothing is scored again.

    \b
    Examples:
      foreword windows results
      foreword windows results --over empty --window 25 --window 50
      foreword windows results --files paper
    """
    from foreword.analysis import WINDOWS, window_lifts, windows_text

    scores = _read(folder, over)
    try:
        found = window_lifts(scores, windows=windows or WINDOWS, over=over, rule=_checked(rule))
    except ValueError as error:
        raise TableError(f"{folder / 'scores.parquet'}: {error}; score the cuts again") from error
    if as_json:
        click.echo(json.dumps([asdict(row) for row in found], indent=2, allow_nan=False))
    else:
        say(windows_text(found), err=False)
    if files:
        _write(folder, found, files, scores[0].scorer_id)
    return 0


def _write(folder: Path, found: "list[WindowLift]", files: Path, scorer_id: str) -> None:
    from foreword.figure_steps import source_of
    from foreword.figures import write_windows
    from foreword.store import disk_errors

    with disk_errors(files):
        source = f"scorer {scorer_id}; {source_of(folder / 'scores.parquet')}"
        show_files(write_windows(found, files, source=source), files)


def _read(folder: Path, over: str) -> "list[Score]":
    """The scores in a folder, among them some of the baseline."""
    from foreword.folder import check_made_from
    from foreword.records import Score
    from foreword.store import read_table

    path = folder / "scores.parquet"
    scores = read_table(path, Score)
    check_made_from(path, folder / "cuts.parquet")
    conditions = sorted({score.condition for score in scores})
    if over not in conditions:
        raise UsageError(f"{path} has no condition '{over}'; it has {', '.join(conditions)}")
    return scores


def _checked(rule: str) -> "Rule":
    from foreword.analysis import RULES

    known: dict[str, Rule] = {name: name for name in RULES}
    if rule not in known:
        raise UsageError(f"there is no rule '{rule}'; a rule is {', '.join(RULES)}")
    return known[rule]
