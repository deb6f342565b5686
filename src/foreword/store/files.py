"""Hashes, files that are there whole or not at all, and who holds a folder."""

import errno
import fcntl
import hashlib
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from foreword.errors import BusyError, ForewordError

JSON = Any  # the standard library's own type for what json.loads returns

_NO_PLACE = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOTDIR,
    errno.EISDIR,
    errno.EEXIST,
    errno.ENAMETOOLONG,
)


def fingerprint(value: JSON) -> str:
    """Hash of a JSON-able value: 64 hex digits, the same for equal values in any key order.

    >>> fingerprint({"a": 1, "b": "x"}) == fingerprint({"b": "x", "a": 1})
    True
    """
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def hash_text(text: str) -> str:
    """SHA-256 of a text in UTF-8, as 64 hex digits.

    >>> hash_text("")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def hash_file(path: Path) -> str:
    """SHA-256 of a file's bytes, as 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path that takes `path`'s place, fsynced, if the block ends without an error.

    Raises:
        BusyError: another process is writing the same file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.tmp")
    with _locked(temporary, path) as held:
        try:
            yield temporary
            os.fsync(held.fileno())
            temporary.replace(path)
        except BaseException:
            # Only here: after success the name can be the next writer's file already.
            temporary.unlink(missing_ok=True)
            raise
        fsync_folder(path.parent)


def _locked(temporary: Path, path: Path) -> IO[bytes]:
    """The temporary file, opened, and locked for this process alone."""
    while True:
        file = temporary.open("a+b")
        try:
            lock(file, path, "write")
            if _is_at(file, temporary):
                return file
        except BaseException:
            file.close()
            raise
        file.close()  # another process finished it meanwhile, and it is the file itself now


def _is_at(file: IO[bytes], path: Path) -> bool:
    """Whether an open file is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def fsync_folder(folder: Path) -> None:
    """Make sure that a power cut does not undo the making or renaming of a file in a folder."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def holding(folder: Path, doing: str) -> Iterator[None]:
    """Hold a folder for this process while the block runs.

    The operating system lets go of it when the process ends, however it ends.

    Raises:
        BusyError: another process holds it; the message says which.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("a+b") as file:
        lock(file, folder, doing)
        yield
        file.truncate(0)


@contextmanager
def beside(folder: Path) -> Iterator[None]:
    """Work in a folder that nobody may hold meanwhile; others may work beside.

    Raises:
        BusyError: a process holds the folder; the message says which.
    """
    path = folder / ".lock"
    if not path.exists():  # no study folder: nobody can hold it
        yield
        return
    with path.open("rb") as file:
        lock(file, folder, None)
        yield


def lock(file: IO[bytes], what: Path, doing: str | None) -> None:
    """Lock an open file until it is closed: for this process alone, or, with no `doing`, shared.

    Raises:
        BusyError: another process has it; the message says which, where it said so.
    """
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if doing is None else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            raise
        file.seek(0)
        holder = file.readline(300).decode("utf-8", "replace").strip()
        by = holder if holder.startswith("process ") else "another process"
        raise BusyError(f"{what} is in use by {by}; wait for it, or use another place") from None
    if doing is not None and what.is_dir():
        file.truncate(0)
        file.write(f"process {os.getpid()} on {socket.gethostname()} ({doing})\n".encode())
        file.flush()


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn a full disk, a forbidden or an impossible place into one sentence about `path`.

    Raises:
        ForewordError: in place of the operating system's error.
    """
    try:
        yield
    except OSError as error:
        place = path if path.is_dir() else path.parent
        named = Path(error.filename) if isinstance(error.filename, str) else place
        if error.errno not in _NO_PLACE or place not in (named, *named.parents):
            raise
        raise ForewordError(
            f"can't write {path}: {os.strerror(error.errno).lower()}. What was finished is kept: "
            "make room or choose another place, and run the same command again"
        ) from error
