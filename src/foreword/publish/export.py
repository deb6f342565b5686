"""A study's published form: every number, and the text of those papers that allow it."""

import json
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from foreword import folder, report_facts
from foreword.analysis import analyse
from foreword.catalogue import Candidate, Reference
from foreword.cuts import lies_at
from foreword.errors import ForewordError, TableError, UsageError
from foreword.licences import is_open
from foreword.publish.readme import readme_text
from foreword.publish.withhold import without_answer, without_host, without_text, without_tokens
from foreword.records import Analysis, Cut, Forecast, Paper, Score
from foreword.report_steps import make_report
from foreword.score_tables import read_scores, score_tables
from foreword.slate import HISTORY
from foreword.store import (
    JSON,
    disk_errors,
    fingerprint,
    fsync_folder,
    hash_file,
    hash_text,
    holding,
    read_provenance,
    read_table,
    to_row,
    write_table,
    write_text,
)
from foreword.study import Study

REFERENCES = "references.parquet"
_WRITTEN = (
    *("README.txt", "ids.txt", "study.json", HISTORY, "report.html", "report-*.html", REFERENCES),
    *("slate.parquet", "cuts.parquet", "forecasts*.parquet", "scores.parquet", "scores-*.parquet"),
    ".lock",
)
"""What an export writes, by name."""
_LOCK = ".lock"
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What was written."""

    path: Path
    open_papers: tuple[str, ...]
    """Their text is in it."""
    closed_papers: tuple[str, ...]
    """Their text is left out."""
    analysis: Analysis


@dataclass(frozen=True, slots=True)
class _Study:
    """The tables of a finished study."""

    out: Path
    papers: Mapping[str, Paper]
    candidates: Mapping[str, Candidate]
    cuts: Sequence[Cut]
    forecasts: Mapping[str, Sequence[Forecast]]
    """By the name of their file, in the order of the scores."""
    scores: Mapping[str, Sequence[Score]]
    """By the name of their file, the leaderboard's scorer first."""
    ladder: Sequence[Score]
    """The scores that the leaderboard is of."""


def export_study(results: Path, out: Path, *, allowed: Collection[str] = ()) -> Exported:
    """Write a study's published form, from which nobody can read a paper that may not be handed on.

    The text of a paper is left out unless its licence lets anybody hand it on
    (`licences.OPEN_LICENCES`): in cuts, in what predictors wrote, in the target's tokens, in the
    examples of the report. All numbers stay, and the analysis of what is written is that of the
    study. Addresses of servers and folders are left out too.

    Args:
        results: the folder of a finished study.
        out: a folder that is not there yet, or is empty, or holds an earlier export.
        allowed: papers whose text may be handed on all the same; who says so answers for it.

    Raises:
        TableError: a table is missing, is not of these papers, or has cuts that nobody could make
            again.
        ForewordError: the published numbers would not be the study's.
        UsageError: the folder holds other things, or a paper of `allowed` is not in the study.
    """
    _check_place(results, out)
    study = _read(results)
    ids = list(dict.fromkeys(cut.paper_id for cut in study.cuts))
    if unknown := [one for one in allowed if one not in ids]:
        raise UsageError(f"no cut is of a paper {unknown[0]}: the study's are {', '.join(ids)}")
    opened = [one for one in ids if one in allowed or is_open(_licence(study, one))]
    closed = [one for one in ids if one not in opened]
    with disk_errors(out), _replacing_folder(out) as new:
        _write_papers(study, new)
        _write_tables(study, new, frozenset(closed))
        _, analysis = make_report(new)
        readme = readme_text(
            report_facts.title(new), study.candidates, opened=opened, closed=closed, allowed=allowed
        )
        write_text(new / "README.txt", readme)
        _check_same(study, analysis)
    return Exported(
        path=out, open_papers=tuple(opened), closed_papers=tuple(closed), analysis=analysis
    )


def _check_place(results: Path, out: Path) -> None:
    if out.resolve() == results.resolve():
        raise UsageError(f"{out} is the study itself: give another folder to publish from")
    if not out.exists():
        return
    names = [path.name for path in out.iterdir()] if out.is_dir() else [out.name]
    others = [name for name in names if not any(fnmatch(name, own) for own in _WRITTEN)]
    if others or (names and REFERENCES not in names):
        what = f" ({', '.join(sorted(others)[:3])})" if others else ""
        raise UsageError(f"{out} holds other things than an export{what}: give a new folder")


