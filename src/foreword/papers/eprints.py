"""From paths to papers: every e-print that stands behind them, found and not opened yet."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from foreword.errors import SourceError
from foreword.papers.bulk import Member, index_bulk, is_gzipped_bulk, read_member
from foreword.papers.collection import (
    HEAD_BYTES,
    Kind,
    arxiv_paper,
    eprint_id,
    kind_of,
    select_eprints,
)
from foreword.papers.source import Opened, open_alone, open_bytes, open_source, paper_id

MAX_FILES = 200_000
"""Of a folder of sources."""
_LISTINGS = ("listing.journal", "listing.parquet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Eprint:
    """The source of one paper, before it is opened: no file is open and no bytes are held."""

    id: str
    """Of the paper."""
    where: str
    """The path; `ARCHIVE: MEMBER` in a bulk archive."""
    open: Callable[[], Opened]
    """As `open_source`; what can't be a paper raises here."""


def find_eprints(paths: Iterable[Path]) -> list[Eprint]:
    """The e-prints behind paths, in their order: of files, folders and collections.

    A path is one paper, except for bulk archives as arXiv gives them (a `.tar` of e-prints),
    folders of sources, and the folder of a `papers fetch`: there each e-print is a paper of its
    own. `select_eprints` has the rule.
    """
    return [one for path in paths for one in _behind(path)]


def the_eprint(path: Path) -> Eprint:
    """The only e-print behind a path.

    Raises:
        SourceError: there are several.
    """
    found = find_eprints([path])
    if len(found) > 1:
        raise SourceError(
            f"{path} holds {len(found):,} e-prints, not one paper: `foreword papers read` reads "
            "them all"
        )
    return found[0]


def _behind(path: Path) -> list[Eprint]:
    place = path.absolute()
    if _is_sources(place.parent):  # of one paper each, whatever they hold
        return [_entry(path)]
    if not path.is_dir():
        return _in_file(path, _whole(path))
    if _is_sources(place):
        return _fetched(path)
    if _is_sources(place / "sources"):
        return _fetched(path / "sources")
    try:
        files = select_eprints(_files(path))
    except SourceError as error:
        return [_failing(path, error)]
    if files is None:
        return [_whole(path)]
    return [one for file in sorted(files) for one in _in_folder(file, path)]


def _in_folder(path: Path, folder: Path) -> list[Eprint]:
    """The e-prints of a file in a folder of sources; a link that leads out is not followed."""
    single = _entry(path, folder)
    return _in_file(path, single) if _is_within(path, folder) else [single]


def _in_file(path: Path, single: Eprint) -> list[Eprint]:
    """The e-prints of a bulk archive, or the single one that a file is."""
    bulk = index_bulk(path)
    if bulk is None:
        return [replace(single, open=partial(_open_one, path, single.open))]
    found = [_member(path, member) for member in bulk.members]
    return found if bulk.flaw is None else [*found, _failing(path, bulk.flaw)]


def _whole(path: Path) -> Eprint:
    return Eprint(id=paper_id(path), where=str(path), open=partial(open_source, path))


def _entry(path: Path, within: Path | None = None) -> Eprint:
    """A file of a folder of sources, alone; or a folder there that is a paper."""
    is_named = within is None and path.is_dir()  # of a fetch, by whoever put it there
    id_ = path.name if is_named else eprint_id(_full_name(path))
    return Eprint(
        id=os.fsencode(id_).decode("utf-8", "replace"),
        where=str(path),
        open=partial(_open_entry, path, within),
    )


def _member(archive: Path, member: Member) -> Eprint:
    return Eprint(
        id=eprint_id(member.name),
        where=f"{archive}: {member.name}",
        open=partial(_open_member, archive, member),
    )


def _failing(path: Path, error: SourceError) -> Eprint:
    return Eprint(id=paper_id(path), where=str(path), open=partial(_fail, error))


def _open_one(path: Path, as_one: Callable[[], Opened]) -> Opened:
    if is_gzipped_bulk(path):
        raise SourceError(
            f"{path} is a gzipped collection of e-prints, not one paper; gunzip it first, and give "
            "the .tar that comes out"
        )
    return as_one()


def _open_entry(path: Path, within: Path | None) -> Opened:
    if within is not None and not _is_within(path, within):
        raise SourceError(
            f"{path} is a link that leads out of {within}; give what it leads to as a path"
        )
    return open_source(path) if path.is_dir() else open_alone(path)


def _open_member(archive: Path, member: Member) -> Opened:
    name = f"{eprint_id(member.name)}.tex"
    return open_bytes(read_member(archive, member), f"{archive}: {member.name}", name)


def _fail(error: SourceError) -> Opened:
    raise error


def _is_sources(folder: Path) -> bool:
    """Whether a folder is the `sources` of a `papers fetch`."""
    return (
        folder.name == "sources"
        and folder.is_dir()
        and any((folder.parent / name).is_file() for name in _LISTINGS)
    )


def _fetched(sources: Path) -> list[Eprint]:
    """What a fetch brought, or a person put beside it, as files or as links to them."""
    names = sorted(name for name in os.listdir(sources) if not name.startswith("."))
    nothing = SourceError(f"{sources} is empty; did the fetch bring anything?")
    return [_entry(sources / name) for name in names] or [_failing(sources, nothing)]


def _files(folder: Path) -> Iterator[tuple[Path, str, Kind]]:
    """Every file in a folder and those below, with its name and what it is.

    An e-print that somebody unpacked comes in place of its files: a folder that has an arXiv
    identifier for its name and LaTeX as it stands in it, and no packed file with an identifier.

    Raises:
        SourceError: there are too many.
    """
    for place, group in groupby(_walk(folder), itemgetter(0)):
        found = ((path, _full_name(path), _kind(path, folder)) for _, path in group)
        if place is None:
            yield from found
            continue
        inside = list(found)
        packed = any(kind == "packed" and arxiv_paper(name) for _, name, kind in inside)
        if packed or not any(kind == "plain" for _, _, kind in inside):
            yield from inside
        else:
            yield place, _full_name(place), "plain"


def _walk(folder: Path) -> Iterator[tuple[Path | None, Path]]:
    """Every path in a folder and those below that is no folder itself.

    Before it the topmost folder below the first, and above it, that is named by an arXiv
    identifier; None where none is. What such a folder holds comes in a row.
    """
    number, named = 0, ""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        number += len(names)
        if number > MAX_FILES:
            raise SourceError(
                f"{folder} holds more than {MAX_FILES:,} files; give the folders in it",
                "too large",
            )
        if not (named and place.startswith(f"{named}{os.sep}")):
            is_below = place != os.fspath(folder)
            named = place if is_below and arxiv_paper(_full_name(Path(place))) else ""
        top = Path(named) if named else None
        yield from ((top, Path(place, name)) for name in names if not name.startswith("."))


def _full_name(path: Path) -> str:
    return path.absolute().as_posix()


def _kind(path: Path, folder: Path) -> Kind:
    return kind_of(path.name, _head(path, folder))


def _head(path: Path, folder: Path) -> bytes:
    """The first bytes; none where the file is none, is not to be read, or leads out."""
    try:
        if path.is_file() and _is_within(path, folder):
            with path.open("rb") as file:
                return file.read(HEAD_BYTES)
    except OSError:
        pass  # if it counts as a paper, opening it says why it is none
    return b""


def _is_within(path: Path, folder: Path) -> bool:
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # a loop of links
        return False
