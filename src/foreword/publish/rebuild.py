"""The cuts of a published study, made again from the papers' sources and compared by hash."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from foreword.catalogue import Reference
from foreword.cuts import Rules, cut_again, make_rules
from foreword.errors import TableError, UsageError
from foreword.papers import read_papers
from foreword.publish.export import REFERENCES, reference_of
from foreword.records import Cut, Failure, Paper
from foreword.step import Show, quiet
from foreword.store import (
    JSON,
    disk_errors,
    hash_file,
    hash_text,
    read_provenance,
    read_table,
    write_table,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """What became of a published study's cuts."""

    path: Path
    num_cuts: int
    is_same_file: bool
    """Whether the table is, byte for byte, the one that was published from."""
    failures: tuple[Failure, ...]
    """The papers whose cuts could not be made again, and why."""


def rebuild_cuts(
    published: Path,
    sources: Sequence[Path],
    out: Path,
    *,
    overwrite: bool = False,
    show: Show = quiet,
) -> Rebuilt:
    """Make the cuts of a published study again, with their text.

    Each paper is read from its source, each cut is made at its offsets, and both have to have the
    hashes that were published; what differs is left out and named.

    Args:
        published: a folder that `export_study` wrote.
        sources: the papers' sources, more than those of the study if need be.
        out: the table to write.
        overwrite: whether another table that is there may be replaced.
        show: shows progress.

    Raises:
        TableError: the folder is no published form, or a damaged one, or `out` is there.
        UsageError: `out` lies in the published folder.
    """
    if out.resolve().is_relative_to(published.resolve()):
        raise UsageError(
            f"{out} lies in the published folder, which must stay as it is: give another --out"
        )
    study = _read(published)
    if out.exists() and not overwrite:
        if hash_file(out) != study.sha256:
            raise TableError(f"{out} is there: give --overwrite to replace it, or another --out")
        return Rebuilt(path=out, num_cuts=len(study.references), is_same_file=True, failures=())
    papers, unread = read_papers(
        sources, mains=study.mains, keep_hidden=study.keep_hidden, progress=show("reading papers")
    )
    by_id = {paper.id: paper for paper in papers}
    why_unread = {failure.paper_id: f" ({failure.reason})" for failure in unread}
    found: dict[str, Cut] = {}
    failures: list[Failure] = []
    for paper_id, wanted in _by_paper(study.references).items():
        try:
            cuts = _again(by_id.get(paper_id), wanted, study)
        except _OtherError as error:
            reason = f"{error}{why_unread.get(paper_id, '')}"
            failures.append(Failure(stage="cuts", item=paper_id, reason=reason))
            continue
        found |= {cut.id: cut for cut in cuts}
    rows = [found[one.cut_id] for one in study.references if one.cut_id in found]
    with disk_errors(out):
        write_table(out, rows, Cut, _in_part(study.provenance) if failures else study.provenance)
    return Rebuilt(
        path=out,
        num_cuts=len(rows),
        is_same_file=hash_file(out) == study.sha256,
        failures=tuple(failures),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Published:
    """What a published form says of its cuts."""

    references: Sequence[Reference]
    sha256: str
    """Of the table that was published from."""
    provenance: Mapping[str, JSON]
    version: str
    rules: Rules
    seed: int
    mains: Mapping[str, str]
    keep_hidden: bool


def _read(published: Path) -> _Published:
    path = published / REFERENCES
    references = read_table(path, Reference)
    ids = [one.cut_id for one in references]
    if sorted(ids) != sorted(cut.id for cut in read_table(published / "cuts.parquet", Cut)):
        raise TableError(
            f"{path} and cuts.parquet beside it are of other cuts: take the published folder as it "
            "was"
        )
    try:
        said = read_provenance(path) or {}
        cuts, reading = said["cuts"], said["reading"]
        inputs = cuts["provenance"]["inputs"]
        return _Published(
            references=references,
            sha256=str(cuts["sha256"]),
            provenance=dict(cuts["provenance"]),
            version=str(cuts["provenance"]["version"]),
            rules=make_rules(inputs["rules"]),
            seed=int(inputs["seed"]),
            mains=dict(reading["main"]),
            keep_hidden=bool(reading["keep_hidden"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise TableError(
            f"{path} does not say how its cuts were made: take it as it was published"
        ) from error


class _OtherError(Exception):
    """A paper is not the one that was published from."""


def _by_paper(references: Sequence[Reference]) -> dict[str, list[Reference]]:
    papers: dict[str, list[Reference]] = {}
    for one in references:
        papers.setdefault(one.paper_id, []).append(one)
    return papers


def _again(paper: Paper | None, wanted: Sequence[Reference], study: _Published) -> list[Cut]:
    """The cuts of one paper.

    Raises:
        _OtherError: the paper is not there, or it or a cut has another hash.
    """
    if paper is None:
        raise _OtherError("its source is not among those given, or could not be read")
    first = wanted[0]
    if paper.source_sha256 != first.source_sha256:
        raise _OtherError(
            "its source has other bytes than the one that was cut: is it the same version, packed "
            "as arXiv gives it?"
        )
    differs = (
        "differs from what was published, though the source is the same: use foreword "
        f"{study.version}, and the table of references as it was published"
    )
    if hash_text(paper.text) != first.text_sha256:
        raise _OtherError(f"its clean text {differs}")
    try:
        cuts = cut_again(paper, [one.cut_id for one in wanted], study.rules, seed=study.seed)
    except ValueError as error:
        raise _OtherError(f"{error}: the table of references is damaged") from error
    for one, cut in zip(wanted, cuts, strict=True):
        if reference_of(paper, cut) != one:
            raise _OtherError(f"the cut {one.cut_id} {differs}")
    return cuts


def _in_part(provenance: Mapping[str, JSON]) -> JSON:
    """So that no later stage takes a part of the cuts for the whole."""
    return {**provenance, "inputs": {**provenance["inputs"], "rebuilt": "in part"}}
