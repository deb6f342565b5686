"""Results that were had before: from the cache of all studies to a study's journal, and back."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from foreword.errors import ModelError, TableError
from foreword.records import TokenScores
from foreword.scores.probe import Probe, probe
from foreword.scores.scorer import Scorer, may_pass
from foreword.store import JSON, Cache, Journal, fingerprint, from_row, to_row

Share = Callable[[Mapping[str, JSON]], None]
Prove = Callable[[Scorer], Probe]
"""What tries a scorer: `probe`, here or where the scorer is to work."""
_LINE = 1000  # rows that go into the journal as one line
_SECONDS_AN_ADD = 1.0  # of the cache: one takes as long as several lines of a journal
_log = logging.getLogger(__name__)


def is_done(key: str, journal: Journal) -> bool:
    """Whether a request has a result; one that a server did not answer is to be made again."""
    return key in journal and not may_pass(journal[key].get("failure"))


def recall(keys: Sequence[str], scorer_id: str, journal: Journal, cache: Cache | None) -> int:
    """Put the results that only the cache has into the journal; how many there were.

    Results that only the journal has go into the cache: a kill can come between the two.
    """
    if cache is None:
        return 0
    wanted = list(dict.fromkeys(keys))
    before = [key for key in wanted if is_done(key, journal)]
    absent = [key for key in wanted if not is_done(key, journal)]
    count = 0
    for start in range(0, len(absent), _LINE):
        rows = cache.get(absent[start : start + _LINE])
        good = {key: row for key, row in rows.items() if _is_result(row)}
        if good:
            journal.add(good)
        count += len(good)
    unshared = cache.missing(before)
    for start in range(0, len(unshared), _LINE):
        rows = {key: journal[key] for key in unshared[start : start + _LINE]}
        cache.add(scorer_id, {key: row for key, row in rows.items() if _is_result(row)})
    if count:
        _log.info(
            "%s of %s requests were scored before, in another study",
            f"{count:,}",
            f"{len(wanted):,}",
        )
    return count


@contextmanager
def sharing(scorer_id: str, cache: Cache | None) -> Iterator[Share]:
    """What takes new results for the cache; they are there within a second, and after the block."""
    waiting: dict[str, JSON] = {}
    added = time.monotonic()

    def add() -> None:
        nonlocal added
        if cache is not None and waiting:
            cache.add(scorer_id, waiting)
        waiting.clear()
        added = time.monotonic()

    def share(rows: Mapping[str, JSON]) -> None:
        waiting.update((key, row) for key, row in rows.items() if _is_result(row))
        if time.monotonic() - added >= _SECONDS_AN_ADD:
            add()

    try:
        yield share
    finally:
        add()


def _is_result(row: JSON) -> bool:
    """Whether a row has a number a token; failures are tried again by the next study."""
    try:
        result = from_row(row, TokenScores)
    except TableError:
        return False
    count = len(result.logprobs)
    ids = len(result.token_ids)  # some servers don't tell them
    return result.failure is None and 0 < count == len(result.token_texts) and ids in (0, count)


def proved(
    scorer: Scorer,
    journal: Journal,
    cache: Cache | None,
    *,
    prove: Prove = probe,
    unproven: bool = False,
) -> Probe:
    """What the probe found: made once for a scorer, and then kept with its results.

    Args:
        scorer: to be tried, if it was not.
        journal: of the study.
        cache: of all studies.
        prove: tries it.
        unproven: whether a scorer that can't be trusted is used all the same.

    Raises:
        ModelError: it can't be trusted; or it can't be used at all.
    """
    key = fingerprint(["probe", scorer.scorer_id])
    row = journal[key] if key in journal else None  # noqa: SIM401 (a journal has no get)
    if row is None and cache:
        row = cache.get([key]).get(key)
    found = _as_probe(row) if is_identified(scorer) else None
    if found is None:
        found = prove(scorer)
    if not found.weakness and cache and row is None:
        cache.add(scorer.scorer_id, {key: to_row(found)})
    is_kept = key in journal and journal[key] == to_row(found)
    if not is_kept and (unproven or not found.weakness):  # one that was mended is tried again
        journal.add({key: to_row(found)})
    if found.weakness and not unproven:
        raise ModelError(
            f"the scorer {scorer.scorer_id} can't be trusted: {found.weakness}; take another, or, "
            "to score with it all the same, give --unproven (in a study: unproven = true)"
        )
    if found.weakness:
        _log.warning("the scores of %s mean little: %s", scorer.scorer_id, found.weakness)
    return found


def is_identified(scorer: Scorer) -> bool:
    """Whether its id says which weights it has.

    Those that a server serves may be others tomorrow, unless it says what they are: its results
    belong to their study, and it is tried each time.
    """
    found: bool = getattr(scorer, "is_identified", True)
    return found


def _as_probe(row: JSON | None) -> Probe | None:
    try:
        return None if row is None else from_row(row, Probe)
    except TableError:
        return None  # another version's
