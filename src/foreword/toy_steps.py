"""The toys as a step that writes a table, and as one that leaves none."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from foreword.score_steps import Scoring
from foreword.step import Made, Show, make_table, quiet
from foreword.store import JSON, fingerprint
from foreword.toys.item import Toy, ToyScore
from foreword.toys.score import failures_of, score_toys


def score_toys_now(
    toys: Sequence[Toy], *, scoring: Scoring, show: Show = quiet
) -> tuple[list[ToyScore], dict[str, JSON]]:
    """The rows, and what the probe of the scorer found and what failed, as a table's notes.

    Raises:
        ModelError: the scorer can't be trusted.
    """
    with scoring.opened() as means:
        found = scoring.proved(means)
        rows = score_toys(toys, means, show("scoring requests"))
    failed = [asdict(failure) for failure in failures_of(rows)]
    return rows, {"failed": failed, "probe": asdict(found)}


def make_toy_scores(
    toys: Sequence[Toy],
    out: Path,
    *,
    scoring: Scoring,
    overwrite: bool = False,
    show: Show = quiet,
) -> Made:
    """Score every toy under every condition, into a table of `ToyScore` records.

    Raises:
        ModelError: the scorer can't be trusted.
        TableError: another table is there, and is not to be replaced.
    """
    inputs = {"items": fingerprint([asdict(toy) for toy in toys]), **scoring.inputs}

    def make() -> tuple[list[ToyScore], dict[str, JSON]]:
        return score_toys_now(toys, scoring=scoring, show=show)

    return make_table(out, ToyScore, "toys", inputs, make, overwrite=overwrite)
