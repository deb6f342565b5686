"""The tables in one folder: whether they belong together, and what they say of themselves."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from foreword.catalogue import Candidate, Listing
from foreword.errors import TableError
from foreword.papers import eprint_id
from foreword.records import Cut, Failure, Forecast, Paper
from foreword.report.papers import Slate
from foreword.store import JSON, Journal, hash_file, not_there, read_provenance, read_table


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


def listed_sources(listing: Path) -> list[Path]:
    """The sources of a listing's papers that can be read, in its order.

    Raises:
        TableError: there is no such listing, or it is another table.
    """
    return [
        listing.parent / row.source for row in read_table(listing, Listing) if row.state == "ok"
    ]


def unread_papers(papers: Path) -> dict[str, Failure]:
    """The papers that could not be read into a table, by their ids."""
    found = (Failure(**failure) for failure in notes(papers).get("failed", []))
    return {eprint_id(failure.item): failure for failure in found}


def taken_papers(papers: Path, slate: Path | None) -> list[Paper]:
    """The papers that a slate takes, in its order; without a slate, all of them.

    Raises:
        TableError: the slate was made from other papers.
    """
    if slate is None:
        return read_paper_table(papers)
    made_from = _inputs(slate).get("papers")
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


def read_slate(out: Path) -> Slate | None:
    """The slate that the cuts in a folder were made from; None where they were made without one.

    Raises:
        TableError: the slate that lies there is another one, or what it was made from is not known.
    """
    digest = _inputs(out / "cuts.parquet").get("slate")
    if digest is None:
        return None
    path = out / "slate.parquet"
    if table_hash(path) != digest:
        raise TableError(f"{out / 'cuts.parquet'} was made from another slate than {path}: cut it")
    with Journal(out / "slates.jsonl") as history:
        choices = {key: bool(history[key]["models_had_run"]) for key in history}
    if digest not in choices:
        raise TableError(f"{out / 'slates.jsonl'} does not know {path}: choose the slate again")
    criteria = _inputs(path).get("criteria", {})
    return Slate(
        candidates=read_table(path, Candidate),
        sha256=digest,
        criteria={name.replace("_", " "): _plain(value) for name, value in criteria.items()},
        queries=[_query_words(query) for query in notes(path).get("queries", [])],
        choices=list(choices.values()),
        choice=list(choices).index(digest),
    )


def _plain(value: JSON) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _query_words(query: Mapping[str, JSON]) -> str:
    """A query to arXiv in words."""
    if "ids" in query:
        return f"{len(query['ids'])} papers by their identifiers"
    most = f", the first {query['limit']} of them" if query.get("limit") else ""
    part = "" if query.get("finished") else "; the answer was not whole: papers may be lacking"
    if listed := query.get("listed"):
        part = f", asked on {listed}{part}"
    return (
        f"all of {', '.join(query['categories'])} whose first version came in from "
        f"{query['from']} to {query['to']}{most}{part}"
    )


def models_have_run(out: Path) -> bool:
    """Whether a folder holds what a model made: forecasts or scores, finished or begun."""
    patterns = ("forecasts*.parquet", "scores.parquet", "work/*.jsonl", "*.parquet.journal")
    return any(path.stat().st_size for pattern in patterns for path in out.glob(pattern))


def check_made_from(table: Path, cuts: Path) -> None:
    """See that a table was made from these cuts; a table that does not say is taken as it is.

    Raises:
        TableError: it was made from others, so its rows are about other equations.
    """
    made_from = _inputs(table).get("cuts")
    if made_from is not None and made_from != table_hash(cuts):
        raise TableError(f"{table} was made from other cuts than {cuts}: make it again from these")


def read_forecasts(paths: Sequence[Path], cuts: Sequence[Cut]) -> list[Forecast]:
    """The forecasts of some tables; one without text is missing, whoever wrote the table.

    Raises:
        TableError: they are not of these cuts, or two of one predictor for a cut, or one is longer
            than its budget, so that it would have more room than the control it is compared with.
    """
    budgets = {cut.id: cut.budget for cut in cuts}
    found: dict[tuple[str, str], Forecast] = {}
    for path in paths:
        for row in read_table(path, Forecast):
            name = f"{path}: the forecast by {row.predictor!r} for {row.cut_id}"
            if row.cut_id not in budgets:
                raise TableError(f"{name} is of no cut here: forecast these cuts, or give its own")
            if (row.predictor, row.cut_id) in found:
                raise TableError(f"{name} is there twice: each predictor needs a name of its own")
            if not row.predictor.strip():
                raise TableError(f"{name} has no predictor: give it a name")
            if row.text is not None and len(row.text) > budgets[row.cut_id]:
                raise TableError(
                    f"{name} has {len(row.text)} characters, its budget is {budgets[row.cut_id]} "
                    "(40 more than the hidden rest has): cut it to that"
                )
            found[row.predictor, row.cut_id] = _missing_if_empty(row)
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
    scored = _inputs(out / "scores.parquet").get("forecasts")
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


def title(out: Path) -> str:
    """The title of the study in a folder; the folder's name where it has none."""
    path = out / "study.json"
    if not path.is_file():
        return out.resolve().name
    try:
        found = json.loads(path.read_bytes())["title"]
        return str(found) or out.resolve().name
    except (ValueError, KeyError, TypeError) as error:
        raise TableError(
            f"{path} is damaged: remove it, or run the study again to make it anew"
        ) from error


def facts(out: Path, scorer_id: str, papers: Collection[str]) -> dict[str, str]:
    """What the report says about where its numbers come from, these papers among them."""
    cuts, scores = read_provenance(out / "cuts.parquet"), read_provenance(out / "scores.parquet")
    of_papers = notes(out / "papers.parquet")
    found = {
        f"Paper {paper}": words
        for paper, words in of_papers.get("read", {}).items()
        if paper in papers
    }
    if not (cuts or {}).get("inputs", {}).get("slate"):  # else the slate names them
        found |= {
            f"Paper that could not be read: {Path(failure['item']).name}": failure["reason"]
            for failure in of_papers.get("failed", [])
        }
    found |= {"Scorer": scorer_id, "foreword": version("foreword")}
    if cuts and "inputs" in cuts:
        rules = cuts["inputs"]["rules"]
        found["Cuts"] = ", ".join(f"{name} {value}" for name, value in rules.items())
        found["Seed of the cuts"] = str(cuts["inputs"]["seed"])
        found["SHA-256 of papers.parquet"] = cuts["inputs"]["papers"]
    if withheld := notes(out / "cuts.parquet").get("withheld"):
        found["Papers whose text is left out here"] = ", ".join(withheld)
    if scores and "inputs" in scores:
        found["Controls"] = ", ".join(scores["inputs"]["controls"])
        found["SHA-256 of cuts.parquet"] = scores["inputs"]["cuts"]
    found["SHA-256 of scores.parquet"] = hash_file(out / "scores.parquet")
    return found


def notes(table: Path) -> Mapping[str, JSON]:
    """What the stage that made a table had to say of it: failed items and more."""
    found = read_provenance(table)
    return found.get("notes", {}) if found else {}


def _inputs(table: Path) -> Mapping[str, JSON]:
    found: Mapping[str, JSON] = (read_provenance(table) or {}).get("inputs", {})
    return found
