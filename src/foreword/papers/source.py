"""Where a paper's files are: a folder, a file in it, or an archive. Bytes decide, never names."""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

from foreword.errors import SourceError, State
from foreword.papers.archive import (
    MAX_FILE_BYTES,
    MAX_TOTAL_BYTES,
    gunzip,
    is_figure,
    is_tar,
    untar,
)

GZIP = b"\x1f\x8b"
"""How a gzip file starts."""
_MAX_WALKED = 20_000
_ENDINGS = re.compile(r"(?:\.(?:tex|ltx|tgz|tar|gz))+\Z", re.IGNORECASE)
_OTHER_KINDS = (
    (re.compile(rb"%PDF"), "a PDF"),
    (re.compile(rb"%!PS|\x04%!PS"), "PostScript"),
    (re.compile(rb"\s*<(?:!doctype html|html)", re.IGNORECASE), "a web page"),
    (re.compile(rb'\s*(?:\{\s*"|\[\s*[{"])'), "JSON"),
    (re.compile(rb"PK\x03\x04"), "a zip archive"),
    (re.compile(rb"BZh|\xfd7zXZ|\x28\xb5\x2f\xfd|7z\xbc\xaf"), "a compressed file that is no gzip"),
    (re.compile(rb"\xff\xfe|\xfe\xff"), "UTF-16 text"),
)
_STATES: Mapping[str, State] = {
    "a PDF": "pdf only",
    "PostScript": "pdf only",
    "a web page": "html only",
    "empty": "empty body",
}


class Source(Protocol):
    """The files of one paper. Their names are relative to its folder, with `/`."""

    def names(self) -> list[str]:
        """Every file there is, sorted; what is not text is left out."""

    def find(self, name: str) -> str | None:
        """The file of that name, in any mix of upper and lower case; None if there is none."""

    def read(self, name: str) -> bytes:
        """The bytes of a file that `find` or `names` gave."""


