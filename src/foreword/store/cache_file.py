"""The cache's file: an SQLite database with a rollback journal, and what is done in it.

Each function takes a connection and may raise `sqlite3.Error`; what becomes of that is up to
`store.cache`. Transactions are short, so that processes take turns.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from typing import TypeVar

from foreword.store.files import JSON

Item = TypeVar("Item")
_MARK = 0x46575244  # in the file's header: it is ours
_SCHEMA = (
    # SQLite would take any kind of value in any column
    "CREATE TABLE entries (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, "
    "scorer_id TEXT NOT NULL CHECK (typeof(scorer_id) = 'text'), "
    "bytes INTEGER NOT NULL CHECK (typeof(bytes) = 'integer'), "
    "used INTEGER NOT NULL CHECK (typeof(used) = 'integer'))",
    "CREATE INDEX by_use ON entries (used)",
    # apart from the entries, so that noting a use writes little
    "CREATE TABLE contents (id INTEGER PRIMARY KEY REFERENCES entries ON DELETE CASCADE, "
    "packed BLOB NOT NULL)",
)
_LOOK_UP = "SELECT id, used, packed FROM entries JOIN contents USING (id) WHERE key = ?"
_ADD = "INSERT OR REPLACE INTO entries (key, scorer_id, bytes, used) VALUES (?, ?, ?, ?)"
_DIGEST = 16  # bytes before each row, of its key and its content: what was altered is not there
_AT_ONCE = 500  # keys looked up, or rows removed, in one transaction
_PAGES_AT_ONCE = 5000
_SECONDS_A_USE = 3600  # a use is noted once an hour: what is read often is not written often


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a cache holds of one scorer."""

    scorer_id: str
    rows: int
    bytes: int
    """Of the compressed rows, without what the file needs beside them."""