@contextmanager
def _replacing_folder(out: Path) -> Iterator[Path]:
    """A folder that takes `out`'s place, whole, if the block ends without an error.

    Nothing of an earlier export stays behind.
    """
    new, old = (out.with_name(f".{out.name}.{kind}") for kind in ("new", "old"))
    with holding(new, "foreword export"):
        for path in new.iterdir():
            if path.name != _LOCK:
                path.unlink()
        try:
            yield new
        except BaseException:
            shutil.rmtree(new)
            raise
        shutil.rmtree(old, ignore_errors=True)
        if out.exists():
            out.replace(old)
        (new / _LOCK).unlink()
        new.replace(out)
        shutil.rmtree(old, ignore_errors=True)
    fsync_folder(out.parent)


def _read(results: Path) -> _Study:
    cuts_path = results / "cuts.parquet"
    cuts = read_table(cuts_path, Cut)
    if any(not cut.hidden for cut in cuts):
        raise TableError(f"{results} is a published form already: export the study itself")
    if not {"rules", "seed"} <= folder.inputs_of(cuts_path).keys():
        raise TableError(
            f"{cuts_path} was not made by `foreword cut`, so nobody could make its cuts again: "
            "only studies with foreword's own cuts can be exported"
        )
    tables, _ = score_tables(results)
    slate = report_facts.read_slate(results)
    papers = {one.id: one for one in folder.read_paper_table(results / "papers.parquet")}
    lacking = [cut.paper_id for cut in cuts if cut.paper_id not in papers]
    if lacking:
        raise TableError(
            f"{results / 'papers.parquet'} lacks {lacking[0]}, of which there is a cut"
        )
    return _Study(
        out=results,
        papers=papers,
        candidates={one.paper_id: one for one in slate.candidates} if slate else {},
        cuts=cuts,
        forecasts={
            path.name: folder.read_forecasts([path], cuts)
            for path in folder.scored_forecasts(results)
        },
        scores={table.path.name: read_table(table.path, Score) for table in tables},
        ladder=read_scores(tables[0], tables),
    )


def _licence(study: _Study, paper_id: str) -> str:
    return study.candidates[paper_id].licence if paper_id in study.candidates else ""


def _write_papers(study: _Study, out: Path) -> None:
    """What says which papers there are, and how they were chosen: none of their text."""
    for name in ("slate.parquet", HISTORY):
        if (study.out / name).exists():
            shutil.copyfile(study.out / name, out / name)
    path = study.out / "study.json"
    settings = {**(_public(path) if path.exists() else {}), "title": report_facts.title(study.out)}
    write_text(out / "study.json", json.dumps(settings, indent=2) + "\n")
    ids = [
        f"{one.arxiv_id}v{one.version}\n"
        for one in study.candidates.values()
        if one.place is not None and one.arxiv_id
    ]
    if ids:
        write_text(out / "ids.txt", "".join(ids))


def _public(path: Path) -> JSON:
    """A study's settings, as far as they may leave: no folder and no address of a server.

    Raises:
        TableError: they are damaged.
    """
    try:
        study = Study.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise TableError(
            f"{path} is damaged: run the study again, which makes it anew, or remove it"
        ) from error
    found = study.model_dump(mode="json")
    papers = found["papers"]
    return {
        **{k: found[k] for k in ("seed", "slate", "cut", "controls")},
        "papers": {
            "paths": [Path(one).name for one in papers["paths"]],
            "listing": Path(papers["listing"]).name if papers["listing"] else None,
            "main": papers["main"],
            "keep_hidden": papers["keep_hidden"],
            "dates": papers["dates"],
        },
        "predictors": [
            {k: _named(v) for k, v in one.items() if k in _PUBLIC_SETTINGS}
            | {"name": section.label}
            for one, section in zip(found["predictors"], study.predictors, strict=True)
        ],
        "scorer": _public_scorer(found["scorer"]),
        "scorers": [_public_scorer(one) for one in found["scorers"]],
    }


def _public_scorer(section: Mapping[str, JSON]) -> dict[str, JSON]:
    """What may be said of a scorer: of folders their names alone."""
    return {k: Path(v).name if k == "adapter" and v else _named(v) for k, v in section.items()}


