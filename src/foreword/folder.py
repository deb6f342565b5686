"""The tables in one folder: whether they belong together, and what they say of themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from foreword.catalogue import Candidate, Listing
from foreword.errors import TableError
from foreword.records import MOST_SAMPLES, Cut, CutKind, Failure, Forecast, Paper
from foreword.store import JSON, hash_file, not_there, read_provenance, read_table

_MOST_NOISE = 1e6
"""Nats: what a table says of more is not believed."""


def table_hash(path: Path) -> str:
    """The hash of a table.

    Raises:
        TableError: there is no such table.
    """
    if not path.is_file():
        raise TableError(not_there(path))
    return hash_file(path)


def read_paper_table(path: Path) -> list[Paper]:
    """The papers of a table, whose displays lie inside of their text.

    Raises:
        TableError: some don't.
    """
    papers = read_table(path, Paper)
    for paper in papers:
        for at in paper.displays:
            edges = [0, at.start, at.body_start, at.body_end, at.end, len(paper.text)]
            if edges != sorted(edges):
                raise TableError(
                    f"{path}: paper {paper.id}, column displays: a display from {at.start} to "
                    f"{at.end} does not lie in its text of {len(paper.text)} characters"
                )
    return papers


def papers_of_cuts(out: Path, cuts: Sequence[Cut]) -> dict[str, Paper]:
    """The papers that the cuts in a folder were made from, by id; none where they are not there.

    Raises:
        TableError: the table of papers is damaged.
    """
    path = out / "papers.parquet"
    made_from = inputs_of(out / "cuts.parquet").get("papers")
    if made_from is None or not path.is_file() or hash_file(path) != made_from:
        return {}
    wanted = {cut.paper_id for cut in cuts}
    return {paper.id: paper for paper in read_paper_table(path) if paper.id in wanted}


def the_listing(path: Path) -> Path:
    """The table of a listing, from its path or from the folder of the fetch."""
    return path / "listing.parquet" if path.is_dir() else path


def listed_sources(listing: Path) -> list[Path]:
    """The sources of a listing's papers that can be read, in its order.

    Raises:
        TableError: there is no such listing, it is another table, or a source is not in its folder.
    """
    sources = [row.source for row in read_table(listing, Listing) if row.state == "ok"]
    for source in sources:
        path = PurePosixPath(source)
        if not source or path.is_absolute() or ".." in path.parts:
            raise TableError(f"{listing} names a source outside of its folder, {source!r}")
    return [listing.parent / source for source in sources]


def unread_papers(papers: Path) -> list[Failure]:
    """The papers that could not be read into a table."""
    return [Failure(**failure) for failure in notes(papers).get("failed", [])]


def taken_papers(papers: Path, slate: Path | None) -> list[Paper]:
    """The papers that a slate takes, in its order; without a slate, all of them.

    Raises:
        TableError: the slate was made from other papers.
    """
    if slate is None:
        return read_paper_table(papers)
    made_from = inputs_of(slate).get("papers")
    if made_from is not None and made_from != table_hash(papers):
        raise TableError(f"{slate} was made from other papers than {papers}: make it again")
    by_id = {paper.id: paper for paper in read_paper_table(papers)}
    taken = [one for one in read_table(slate, Candidate) if one.place is not None]
    lacking = [one.paper_id for one in taken if one.paper_id not in by_id]
    if lacking:
        raise TableError(f"{slate} takes {lacking[0]}, which is not in {papers}: make it again")
    return [by_id[one.paper_id] for one in sorted(taken, key=lambda one: one.place or 0)]


def queries(listing: Path) -> list[JSON]:
    """What arXiv was asked for to fill a listing, oldest first."""
    found: list[JSON] = (read_provenance(listing) or {}).get("queries", [])
    return found


def models_have_run(out: Path) -> bool:
    """Whether a folder holds what a model made: forecasts or scores, finished or begun."""
    patterns = ("forecasts*.parquet", "scores*.parquet", "work/*.jsonl", "*.parquet.journal")
    return any(path.stat().st_size for pattern in patterns for path in out.glob(pattern))


def check_made_from(table: Path, cuts: Path) -> None:
    """See that a table was made from these cuts; a table that does not say is taken as it is.

    Raises:
        TableError: it was made from others, so its rows are about other equations.
    """
    made_from = inputs_of(table).get("cuts")
    if made_from is not None and made_from != table_hash(cuts):
        raise TableError(
            f"{table} was made from other cuts than {cuts}: make it again from these, with its "
            "command or with `foreword run`"
        )


def kind_of(cuts: Path) -> CutKind:
    """What a table cuts; of a table without a row it is the usual, equations.

    Raises:
        TableError: it cuts both equations and prose, or is no such table.
    """
    kinds = sorted({cut.kind for cut in read_table(cuts, Cut)})
    if len(kinds) > 1:
        raise TableError(
            f"{cuts} holds cuts of {' and '.join(kinds)}, whose scores can't be compared: give "
            "each kind a table, and a study, of its own"
        )
    return kinds[0] if kinds else "equation"


def read_forecasts(paths: Sequence[Path], cuts: Sequence[Cut]) -> list[Forecast]:
    """The forecasts of some tables; one without text is missing, whoever wrote the table.

    Raises:
        TableError: they are not of these cuts, or two of one predictor for a cut have one sample's
            number, or it can't be one, or one is longer than its budget, so that it would have more
            room than the control it is compared with.
    """
    budgets = {cut.id: cut.budget for cut in cuts}
    found: dict[tuple[str, str, int], Forecast] = {}
    for path in paths:
        for row in read_table(path, Forecast):
            name = f"{path}: the forecast by {row.predictor!r} for {row.cut_id}"
            name += f", sample {row.sample}," if row.sample else ""
            if row.cut_id not in budgets:
                raise TableError(f"{name} is of no cut here: forecast these cuts, or give its own")
            if not 0 <= row.sample < MOST_SAMPLES:
                raise TableError(
                    f"{name} can't have that number: it is from 0 to {MOST_SAMPLES - 1}"
                )
            if (row.predictor, row.cut_id, row.sample) in found:
                raise TableError(
                    f"{name} is there twice: each predictor needs a name of its own, and each "
                    "sample a number"
                )
            if not row.predictor.strip():
                raise TableError(f"{name} has no predictor: give it a name")
            if row.text is not None and len(row.text) > budgets[row.cut_id]:
                raise TableError(
                    f"{name} has {len(row.text)} characters, its budget is {budgets[row.cut_id]}: "
                    "cut it to that"
                )
            found[row.predictor, row.cut_id, row.sample] = _missing_if_empty(row)
    return list(found.values())


def _missing_if_empty(row: Forecast) -> Forecast:
    if row.text is not None and row.text.strip():
        return row
    return replace(row, text=None, missing=row.missing or "empty")


def scored_forecasts(out: Path) -> list[Path]:
    """The tables of forecasts that the scores in a folder are of.

    Raises:
        TableError: one is not there as it was when it was scored.
    """
    paths = sorted(out.glob("forecasts*.parquet"))
    scored = inputs_of(out / "scores.parquet").get("forecasts")
    if scored is None:
        return paths
    hashes = {hash_file(path): path for path in paths}
    if not set(scored) <= hashes.keys():
        raise TableError(
            f"{out} lacks forecasts that its scores are of, or they were made again since: "
            "run `foreword score` again on those that are there"
        )
    return [hashes[one] for one in scored]


def unscored(out: Path) -> list[Path]:
    """Tables of forecasts in a folder that its scores are not of, so that no report shows them."""
    return sorted(set(out.glob("forecasts*.parquet")) - set(scored_forecasts(out)))


def notes(table: Path) -> Mapping[str, JSON]:
    """What the stage that made a table had to say of it: failed items and more."""
    found = read_provenance(table)
    return found.get("notes", {}) if found else {}


def repeat_noise(scores: Path) -> float | None:
    """What the probe of the scorer said of repeats, in nats; None where it said no such number."""
    found = notes(scores).get("probe")
    noise = found.get("repeat_noise") if isinstance(found, dict) else None
    if not isinstance(noise, (int, float)) or not 0 <= noise <= _MOST_NOISE:
        return None
    return float(noise)


def inputs_of(table: Path) -> Mapping[str, JSON]:
    """What a table was made from; nothing where it does not say."""
    found: Mapping[str, JSON] = (read_provenance(table) or {}).get("inputs", {})
    return found
