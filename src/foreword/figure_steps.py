"""Files for a paper from a study folder: what they show, and from which scores it came."""

from collections.abc import Sequence
from pathlib import Path

from foreword import folder
from foreword.analysis import WindowLift, window_lifts
from foreword.figures import Written, write_files
from foreword.records import Analysis, Score
from foreword.store import read_table

_BASELINE = "same-budget"


def make_files(results: Path, analysis: Analysis, into: Path) -> Written:
    """Write the figures and tables of an analysis of a study folder.

    Args:
        results: the study folder, with scores.parquet.
        analysis: of these scores; of several scorers, of one of them.
        into: the folder to write to.

    Raises:
        UsageError: matplotlib is not installed.
    """
    return write_files(
        analysis, into, source=source_of(results), windows=_windows(results, analysis)
    )


def source_of(results: Path) -> str:
    """Which table the numbers of a study folder are of, by its hash."""
    return f"scores.parquet, SHA-256 {folder.table_hash(results / 'scores.parquet')}"


def _windows(results: Path, analysis: Analysis) -> Sequence[WindowLift]:
    """Of prose alone: an equation counts whole."""
    if analysis.window is None:
        return ()
    scores = [
        score
        for score in read_table(results / "scores.parquet", Score)
        if score.scorer_id == analysis.scorer_id
    ]
    if all(score.condition != _BASELINE for score in scores):
        return ()
    return window_lifts(scores, over=_BASELINE)
