"""What the command line shows: words, failed items, progress."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from foreword.records import Failure

if TYPE_CHECKING:
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


def exit_code(failures: Sequence[Failure]) -> int:
    """List the failed items; 3 if there are any, else 0."""
    for failure in failures[:_SHOWN]:
        where = "" if failure.reason.startswith(failure.item) else f"{failure.item}: "
        words = f"failed: {failure.stage}: {where}{failure.reason}"
        say(words.replace("\n", "\\n"))
    if len(failures) > _SHOWN:
        say(f"failed: and {len(failures) - _SHOWN} more")
    return FAILED_ITEMS if failures else 0


def _in_lines(what: str, items: Sequence[Any]) -> Iterator[Any]:
    say(f"{what}: {len(items)}")
    said = time.monotonic()
    for done, item in enumerate(items):
        if time.monotonic() - said >= _SECONDS_A_LINE:
            say(f"{what}: {done} of {len(items)}")
            said = time.monotonic()
        yield item


def show(what: str) -> Callable[[Sequence[Any]], Iterable[Any]]:
    """A bar on a terminal; elsewhere a line at the beginning, and one each half minute."""

    def wrapped(items: Sequence[Any]) -> Iterator[Any]:
        if not items:
            return
        if not sys.stderr.isatty():
            yield from _in_lines(what, items)
            return
        from rich.console import Console
        from rich.progress import track

        yield from track(items, description=what, console=Console(stderr=True), transient=True)

    return wrapped


def finish(made: "Made", what: str, following: str) -> int:
    """Say what was done and what to do next; the exit code."""
    again = " (there already, from the same inputs and settings)" if made.reused else ""
    say(f"{made.path}: {made.rows} {what}{'s' * (made.rows != 1)}{again}", err=False)
    code = exit_code(made.failures)
    say(f"next: {following}")
    return code


def show_rejected(cuts: "Made") -> None:
    """Say how many equations were not cut, and why."""
    for reason, count in cuts.notes["rejected"].items():
        say(f"  {count} equation{'s' * (count != 1)} not cut: {reason}")
