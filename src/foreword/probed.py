"""A probe of a study's scorer as the report shows it, where one lies in the study's folder."""

from pathlib import Path

from foreword.findings import Toys
from foreword.store import hash_file, read_table
from foreword.toys import ToyScore, find

TABLE = "probe.parquet"


def read_probe(study: Path, scorer_id: str) -> Toys | None:
    """What `probe.parquet` in a study's folder says; None where there is none of this scorer.

    Raises:
        TableError: it is damaged.
    """
    path = study / TABLE
    if not path.is_file():
        return None
    rows = [row for row in read_table(path, ToyScore) if row.scorer_id == scorer_id]
    found = find(rows)
    if not found.lines:
        return None
    return Toys(
        num_items=found.num_items - found.num_left_out,
        lines=found.lines,
        recoveries=found.recoveries,
        sha256=hash_file(path),
    )
