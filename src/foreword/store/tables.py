"""Parquet tables of records, whole or not at all, with their provenance inside."""

import dataclasses
import json
import types
import typing
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from foreword.errors import TableError
from foreword.store.files import JSON, replacing
from foreword.store.journal import first_line, to_row
from foreword.store.provenance import read_provenance

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

Row = TypeVar("Row")
_BATCH_SIZE = 2_000_000
"""Characters and items of lists in a group of rows; a single row may be larger."""


def write_table(path: Path, rows: Iterable[Row], kind: type[Row], provenance: JSON) -> None:
    """Write records of one kind as a Parquet file, whole or not at all.

    Equal rows and equal provenance give equal bytes.

    Args:
        path: the file; its folder is made if need be.
        rows: the records, in the order to be kept.
        kind: their dataclass, which fixes the columns.
        provenance: JSON-able; what the table was made from. Kept in the file's metadata.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema(kind).with_metadata(
        {"foreword": json.dumps({"kind": kind.__name__, **provenance}, sort_keys=True)}
    )
    with (
        replacing(path) as temporary,
        pq.ParquetWriter(temporary, schema, compression="zstd") as writer,
    ):
        for batch in _batches(map(to_row, rows)):
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))


def read_table(path: Path, kind: type[Row]) -> list[Row]:
    """The records of a Parquet file, each checked against its dataclass.

    Columns whose field has a default may be missing; any other difference is an error.

    Raises:
        TableError: no such file, not Parquet, a column missing or unknown, a value of a wrong kind.
    """
    file = _opened(path, kind)
    _check_columns(path, file.schema_arrow.names, kind)
    return [row for group in _groups(path, file, kind) for row in group]


def _opened(path: Path, kind: type[Any]) -> "pq.ParquetFile":
    """The file, if it is Parquet and does not say that it is of another kind."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_file():
        raise TableError(not_there(path))
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise TableError(
            f"{path} is not a Parquet file that can be read: {first_line(error)}"
        ) from error
    of = (read_provenance(path) or {}).get("kind", kind.__name__)
    if of != kind.__name__:
        raise TableError(
            f"{path} is a table of {of} records, not of {kind.__name__} records: "
            "give the other file"
        )
    return file


def _check_columns(path: Path, there: Sequence[str], kind: type[Any]) -> None:
    fields = {field.name: field for field in dataclasses.fields(kind)}
    needed = [name for name, field in fields.items() if field.default is dataclasses.MISSING]
    lacking = [name for name in needed if name not in there]
    unknown = [name for name in there if name not in fields]
    if lacking or unknown:
        parts = [f"it lacks {', '.join(lacking)}"] if lacking else []
        parts += [f"it has {', '.join(unknown)}, which this table can't have"] if unknown else []
        raise TableError(
            f"{path} is no table of {kind.__name__} records: {'; '.join(parts)}. "
            f"Its columns can be: {', '.join(fields)}"
        )


def _groups(path: Path, file: "pq.ParquetFile", kind: type[Row]) -> Iterator[list[Row]]:
    """The rows of each group, checked."""
    import pyarrow as pa
    from pydantic import TypeAdapter, ValidationError

    adapter = TypeAdapter(list[kind])  # type: ignore[valid-type]
    num_before = 0
    for number in range(file.num_row_groups):
        try:
            rows = adapter.validate_python(file.read_row_group(number).to_pylist())
        except (pa.ArrowInvalid, OSError) as error:
            raise TableError(f"{path} is damaged: {first_line(error)}; make it again") from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"][1:])
            where = f"row {num_before + int(first['loc'][0])}, column {where}"
            raise TableError(f"{path}, {where}: {first['msg'].lower()}") from error
        num_before += len(rows)
        yield rows


def _batches(rows: Iterable[JSON]) -> Iterator[list[JSON]]:
    """Rows in groups of a bearable size, so that a table's memory is that of a group.

    The sizes depend on the rows alone: equal tables have equal bytes.
    """
    batch: list[JSON] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += sum(len(value) for value in row.values() if isinstance(value, (str, list)))
        if size >= _BATCH_SIZE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


_WRITTEN_BY = {
    "papers": "foreword papers read",
    "cuts": "foreword cut",
    "forecasts": "foreword forecast",
    "scores": "foreword score",
}


def not_there(path: Path) -> str:
    """The sentence for a table that is not there: which command writes it."""
    command = _WRITTEN_BY.get(path.name.partition(".")[0].partition("-")[0])
    how = (
        f"`{command}` writes it; run it first" if command else "run the stage that writes it first"
    )
    return f"{path} is not there: {how}, or check the path"


def _schema(kind: type[Any]) -> "pa.Schema":
    import pyarrow as pa

    hints = typing.get_type_hints(kind, include_extras=True)
    return pa.schema(
        [(field.name, _arrow(hints[field.name])) for field in dataclasses.fields(kind)]
    )


def _arrow(hint: Any) -> "pa.DataType":
    """The Arrow type of a record's field: str, int, float, bool, tuples, records, optional ones."""
    import pyarrow as pa

    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    simple = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    if hint in simple:
        return simple[hint]
    if origin is typing.Annotated:
        return pa.float32()
    if origin is typing.Literal:
        return pa.string()
    if origin in (types.UnionType, typing.Union):
        return _arrow(next(argument for argument in arguments if argument is not type(None)))
    if origin is tuple:
        return pa.list_(_arrow(arguments[0]))
    if dataclasses.is_dataclass(hint):
        names = typing.get_type_hints(hint, include_extras=True)
        return pa.struct([(name, _arrow(part)) for name, part in names.items()])
    raise AssertionError(f"no column type for {hint}")


def read_json_lines(path: Path, kind: type[Row]) -> list[Row]:
    """The records of a file of JSON lines, each checked against its dataclass.

    Fields that the record does not have are left alone: such files carry their own notes.

    Raises:
        TableError: no such file, a line that is not JSON, or not such a record; with its number.
    """
    from pydantic import TypeAdapter, ValidationError

    if not path.is_file():
        what = "is no file" if path.exists() else "is not there"
        raise TableError(f"{path} {what}; check the path")
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise TableError(f"{path} is not UTF-8 text") from error
    adapter = TypeAdapter(kind)
    rows: list[Row] = []
    for number, line in enumerate(lines, 1):
        try:
            if line.strip():
                rows.append(adapter.validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            where = "".join(f", {part}" for part in first["loc"])
            raise TableError(f"{path}, line {number}{where}: {first['msg'].lower()}") from error
    return rows
