"""What the command line shows: words, failed items, progress."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import click

from foreword.records import Failure

FAILED_ITEMS = 3
"""Exit code of a run that finished, with failed items."""
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
        words = f"failed: {failure.stage}: {failure.item}: {failure.reason}"
        say(words.replace("\n", "\\n"))
    if len(failures) > _SHOWN:
        say(f"failed: and {len(failures) - _SHOWN} more")
    return FAILED_ITEMS if failures else 0


def show(what: str) -> Callable[[Sequence[Any]], Iterable[Any]]:
    """A bar on a terminal; elsewhere nothing but a line at the beginning."""

    def wrapped(items: Sequence[Any]) -> Iterator[Any]:
        if not items:
            return
        if not sys.stderr.isatty():
            say(f"{what}: {len(items)}")
            yield from items
            return
        from rich.console import Console
        from rich.progress import track

        yield from track(items, description=what, console=Console(stderr=True), transient=True)

    return wrapped
