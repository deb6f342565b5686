"""What a server says it serves, where it does: `foreword serve` has a `scorer_id` a model.

It is remembered in the user's cache. So the id of a scorer is known while its server is down, and a
run whose results are all there does not need it; before anything is asked for, it is compared.
"""

import json
import logging
from pathlib import Path

from foreword.errors import ForewordError, ModelError
from foreword.remote import one_line
from foreword.scores.served.link import Link, NoAnswerError, NoUseError, RejectedError
from foreword.store import JSON, find_cache, fingerprint, write_text

_MAX_TRIES = 4
_NOT_THERE = frozenset({404, 405, 410, 501})
_log = logging.getLogger(__name__)


def told_scorer_id(link: Link, model: str) -> str | None:
    """What the server calls the scorer it has under a model's name; None where it doesn't say.

    Raises:
        NoAnswerError: it can't be reached.
        ModelError: it refuses.
    """
    try:
        answer = link.ask("/models", max_tries=_MAX_TRIES)
    except RejectedError:
        return None
    except NoUseError as error:
        if error.status in _NOT_THERE:
            return None
        raise
    told = _scorer_id(answer, model)
    _remember(_file(link, model), told)
    return told


def known_scorer_id(link: Link, model: str) -> tuple[str | None, bool]:
    """The same, and whether the server has just said so; else it is from an earlier time.

    Raises:
        ModelError: it refuses, or can't be reached and never was.
    """
    try:
        return told_scorer_id(link, model), True
    except NoAnswerError as error:
        found = _remembered(_file(link, model))
        if found is None:
            raise ModelError(
                f"{link.url} can't be reached: {error}; check that it runs, and the URL"
            ) from None
        _log.warning("%s can't be reached: %s", link.url, error)
        return found["scorer_id"], False


def _scorer_id(answer: JSON, model: str) -> str | None:
    models = answer.get("data") if isinstance(answer, dict) else None
    for one in models if isinstance(models, list) else []:
        found = one.get("scorer_id") if isinstance(one, dict) else None
        if isinstance(found, str) and model in (one.get("id"), found):
            return one_line(found, 200)
    return None


def _file(link: Link, model: str) -> Path | None:
    """Where what a server said is remembered; None where nothing is to be."""
    cache = find_cache()
    name = fingerprint([link.url, model])[:32]
    return cache.path.parent / "served" / f"{name}.json" if cache else None


def _remember(path: Path | None, told: str | None) -> None:
    row = {"scorer_id": told}
    if path is None or _remembered(path) == row:
        return
    try:
        write_text(path, json.dumps(row) + "\n")
    except (OSError, ForewordError) as error:
        _log.info("can't remember what the server said: %s", error)


def _remembered(path: Path | None) -> dict[str, str | None] | None:
    try:
        row = json.loads(path.read_bytes()) if path else None
    except (OSError, ValueError):
        return None
    told = row.get("scorer_id", 0) if isinstance(row, dict) else 0
    return {"scorer_id": told} if told is None or isinstance(told, str) else None
