"""The tables of scores in one folder: by which scorers, and which are trained controls.

`scores.parquet` is of the scorer that the leaderboard is by. Every `scores-NAME.parquet` beside it
is of another one: of a frozen scorer, which judges the same forecasts once more, or of a scorer
with an adapter that was trained on contexts alone, which gives a rung of the ladder.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from foreword import folder
from foreword.analysis import TRAINED
from foreword.errors import TableError, UsageError
from foreword.records import Score
from foreword.scores import CONTEXT_ONLY
from foreword.store import hash_file, read_provenance, read_table

MAIN = "scores.parquet"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def is_plain_name(name: str) -> bool:
    """Whether a name can stand in a file's name, and is one of letters, digits, '.', '_', '-'."""
    return _NAME.fullmatch(name) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTable:
    """A table of scores that belongs to a study."""

    path: Path
    name: str
    """NAME of `scores-NAME.parquet`; empty for `scores.parquet`."""
    model_sha256: str | None = None
    """Of the scorer's model; None where the table does not say."""
    boundary: str | None = None
    """The rule for a target's first token."""
    scorer_id: str | None = None
    """Of all its rows, as its provenance says."""
    route: str | None = None
    """Of its adapter; None without one."""
    control: str | None = None
    """What an adapter was trained on without forecasts."""

    @property
    def is_control(self) -> bool:
        """Whether it is of a scorer that was trained on contexts alone, beside a frozen one."""
        return bool(self.name) and self.route == CONTEXT_ONLY


def further_path(out: Path, name: str) -> Path:
    """Where the scores of another scorer lie."""
    return out / f"scores-{name}.parquet"


def score_tables(out: Path, first: Sequence[str] = ()) -> tuple[list[ScoreTable], list[str]]:
    """The tables of scores that belong to a folder's cuts and forecasts, the first one first.

    Args:
        out: the folder.
        first: names that come before others: of two tables by one scorer, the first counts.

    Returns:
        The tables; and in words each that is left out, and why.

    Raises:
        TableError: there is no first table, or it is of other cuts or forecasts.
    """
    folder.check_made_from(out / MAIN, out / "cuts.parquet")
    known = {hash_file(path) for path in folder.scored_forecasts(out)}
    found = [_table(out / MAIN, "")]
    left_out = []
    for path in _further(out, first):
        if reason := _foreign(path, out / "cuts.parquet", known):
            left_out.append(f"{_plain(path)} {reason}")
            continue
        table = _table(path, path.stem.removeprefix("scores-"))
        again = [one for one in found if one.scorer_id == table.scorer_id]
        if again and table.scorer_id is not None:
            left_out.append(f"{path} is by the same scorer as {again[0].path.name}")
        else:
            found.append(table)
    orphans = [
        table for table in found if table.is_control and not any(is_of(table, one) for one in found)
    ]
    left_out += [
        f"{table.path} is a trained control, and no table here says that it is of the same model "
        "without the adapter and with the same boundary rule: score with that too (with "
        "--overwrite, if it was scored long ago)"
        for table in orphans
    ]
    return [table for table in found if table not in orphans], left_out


def _table(path: Path, name: str) -> ScoreTable:
    said = folder.notes(path).get("scorer", {})
    known = {each: said.get(each) for each in ("model_sha256", "boundary", "route", "control")}
    scorer_id = folder.inputs_of(path).get("scorer_id")
    return ScoreTable(path=path, name=name, scorer_id=scorer_id, **known)


def _further(out: Path, first: Sequence[str]) -> list[Path]:
    """The tables of further scorers, those of some names before the others."""
    named = {further_path(out, name) for name in first}
    return sorted(out.glob("scores-*.parquet"), key=lambda path: (path not in named, path))


def _plain(path: Path) -> str:
    """A path that a terminal can show."""
    return os.fsencode(path).decode("utf-8", "replace")


def _foreign(path: Path, cuts: Path, forecasts: set[str]) -> str:
    """Why a table is none of a study's; empty where it is one."""
    if not is_plain_name(path.stem.removeprefix("scores-")):
        return "has no name of letters, digits, '.', '_' and '-' after 'scores-': give it one"
    if read_provenance(path) is None:
        return "is no table of scores, or does not say of which cuts: score these"
    inputs = folder.inputs_of(path)
    if inputs.get("cuts") != hash_file(cuts):
        return "is of other cuts: score these"
    if not set(inputs.get("forecasts") or ()) <= forecasts:
        return f"is of other forecasts than {MAIN}: score these"
    return ""


def is_of(control: ScoreTable, frozen: ScoreTable) -> bool:
    """Whether a trained control is a frozen scorer's own model, under its rule, with an adapter."""
    mine, theirs = ((one.model_sha256, one.boundary) for one in (frozen, control))
    return frozen.route is None and None not in mine and mine == theirs


def read_scores(table: ScoreTable, tables: Sequence[ScoreTable]) -> list[Score]:
    """The scores of a frozen scorer; those of its trained controls as conditions `trained:NAME`.

    A trained control is the same model with an adapter, on the same target tokens: its score under
    the context that it was trained on stands on the ladder like any other control.

    Args:
        table: of the frozen scorer.
        tables: all of the study.
    """
    scores = _rows(table)
    for other in tables:
        if other.is_control and is_of(other, table):
            condition = f"{TRAINED}{other.name}"
            scores += [
                replace(row, condition=condition, scorer_id=scores[0].scorer_id)
                for row in _rows(other)
                if scores and row.condition == other.control
            ]
    return scores


def _rows(table: ScoreTable) -> list[Score]:
    """The rows of a table.

    Raises:
        TableError: some are by another scorer than the table's.
    """
    rows = read_table(table.path, Score)
    by = {row.scorer_id for row in rows} | ({table.scorer_id} - {None} if rows else set())
    if len(by) > 1:
        raise TableError(
            f"{table.path} has rows by several scorers, {', '.join(sorted(map(str, by)))[:200]}: "
            "score these cuts again, with one"
        )
    return rows


def asked_for(tables: Sequence[ScoreTable], name: str | None) -> ScoreTable:
    """The frozen scorer's table that a reader asks for; the first by default.

    Raises:
        UsageError: there is no such scorer.
    """
    frozen = [table for table in tables if not table.is_control]
    for table in frozen:
        if table.name == (name or ""):
            return table
    names = ", ".join(table.name for table in frozen if table.name) or "no other scorer is here"
    raise UsageError(f"no scorer of this study is called {name!r}: {names}")
