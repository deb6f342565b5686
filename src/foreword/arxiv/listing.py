"""Which papers there are: by their identifiers, or by category and day of the first version."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Literal
from urllib.parse import urlencode

from foreword.arxiv.connection import Connection
from foreword.arxiv.ids import set_of
from foreword.arxiv.oai import MAX_PAGE_BYTES, Page, Record, read_page
from foreword.arxiv.pace import Tell, silent
from foreword.arxiv.site import Site
from foreword.errors import FetchError, UsageError
from foreword.store import Journal, fingerprint, from_row, to_row

MAX_PAGES = 5_000
"""More pages than arXiv has for any category."""
_MAX_RESTARTS = 5
_NUM_NAMED = 5
Lack = Literal["no such paper", "damaged"]
"""Why there is no record of a paper: arXiv has none, or one that can't be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """Papers of some categories whose first version came in on one of these days, ends included."""

    categories: tuple[str, ...]
    first: date
    last: date


def check_query(query: Query, now: float, tell: Tell) -> None:
    """Look at a query before anything is asked, and tell what it can't find yet.

    Raises:
        UsageError: a category is none of arXiv's, or the last day comes before the first.
    """
    for category in query.categories:
        set_of(category)
    if query.last < query.first:
        raise UsageError(f"the last day, {query.last}, comes before the first, {query.first}")
    if query.last.isoformat() >= _day(now):
        tell(
            f"papers may still come in until {query.last}, and are announced some days later: this "
            "listing is fixed now; to have them all, use another folder then"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """One page of a category's listing, as the journal keeps it: enough to go on from there."""

    records: tuple[Record, ...] = ()
    since: str
    """The day from which this list of changes starts."""
    token: str = ""
    """For the next page; empty when the list starts, and when it is done."""
    earliest: str = ""
    latest: str = ""
    """Of the days of change that were seen, since `since`."""
    in_order: bool = True
    restarts: int = 0
    """How often this list has started again from `since`."""
    is_done: bool = False
    asked: str = ""
    """The day on which arXiv was asked for it, in UTC; empty in journals of before it was kept."""
    damaged: tuple[str, ...] = ()
    """Papers whose record can't be read; none in journals of before that was kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Harvest:
    """The papers that answer a query."""

    records: tuple[Record, ...]
    """Each once, by day of the first version and identifier."""
    day: str
    """On which arXiv listed them, `2026-12-01`: the first, of several; empty where not known."""
    damaged: tuple[str, ...] = ()
    """Papers that may answer it or not: their record can't be read. In order, each once."""


class Catalogue:
    """Asks arXiv what there is; each answer is kept in a journal and never asked for again.

    Args:
        connection: to arXiv, or to what stands in for it.
        site: where its listing is.
        journal: of the folder for which papers are fetched.
        tell: is told, in words, how far it is.
        clock: seconds since 1970.
    """

    def __init__(
        self,
        connection: Connection,
        site: Site,
        journal: Journal,
        *,
        tell: Tell = silent,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._connection = connection
        self._site = site
        self._journal = journal
        self._tell = tell
        self._clock = clock

    def look_up(self, paper: str, version: int | None) -> Record | Lack:
        """The record of one paper; or why there is none.

        It is the one that was seen first: what was the last version then stays it, also when a
        later one was asked for by its number.
        """
        key = f"record {paper}"
        if key in self._journal:
            known = from_row(self._journal[key], Record)
            if version is None or version <= known.versions[-1].number:
                return known
            key = f"record {paper} v{version}"
            if key in self._journal:
                return from_row(self._journal[key], Record)
        page = self._ask(
            verb="GetRecord", identifier=f"oai:arXiv.org:{paper}", metadataPrefix="arXivRaw"
        )
        if page.error and page.error != "idDoesNotExist":
            raise FetchError(f"arXiv has an answer for {paper} that helps nobody: {_said(page)}")
        record = next((record for record in page.records if record.paper == paper), None)
        if record is None:
            return "damaged" if page.damaged else "no such paper"
        if version is None or version <= record.versions[-1].number:
            self._journal.add({key: to_row(record)})
        return record

    def harvest(self, query: Query) -> Harvest:
        """The papers that answer a query.

        arXiv lists papers by their last change, which is never before the first version: all
        changes since `query.first` are read, and the others dropped.
        """
        found: dict[str, Record] = {}
        days: set[str] = set()
        damaged: set[str] = set()
        for category in query.categories:
            for step in self._steps(category, query):
                found |= {record.paper: record for record in step.records}
                days.add(step.asked)
                damaged.update(step.damaged)
        records = sorted(found.values(), key=lambda record: (record.first_day, record.paper))
        return Harvest(
            records=tuple(records),
            day=min(days, default=""),
            damaged=tuple(sorted(damaged - found.keys())),
        )

    def _steps(self, category: str, query: Query) -> Iterator[_Step]:
        days = [query.first.isoformat(), query.last.isoformat()]
        key = fingerprint(["harvest", set_of(category), days])
        step = _Step(since=days[0])
        kept = 0
        for number in range(MAX_PAGES):
            if step.is_done:
                return
            page_key = f"{key} {number}"
            if page_key in self._journal:
                step = from_row(self._journal[page_key], _Step)
            else:
                step = replace(self._next(step, category, query), asked=_day(self._clock()))
                self._journal.add({page_key: to_row(step)})
            kept += len(step.records)
            self._tell(
                f"{category}: page {number + 1}, changes until {step.latest or days[0]}, "
                f"papers kept: {kept} so far"
            )
            if step.damaged:
                self._tell(
                    f"{category}: left out, for arXiv's record is damaged: {_named(step.damaged)}; "
                    "the query stays unfinished, and another folder asks for them again"
                )
            yield step
        raise FetchError(f"the listing of {category} does not end after {MAX_PAGES:,} pages")

    def _next(self, step: _Step, category: str, query: Query) -> _Step:
        if step.token:
            page = self._ask(verb="ListRecords", resumptionToken=step.token)
        else:
            start = {"verb": "ListRecords", "set": set_of(category), "from": step.since}
            page = self._ask(**start, metadataPrefix="arXivRaw")
        if page.error == "badResumptionToken" and step.token:
            return self._restarted(step, category)
        if page.error == "noRecordsMatch" and not step.token:
            return _Step(since=step.since, is_done=True)
        if page.error:
            raise FetchError(f"arXiv does not list {category}: {_said(page)}")
        if page.token and page.token == step.token:
            raise FetchError(f"the listing of {category} goes round in circles; try again later")
        if page.deleted:
            self._tell(f"{category}: left out, for arXiv deleted them: {_named(page.deleted)}")
        return _advanced(step, page, query)

    def _restarted(self, step: _Step, category: str) -> _Step:
        """Start a new list where the old one stopped: a token lives for a day at most.

        Where the changes came in order, from the last day that was seen; else from the beginning.
        """
        orderly = step.in_order and step.earliest < step.latest
        since = step.latest if orderly else step.since
        restarts = step.restarts + 1 if since == step.since else 0
        if restarts > _MAX_RESTARTS:
            raise FetchError(
                f"arXiv ends the listing of {category} again and again before it is read; "
                "try later. What was finished is kept"
            )
        self._tell(f"{category}: arXiv forgot where it was; going on from changes of {since}")
        return _Step(since=since, restarts=restarts)

    def _ask(self, **parameters: str) -> Page:
        url = f"{self._site.oai}?{urlencode(parameters)}"
        return self._connection.ask(url, read_page, limit_bytes=MAX_PAGE_BYTES)


def _advanced(step: _Step, page: Page, query: Query) -> _Step:
    days = [day for day in (step.latest, *page.days) if day]
    first, last = query.first.isoformat(), query.last.isoformat()
    return _Step(
        records=tuple(record for record in page.records if first <= record.first_day <= last),
        since=step.since,
        token=page.token,
        earliest=min([day for day in (step.earliest, *page.days) if day], default=""),
        latest=max(days, default=""),
        in_order=step.in_order and days == sorted(days),
        restarts=step.restarts,
        is_done=not page.token,
        damaged=page.damaged,
    )


def _day(now: float) -> str:
    """The day, in UTC, of a time."""
    return datetime.fromtimestamp(now, UTC).date().isoformat()


def _named(papers: Sequence[str]) -> str:
    return ", ".join([*papers[:_NUM_NAMED], *["…"] * (len(papers) > _NUM_NAMED)])


def _said(page: Page) -> str:
    return f"{page.error}: {page.words[:300]}" if page.words else page.error
