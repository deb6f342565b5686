"""What the command line shows: words, failed items, progress."""

import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import click

from foreword.pace import Pace, pace_words
from foreword.records import Failure

if TYPE_CHECKING:
    from foreword.figures import Written
    from foreword.step import Made

FAILED_ITEMS = 3
"""Exit code of a run that finished, with failed items."""
_SECONDS_A_LINE = 30
_SHOWN = 20  # failed items listed on the terminal; the report lists all


def say(words: str, *, err: bool = True) -> None:
    """Print words; names from papers and models are among them, and none steers the terminal."""
    safe = (
        letter
        if letter.isprintable() or letter == "\n"
        else letter.encode("unicode_escape", "surrogatepass").decode("ascii")
        for letter in words
    )
    click.echo("".join(safe), err=err)


class _Says(logging.Handler):
    """Shows what the library has to say, each line once and safe for the terminal."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print the words alone."""
        say(record.getMessage())


def show_log() -> None:
    """Show on stderr what the library says while it works."""
    log = logging.getLogger("foreword")
    log.addHandler(_Says(logging.INFO))
    log.setLevel(logging.INFO)


def exit_code(failures: Sequence[Failure]) -> int:
    """List the failed items; 3 if there are any, else 0."""
    for failure in failures[:_SHOWN]:
        where = "" if failure.reason.startswith(failure.item) else f"{failure.item}: "
        words = f"failed: {failure.stage}: {where}{failure.reason}"
        say(words.replace("\n", "\\n"))
    if len(failures) > _SHOWN:
        say(f"failed: and {len(failures) - _SHOWN} more")
    return FAILED_ITEMS if failures else 0


def show_files(written: "Written", folder: Path) -> None:
    """Say how many files for a paper there are, and which are not there for want of numbers."""
    say(f"{folder}: {len(written.files)} files for a paper")
    for name, why in written.left_out.items():
        say(f"no {name}: {why}")


def show(what: str) -> Callable[[Sequence[Any]], Iterable[Any]]:
    """A bar on a terminal; elsewhere a line at the beginning, and one each half minute.

    Both say how many items are done, how fast it goes by the last minute, and what is left.
    """

    def wrapped(items: Sequence[Any]) -> Iterator[Any]:
        if items:
            yield from (_in_bar if sys.stderr.isatty() else _in_lines)(what, items)

    return wrapped


def _in_lines(what: str, items: Sequence[Any]) -> Iterator[Any]:
    say(f"{what}: {len(items):,}")
    pace, over = Pace(), Event()

    def tell() -> None:
        while not over.wait(_SECONDS_A_LINE):  # however long one item takes
            words = pace_words(pace.per_second, len(items) - pace.done)
            say(f"{what}: {pace.done:,} of {len(items):,}{words and ', ' + words}")

    Thread(target=tell, daemon=True).start()
    try:
        for done, item in enumerate(items):
            pace.note(done)
            yield item
    finally:
        over.set()


def _in_bar(what: str, items: Sequence[Any]) -> Iterator[Any]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[pace]}", markup=False),
    )
    pace = Pace()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=len(items), pace="")
        for done, item in enumerate(items):
            bar.update(task, completed=done)
            if pace.note(done):
                bar.update(task, pace=pace_words(pace.per_second, len(items) - done))
            yield item


def finish(made: "Made", what: str, following: str) -> int:
    """Say what was done and what to do next; the exit code."""
    again = " (there already, from the same inputs and settings)" if made.reused else ""
    say(f"{made.path}: {made.rows} {what}{'s' * (made.rows != 1)}{again}", err=False)
    code = exit_code(made.failures)
    say(f"next: {following}")
    return code


def show_rejected(cuts: "Made") -> None:
    """Say how many equations, or sentences, were not cut, and why."""
    for reason, count in cuts.notes["rejected"].items():
        say(f"  {count} not cut: {reason}")
