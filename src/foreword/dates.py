"""Days and stretches of days: what a cutoff says, when a paper was first public, which came first.

Nothing here is more exact than what was said. `2025-06` is all of June, an arXiv identifier is its
month, and where two stretches overlap nobody knows which came first.
"""

import re
from calendar import monthrange
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime

from foreword.findings import DateSource, Group, PaperDate

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MONTH = re.compile(r"(?P<year>[0-9]{4})-(?P<month>0[1-9]|1[0-2])")
_NEW = re.compile(
    r"(?:arxiv[:-])?(?P<yy>[0-9]{2})(?P<mm>0[1-9]|1[0-2])\.(?P<number>[0-9]{4,5})(?:v[1-9][0-9]{0,3})?",
    re.IGNORECASE,
)
_OLD = re.compile(
    r"(?:arxiv[:-])?(?:acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn|chem-ph"
    r"|cmp-lg|comp-gas|cond-mat|cs|dg-ga|funct-an|gr-qc|hep-(?:ex|lat|ph|th)|math(?:-ph)?|mtrl-th"
    r"|nlin|nucl-(?:ex|th)|patt-sol|physics|plasm-ph|q-(?:alg|bio)|quant-ph|solv-int|supr-con)"
    r"(?:\.[a-z]{2})?[_/](?P<yy>[0-9]{2})(?P<mm>0[1-9]|1[0-2])[0-9]{3}(?:v[1-9][0-9]{0,3})?",
    re.IGNORECASE,
)
_FIRST, _FIRST_NEW, _FIRST_OF_FIVE, _LAST = (1991, 7), (2007, 4), (2015, 1), (2090, 12)
"""Months: the first old-style identifiers, the first new ones, the first with five digits, and the
last that are taken for a month: from 91 on, two digits of a year are an old-style paper's."""


@dataclass(frozen=True, slots=True, order=True)
class Days:
    """From one day to another, both included, in UTC."""

    first: date
    last: date

    def __post_init__(self) -> None:
        assert self.first <= self.last


def parse_days(text: str) -> Days:
    """A day, `2025-06-01`, or a whole month, `2025-06`.

    Raises:
        ValueError: it is neither.

    >>> parse_days("2024-02").last
    datetime.date(2024, 2, 29)
    """
    if match := _MONTH.fullmatch(text):
        year = int(match["year"])
        if year >= date.min.year:
            return _month(year, int(match["month"]))
    if _DAY.fullmatch(text):
        try:
            day = date.fromisoformat(text)
        except ValueError:
            pass  # no such day: said below, as of any other text
        else:
            return Days(day, day)
    raise ValueError(f"{text[:40]!r} is no date: write a day, 2025-06-01, or a month, 2025-06")


def days_of_id(paper_id: str) -> Days | None:
    """The month that an arXiv identifier names, whichever version; None for any other name.

    arXiv gives the number when it announces a paper, so the first version was public in that month.
    Names that only look like one (no such archive, four digits after 2014) have none.

    >>> days_of_id("2604.19885v2") == days_of_id("arXiv-2604.00001") == parse_days("2026-04")
    True
    >>> days_of_id("hep-th_9901001v3").first, days_of_id("notes_9901001"), days_of_id("2604.1988")
    (datetime.date(1999, 1, 1), None, None)
    """
    if match := _NEW.fullmatch(paper_id):
        month = 2000 + int(match["yy"]), int(match["mm"])
        has_five = month >= _FIRST_OF_FIVE
        if _FIRST_NEW <= month <= _LAST and len(match["number"]) == 4 + has_five:
            return _month(*month) if int(match["number"]) else None
    elif match := _OLD.fullmatch(paper_id):
        year = int(match["yy"])
        month = year + (1900 if year >= _FIRST[0] % 100 else 2000), int(match["mm"])
        if _FIRST <= month < _FIRST_NEW:
            return _month(*month)
    return None


def day_of_time(time: str) -> Days | None:
    """The day, in UTC, of a time as arXiv writes it; None where it can't be read as one.

    >>> day_of_time("2026-11-03T23:30:00-05:00").first, day_of_time("last week")
    (datetime.date(2026, 11, 4), None)
    """
    try:
        when = datetime.fromisoformat(time)
        day = (when if when.tzinfo is None else when.astimezone(UTC)).date()
    except (ValueError, OverflowError):
        return None
    return Days(day, day)


def first_public(paper_id: str, *, listed: str = "", stated: str | None = None) -> PaperDate:
    """When a paper was first public, as far as that is known, and who says so.

    A listing tells when the first version was submitted. What the user states counts before what
    the paper's name seems to say; beside a listing the earlier of the two counts, for a paper can
    have been public elsewhere before arXiv had it, and not later than that.

    Args:
        paper_id: of the paper, with or without a version.
        listed: the time of the first version, from a listing; empty where there is none.
        stated: by the user, a day or a month.

    Raises:
        ValueError: what is stated is no date.

    >>> first_public("2604.19885v2").last, first_public("2604.19885v2", stated="2026-03-30").last
    ('2026-04-30', '2026-03-30')
    >>> first_public("a", listed="2026-11-03T17:52:31Z", stated="2026-11").first
    '2026-11-01'
    >>> first_public("notes").source is None
    True
    """
    said = parse_days(stated) if stated is not None else None
    on_arxiv = day_of_time(listed)
    if said and on_arxiv:
        first, last = min(said.first, on_arxiv.first), min(said.last, on_arxiv.last)
        source: DateSource = "listing" if first == on_arxiv.first else "stated"
        return _paper_date(paper_id, Days(first, last), source)
    if said:
        return _paper_date(paper_id, said, "stated")
    if on_arxiv:
        return _paper_date(paper_id, on_arxiv, "listing")
    named = days_of_id(paper_id)
    return _paper_date(paper_id, named, "identifier") if named else PaperDate(paper_id=paper_id)


def first_publics(
    paper_ids: Iterable[str], *, listed: Mapping[str, str], stated: Mapping[str, str]
) -> dict[str, PaperDate]:
    """The same of several papers, by id."""
    return {
        one: first_public(one, listed=listed.get(one, ""), stated=stated.get(one))
        for one in paper_ids
    }


def group_of(paper: PaperDate, cutoff: str | None) -> Group:
    """Whether a paper was first public after a cutoff, on or before it, or nobody can tell.

    Raises:
        ValueError: the cutoff is no date.

    >>> april = first_public("2604.19885v2")
    >>> [group_of(april, cutoff) for cutoff in ("2026-03-31", "2026-04", "2026-04-30", None)]
    ['after', 'unknown', 'before', 'unknown']
    """
    if cutoff is None or paper.first is None or paper.last is None:
        return "unknown"
    until = parse_days(cutoff)
    if date.fromisoformat(paper.first) > until.last:
        return "after"
    return "before" if date.fromisoformat(paper.last) <= until.first else "unknown"


def _month(year: int, month: int) -> Days:
    return Days(date(year, month, 1), date(year, month, monthrange(year, month)[1]))


def _paper_date(paper_id: str, days: Days, source: DateSource) -> PaperDate:
    return PaperDate(
        paper_id=paper_id,
        first=days.first.isoformat(),
        last=days.last.isoformat(),
        source=source,
    )
