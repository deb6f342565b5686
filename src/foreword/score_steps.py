"""The scoring stage as steps that write a table: of a study's cuts, and of any pairs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from foreword import folder
from foreword.errors import TableError
from foreword.records import Cut, Failure, Forecast, Pair, PairScore, Score, item_name
from foreword.scores import (
    Engine,
    Means,
    Probe,
    Prove,
    Scorer,
    Workload,
    check_statistics,
    described,
    grouped,
    in_threads,
    is_identified,
    measure,
    papers_seen,
    probe,
    proved,
    requests,
    score_all,
    score_pairs,
)
from foreword.step import Made, Show, make_table, quiet
from foreword.store import JSON, Cache, Journal, fingerprint, read_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """Who scores, where, and where what is finished is kept."""

    scorer: Scorer
    journal: Path
    cache: Cache | None = None
    """Of all studies; None to do without."""
    statistics: bool = False
    """Whether to give the statistics of each token's distribution too."""
    unproven: bool = False
    """Whether a scorer that the probe finds too weak is used all the same."""
    engine: Engine = in_threads
    """Has the scorer score."""
    prove: Prove = probe
    """Tries the scorer."""
    named: str = ""
    """As the study, or the command, names the model; empty where nobody did."""

    def __post_init__(self) -> None:
        check_statistics(self.scorer, statistics=self.statistics)

    @property
    def inputs(self) -> dict[str, JSON]:
        """What of it can change a row."""
        more: dict[str, JSON] = {"statistics": True} if self.statistics else {}
        adapter = getattr(self.scorer, "adapter_sha256", None)
        if adapter:
            more["adapter"] = adapter
        return {"scorer_id": self.scorer.scorer_id, **more}

    @contextmanager
    def opened(self) -> Iterator[Means]:
        """With the journal open, for as long as the block runs."""
        with Journal(self.journal) as journal:
            yield Means(
                scorer=self.scorer,
                journal=journal,
                cache=self.cache if is_identified(self.scorer) else None,
                statistics=self.statistics,
                engine=self.engine,
            )

    def proved(self, means: Means) -> Probe:
        """What the probe found.

        Raises:
            ModelError: the scorer can't be trusted, and `unproven` does not say to use it anyway.
        """
        return proved(
            self.scorer, means.journal, means.cache, prove=self.prove, unproven=self.unproven
        )


def make_scores(
    cuts: Path,
    forecasts: Sequence[Path],
    out: Path,
    *,
    scoring: Scoring,
    controls: Sequence[str],
    seed: int,
    overwrite: bool = False,
    show: Show = quiet,
) -> Made:
    """Score every cut under every control and with every forecast, into `Score` records.

    Raises:
        ModelError: the scorer can't be trusted.
    """
    inputs = {
        "cuts": folder.table_hash(cuts),
        "forecasts": [folder.table_hash(path) for path in forecasts],
        "controls": list(controls),
        "seed": seed,
        **scoring.inputs,
    }

    def make() -> tuple[list[Score], dict[str, JSON]]:
        rows, given = _read(cuts, forecasts)
        with scoring.opened() as means:
            found = scoring.proved(means)
            scores = score_all(
                rows,
                given,
                means.scorer,
                controls=controls,
                seed=seed,
                journal=means.journal,
                cache=means.cache,
                statistics=means.statistics,
                engine=means.engine,
                progress=show("scoring requests"),
            )
        failed = [
            Failure(
                stage="scores",
                item=item_name(score.cut_id, score.condition, score.sample),
                reason=score.failure,
            )
            for score in scores
            if score.failure
        ]
        told = {"named": fingerprint(scoring.named)} if scoring.named else {}
        notes = {**_notes(failed, found), "scorer": dict(described(scoring.scorer)), **told}
        return scores, notes

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
    scoring: Scoring,
    controls: Sequence[str],
    seed: int,
) -> Workload:
    """What `make_scores` would have to do, and how long; a little of it is done, and no table."""
    rows, given = _read(cuts, forecasts)
    seen = papers_seen(scoring.scorer)
    of_cuts = requests(rows, given, controls=controls, seed=seed, seen=seen)
    with scoring.opened() as means:
        scoring.proved(means)
        return measure([[pair for _, pair in of_cut if pair] for of_cut in of_cuts], means)


def make_pair_scores(
    pairs: Sequence[Pair],
    out: Path,
    *,
    scoring: Scoring,
    overwrite: bool = False,
    show: Show = quiet,
) -> Made:
    """Score prompt–target pairs, one `PairScore` record each, in order.

    Raises:
        TableError: two pairs have the same id.
        ModelError: the scorer can't be trusted.
    """
    positions: dict[str, int] = {}
    for position, pair in enumerate(pairs, 1):
        first = positions.setdefault(pair.id, position)
        if first != position:
            raise TableError(
                f"pairs {first} and {position} have the same id, {pair.id!r}: "
                "give each its own, so that rows can be told apart"
            )
    inputs = {"pairs": fingerprint([asdict(pair) for pair in pairs]), **scoring.inputs}

    def make() -> tuple[list[PairScore], dict[str, JSON]]:
        with scoring.opened() as means:
            found = scoring.proved(means)
            rows = score_pairs(
                pairs,
                means.scorer,
                journal=means.journal,
                cache=means.cache,
                statistics=means.statistics,
                engine=means.engine,
                progress=show("scoring requests"),
            )
        failed = [
            Failure(stage="scores", item=row.id, reason=row.failure) for row in rows if row.failure
        ]
        return rows, _notes(failed, found)

    return make_table(out, PairScore, "pairs", inputs, make, overwrite=overwrite)


def measure_pair_scores(pairs: Sequence[Pair], *, scoring: Scoring) -> Workload:
    """What `make_pair_scores` would have to do, as `measure_scores` has it."""
    with scoring.opened() as means:
        scoring.proved(means)
        return measure(grouped(pairs), means)