class Folder:
    """The files of a folder on disk, looked up one by one; links that lead out do not count."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._listed: dict[Path, dict[str, str]] = {}

    def names(self) -> list[str]:
        """Every file there is that may be text, sorted, hidden folders left out."""
        found: list[str] = []
        for number, path in enumerate(self._walk()):
            if number >= _MAX_WALKED:
                raise SourceError(
                    f"{self._root} holds more than {_MAX_WALKED:,} files; "
                    "give the folder of one paper, or its main file",
                    "too large",
                )
            name = path.relative_to(self._root).as_posix()
            if is_figure(name) or not (_is_printable(name) and self._is_mine(path)):
                continue
            if is_readme(name) or describe(_head(path)) is None:
                found.append(name)
        return sorted(found)

    def _walk(self) -> Iterator[Path]:
        for folder, folders, files in os.walk(self._root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            yield from (Path(folder, name) for name in files if not name.startswith("."))

    def _is_mine(self, path: Path) -> bool:
        try:
            return path.is_file() and path.resolve().is_relative_to(self._root)
        except (OSError, RuntimeError):  # a loop of links, or a name that is too long
            return False

    def find(self, name: str) -> str | None:
        """The file of that name: as it stands, else in any mix of upper and lower case."""
        if "\0" in name:
            return None
        path = self._root / name
        if not self._is_mine(path):
            path = self._root
            for part in name.split("/"):
                path = path / self._entries(path).get(part.lower(), part)
        if not self._is_mine(path):
            return None
        return path.relative_to(self._root).as_posix()

    def _entries(self, folder: Path) -> dict[str, str]:
        """What is in a folder, by name in lower case."""
        if folder not in self._listed:
            try:
                names = sorted(filter(_is_printable, os.listdir(folder)), reverse=True)
            except OSError:
                names = []
            self._listed[folder] = {name.lower(): name for name in names}
        return self._listed[folder]

    def read(self, name: str) -> bytes:
        """The bytes of a file."""
        return read_bytes(self._root / name, MAX_FILE_BYTES)


class Members:
    """The files of an archive, or a single one, in memory."""

    def __init__(self, members: Mapping[str, bytes]) -> None:
        self._members = {
            name: data
            for name, data in members.items()
            if is_readme(name) or describe(data) is None
        }
        self._any_case = {name.lower(): name for name in sorted(self._members, reverse=True)}

    def names(self) -> list[str]:
        """Every member that may be text, sorted."""
        return sorted(self._members)

    def find(self, name: str) -> str | None:
        """The member of that name: as it stands, else in any mix of upper and lower case."""
        return name if name in self._members else self._any_case.get(name.lower())

    def read(self, name: str) -> bytes:
        """The bytes of a member."""
        return self._members[name]


Opened = tuple[Source, str | None, bytes | None]
"""The files of a paper; the main file, where it is known; and the bytes of the one file it is."""


def paper_id(path: Path) -> str:
    """The name of a file or folder, without the endings that only tell how it is packed.

    >>> paper_id(Path("2604.19885v2.tar.gz"))
    '2604.19885v2'
    """
    name = path.resolve().name
    bare = name if path.is_dir() else _ENDINGS.sub("", name) or name
    return os.fsencode(bare).decode("utf-8", "replace")


def open_source(path: Path) -> Opened:
    """The paper behind a path; a LaTeX file that is not packed may include its neighbours.

    Raises:
        SourceError: there is nothing, or nothing that is LaTeX.
        UnsafeArchiveError: an archive tried to leave its folder, or is a bomb.
    """
    if path.is_dir():
        return Folder(path), None, None
    source, only, data = open_alone(path)
    if only is None or data is None or data.startswith(GZIP):
        return source, only, data
    return Folder(path.parent), only, data


def open_alone(path: Path) -> Opened:
    """The paper in a file, be it an archive or LaTeX; nothing beside the file belongs to it.

    Raises:
        SourceError: as `open_source`.
    """
    data = read_bytes(path, MAX_TOTAL_BYTES)
    name = f"{paper_id(path)}.tex" if data.startswith(GZIP) else path.name
    return open_bytes(data, str(path), name)


def open_bytes(data: bytes, where: str, name: str) -> Opened:
    """The paper in the bytes of one e-print.

    Args:
        data: a gzip file, a tar archive, or LaTeX.
        where: what to call it in messages.
        name: of the only file, where it is no archive.

    Raises:
        SourceError: as `open_source`.
    """
    inside = gunzip(data, where) if data.startswith(GZIP) else data
    if is_tar(inside):
        return Members(untar(inside, where)), None, data
    kind = describe(inside)
    if kind is not None:
        raise SourceError(
            f"{where} is {kind}, not LaTeX; give its LaTeX source: a .tex file, a folder, "
            "a .tar.gz or a .gz",
            state_of(kind),
        )
    if len(inside) > MAX_FILE_BYTES:
        raise SourceError(
            f"{where} holds more than {MAX_FILE_BYTES // 1_000_000} MB of text; is it one paper?",
            "too large",
        )
    return Members({name: inside}), name, data


def read_bytes(path: Path, limit: int) -> bytes:
    """The bytes of a regular file of bearable size.

    Raises:
        SourceError: it is not there, is no regular file, is over the limit, or can't be read.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise SourceError(f"{path} is neither a file nor a folder; give one of them")
        if status.st_size > limit:
            raise SourceError(
                f"{path} is larger than {limit // 1_000_000} MB; is it one paper?", "too large"
            )
        return path.read_bytes()
    except FileNotFoundError as error:
        raise SourceError(f"{path} is not there; check the path") from error
    except (OSError, ValueError) as error:
        raise SourceError(f"{path} can't be read ({error})") from error


def describe(data: bytes) -> str | None:
    """What the bytes are, in words; None where they may be LaTeX.

    >>> describe(b"%PDF-1.5")
    'a PDF'
    """
    if not data.strip():
        return "empty"
    for start, kind in _OTHER_KINDS:
        if start.match(data):
            return kind
    if data.startswith(GZIP):
        return "a gzip file in another one"
    if b"\0" in data[:1024]:
        return "binary data"
    return None


def is_readme(name: str) -> bool:
    """Whether a file is arXiv's note on the others, which may be JSON."""
    return name.rpartition("/")[2].lower().startswith("00readme")


def state_of(kind: str) -> State:
    """The state of a paper whose source is of this kind, as `describe` names it."""
    return _STATES.get(kind, "unreadable")


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(4096)
    except OSError as error:
        raise SourceError(f"{path} can't be read ({error})") from error


def _is_printable(name: str) -> bool:
    """Whether a name can be stored as text at all."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
