"""What the tables of a folder say of themselves, in the words of the report."""

import json
from collections.abc import Collection, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from foreword import folder
from foreword.catalogue import Candidate
from foreword.errors import TableError
from foreword.report.papers import Slate
from foreword.score_tables import ScoreTable
from foreword.slate import HISTORY, Choice, read_choices
from foreword.store import JSON, hash_file, read_provenance, read_table


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


def facts(
    out: Path, tables: Sequence[ScoreTable], scorer_id: str, papers: Collection[str]
) -> dict[str, str]:
    """What the report says about where its numbers come from, these papers among them.

    Args:
        out: the folder.
        tables: of scores: the scorer's, then its trained controls'.
        scorer_id: of the first.
        papers: ids of those that there are cuts of.
    """
    first = tables[0].path
    cuts, scores = read_provenance(out / "cuts.parquet"), read_provenance(first)
    of_papers = folder.notes(out / "papers.parquet")
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
    made = (cuts or {}).get("inputs", {})
    if rules := made.get("rules"):
        found["Cuts"] = ", ".join(f"{name} {value}" for name, value in rules.items())
    if "seed" in made:
        found["Seed of the cuts"] = str(made["seed"])
    if papers_sha256 := made.get("papers"):
        found["SHA-256 of papers.parquet"] = papers_sha256
    if withheld := folder.notes(out / "cuts.parquet").get("withheld"):
        found["Papers whose text is left out here"] = ", ".join(withheld)
    if tried := folder.notes(first).get("probe"):
        found["Probe of the scorer"] = _probe_words(tried)
    scored = (scores or {}).get("inputs", {})
    if controls := scored.get("controls"):
        found["Controls"] = ", ".join(controls)
    if cuts_sha256 := scored.get("cuts"):
        found["SHA-256 of cuts.parquet"] = cuts_sha256
    for control in tables[1:]:
        adapter = folder.inputs_of(control.path).get("adapter", "unknown")
        words = f"{control.scorer_id or 'unknown'}, adapter {adapter}, on {control.control}"
        found[f"Trained control {control.name}"] = words
    return found | {f"SHA-256 of {table.path.name}": hash_file(table.path) for table in tables}


def _probe_words(tried: Mapping[str, JSON]) -> str:
    """What the scorer was found to be, before it scored."""
    weak = f"; NOT TO BE TRUSTED: {tried['weakness']}" if tried["weakness"] else ""
    return (
        f"a text just read {tried['repeated']:.3f} nats a token, shuffled {tried['shuffled']:.3f}; "
        f"noise of a token {tried['repeat_noise']:.2g} when asked again, "
        f"{tried['order_noise']:.2g} in another order{weak}"
    )


def read_slate(out: Path) -> Slate | None:
    """The slate that the cuts in a folder were made from; None where they were made without one.

    Raises:
        TableError: the slate that lies there is another one, or what it was made from is not known.
    """
    digest = folder.inputs_of(out / "cuts.parquet").get("slate")
    if digest is None:
        return None
    path = out / "slate.parquet"
    if folder.table_hash(path) != digest:
        raise TableError(f"{out / 'cuts.parquet'} was made from another slate than {path}: cut it")
    choices = read_choices(out)
    mine = [one.id == folder.notes(path).get("choice") for one in choices]
    if True not in mine:
        raise TableError(f"{out / HISTORY} does not know {path}: choose the slate again")
    criteria = folder.inputs_of(path).get("criteria", {})
    return Slate(
        candidates=read_table(path, Candidate),
        sha256=digest,
        criteria={name.replace("_", " "): _plain(value) for name, value in criteria.items()},
        queries=[_query_words(query) for query in folder.notes(path).get("queries", [])],
        choices=[(one.models_had_run, _choice_words(one)) for one in choices],
        choice=mine.index(True),
    )


def _choice_words(choice: Choice) -> str:
    """A choice by its criteria, its rules for cuts and its seed."""
    settings = {**choice.criteria, **choice.rules, "seed": choice.seed}
    words = ", ".join(
        f"{name.replace('_', ' ')} {_plain(value)}" for name, value in settings.items()
    )
    return f"{choice.num_taken} taken; {words}"


def _plain(value: JSON) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _query_words(query: Mapping[str, JSON]) -> str:
    """A query to arXiv in words."""
    if "ids" in query:
        return f"{len(query['ids'])} papers by their identifiers{_lacking(query)}"
    most = f", the first {query['limit']} of them" if query.get("limit") else ""
    part = f", asked on {query['listed']}" if query.get("listed") else ""
    return (
        f"all of {', '.join(query['categories'])} whose first version came in from "
        f"{query['from']} to {query['to']}{most}{part}{_lacking(query)}"
    )


def _lacking(query: Mapping[str, JSON]) -> str:
    """Which papers an answer of arXiv's lacks, as far as that is known."""
    if damaged := query.get("damaged"):
        names = ", ".join(damaged[:5]) + (", …" if len(damaged) > 5 else "")
        return f"; arXiv's records of {len(damaged)} are damaged, and they are left out: {names}"
    return "" if query.get("finished") else "; the answer was not whole: papers may be lacking"
