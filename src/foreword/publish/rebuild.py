"""The cuts of a published study, made again from the papers' sources and compared by hash."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from foreword.catalogue import Reference
from foreword.cuts import CutRules, cuts_again
from foreword.errors import TableError
from foreword.papers import read_papers
from foreword.publish.export import REFERENCES
from foreword.records import Cut, Failure, Paper
from foreword.step import Show, quiet
from foreword.store import (
    JSON,
    disk_errors,
    fingerprint,
    hash_file,
    hash_text,
    read_provenance,
    read_table,
    to_row,
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
        TableError: the folder is no published form, or `out` is there.
    """
    references = read_table(published / REFERENCES, Reference)
    provenance = read_provenance(published / REFERENCES) or {}
    original = provenance.get("cuts")
    if original is None:
        raise TableError(
            f"{published / REFERENCES} does not say what cuts it is of: fetch it again"
        )
    if out.exists() and not overwrite and hash_file(out) != original["sha256"]:
        raise TableError(f"{out} is there: give --overwrite to replace it, or another --out")
    made_with = original["provenance"].get("version", "another version")
    reading = provenance["reading"]
    papers, unread = read_papers(
        sources,
        mains=reading["main"],
        keep_hidden=reading["keep_hidden"],
        progress=show("reading papers"),
    )
    inputs = original["provenance"]["inputs"]
    by_id = {paper.id: paper for paper in papers}
    why_unread = {failure.paper_id: failure.reason for failure in unread}
    found: dict[str, Cut] = {}
    failures: list[Failure] = []
    for paper_id, wanted in _by_paper(references).items():
        try:
            cuts = _again(by_id.get(paper_id), wanted, CutRules(**inputs["rules"]), inputs["seed"])
        except _OtherError as error:
            more = why_unread.get(paper_id, "")
            reason = str(error).replace("{version}", made_with) + (f" ({more})" if more else "")
            failures.append(Failure(stage="cuts", item=paper_id, reason=reason))
            continue
        found |= {cut.id: cut for cut in cuts}
    rows = [found[one.cut_id] for one in references if one.cut_id in found]
    made_from = original["provenance"] if not failures else _in_part(original["provenance"])
    with disk_errors(out):
        write_table(out, rows, Cut, made_from)
    return Rebuilt(
        path=out,
        num_cuts=len(rows),
        is_same_file=hash_file(out) == original["sha256"],
        failures=tuple(failures),
    )


class _OtherError(Exception):
    """A paper is not the one that was published from."""


def _by_paper(references: Sequence[Reference]) -> dict[str, list[Reference]]:
    papers: dict[str, list[Reference]] = {}
    for one in references:
        papers.setdefault(one.paper_id, []).append(one)
    return papers


def _again(
    paper: Paper | None, wanted: Sequence[Reference], rules: CutRules, seed: int
) -> list[Cut]:
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
        "differs from what was published, though the source is the same: use foreword {version}"
    )
    if hash_text(paper.text) != first.text_sha256:
        raise _OtherError(f"its clean text {differs}")
    try:
        cuts = cuts_again(paper, [one.cut_id for one in wanted], rules, seed=seed)
    except ValueError as error:
        raise _OtherError(f"{error}: the table of references is damaged") from error
    for one, cut in zip(wanted, cuts, strict=True):
        if fingerprint(to_row(cut)) != one.sha256:
            raise _OtherError(f"the cut {one.cut_id} {differs}")
    return cuts


def _in_part(provenance: Mapping[str, JSON]) -> JSON:
    """So that no later stage takes a part of the cuts for the whole."""
    return {**provenance, "inputs": {**provenance["inputs"], "rebuilt": "in part"}}
