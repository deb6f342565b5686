"""Files for a paper from a study folder: what they show, and from which scores it came."""

from pathlib import Path

from foreword import folder
from foreword.analysis import TRAINED
from foreword.figures import Written, write_files
from foreword.records import Analysis
from foreword.score_tables import MAIN, further_path


def make_files(results: Path, analysis: Analysis, into: Path, *, scorer: str = "") -> Written:
    """Write the figures and tables of an analysis of a study folder.

    Args:
        results: the study folder.
        analysis: of its scores, by one scorer.
        into: the folder to write to.
        scorer: NAME of `scores-NAME.parquet`, where the analysis is by another scorer than the
            leaderboard's.

    Raises:
        UsageError: matplotlib is not installed.
    """
    table = further_path(results, scorer) if scorer else results / MAIN
    conditions = sorted({one.condition for one in analysis.standings})
    trained = [name.removeprefix(TRAINED) for name in conditions if name.startswith(TRAINED)]
    tables = [table, *(further_path(results, name) for name in trained)]
    source = "; ".join(map(source_of, tables))
    return write_files(analysis, into, source=source, windows=analysis.findings.windows)


def source_of(table: Path) -> str:
    """Which table the numbers are of, by its hash."""
    return f"{table.name}, SHA-256 {folder.table_hash(table)}"
