"""The tables of scores in one folder: by which scorers, and which are trained controls.

`scores.parquet` is of the scorer that the leaderboard is by. Every `scores-NAME.parquet` beside it
is of another one: of a frozen scorer, which judges the same forecasts once more, or of a scorer
with an adapter that was trained on contexts alone, which gives a rung of the ladder.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from foreword import folder
from foreword.analysis import TRAINED
from foreword.errors import UsageError
from foreword.records import Score
from foreword.scores import CONTEXT_ONLY
from foreword.store import hash_file, read_table

MAIN = "scores.parquet"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTable:
    """A table of scores that belongs to a study."""

    path: Path
    name: str
    """NAME of `scores-NAME.parquet`; empty for `scores.parquet`."""
    model_sha256: str | None = None
    """Of the scorer's model; None where the table does not say."""
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


def score_tables(out: Path) -> tuple[list[ScoreTable], list[str]]:
    """The tables of scores that belong to a folder's cuts and forecasts, the first one first.

    Returns:
        The tables; and in words each that is left out, and why.

    Raises:
        TableError: there is no first table, or it is of other cuts or forecasts.
    """
    folder.check_made_from(out / MAIN, out / "cuts.parquet")
    known = {hash_file(path) for path in folder.scored_forecasts(out)}
    found = [_table(out / MAIN, "")]
    left_out = []
    for path in sorted(out.glob("scores-*.parquet")):
        if reason := _foreign(path, out / "cuts.parquet", known):
            left_out.append(f"{path} {reason}")
        else:
            found.append(_table(path, path.stem.removeprefix("scores-")))
    orphans = [
        table for table in found if table.is_control and not any(is_of(table, one) for one in found)
    ]
    left_out += [
        f"{table.path} is a trained control, and no table here says that it is of the same model "
        "without the adapter: score with that too (with --overwrite, if it was scored long ago)"
        for table in orphans
    ]
    return [table for table in found if table not in orphans], left_out


def _table(path: Path, name: str) -> ScoreTable:
    said = folder.notes(path).get("scorer", {})
    known = {each: said.get(each) for each in ("model_sha256", "route", "control")}
    return ScoreTable(path=path, name=name, **known)


def _foreign(path: Path, cuts: Path, forecasts: set[str]) -> str:
    """Why a table is none of a study's; empty where it is one."""
    inputs = folder.inputs_of(path)
    if inputs.get("cuts") != hash_file(cuts):
        return "is of other cuts: score these"
    if not set(inputs.get("forecasts", [])) <= forecasts:
        return f"is of other forecasts than {MAIN}: score these"
    return ""


def is_of(control: ScoreTable, frozen: ScoreTable) -> bool:
    """Whether a trained control is a frozen scorer's own model with an adapter."""
    model = frozen.model_sha256
    return frozen.route is None and model is not None and control.model_sha256 == model


def read_scores(table: ScoreTable, tables: Sequence[ScoreTable]) -> list[Score]:
    """The scores of a frozen scorer; those of its trained controls as conditions `trained:NAME`.

    A trained control is the same model with an adapter, on the same target tokens: its score under
    the context that it was trained on stands on the ladder like any other control.

    Args:
        table: of the frozen scorer.
        tables: all of the study.
    """
    scores = read_table(table.path, Score)
    for other in tables:
        if other.is_control and is_of(other, table):
            condition = f"{TRAINED}{other.name}"
            scores += [
                replace(row, condition=condition, scorer_id=scores[0].scorer_id)
                for row in read_table(other.path, Score)
                if scores and row.condition == other.control
            ]
    return scores


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
