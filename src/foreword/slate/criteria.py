"""What a study asks of a paper, and what is wrong with one that it does not take."""

from dataclasses import asdict, dataclass
from datetime import date

from foreword.catalogue import LeftOut, Listing
from foreword.licences import is_licence, licence_name
from foreword.records import Paper
from foreword.store import JSON

Fault = tuple[LeftOut, str]
"""Why a paper is left out, and the numbers or words behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """What a study asks of its papers; each criterion that is set has to hold."""

    categories: tuple[str, ...] = ()
    """arXiv's: a paper is in one of them, cross-listed or not; `math` takes all of `math.*`."""
    primary_categories: tuple[str, ...] = ()
    """As `categories`, for a paper's primary one alone."""
    first_day: date | None = None
    """The first day, in UTC, on which a first version may have come in."""
    last_day: date | None = None
    licences: tuple[str, ...] = ()
    """By their short names: `CC-BY`, `CC0`, `CC-BY-4.0` (`licences.LICENCES`)."""
    min_characters: int = 0
    """Of the clean text."""
    max_characters: int | None = None
    min_cuts: int = 0
    """Equations that qualify for a cut, whether taken or not."""
    max_papers: int | None = None
    """If more papers meet the other criteria, so many are drawn."""

    @property
    def settings(self) -> dict[str, JSON]:
        """The criteria that are set, as plain values.

        >>> Criteria(min_cuts=5, first_day=date(2026, 11, 1)).settings
        {'first_day': '2026-11-01', 'min_cuts': 5}
        """
        return {
            name: _plain(value)
            for name, value in asdict(self).items()
            if value != getattr(NO_CRITERIA, name)
        }


NO_CRITERIA = Criteria()
LISTED = frozenset(["categories", "primary_categories", "first_day", "last_day", "licences"])
"""The criteria that a listing alone can tell."""


def fault_of(paper: Paper, listing: Listing | None, criteria: Criteria) -> Fault | None:
    """The first criterion that a paper does not meet, of those that need no cutting.

    A criterion that can't be looked up, for want of a listing, is not met.
    """
    return _fault_of_listing(listing, criteria) or _fault_of_length(len(paper.text), criteria)


def _fault_of_listing(listing: Listing | None, criteria: Criteria) -> Fault | None:
    if listing is None:
        asked = set(criteria.settings) & LISTED
        return ("not listed", f"no listing tells its {_words(asked)}") if asked else None
    day = _day(listing)
    if not _is_in(listing.categories, criteria.categories):
        return "category", ", ".join(listing.categories) or "none"
    if not _is_in(listing.categories[:1], criteria.primary_categories):
        return "category", f"its primary one is {', '.join(listing.categories[:1]) or 'not known'}"
    if (criteria.first_day and (day is None or day < criteria.first_day)) or (
        criteria.last_day and (day is None or day > criteria.last_day)
    ):
        return "day", f"first submitted on {day or 'a day that is not known'}"
    if criteria.licences and not any(is_licence(listing.licence, n) for n in criteria.licences):
        return "licence", licence_name(listing.licence) or "none"
    return None


def _day(listing: Listing) -> date | None:
    try:
        return date.fromisoformat(listing.first_submitted[:10])
    except ValueError:
        return None


def _fault_of_length(length: int, criteria: Criteria) -> Fault | None:
    if length < criteria.min_characters:
        return "too short", f"{length} characters, {criteria.min_characters} asked for"
    if criteria.max_characters is not None and length > criteria.max_characters:
        return "too long", f"{length} characters, {criteria.max_characters} allowed"
    return None


def _is_in(categories: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Whether one of a paper's categories is one of those wanted, or belongs to one."""
    return not wanted or any(
        own == one or own.startswith(f"{one}.") for own in categories for one in wanted
    )


def _plain(value: JSON) -> JSON:
    if isinstance(value, date):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value


def _words(names: set[str]) -> str:
    return ", ".join(sorted(name.replace("_", " ") for name in names))
