"""Papers from arXiv into a folder: the order of the steps."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from foreword.arxiv.connection import Connection
from foreword.arxiv.ids import ArxivId, file_stem, parse_id
from foreword.arxiv.listing import Catalogue, Harvest, Lack, Query, check_query
from foreword.arxiv.oai import Record, Version
from foreword.arxiv.pace import Pace, Tell, silent
from foreword.arxiv.site import find_site, pace_file, user_agent
from foreword.arxiv.sources import Sources
from foreword.arxiv.table import ListingTable, questions_of
from foreword.catalogue import Listing, ListingState
from foreword.records import Failure
from foreword.store import Journal, disk_errors, holding

_LACKS: dict[Lack, str] = {
    "no such paper": "arXiv has no such paper",
    "damaged": "arXiv's record of it is damaged; the same command asks again",
}
Progress = Callable[[Sequence[Any]], Iterable[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What a fetch left behind."""

    path: Path
    """`listing.parquet`."""
    listings: tuple[Listing, ...]
    """The papers that were asked for, in order; the table has those of earlier fetches too."""

    @property
    def counts(self) -> dict[str, int]:
        """How many papers are in each state, `ok` first, then the most frequent."""
        counted = Counter(listing.state for listing in self.listings)
        return dict(sorted(counted.items(), key=lambda one: (one[0] != "ok", -one[1], one[0])))

    @property
    def failures(self) -> list[Failure]:
        """The papers that can't be read, and why."""
        return [
            Failure(
                stage="papers",
                item=listing.paper_id,
                reason=f"{listing.state}: {listing.reason}",
                state=listing.state,
                paper_id=listing.paper_id,
            )
            for listing in self.listings
            if listing.state != "ok"
        ]


def fetch_papers(
    out: Path,
    *,
    ids: Sequence[str] = (),
    query: Query | None = None,
    limit: int | None = None,
    base_url: str | None = None,
    contact: str | None = None,
    pause_s: float | None = None,
    tell: Tell = silent,
    progress: Progress = iter,
    clock: Callable[[], float] = time.time,
    sleep: Callable[[float], None] = time.sleep,
) -> Fetched:
    """Fetch papers' sources from arXiv, with what arXiv says of them, into a folder.

    Nothing is asked for twice: what is there stays, and a fetch that was stopped goes on. Wherever
    it stops, `listing.parquet` has the papers until then; a kill may take the last few.

    Args:
        out: the folder; it gets `listing.parquet` and `sources/`.
        ids: identifiers; one without a version means the last one, which is fixed when it is first
            looked up.
        query: categories and days, in place of identifiers or besides.
        limit: no more papers than this, of those that answer the query.
        base_url: of a mirror that has arXiv's paths `/oai` and `/src/`.
        contact: a mail address, which arXiv gets to know.
        pause_s: between two requests; by default what the site asks for.
        tell: is told, in words, how far it is and why it waits.
        progress: wraps the papers, to show how far they are.
        clock: seconds since 1970.
        sleep: waits for some seconds.

    Raises:
        UsageError: an identifier, a category or an address is none; or arXiv is to be asked and
            there is no `contact`.
        FetchError: arXiv refuses, can't be reached, or answers with nonsense again and again.
        BusyError: another process works in the folder.
    """
    wanted = list(dict.fromkeys(parse_id(one) for one in ids))
    if query is not None:
        check_query(query, clock(), tell)
    site = find_site(base_url)
    agent = user_agent(site, contact)
    pace = Pace(
        pace_file(site),
        pause_s=site.pause_s if pause_s is None else pause_s,
        clock=clock,
        sleep=sleep,
        tell=tell,
    )
    with (
        disk_errors(out),
        holding(out, "papers fetch"),
        Journal(out / "listing.journal") as journal,
        Connection(pace, user_agent=agent, tell=tell) as connection,
        ListingTable(out / "listing.parquet", questions_of(wanted, query, limit), tell) as table,
    ):
        catalogue = Catalogue(connection, site, journal, tell=tell, clock=clock)
        asked = _asked(catalogue, wanted, query, limit)
        pinned = {one.paper_id: one for one in (_pinned(*each) for each in asked.records)}
        last = asked.last
        sources = Sources(connection, site, out, journal)
        listings = []
        for listing in progress(list(pinned.values())):
            if listing.state == "ok":
                listing = sources.fetch(listing, is_last=listing.version == last[listing.id])
            table.add(listing)
            listings.append(listing)
        table.finish(asked.found, asked.damaged)
    return Fetched(path=table.path, listings=tuple(listings))


class _Asked(NamedTuple):
    """What arXiv's listing says of what was asked for."""

    records: list[tuple[ArxivId, Record | Lack]]
    """Identifiers first, then what answers the query."""
    found: Harvest | None
    """By the query, before the limit."""

    @property
    def damaged(self) -> list[str]:
        """The identifiers whose record can't be read."""
        return [one.paper for one, record in self.records if record == "damaged"]

    @property
    def last(self) -> dict[str, int]:
        """The last version of each paper."""
        return {
            record.paper: record.versions[-1].number
            for _, record in self.records
            if isinstance(record, Record)
        }


def _asked(
    catalogue: Catalogue, wanted: Sequence[ArxivId], query: Query | None, limit: int | None
) -> _Asked:
    records: list[tuple[ArxivId, Record | Lack]] = [
        (one, catalogue.look_up(one.paper, one.version)) for one in wanted
    ]
    found = catalogue.harvest(query) if query else None
    taken = found.records[:limit] if found else ()
    records += [(ArxivId(one.paper, None), one) for one in taken]
    return _Asked(records, found)


def _pinned(asked: ArxivId, record: Record | Lack) -> Listing:
    """The listing of a paper at the version that was asked for, or at its last one."""
    bare = file_stem(asked.paper, asked.version) if asked.version else asked.paper
    if not isinstance(record, Record):
        return Listing(
            paper_id=bare.replace("/", "_"),
            id=asked.paper,
            version=None,
            state="not found",
            reason=_LACKS[record],
        )
    number = asked.version or record.versions[-1].number
    pinned = next((one for one in record.versions if one.number == number), None)
    state, reason = _before_fetching(record, number, pinned)
    return Listing(
        paper_id=file_stem(record.paper, number),
        id=record.paper,
        version=number if pinned else None,
        state=state,
        reason=reason,
        first_submitted=record.versions[0].submitted,
        submitted=pinned.submitted if pinned else "",
        licence=record.licence,
        title=record.title,
        abstract=record.abstract,
        authors=record.authors,
        categories=record.categories,
        comments=record.comments,
    )


def _before_fetching(
    record: Record, number: int, pinned: Version | None
) -> tuple[ListingState, str]:
    """The state that arXiv's own words give a version, and the reason where that is not `ok`."""
    if pinned is None:
        last = record.versions[-1].number
        return "not found", f"arXiv has no version {number} of it; the last one is {last}"
    if pinned.is_withdrawn:
        others = [one.number for one in record.versions if not one.is_withdrawn]
        also = f"; ask for {record.paper}v{others[-1]} to have an earlier one" if others else ""
        return "withdrawn", f"version {number} is withdrawn{also}"
    return "ok", ""
