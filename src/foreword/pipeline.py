"""The stages, in order: papers → slate → cuts → forecasts → scores → analysis → report.

Read this first. Every stage reads the tables that the one before wrote and writes one of its own,
so that any stage can be done again, alone, or by another program. A table whose provenance says
that it was made from the same inputs with the same settings is not made again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from foreword.engines import LOCAL, Engines
from foreword.errors import ForewordError
from foreword.records import Analysis, Failure
from foreword.report_steps import make_report
from foreword.score_steps import Scoring, make_scores
from foreword.score_tables import MAIN, further_path
from foreword.scores import SEEN, trained_control
from foreword.stages import (
    make_cuts,
    make_forecasts,
    make_papers,
    make_slate,
    no_cut,
)
from foreword.step import Made, Show, quiet
from foreword.store import disk_errors, find_cache, holding, write_text
from foreword.study import ScorerSection, Study, listing_path, paper_paths


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a finished study has to show."""

    report: Path
    analysis: Analysis
    slate: Made
    rejected: Mapping[str, int]
    """Equations that were not cut, by reason."""
    failures: Sequence[Failure]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A study before any model has run."""

    papers: Made
    slate: Made
    cuts: Made


def run(
    study: Study, folder: Path, out: Path, *, engines: Engines = LOCAL, show: Show = quiet
) -> Outcome:
    """Take a study from papers to report, doing only what is not done yet.

    Args:
        study: what to do.
        folder: where the study file lies; its papers are relative to it.
        out: the study folder: its whole state. Safe to kill at any moment.
        engines: who reads, cuts and scores.
        show: shows progress.

    Raises:
        ForewordError: the user must act before this can go on; what was done is kept.
    """
    with disk_errors(out), holding(out, "foreword run"):
        ready = _prepare(study, folder, out, engines, show)
        cuts = ready.cuts
        scorings = _scorings(study, out, engines)
        for scoring in scorings.values():
            with scoring.opened() as means:
                scoring.proved(means)  # before anything is paid for
        forecasts = [
            make_forecasts(
                cuts.path,
                out / f"forecasts-{section.label}.parquet",
                predictor=section.predictor,
                named=section.model,
                samples=section.samples,
                seed=study.seed,
                journal=out / "work" / "forecasts.jsonl",
                overwrite=True,
                show=show,
            )
            for section in study.predictors
        ]
        scores = [
            _score(study, cuts.path, forecasts, table, scoring, show)
            for table, scoring in scorings.items()
        ]
        done = (ready.papers, cuts, *forecasts, *scores)
        failures = [failure for made in done for failure in made.failures if _counts(made, failure)]
        report, analysis = make_report(out, scorers=[one.name for one in study.scorers])
    return Outcome(
        report=report,
        analysis=analysis,
        slate=ready.slate,
        rejected=cuts.notes["rejected"],
        failures=failures,
    )


def _counts(made: Made, failure: Failure) -> bool:
    """Whether an item failed: that a further scorer leaves its own training papers out is right."""
    return made.path.name == MAIN or failure.reason != SEEN


def _scorings(study: Study, out: Path, engines: Engines) -> dict[Path, Scoring]:
    """Each scorer of a study by the table that it is to fill, the leaderboard's first."""
    further = {further_path(out, one.name): one for one in study.scorers}
    sections: dict[Path, ScorerSection] = {out / MAIN: study.scorer, **further}
    return {
        table: Scoring(
            scorer=section.scorer,
            named=section.model,
            journal=out / "work" / f"{table.stem}.jsonl",
            cache=find_cache(),
            statistics=section.statistics,
            unproven=section.unproven,
            engine=engines.score,
            prove=engines.prove,
        )
        for table, section in sections.items()
    }


def _score(
    study: Study,
    cuts: Path,
    forecasts: Sequence[Made],
    table: Path,
    scoring: Scoring,
    show: Show,
) -> Made:
    """One scorer's table; of one that was trained on contexts alone, a control and no forecast."""
    control = trained_control(scoring.scorer) if table.name != MAIN else None
    return make_scores(
        cuts,
        [] if control else [made.path for made in forecasts],
        table,
        scoring=scoring,
        controls=[control] if control else study.controls,
        seed=study.seed,
        overwrite=True,
        show=show,
    )


def prepare(
    study: Study, folder: Path, out: Path, *, engines: Engines = LOCAL, show: Show = quiet
) -> Prepared:
    """Take a study as far as it goes without a model: papers, slate and cuts.

    What is chosen then can be published, by its hash, before anybody has seen a score; `run` goes
    on from there.

    Raises:
        ForewordError: as `run`.
    """
    with disk_errors(out), holding(out, "foreword run"):
        return _prepare(study, folder, out, engines, show)


def _prepare(study: Study, folder: Path, out: Path, engines: Engines, show: Show) -> Prepared:
    write_text(out / "study.json", study.model_dump_json(indent=2) + "\n")
    papers = make_papers(
        paper_paths(study, folder),
        out / "papers.parquet",
        mains=study.papers.main,
        keep_hidden=study.papers.keep_hidden,
        relative_to=folder,
        read=engines.read,
        overwrite=True,
        show=show,
    )
    slate = make_slate(
        papers.path,
        out / "slate.parquet",
        criteria=study.slate.criteria,
        rules=study.rules,
        seed=study.seed,
        listing=listing_path(study, folder),
        overwrite=True,
        show=show,
    )
    cuts = make_cuts(
        papers.path,
        out / "cuts.parquet",
        rules=study.rules,
        seed=study.seed,
        slate=slate.path,
        cut=engines.cut,
        overwrite=True,
    )
    if not cuts.rows:
        raise ForewordError(no_cut(cuts))
    return Prepared(papers=papers, slate=slate, cuts=cuts)