_PUBLIC_SETTINGS = frozenset(
    (
        *("model", "name", "context_characters", "temperature", "top_p", "max_tokens"),
        *("reasoning_effort", "input_price", "output_price", "knowledge_cutoff", "samples"),
    )
)
"""What may be said of a predictor."""


def _named(value: JSON) -> JSON:
    """A setting; of a model in a folder the folder's name alone, of a server's the model's."""
    if not isinstance(value, str):
        return value
    if value.startswith("openai:"):
        return f"openai:#{value.rpartition('#')[2]}"
    is_folder = value.startswith("hf:") and Path(value[3:]).exists()
    return f"hf:{Path(value[3:]).name}" if is_folder else value


def _write_tables(study: _Study, out: Path, closed: Collection[str]) -> None:
    """Cuts, references, forecasts and scores, each with the hash of what it now belongs to."""
    paper_of = {cut.id: cut.paper_id for cut in study.cuts}

    def unless_open(paper_id: str, without: Callable[[Row], Row], row: Row) -> Row:
        return without(row) if paper_id in closed else row

    _write_references(study, out)
    cuts_path = out / "cuts.parquet"
    found = _provenance(study.out / "cuts.parquet")
    found["notes"]["withheld"] = sorted(closed)
    rows = [unless_open(cut.paper_id, without_text, cut) for cut in study.cuts]
    write_table(cuts_path, rows, Cut, found)
    hashes = []
    for name, forecasts in study.forecasts.items():
        found = _provenance(study.out / name, cuts=hash_file(cuts_path))
        kept = [
            unless_open(paper_of[one.cut_id], without_answer, without_host(one))
            for one in forecasts
        ]
        write_table(out / name, kept, Forecast, found)
        hashes.append(hash_file(out / name))
    of = {"cuts": hash_file(cuts_path), "forecasts": hashes}
    for name, rows_of_one in study.scores.items():
        scores = [unless_open(score.paper_id, without_tokens, score) for score in rows_of_one]
        write_table(out / name, scores, Score, _provenance(study.out / name, **of))


def _write_references(study: _Study, out: Path) -> None:
    """What it takes to make the cuts again, and how the papers were read."""
    cuts_path = study.out / "cuts.parquet"
    inputs = folder.inputs_of(study.out / "papers.parquet")
    provenance = {
        "cuts": {"sha256": hash_file(cuts_path), "provenance": _provenance(cuts_path)},
        "reading": {
            "main": {name: paper.main for name, paper in study.papers.items() if paper.main},
            "keep_hidden": inputs.get("keep_hidden", False),
        },
    }
    rows = [reference_of(study.papers[cut.paper_id], cut) for cut in study.cuts]
    write_table(out / REFERENCES, rows, Reference, provenance)


_PUBLIC_INPUTS = frozenset(["papers", "slate", "rules", "seed", "controls", "scorer_id", "adapter"])
"""What a table may say of how it was made; a predictor's settings name servers and folders."""


def _provenance(path: Path, **of: JSON) -> dict[str, JSON]:
    """A table's own words on what it was made from, as far as they may leave; `of` as it is now."""
    found = read_provenance(path) or {}
    inputs = {k: v for k, v in found.get("inputs", {}).items() if k in _PUBLIC_INPUTS}
    notes = {
        k: v for k, v in found.get("notes", {}).items() if k in ("rejected", "probe", "scorer")
    }
    public: dict[str, JSON] = {k: found[k] for k in ("stage", "version", "rows") if k in found}
    return {**public, "inputs": {**inputs, **of}, "notes": {"failed": [], **notes}}


def reference_of(paper: Paper, cut: Cut) -> Reference:
    """Where a cut lies in its paper, and its hash."""
    start, end, site = lies_at(paper, cut)
    return Reference(
        cut_id=cut.id,
        paper_id=cut.paper_id,
        source_sha256=paper.source_sha256,
        text_sha256=hash_text(paper.text),
        start=start,
        end=end,
        site=site,
        num_hidden=len(cut.hidden),
        sha256=fingerprint(to_row(cut)),
    )


def _check_same(study: _Study, published: Analysis) -> None:
    """The numbers of the published form are the study's."""
    forecasts = [one for found in study.forecasts.values() for one in found]
    own = analyse(study.cuts, forecasts, study.ladder)
    if (own.standings, own.contrasts) != (published.standings, published.contrasts):
        raise ForewordError(
            "the published form gives other numbers than the study; this is a fault of foreword's: "
            "publish nothing, and report it"
        )
