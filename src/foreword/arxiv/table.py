"""`listing.parquet` of a fetch: what it holds so far, and which questions it answers."""

import json
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Self

from foreword.arxiv.ids import ArxivId
from foreword.arxiv.listing import Harvest, Query
from foreword.arxiv.pace import Tell
from foreword.catalogue import Listing
from foreword.store import JSON, read_provenance, read_table, write_table

MAX_BEHIND = 50
"""Papers that a table may lack, when a fetch is killed."""
_BECAME = frozenset({"listed", "finished", "damaged"})
"""What became of a question, in its entry."""


class ListingTable:
    """The table of all that was ever fetched into a folder. Use it in a `with` block.

    However the block ends, the table then stands with all that was added; killed, it lacks some
    papers at most, which the next fetch adds. Its provenance lists the questions that were asked,
    the oldest first.

    Args:
        path: of the table; what it holds stays in it.
        questions: what this fetch asks for, as `questions_of` writes it.
        tell: is told where the table is, when a fetch is stopped.
    """

    def __init__(self, path: Path, questions: Iterable[JSON], tell: Tell) -> None:
        self.path = path
        self._tell = tell
        before = read_table(path, Listing) if path.exists() else []
        self._rows = {listing.paper_id: listing for listing in before}
        queries = (read_provenance(path) or {}).get("queries", [])
        self._queries = {_key(query): query for query in queries}
        self._asked = [_key(question) for question in questions]
        for key in self._asked:
            self._queries.setdefault(key, {**json.loads(key), "finished": False})
        self._num_behind = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        num = self._write()
        if kind is not None and num:
            self._tell(f"{self.path}: {num} paper{'s' * (num != 1)} so far")

    def add(self, listing: Listing) -> None:
        """Put a paper in, in place of what was known of it."""
        if self._rows.get(listing.paper_id) == listing:
            return
        self._rows[listing.paper_id] = listing
        self._num_behind += 1
        if self._num_behind >= MAX_BEHIND:
            self._write()

    def finish(self, found: Harvest | None, damaged: Iterable[str]) -> None:
        """Note that all papers that were asked for are in, but those with a damaged record.

        Args:
            found: what arXiv listed for a query. One whose last day was not over then, or for which
                a record was damaged, may lack some, and stays unfinished.
            damaged: of the papers that were asked for by their identifiers, those with a damaged
                record.
        """
        for key in self._asked:
            query = self._queries[key]
            if query["finished"]:
                continue
            query.pop("damaged", None)  # by identifier, each run asks for them again
            if "ids" in query:
                lacking, is_over = sorted(set(damaged)), True
            else:
                assert found is not None, "a query was asked for"
                lacking, is_over = list(found.damaged), found.day > query["to"]
                query["listed"] = found.day
            query["finished"] = is_over and not lacking
            if lacking:
                query["damaged"] = lacking

    def _write(self) -> int:
        """Write the table; how many rows it has."""
        known = {listing.id for listing in self._rows.values() if listing.version}
        rows = [
            self._rows[key]
            for key in sorted(self._rows)
            if self._rows[key].version or self._rows[key].id not in known
        ]
        provenance = {
            "stage": "fetch",
            "version": version("foreword"),
            "queries": list(self._queries.values()),
        }
        write_table(self.path, rows, Listing, provenance)
        self._num_behind = 0
        return len(rows)


def questions_of(ids: Sequence[ArxivId], query: Query | None, limit: int | None) -> list[JSON]:
    """What a fetch asks for, as the table's provenance keeps it; equal questions are equal here.

    >>> questions_of([ArxivId("2604.19885", 2), ArxivId("hep-th/9901001", None)], None, None)
    [{'ids': ['2604.19885v2', 'hep-th/9901001']}]
    """
    named = {f"{one.paper}v{one.version}" if one.version else one.paper for one in ids}
    questions: list[JSON] = [{"ids": sorted(named)}] if named else []
    if query is not None:
        questions.append(
            {
                "categories": sorted(set(query.categories)),
                "from": query.first.isoformat(),
                "to": query.last.isoformat(),
                "limit": limit,
            }
        )
    return questions


def _key(query: JSON) -> str:
    """A question without what became of it."""
    asked = {name: query[name] for name in query if name not in _BECAME}
    return json.dumps(asked, sort_keys=True)
