"""Archives, read in memory: nothing is extracted, and what is unsafe is refused before any use."""

import gzip
import io
import re
import tarfile
import zlib
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO

from foreword.errors import SourceError, State, UnsafeArchiveError

MAX_MEMBERS = 5_000
MAX_TOTAL_BYTES = 200_000_000
MAX_FILE_BYTES = 50_000_000
_BLOCK = 512
_PIECE_BYTES = 1_000_000
_MAY_BE_LATEX = frozenset({".tex", ".ltx", ".txt", ""})
_DRIVE = re.compile(r"[A-Za-z]:")
_FIGURE = re.compile(
    r".*\.(?:pdf|png|jpe?g|gif|tiff?|svg|epsi?|ps|bmp|webp|mp4|avi|mov|zip|gz|bz2|xz|7z|np[yz]|h5"
    r"|hdf5|fits|mat|dvi|[to]tf|pf[ab]|woff2?)",
    re.IGNORECASE | re.DOTALL,
)


def is_figure(name: str) -> bool:
    """Whether a file is, by its name, a figure or something else that holds no LaTeX."""
    return bool(_FIGURE.fullmatch(name))


def is_tar(data: bytes) -> bool:
    """Whether the bytes start with the header of a tar archive, right checksum included."""
    try:
        tarfile.TarInfo.frombuf(data[:_BLOCK], "utf-8", "replace")
    except tarfile.HeaderError:
        return False
    return True


def gunzip(data: bytes, name: str) -> bytes:
    """The bytes that a gzip file holds, never more than the cap in memory.

    Raises:
        UnsafeArchiveError: they are more than `MAX_TOTAL_BYTES`.
        SourceError: the file is torn or damaged.
    """
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            found = _read_up_to(file, MAX_TOTAL_BYTES + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise SourceError(
            f"{name} is a damaged gzip file ({_said(error)}); download it again",
            "bad archive",
        ) from error
    if len(found) > MAX_TOTAL_BYTES:
        raise UnsafeArchiveError(
            f"{name} unpacks to more than {MAX_TOTAL_BYTES // 1_000_000} MB; "
            "if you trust it, unpack it yourself and give the folder",
            "too large",
        )
    return found


def _read_up_to(file: gzip.GzipFile, limit: int) -> bytes:
    """At most so many bytes of a file, piece by piece: one read would claim room for all."""
    pieces: list[bytes] = []
    while limit > 0 and (piece := file.read(min(limit, _PIECE_BYTES))):
        pieces.append(piece)
        limit -= len(piece)
    return b"".join(pieces)


def untar(data: bytes, name: str) -> dict[str, bytes]:
    """The members of a tar archive that may be LaTeX, by name.

    Every member is looked at before one is read. Figures are left out.

    Raises:
        UnsafeArchiveError: a member leaves the folder, is a link or a device, is too large, or
            there are too many.
        SourceError: the archive is torn or damaged, or holds a finished paper and no LaTeX.
    """
    try:
        with tarfile.open(
            fileobj=io.BytesIO(data), mode="r:", encoding="utf-8", errors="replace"
        ) as tar:
            members = list(_checked(tar, name))
            _check_end(data, tar.offset, name)
            _refuse_finished(members, name)
            return {
                _plain_name(member.name): _read(tar.extractfile(member))
                for member in members
                if member.isreg() and not is_figure(member.name)
            }
    except (tarfile.TarError, OSError, ValueError, OverflowError, RecursionError) as error:
        raise SourceError(
            f"{name} is a damaged tar archive ({_said(error)}); download it again",
            "bad archive",
        ) from error


def _checked(tar: tarfile.TarFile, name: str) -> Iterator[tarfile.TarInfo]:
    """The members of an archive, once each has been found harmless."""
    total = 0
    for number, member in enumerate(tar, 1):
        total += member.size
        reason = why_unsafe(member)
        if reason is None and member.size > MAX_FILE_BYTES:
            reason = f"is larger than {MAX_FILE_BYTES // 1_000_000} MB"
        if number > MAX_MEMBERS:
            reason = f"is one of more than {MAX_MEMBERS:,} members"
        elif total > MAX_TOTAL_BYTES:
            reason = f"brings the archive over {MAX_TOTAL_BYTES // 1_000_000} MB"
        if reason is not None:
            raise refused(name, member, reason)
        yield member


def refused(name: str, member: tarfile.TarInfo, reason: str) -> UnsafeArchiveError:
    """The error for an archive that is not used because of one member."""
    return UnsafeArchiveError(
        f"{name}: the member {member.name[:200]!r} {reason}, so nothing in it was used; "
        "give the paper's own files in a folder instead"
    )


def why_unsafe(member: tarfile.TarInfo) -> str | None:
    """What is wrong with a member, in words; None when nothing is."""
    parts = member.name.replace("\\", "/").split("/")
    if parts[0] == "":
        return "has an absolute path"
    if _DRIVE.match(member.name):
        return "starts with a drive letter"
    if ".." in parts:
        return "leaves the archive's folder"
    if member.issym() or member.islnk():
        return f"is a link to {member.linkname[:200]!r}"
    if not (member.isreg() or member.isdir()):
        return "is neither a file nor a folder"
    if member.size < 0:
        return "has a size below zero"
    return None


def _refuse_finished(members: list[tarfile.TarInfo], name: str) -> None:
    """A paper that is there as PDF, PostScript or HTML alone."""
    endings = {PurePosixPath(member.name).suffix.lower() for member in members if member.isreg()}
    state: State = "html only" if endings & {".html", ".htm"} else "pdf only"
    if endings & {".html", ".htm", ".pdf", ".ps"} and not endings & _MAY_BE_LATEX:
        raise SourceError(
            f"{name} holds no LaTeX file but a finished paper ({state}); "
            "give the paper's LaTeX source",
            state,
        )


def _check_end(data: bytes, offset: int, name: str) -> None:
    """An archive ends with a block of zeros; tarfile takes a damaged header for an end as well."""
    if not is_zeros(data[offset : offset + _BLOCK]):
        raise SourceError(
            f"{name} is a torn or damaged tar archive; download it again", "bad archive"
        )


def is_zeros(block: bytes) -> bool:
    """Whether a block is there and is the end of an archive."""
    return bool(block) and not block.strip(b"\0")


def _read(file: IO[bytes] | None) -> bytes:
    assert file is not None, "only regular files are read"
    return file.read()


def _plain_name(name: str) -> str:
    return "/".join(part for part in name.split("/") if part not in ("", "."))


def _said(error: BaseException) -> str:
    return str(error).splitlines()[0][:200] if str(error) else type(error).__name__
