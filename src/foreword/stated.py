"""What a user states of dates: each model's knowledge cutoff, and when papers were first public.

Neither enters the identity of a forecast or a score: both are read when the report is made.
"""

import difflib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from foreword import folder
from foreword.analysis import SCORER
from foreword.catalogue import Candidate
from foreword.dates import first_publics, parse_days
from foreword.errors import TableError, UsageError
from foreword.findings import PaperDate
from foreword.forecasts import label_of
from foreword.records import Forecast, Score
from foreword.store import fingerprint

_FORECAST = "forecast:"


def _dated(text: str) -> str:
    parse_days(text)
    return text


_Date = Annotated[str, AfterValidator(_dated)]


class _Part(BaseModel):
    """What this module reads of a study's settings; a published form lacks some, and has others."""

    model_config = ConfigDict(extra="ignore", strict=True)


class _Predictor(_Part):
    model: str
    name: str = ""
    knowledge_cutoff: _Date | None = None


class _Scorer(_Part):
    model: str = "smollm2"
    name: str = ""
    knowledge_cutoff: _Date | None = None


class _Papers(_Part):
    dates: dict[str, _Date] = {}


class _Settings(_Part):
    predictors: list[_Predictor] = []
    scorer: _Scorer = _Scorer()
    scorers: list[_Scorer] = []
    papers: _Papers = _Papers()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What the study in a folder states."""

    cutoffs: Mapping[str, str]
    """Of predictors by their conditions, of the scorer by `scorer`."""
    dates: Mapping[str, str]
    """Paper → a day or a month."""
    scorers: Mapping[str, str]
    """Of further scorers, by their names."""
    names: frozenset[str] = frozenset()
    """Of the further scorers that the study has."""
    ignored: tuple[str, ...] = ()
    """Cutoffs of models that the tables here are not by, in words."""


def read_stated(out: Path) -> Stated:
    """What `study.json` in a folder states; nothing where there is none.

    Raises:
        TableError: it is damaged.
    """
    path = out / "study.json"
    if not path.is_file():
        return Stated(cutoffs={}, dates={}, scorers={})
    try:
        found = _Settings.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise TableError(
            f"{path} is damaged: remove it, or run the study again to make it anew"
        ) from error
    labels = {label_of(one.model, one.name): one for one in found.predictors}
    rows: list[tuple[str, str, _Predictor | _Scorer]] = [
        (_FORECAST + name, f"forecasts-{name}", one) for name, one in labels.items()
    ]
    rows.append((SCORER, "scores", found.scorer))
    further = {one.name: one for one in found.scorers}
    rows += [(name, f"scores-{name}", one) for name, one in further.items()]
    stated = [row for row in rows if row[2].knowledge_cutoff is not None]
    of_others = [row for row in stated if not is_by(out / f"{row[1]}.parquet", row[2].model)]
    kept = {row[0]: str(row[2].knowledge_cutoff) for row in stated if row not in of_others}
    return Stated(
        cutoffs={name: cutoff for name, cutoff in kept.items() if name not in further},
        dates=found.papers.dates,
        scorers={name: kept[name] for name in further if name in kept},
        names=frozenset(further),
        ignored=tuple(
            f"the knowledge cutoff of {name} in {path}: {out / table}.parquet is by another model "
            "than the study names; run the study again"
            for name, table, _ in of_others
        ),
    )


def is_by(table: Path, model: str) -> bool:
    """Whether a table was made by a model of this name; true where it does not say."""
    told = folder.notes(table).get("named")
    return told is None or told == fingerprint(model)


def named_cutoffs(
    given: Mapping[str, str], forecasts: Iterable[Forecast], scores: Iterable[Score]
) -> dict[str, str]:
    """Cutoffs by condition, from names as a user gives them.

    A name is a predictor's, with or without `forecast:` before it, or `scorer`, or the scorer's id.

    Args:
        given: name → a day or a month.
        forecasts: of all predictors.
        scores: of one scorer.

    Raises:
        UsageError: there is no such name, it could be two, or a date is none.

    >>> mine = Forecast(cut_id="p/0/2", predictor="mine", text="y")
    >>> named_cutoffs({"mine": "2025-06", "scorer": "2024-10"}, [mine], [])
    {'forecast:mine': '2025-06', 'scorer': '2024-10'}
    """
    conditions, scorer_ids = {_FORECAST + one.predictor for one in forecasts}, {SCORER}
    for score in scores:
        scorer_ids.add(score.scorer_id)
        if score.condition.startswith(_FORECAST):
            conditions.add(score.condition)
    found: dict[str, str] = {}
    for name, cutoff in given.items():
        key = _key(name, conditions, scorer_ids)
        if key in found:
            raise UsageError(f"the knowledge cutoff of {name!r} is stated twice: leave one out")
        try:
            found[key] = _dated(cutoff)
        except ValueError as error:
            raise UsageError(f"the knowledge cutoff of {name!r}: {error}") from error
    return found


def cutoffs_of_scorers(
    given: Mapping[str, str], names: Collection[str], forecasts: Iterable[Forecast]
) -> tuple[dict[str, str], dict[str, str]]:
    """The cutoffs of further scorers among those that a user gives, and the others.

    Args:
        given: name → a day or a month.
        names: of the further scorers.
        forecasts: of all predictors.

    Raises:
        UsageError: a name is a scorer's and a predictor's too, or a date is none.
    """
    own, others = {}, {}
    predictors = {SCORER} | {one.predictor for one in forecasts}
    for name, cutoff in given.items():
        if name not in names:
            others[name] = cutoff
            continue
        if name in predictors:
            raise UsageError(
                f"{name!r} is a scorer of this study and something else too: write "
                f"{_FORECAST + name!r} for a predictor, or state the scorer's in the study file"
            )
        try:
            own[name] = _dated(cutoff)
        except ValueError as error:
            raise UsageError(f"the knowledge cutoff of {name!r}: {error}") from error
    return own, others


def paper_dates(
    ids: Iterable[str], candidates: Iterable[Candidate], stated: Mapping[str, str]
) -> dict[str, PaperDate]:
    """When each paper was first public, by what its listing, the user and its identifier say."""
    listed = {one.paper_id: one.first_submitted for one in candidates if one.place is not None}
    return first_publics(ids, listed=listed, stated=stated)


def _key(name: str, conditions: Collection[str], scorer_ids: Collection[str]) -> str:
    if name == SCORER and _FORECAST + SCORER in conditions:
        own = next(iter(sorted(set(scorer_ids) - {SCORER})), SCORER)
        raise UsageError(
            f"{SCORER!r} is the scorer and a predictor too: write {_FORECAST + SCORER!r} for the "
            f"predictor, and {own!r} for the scorer"
        )
    for condition in (_FORECAST + name, name):
        if condition in conditions:
            return condition
    if name in scorer_ids:
        return SCORER
    there = [*sorted(one.removeprefix(_FORECAST) for one in conditions), SCORER]
    near = difflib.get_close_matches(name, there, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(there)[:400]}"
    raise UsageError(f"no predictor is called {name[:100]!r}, to state its cutoff; {hint}")
