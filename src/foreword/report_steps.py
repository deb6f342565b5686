"""The last stage as a step: from the tables in a folder to an analysis, and a page, a scorer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from foreword import folder, report_facts, stated
from foreword.analysis import SCORER, Asked, agreement, analyse, first_tokens
from foreword.audited import find_audit, read_attacks
from foreword.cuts import REASONS
from foreword.findings import Attacks, Level, PaperDate
from foreword.probed import read_probe
from foreword.records import Analysis, Cut, Forecast, Score
from foreword.report import write_report
from foreword.report.papers import Slate
from foreword.score_tables import ScoreTable, asked_for, is_of, read_scores, score_tables
from foreword.store import read_table


@dataclass(frozen=True, slots=True)
class _Read:
    """What the tables in a folder hold, each read once."""

    out: Path
    cuts: Sequence[Cut]
    forecasts: Sequence[Forecast]
    slate: Slate | None
    tables: Sequence[ScoreTable]
    scores: Mapping[ScoreTable, Sequence[Score]]
    """By each frozen scorer, its trained controls among the conditions."""
    attacks: Attacks | None
    """Of the audit, where there is one."""


def make_report(
    out: Path,
    *,
    seed: int = 0,
    clips: Sequence[float] = (),
    reference: str | None = None,
    cutoffs: Mapping[str, str] = {},
    costs: Mapping[Level, float] = {},
    audit: Path | None = None,
    scorer: str | None = None,
    scorers: Sequence[str] | None = None,
) -> tuple[Path, Analysis]:
    """Analyse the tables in a folder and write `report.html` beside them.

    The folder holds cuts.parquet, scores.parquet and any number of forecasts*.parquet; where the
    scores say which forecasts they are of, only those count. Of each further scorer, whose table is
    scores-NAME.parquet, there is a report-NAME.html. Copies of answers are looked for in
    papers.parquet, where it is the table that the cuts were made from.

    Args:
        out: the folder.
        seed: of the resampling.
        clips: more places to clip at, in nats below 0.
        reference: the predictor that chooses the hard cuts; by default the last of the ranking.
        cutoffs: the name of a predictor or of a further scorer, or `scorer` for the first → its
            knowledge cutoff, in place of the study's.
        costs: of one more paper, cut, sample and repeat, for advice on what to add.
        audit: the folder of an audit of this study; by default `audit` in its own, if one is there.
        scorer: the further scorer whose analysis is wanted; by default the first one's.
        scorers: the names of the further scorers that count; by default all whose tables are here.

    Returns:
        The report of the wanted scorer, and its analysis.

    Raises:
        TableError: a table is missing, or was made from another one than lies beside it.
        UsageError: no predictor with a lift has the name of the reference, a cutoff is of no model
            here, a cost lacks, or there is no such scorer or audit.
    """
    read = _read(out, scorers, audit)
    wanted = asked_for(read.tables, scorer)
    asked = Asked(
        seed=seed,
        clips=clips,
        reference=reference,
        texts=folder.papers_of_cuts(out, read.cuts),
        dates=_dates(read),
        costs=costs,
    )
    by_table = {
        table: replace(asked, cutoffs=known, repeat_noise=folder.repeat_noise(table.path))
        for table, known in _cutoffs(read, cutoffs).items()
    }
    analyses = {
        table: analyse(read.cuts, read.forecasts, rows, asked=by_table[table])
        for table, rows in read.scores.items()
    }
    analyses = _compared(analyses, seed)
    for table, analysis in analyses.items():
        _write_page(read, table, analysis)
    return _page(out, wanted), analyses[wanted]


def left_out(out: Path, audit: Path | None = None) -> list[str]:
    """What lies in a folder and is not shown, each with the reason."""
    known = stated.read_stated(out)
    _, tables = score_tables(out, sorted(known.names))
    _, attacks = find_audit(out, audit)
    return [*tables, *known.ignored, *filter(None, [attacks])]


def _read(out: Path, scorers: Sequence[str] | None, audit: Path | None) -> _Read:
    attacked, _ = find_audit(out, audit)
    cuts = read_table(out / "cuts.parquet", Cut)
    found, _ = score_tables(out, scorers or sorted(stated.read_stated(out).names))
    tables = [one for one in found if not one.name or scorers is None or one.name in scorers]
    return _Read(
        out=out,
        cuts=cuts,
        forecasts=folder.read_forecasts(folder.scored_forecasts(out), cuts),
        slate=report_facts.read_slate(out),
        tables=tables,
        scores={table: read_scores(table, tables) for table in tables if not table.is_control},
        attacks=read_attacks(attacked) if attacked else None,
    )


def _dates(read: _Read) -> Mapping[str, PaperDate]:
    candidates = read.slate.candidates if read.slate else ()
    ids = {cut.paper_id for cut in read.cuts}
    return stated.paper_dates(ids, candidates, stated.read_stated(read.out).dates)


def _cutoffs(read: _Read, given: Mapping[str, str]) -> dict[ScoreTable, Mapping[str, str]]:
    """The cutoffs that count for each scorer: all predictors', and its own."""
    known = stated.read_stated(read.out)
    first = next(iter(read.scores))
    names = {table.name for table in read.scores if table is not first}
    of_given, others = stated.cutoffs_of_scorers(given, names, read.forecasts)
    of_scorers = {**known.scorers, **of_given}
    named = stated.named_cutoffs(others, read.forecasts, read.scores[first])
    cutoffs = {**known.cutoffs, **named}
    found: dict[ScoreTable, Mapping[str, str]] = {first: cutoffs}
    for table in read.scores:
        if table is not first:
            own = {SCORER: of_scorers[table.name]} if table.name in of_scorers else {}
            found[table] = {k: v for k, v in cutoffs.items() if k != SCORER} | own
    return found


def _compared(analyses: Mapping[ScoreTable, Analysis], seed: int) -> dict[ScoreTable, Analysis]:
    """Each analysis with how far the other scorers agree."""
    found = {}
    for table, mine in analyses.items():
        others = tuple(
            agreement(other.name, mine, theirs, seed=seed)
            for other, theirs in analyses.items()
            if other is not table
        )
        found[table] = replace(mine, findings=replace(mine.findings, scorers=others))
    return found


def _page(out: Path, table: ScoreTable) -> Path:
    return out / (f"report-{table.name}.html" if table.name else "report.html")


def _write_page(read: _Read, table: ScoreTable, analysis: Analysis) -> None:
    out = read.out
    own = [table, *(one for one in read.tables if one.is_control and is_of(one, table))]
    write_report(
        _page(out, table),
        title=report_facts.title(out),
        analysis=analysis,
        cuts=read.cuts,
        forecasts=read.forecasts,
        scores=first_tokens(read.scores[table], analysis.window),
        slate=read.slate,
        attacks=read.attacks,
        toys=read_probe(out, analysis.scorer_id),
        facts=report_facts.facts(out, own, analysis.scorer_id, {cut.paper_id for cut in read.cuts}),
        rejected={
            f"{reason}: {REASONS.get(reason, '')}": count
            for reason, count in folder.notes(out / "cuts.parquet").get("rejected", {}).items()
        },
    )
