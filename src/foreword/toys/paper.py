"""The tables of a probe as files for a paper: tables 1 and 2 of arXiv 2605.10810."""

from pathlib import Path

from foreword.figures import Table, Written, escaped, plain, signed, write_tables
from foreword.toys.findings import Findings
from foreword.toys.item import CONDITIONS


def write_probe(found: Findings, folder: Path, *, source: str) -> Written:
    """Write what was found as booktabs tables; without an item in common there is none.

    The numbers are of these items and no others, so none has an error (docs/design/toys.md).

    Args:
        found: by one scorer.
        folder: where to.
        source: in words, which toys these are.
    """
    made = [table for table in (_scores(found), _recovery(found)) if table]
    source = f"scorer {found.scorer_id or 'none'}; {source}"
    return write_tables(made, folder, source=source)


def _scores(found: Findings) -> Table | None:
    kinds = dict.fromkeys(line.kind for line in found.lines)
    if not kinds:
        return None
    return Table(
        name="table-probe",
        caption="Toy equations: nats per target token, means over the items of a kind; the last "
        "two columns are the least and the most over empty in one item.",
        num_words=2,
        heads=("Kind", "Condition", "Items", "Raw", "Clip 2", "Over empty", "Least", "Most"),
        groups=tuple(
            tuple(
                (
                    escaped(kind),
                    escaped(line.condition),
                    f"{line.num_items}",
                    *map(plain, (line.raw, line.clip2)),
                    *map(signed, (line.over_empty, line.lowest, line.highest)),
                )
                for line in found.lines
                if line.kind == kind
            )
            for kind in kinds
        ),
    )


def _recovery(found: Findings) -> Table | None:
    if not found.recoveries:
        return None
    return Table(
        name="table-recovery",
        caption="Toy equations: mean probability of the right token at the recovery point, by "
        "what stands in the scaffold.",
        heads=("Kind", "Items", *(condition.capitalize() for condition in CONDITIONS)),
        groups=(
            tuple(
                (
                    escaped(one.kind),
                    f"{one.num_items}",
                    *(plain(one.probabilities[condition]) for condition in CONDITIONS),
                )
                for one in found.recoveries
            ),
        ),
    )
