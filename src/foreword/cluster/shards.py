"""Shards: what actors finished, a file a group, in a folder that all nodes see.

A shard's name is the hash of the keys that its rows are kept under, so that whoever scores a group
again writes the same rows in the same place. It is there whole or not at all.
"""

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from foreword.errors import BusyError, ForewordError, TableError
from foreword.records import TokenScores
from foreword.store import fingerprint, from_row, to_row, write_text

_MOST_TRIES = 3
"""Processes that may die over one group before it is given up."""
_PATIENCE_S = 60.0
"""A network's file system may show a new file this much later."""


@dataclass(frozen=True, slots=True)
class Shards:
    """A folder of shards."""

    folder: Path

    @staticmethod
    def name(keys: Sequence[str]) -> str:
        """Of the shard that holds the rows of these keys."""
        return fingerprint(list(keys))

    def names(self) -> set[str]:
        """Of the shards that are there."""
        if not self.folder.is_dir():
            return set()
        return {path.stem for path in self.folder.iterdir() if path.suffix == ".json"}

    @contextmanager
    def opened(self) -> Iterator[None]:
        """The folder is there while the block runs; how often earlier runs tried is forgotten."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in self.folder.glob("*.tries"):
            path.unlink(missing_ok=True)
        try:
            yield
        finally:
            with suppress(OSError):  # it is not empty: the next run finds what is in it
                self.folder.rmdir()

    def write(self, keys: Sequence[str], results: Sequence[TokenScores]) -> None:
        """Keep the results of a group."""
        rows = {key: to_row(result) for key, result in zip(keys, results, strict=True)}
        text = json.dumps(rows, allow_nan=False)
        path = self._path(self.name(keys))
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            try:
                write_text(path, text)
            except BusyError:  # a process that was thought dead is writing the same rows
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
            else:
                return

    def has(self, keys: Sequence[str]) -> bool:
        """Whether a group's shard is there."""
        return self._path(self.name(keys)).exists()

    def read(self, keys: Sequence[str]) -> list[TokenScores] | None:
        """A group's results in the order of its keys; None where its shard is damaged."""
        try:
            rows = json.loads(self._path(self.name(keys)).read_bytes())
            return [from_row(rows[key], TokenScores) for key in keys]
        except (ValueError, KeyError, TypeError, TableError):
            return None

    def read_new(self, keys: Sequence[str]) -> list[TokenScores]:
        """As `read`, of a shard that another node has just written.

        Raises:
            ForewordError: it is not seen here, or is damaged.
        """
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            try:
                results = self.read(keys)
            except FileNotFoundError:
                results = None
            if results is not None:
                return results
            if time.monotonic() > deadline:
                raise ForewordError(
                    f"{self._path(self.name(keys))}, which an actor wrote, can't be read here: is "
                    f"{self.folder} one folder for all nodes? What was finished is kept"
                )
            time.sleep(0.2)

    def remove(self, keys: Sequence[str]) -> None:
        """Drop a shard whose rows are in the journal."""
        self._path(self.name(keys)).unlink(missing_ok=True)

    def clear(self) -> None:
        """Drop what is left of this folder's shards, and the folder if nothing else is in it."""
        for kind in ("*.json", "*.tries", ".*.json.tmp"):
            for path in self.folder.glob(kind):
                path.unlink(missing_ok=True)
        with suppress(OSError):  # it is not empty, or not there
            self.folder.rmdir()

    @contextmanager
    def begun(self, keys: Sequence[str], what: str) -> Iterator[None]:
        """While the block runs it is noted that a process began with a group.

        Raises:
            ForewordError: too many processes began with it and died.
        """
        path = self.folder / f"{self.name(keys)}.tries"
        with path.open("ab") as file:
            tries = os.fstat(file.fileno()).st_size
            if tries < _MOST_TRIES:
                file.write(b".")
        if tries >= _MOST_TRIES:
            raise ForewordError(
                f"{tries} processes died, one after the other, while they scored {what}: was there "
                "not enough memory? Use fewer --actors, or a smaller model or dtype. What was "
                "finished is kept: the same command goes on from there"
            )
        try:
            yield
        finally:
            path.unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"
