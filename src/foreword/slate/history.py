"""Every choice of papers that a folder has had, and whether a model had run by then.

It stands in `slates.jsonl`, oldest first. A choice is known by what it chose and by which rules,
not by the version of foreword, so that the same choice made again is no new one.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from foreword.catalogue import Candidate
from foreword.errors import TableError
from foreword.store import JSON, Journal, fingerprint

HISTORY = "slates.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One choice of papers."""

    id: str
    models_had_run: bool
    """Whether forecasts or scores lay in the folder when it was made."""
    criteria: Mapping[str, JSON]
    rules: Mapping[str, JSON]
    """For cuts."""
    seed: int
    num_taken: int


def choice_id(
    candidates: Sequence[Candidate],
    criteria: Mapping[str, JSON],
    rules: Mapping[str, JSON],
    seed: int,
) -> str:
    """The hash of a choice: every candidate's fate, and the rules that led to it."""
    fates = [
        [one.paper_id, one.place, one.reason, one.source_sha256, one.text_sha256]
        for one in candidates
    ]
    return fingerprint(
        {"fates": fates, "criteria": dict(criteria), "rules": dict(rules), "seed": seed}
    )


def record_choice(folder: Path, choice: Choice) -> None:
    """Put a choice on record, unless the folder has had it before."""
    if choice.id in {one.id for one in read_choices(folder)}:
        return
    row = {
        "models_had_run": choice.models_had_run,
        "criteria": dict(choice.criteria),
        "rules": dict(choice.rules),
        "seed": choice.seed,
        "num_taken": choice.num_taken,
    }
    with Journal(folder / HISTORY) as history:
        history.add({choice.id: row})


def read_choices(folder: Path) -> list[Choice]:
    """The choices of a folder, oldest first; none where there is no record.

    Raises:
        TableError: the record is damaged.
    """
    path = folder / HISTORY
    if not path.exists():
        return []
    try:
        lines = [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
        return [Choice(id=key, **row) for line in lines for key, row in line.items()]
    except (ValueError, TypeError, AttributeError) as error:
        raise TableError(
            f"{path} is damaged: take it from a backup, or begin in a new folder"
        ) from error