@contextmanager
def connected(path: Path, wait_s: float) -> Iterator[sqlite3.Connection]:
    """A connection to the file, which is made where it is not there.

    Each piece of work has its own, so that no two threads or forks share one.

    Args:
        path: of the file.
        wait_s: how long to wait for other processes.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)  # it holds what papers say
    with closing(sqlite3.connect(path, timeout=wait_s, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        if not _is_ours(connection):
            _make(connection)
        yield connection


@contextmanager
def _transaction(connection: sqlite3.Connection, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
    """All or nothing. Who will write says so at once: two who read first wait for each other."""
    connection.execute(begin)
    with connection:
        yield


def _is_ours(connection: sqlite3.Connection) -> bool:
    [[mark]] = connection.execute("PRAGMA application_id").fetchall()
    return bool(mark == _MARK)


def _make(connection: sqlite3.Connection) -> None:
    """Make the tables, in a file that is empty."""
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # so that a trimmed file can shrink
    with _transaction(connection):
        if _is_ours(connection):
            return  # another process was faster
        if connection.execute("SELECT count(*) FROM sqlite_master").fetchall() != [(0,)]:
            raise sqlite3.DatabaseError("it is a database of another program")
        for statement in _SCHEMA:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {_MARK}")


def read(
    connection: sqlite3.Connection, keys: Sequence[str], now: int, found: dict[str, JSON]
) -> None:
    """Put the rows that are there into `found`, and then note their use."""
    stale: list[int] = []
    for some in _slices(keys):
        with _transaction(connection, "BEGIN"):
            for key in some:
                for entry, used, packed in connection.execute(_LOOK_UP, [bytes.fromhex(key)]):
                    found |= _unpacked(key, packed)
                    stale += [entry] if used <= now - _SECONDS_A_USE else []
    for entries in _slices(stale):
        # a file that can only be read is of use too
        with suppress(sqlite3.OperationalError), _transaction(connection):
            uses = [(now, entry) for entry in entries]
            connection.executemany("UPDATE entries SET used = ? WHERE id = ?", uses)


def missing(connection: sqlite3.Connection, keys: Sequence[str]) -> list[str]:
    """Those of the keys that have no row."""
    absent: list[str] = []
    known = "SELECT 1 FROM entries WHERE key = ?"
    for some in _slices(keys):
        with _transaction(connection, "BEGIN"):
            there = (connection.execute(known, [bytes.fromhex(key)]).fetchall() for key in some)
            absent += [key for key, rows in zip(some, there, strict=True) if not rows]
    return absent


def write(
    connection: sqlite3.Connection, scorer_id: str, rows: Mapping[str, JSON], now: int
) -> None:
    """Put rows in the file, all or none, in place of those that have the same keys."""
    packed = {bytes.fromhex(key): _packed(key, row) for key, row in rows.items()}
    with _transaction(connection):
        for key, value in packed.items():
            added = connection.execute(_ADD, [key, scorer_id, len(value), now])
            connection.execute("INSERT INTO contents VALUES (?, ?)", [added.lastrowid, value])


def _packed(key: str, row: JSON) -> bytes:
    text = json.dumps(row, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    content = zlib.compress(text.encode("ascii"))
    return _digest(key, content) + content


def _unpacked(key: str, packed: bytes) -> dict[str, JSON]:
    """The row under its key; nothing where it is not what was put there."""
    content = packed[_DIGEST:] if isinstance(packed, bytes) else b""
    if _digest(key, content) != packed[:_DIGEST]:
        return {}
    return {key: json.loads(zlib.decompress(content))}


def _digest(key: str, content: bytes) -> bytes:
    return blake2b(content, digest_size=_DIGEST, key=bytes.fromhex(key)).digest()


def used_bytes(connection: sqlite3.Connection) -> int:
    """What the file takes, less the pages that are free to be written again."""
    names = ("page_count", "freelist_count", "page_size")
    count, free, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names)
    return int((count - free) * size)


def trim(connection: sqlite3.Connection, max_bytes: int) -> int:
    """Remove the least recently used rows until no more bytes are used; how many went."""
    oldest = "SELECT id, bytes FROM entries ORDER BY used, id LIMIT ?"
    gone = 0
    while (excess := used_bytes(connection) - max_bytes) > 0:
        with _transaction(connection):
            rows = connection.execute(oldest, [_AT_ONCE]).fetchall()
            before = accumulate((size for _, size in rows), initial=0)
            leave = [(row[0],) for row, size in zip(rows, before, strict=False) if size < excess]
            connection.executemany("DELETE FROM entries WHERE id = ?", leave)
        if not leave:
            break
        gone += len(leave)
    return gone


def clear(connection: sqlite3.Connection, scorer_id: str | None) -> int:
    """Remove the rows of a scorer, or all; how many went."""
    of = "SELECT id FROM entries WHERE ?1 IS NULL OR scorer_id = ?1"
    leave = connection.execute(of, [scorer_id]).fetchall()
    for some in _slices(leave):
        with _transaction(connection):
            connection.executemany("DELETE FROM entries WHERE id = ?", some)
    return len(leave)


def give_back(connection: sqlite3.Connection) -> None:
    """Let the disk have the pages that nothing is on."""
    while connection.execute("PRAGMA freelist_count").fetchone()[0]:
        # `execute` would do one page
        connection.executescript(f"PRAGMA incremental_vacuum({_PAGES_AT_ONCE})")


def sizes(connection: sqlite3.Connection) -> list[Held]:
    """What is held of each scorer, the most first."""
    found = connection.execute(
        "SELECT scorer_id, count(*), sum(bytes) FROM entries GROUP BY scorer_id "
        "ORDER BY sum(bytes) DESC, scorer_id"
    )
    return [Held(scorer_id=name, rows=rows, bytes=size) for name, rows, size in found]


def is_damage(error: BaseException | None) -> bool:
    """Whether the file is no database, or a broken one."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _slices(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    return (items[start : start + _AT_ONCE] for start in range(0, len(items), _AT_ONCE))
