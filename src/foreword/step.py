"""One step from tables to a table, made again only where its inputs or settings are others."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from foreword.errors import TableError, UsageError
from foreword.records import Failure
from foreword.scores.scorer import may_pass
from foreword.store import JSON, disk_errors, read_provenance, write_table

Row = TypeVar("Row")
Item = TypeVar("Item")
Show = Callable[[str], Callable[[Sequence[Any]], Iterable[Any]]]
"""From what is being done to a wrapper that shows how far it is."""


def quiet(what: str) -> Callable[[Sequence[Item]], Iterable[Item]]:  # noqa: ARG001
    """Shows nothing."""
    return iter


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What one stage left behind."""

    path: Path
    rows: int
    notes: Mapping[str, JSON]
    """`failed` items, and what else the stage has to say of its rows."""
    reused: bool
    """True when the table was there already, made from the same inputs with the same settings."""

    @property
    def failures(self) -> list[Failure]:
        """The items that could not be done."""
        return [Failure(**failure) for failure in self.notes["failed"]]


def make_table(
    out: Path,
    kind: type[Row],
    stage: str,
    inputs: JSON,
    make: Callable[[], tuple[list[Row], dict[str, JSON]]],
    *,
    made_from: Iterable[Path] = (),
    overwrite: bool,
) -> Made:
    """The table of a stage: as it is, if it was made from these inputs; else made now.

    Forecasts that list failed items are asked for again, and scores that a server gave no answer
    for: what is finished is not done twice, and a server that failed may answer this time.

    Raises:
        TableError: another table is there, and is not to be replaced.
        UsageError: `out` is one of the files it is made from.
    """
    if any(out.resolve() == path.resolve() for path in made_from):
        raise UsageError(f"{out} is what this is made from: give another --out")
    provenance = {"stage": stage, "version": version("foreword"), "inputs": inputs}
    found = read_provenance(out)
    same = found is not None and all(found.get(key) == provenance[key] for key in provenance)
    failed = (found or {}).get("notes", {}).get("failed", [])
    final = not any(stage == "forecasts" or may_pass(failure["reason"]) for failure in failed)
    if found is not None and same and final:
        return Made(path=out, rows=found["rows"], notes=found["notes"], reused=True)
    if out.exists() and not overwrite and not same:
        raise TableError(
            f"{out} is there, {_difference(found, provenance)}: "
            "give --overwrite to replace it, or another --out"
        )
    rows, notes = make()
    with disk_errors(out):
        write_table(out, rows, kind, {**provenance, "rows": len(rows), "notes": notes})
    return Made(path=out, rows=len(rows), notes=notes, reused=False)


def _difference(found: Mapping[str, JSON] | None, wanted: Mapping[str, JSON]) -> str:
    """What tells a table that is there from the one that was asked for."""
    if found is None:
        return "and foreword did not make it"
    before, now = found.get("inputs", {}), wanted["inputs"]
    changed = [
        key.replace("_", " ") for key in {**before, **now} if before.get(key) != now.get(key)
    ]
    if found.get("version") != wanted["version"]:
        changed.append("version of foreword")
    return f"made with other {' and '.join(changed)}"
