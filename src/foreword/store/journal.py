"""An append-only file of finished work, which survives kill -9."""

import dataclasses
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from foreword.errors import TableError
from foreword.store.files import JSON, fsync_folder, lock

Row = TypeVar("Row")


def _no_number(name: str) -> Any:
    """Python's own addition to JSON: NaN and the infinities."""
    raise ValueError(name)


class Journal:
    """An append-only file of rows by key; a line is what one `add` was given, all of it or nothing.

    Rows survive a kill once `add` returns. Opening it locks it for this process and drops a last
    line that a kill left torn. Use it in a `with` block, or close it.

    Raises:
        BusyError: another process has it open.
        TableError: a line is damaged; the message says which.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: dict[str, JSON] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a+b", buffering=0)  # what a full disk refused must not linger
        try:
            lock(self._file, path, "journal")
            fsync_folder(path.parent)
            self._load()
        except BaseException:
            self._file.close()
            raise

    def _load(self) -> None:
        whole = 0
        with self._path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if not line.endswith(b"\n"):
                    break
                try:
                    self._rows.update(json.loads(line, parse_constant=_no_number))
                except (ValueError, TypeError) as error:
                    raise TableError(
                        f"{self._path}, line {number}, is damaged; delete that line to go on "
                        "(what it held is then done again)"
                    ) from error
                whole += len(line)
        self._file.truncate(whole)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __contains__(self, key: str) -> bool:
        return key in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __getitem__(self, key: str) -> JSON:
        return self._rows[key]

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, rows: Mapping[str, JSON]) -> None:
        """Keep rows under their keys, on disk before this returns; a kill keeps all or none."""
        line = json.dumps(dict(rows), ensure_ascii=True, allow_nan=False) + "\n"
        whole = self._file.seek(0, os.SEEK_END)
        try:
            data = line.encode("ascii")
            while data:
                data = data[self._file.write(data) :]
            os.fsync(self._file.fileno())
        except OSError:
            self._file.truncate(whole)  # a full disk took part of a line
            raise
        self._rows.update(rows)


def to_row(value: Any) -> JSON:
    """A record as dictionaries, lists and plain values."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_row(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [to_row(item) for item in value]
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "replace").decode()  # half a surrogate pair is no character
    return value


def from_row(row: JSON, kind: type[Row]) -> Row:
    """The record that `to_row` made the data from.

    Raises:
        TableError: the data does not fit the record, so another version wrote it.
    """
    from pydantic import TypeAdapter, ValidationError

    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    try:
        record: Row = _ADAPTERS[kind].validate_python(row)
    except ValidationError as error:
        raise TableError(
            f"a stored {kind.__name__} does not fit this version of foreword: {first_line(error)}"
        ) from error
    return record


_ADAPTERS: dict[type[Any], Any] = {}  # building one takes longer than a row does


def first_line(error: BaseException) -> str:
    """The first line of an error's message, or its kind where it has none."""
    return (str(error).splitlines() or [type(error).__name__])[0]
