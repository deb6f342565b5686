"""The scoring stage as steps that write a table: of a study's cuts, and of any pairs."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from foreword import folder
from foreword.errors import TableError
from foreword.records import Cut, Failure, Forecast, Pair, PairScore, Score
from foreword.scores import (
    Engine,
    Probe,
    Prove,
    Scorer,
    Workload,
    grouped,
    in_threads,
    measure,
    probe,
    proved,
    requests,
    score_all,
    score_pairs,
)
from foreword.step import Made, Show, make_table, quiet
from foreword.store import JSON, Cache, Journal, fingerprint, read_table


def make_scores(
    cuts: Path,
    forecasts: Sequence[Path],
    out: Path,
    *,
    scorer: Scorer,
    controls: Sequence[str],
    seed: int,
    journal: Path,
    cache: Cache | None = None,
    statistics: bool = False,
    engine: Engine = in_threads,
    prove: Prove = probe,
    unproven: bool = False,
    overwrite: bool = False,
    show: Show = quiet,
) -> Made:
    """Score every cut under every control and with every forecast, into `Score` records.

    Raises:
        ModelError: the scorer can't be trusted, and `unproven` does not say to use it all the same.
    """
    inputs = {
        "cuts": folder.table_hash(cuts),
        "forecasts": [folder.table_hash(path) for path in forecasts],
        "scorer_id": scorer.scorer_id,
        "controls": list(controls),
        "seed": seed,
        **({"statistics": True} if statistics else {}),
    }

    def make() -> tuple[list[Score], dict[str, JSON]]:
        rows, given = _read(cuts, forecasts)
        with Journal(journal) as kept:
            found = proved(scorer, kept, cache, prove=prove, unproven=unproven)
            scores = score_all(
                rows,
                given,
                scorer,
                controls=controls,
                seed=seed,
                journal=kept,
                cache=cache,
                statistics=statistics,
                engine=engine,
                progress=show("scoring requests"),
            )
        failed = [
            Failure(stage="scores", item=f"{score.cut_id} {score.condition}", reason=score.failure)
            for score in scores
            if score.failure
        ]
        return scores, _notes(failed, found)

    of = [cuts, *forecasts]
    return make_table(out, Score, "scores", inputs, make, made_from=of, overwrite=overwrite)


def _notes(failed: Sequence[Failure], found: Probe) -> dict[str, JSON]:
    return {"failed": [asdict(failure) for failure in failed], "probe": asdict(found)}


def _read(cuts: Path, forecasts: Sequence[Path]) -> tuple[list[Cut], list[Forecast]]:
    rows = read_table(cuts, Cut)
    for path in forecasts:
        folder.check_made_from(path, cuts)
    return rows, folder.read_forecasts(forecasts, rows)


def measure_scores(
    cuts: Path,
    forecasts: Sequence[Path],
    *,
    scorer: Scorer,
    controls: Sequence[str],
    seed: int,
    journal: Path,
    cache: Cache | None = None,
    statistics: bool = False,
    engine: Engine = in_threads,
) -> Workload:
    """What `make_scores` would have to do, and how long; a little of it is done, and no table."""
    rows, given = _read(cuts, forecasts)
    of_cuts = requests(rows, given, controls=controls, seed=seed)
    groups = [[pair for _, pair in of_cut if pair] for of_cut in of_cuts]
    with Journal(journal) as kept:
        return measure(
            groups, scorer, journal=kept, cache=cache, statistics=statistics, engine=engine
        )


def make_pair_scores(
    pairs: Sequence[Pair],
    out: Path,
    *,
    scorer: Scorer,
    journal: Path,
    cache: Cache | None = None,
    statistics: bool = False,
    engine: Engine = in_threads,
    prove: Prove = probe,
    unproven: bool = False,
    overwrite: bool = False,
    show: Show = quiet,
) -> Made:
    """Score prompt–target pairs, one `PairScore` record each, in order.

    Raises:
        TableError: two pairs have the same id.
    """
    positions: dict[str, int] = {}
    for position, pair in enumerate(pairs, 1):
        first = positions.setdefault(pair.id, position)
        if first != position:
            raise TableError(
                f"pairs {first} and {position} have the same id, {pair.id!r}: "
                "give each its own, so that rows can be told apart"
            )
    inputs = {
        "pairs": fingerprint([asdict(pair) for pair in pairs]),
        "scorer_id": scorer.scorer_id,
        **({"statistics": True} if statistics else {}),
    }

    def make() -> tuple[list[PairScore], dict[str, JSON]]:
        with Journal(journal) as kept:
            found = proved(scorer, kept, cache, prove=prove, unproven=unproven)
            rows = score_pairs(
                pairs,
                scorer,
                journal=kept,
                cache=cache,
                statistics=statistics,
                engine=engine,
                progress=show("scoring requests"),
            )
        failed = [
            Failure(stage="scores", item=row.id, reason=row.failure) for row in rows if row.failure
        ]
        return rows, _notes(failed, found)

    return make_table(out, PairScore, "pairs", inputs, make, overwrite=overwrite)


def measure_pair_scores(
    pairs: Sequence[Pair],
    *,
    scorer: Scorer,
    journal: Path,
    cache: Cache | None = None,
    statistics: bool = False,
    engine: Engine = in_threads,
) -> Workload:
    """What `make_pair_scores` would have to do, as `measure_scores` has it."""
    with Journal(journal) as kept:
        return measure(
            grouped(pairs), scorer, journal=kept, cache=cache, statistics=statistics, engine=engine
        )
