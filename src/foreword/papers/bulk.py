"""Bulk archives as arXiv gives them: a tar of e-prints, read member by member from the disk."""

import gzip
import os
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from foreword.errors import SourceError, UnsafeArchiveError
from foreword.papers.archive import MAX_TOTAL_BYTES, is_tar, is_zeros, refused, why_unsafe
from foreword.papers.collection import HEAD_BYTES, Kind, kind_of, select_eprints

MAX_MEMBERS = 50_000
_MAX_HEADER_BYTES = 1_000_000
"""Of one member's headers, its long names and attributes included."""
_MAX_PADDING_BYTES = 4_000_000
"""Of zeros after an archive's end; tar fills up the last of its blocks, 10 kB or 1 MB large."""


@dataclass(frozen=True, slots=True)
class Member:
    """Where an e-print stands in a bulk archive."""

    name: str
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Bulk:
    """A bulk archive: its e-prints in order, none of them read."""

    members: tuple[Member, ...]
    flaw: SourceError | None
    """Why there are no more, where the archive is torn or goes on after its end; or none at all,
    where it is unsafe."""


def index_bulk(path: Path) -> Bulk | None:
    """Where the e-prints of a bulk archive stand; None where a file is no bulk archive.

    Only headers and the first bytes of each member are read, and all of them before any member is.
    """
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            if not is_tar(file.read(tarfile.BLOCKSIZE)):
                return None
            scan = _Scan(path, file, os.fstat(file.fileno()).st_size)
            members = select_eprints(scan.files())
    except (OSError, ValueError):  # whoever opens it as a paper says what is wrong
        return None
    if members is None:
        return None
    if scan.danger is not None:
        return Bulk((), scan.danger)
    return Bulk(tuple(members), scan.damage)


def is_gzipped_bulk(path: Path) -> bool:
    """Whether a gzip file holds a bulk archive, as far as its first `MAX_TOTAL_BYTES` tell."""
    try:
        if not path.is_file():
            return False
        with gzip.open(path) as file:
            is_archive = is_tar(file.read(tarfile.BLOCKSIZE))
            scan = _Scan(path, cast(IO[bytes], file), MAX_TOTAL_BYTES)
            return is_archive and select_eprints(scan.files()) is not None
    except (OSError, EOFError, ValueError, zlib.error):  # whoever opens it says what is wrong
        return False


def read_member(path: Path, member: Member) -> bytes:
    """The bytes of one member.

    Raises:
        SourceError: it is too large, or the archive is no longer what it was.
    """
    where = f"{path}: {member.name}"
    if member.size > MAX_TOTAL_BYTES:
        raise SourceError(
            f"{where} is larger than {MAX_TOTAL_BYTES // 1_000_000} MB; is it one paper?",
            "too large",
        )
    try:
        with path.open("rb") as file:
            file.seek(member.offset)
            data = file.read(member.size)
    except OSError as error:
        raise SourceError(f"{where} can't be read ({error})") from error
    if len(data) != member.size:
        raise SourceError(f"{where} is torn: the archive became shorter", "bad archive")
    return data


class _Scan:
    """One pass over an archive's headers, and what was wrong on the way.

    Nothing is looked at behind the first `size` bytes.
    """

    def __init__(self, path: Path, file: IO[bytes], size: int) -> None:
        self._path = path
        self._file = file
        self._size = size
        self._headers = _Headers(file, size)
        self.danger: UnsafeArchiveError | None = None
        self.damage: SourceError | None = None

    def files(self) -> Iterator[tuple[Member, str, Kind]]:
        """Every regular member that is there whole, with its name and what it is."""
        last = ""
        try:
            with self._open() as tar:
                for number, info in enumerate(tar, 1):
                    self._look_at(info, number)
                    if number > MAX_MEMBERS:
                        return
                    if info.isreg():
                        yield self._member(info)
                    last = info.name
                    self._headers.num_bytes = 0
                self._check_end(tar.offset, last)
        except (tarfile.TarError, OSError, ValueError, OverflowError, RecursionError):
            self._tell_damage(last)
        except (EOFError, zlib.error):  # of a gzip file
            self._tell_damage(last)

    def _open(self) -> tarfile.TarFile:
        self._file.seek(0)
        headers = cast(Any, self._headers)  # what reading takes of a file
        return tarfile.open(fileobj=headers, mode="r:", encoding="utf-8", errors="replace")

    def _look_at(self, info: tarfile.TarInfo, number: int) -> None:
        reason = why_unsafe(info)
        if info.issparse():  # its bytes do not stand in one piece
            reason = "is neither a file nor a folder"
        if number > MAX_MEMBERS:
            reason = f"is one of more than {MAX_MEMBERS:,} members"
        if reason is not None and self.danger is None:
            self.danger = refused(str(self._path), info, reason)

    def _member(self, info: tarfile.TarInfo) -> tuple[Member, str, Kind]:
        if not 0 <= info.size <= self._size - info.offset_data:
            raise tarfile.ReadError("unexpected end of data")
        self._file.seek(info.offset_data)
        head = self._file.read(min(info.size, HEAD_BYTES))
        member = Member(info.name, info.offset_data, info.size)
        return member, info.name, kind_of(info.name, head)

    def _check_end(self, offset: int, last: str) -> None:
        self._file.seek(offset)
        if not is_zeros(self._file.read(tarfile.BLOCKSIZE)):
            self._tell_damage(last)
        elif self._file.read(_MAX_PADDING_BYTES).strip(b"\0") or self._file.read(1):
            self.damage = SourceError(
                f"{self._path} holds more after its end; nothing behind its member {last[:200]!r} "
                "was read: if archives were joined there, give each as a file of its own",
                "bad archive",
            )

    def _tell_damage(self, last: str) -> None:
        self.damage = SourceError(
            f"{self._path} is a torn or damaged tar archive: nothing after its member "
            f"{last[:200]!r} can be read; download it again",
            "bad archive",
        )


class _Headers:
    """A file as tarfile reads its headers: one that claims to be endless is damaged.

    So is one that leads back, or out of the file: each byte is come by once.
    """

    def __init__(self, file: IO[bytes], size: int) -> None:
        self._file = file
        self._size = size
        self.num_bytes = 0

    def read(self, size: int) -> bytes:
        self.num_bytes += size
        if not 0 <= size <= self.num_bytes <= _MAX_HEADER_BYTES:
            raise tarfile.ReadError("a header is too long")
        return self._file.read(size)

    def tell(self) -> int:
        return self._file.tell()

    def seek(self, position: int) -> int:
        if not self._file.tell() <= position <= self._size:
            raise tarfile.ReadError("a member ends before it begins, or behind the end")
        return self._file.seek(position)
