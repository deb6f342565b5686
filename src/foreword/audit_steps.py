"""The audit of a finished study as a step: from its tables to one of `AuditRow` records."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from foreword import folder
from foreword.audit import AuditRow, AuditRules, Gradient, audit_cuts, split_papers
from foreword.audited import TABLE
from foreword.errors import ForewordError
from foreword.records import Cut, Failure
from foreword.score_steps import Scoring
from foreword.scores import LocalScorer
from foreword.step import Made, Show, make_table, quiet
from foreword.store import JSON, read_table


def make_audit(
    study: Path,
    out: Path,
    *,
    scorings: Sequence[Scoring],
    rules: AuditRules,
    overwrite: bool = False,
    show: Show = quiet,
) -> Made:
    """Audit a study's scorer into `out/audit.parquet`.

    What was scored is in the journals, what a gradient proposed too, and all draws are seeded: a
    run that was killed does the same again, finds what it had, and goes on.

    Args:
        study: the folder of a finished study: cuts, forecasts, scores.
        out: the folder to write.
        scorings: the scorer that is attacked; then others, to see what transfers to them.
        rules: the seed, and how hard to try.
        overwrite: whether an audit with other settings is replaced.
        show: shows progress.

    Raises:
        TableError: a table of the study is missing, or was made from other cuts.
        ForewordError: the study is one of prose or has one paper, two scorers are the same, or
            none can be used.
    """
    cuts = study / "cuts.parquet"
    folder.table_hash(study / "scores.parquet")  # a study without scores is not finished
    folder.check_made_from(study / "scores.parquet", cuts)
    tables = folder.scored_forecasts(study)
    scorer_ids = [scoring.scorer.scorer_id for scoring in scorings]
    if len(set(scorer_ids)) < len(scorer_ids):
        raise ForewordError(f"--second is the scorer itself, {scorer_ids[0]}: give another")
    inputs = {
        "cuts": folder.table_hash(cuts),
        "forecasts": [folder.table_hash(path) for path in tables],
        "scorers": scorer_ids,
        "rules": asdict(rules),
    }

    def make() -> tuple[list[AuditRow], dict[str, JSON]]:
        rows = read_table(cuts, Cut)
        if folder.kind_of(cuts) == "prose":
            raise ForewordError(
                f"{study} is a study of prose, and the attacks are on forecasts of equations: "
                "audit a study of equations with the same scorer"
            )
        split_papers((cut.paper_id for cut in rows), seed=rules.seed)  # before a model is loaded
        given = folder.read_forecasts(tables, rows)
        with ExitStack() as stack:
            means = [stack.enter_context(scoring.opened()) for scoring in scorings]
            probes = [s.proved(m) for s, m in zip(scorings, means, strict=True)]
            found = audit_cuts(
                rows,
                given,
                means,
                rules=rules,
                proposer=_proposer(scorings[0]),
                progress=show("scoring attacks"),
            )
        notes = {
            "failed": [asdict(failure) for failure in _failures(found.rows)],
            "probes": [asdict(probe) for probe in probes],
            "split": {"seed": rules.seed, "fit": found.split.fit, "judge": found.split.judge},
            **found.searched.notes,
        }
        return list(found.rows), notes

    return make_table(
        out / TABLE, AuditRow, "audit", inputs, make, made_from=[cuts], overwrite=overwrite
    )


def _proposer(scoring: Scoring) -> Gradient | None:
    """The scorer's own model, where it is here."""
    scorer = scoring.scorer
    if not isinstance(scorer, LocalScorer):
        return None
    return Gradient(files=scorer.files, dtype=scorer.dtype, device=scorer.devices[0])


def _failures(rows: Sequence[AuditRow]) -> list[Failure]:
    """What the scorers could not score; that an attack is silent is no failure."""
    return [
        Failure(stage="audit", item=f"{row.cut_id} {row.name}", reason=row.failure)
        for row in rows
        if row.failure and not row.is_silent
    ]
