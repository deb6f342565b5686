"""Pages of arXiv's OAI-PMH in the format arXivRaw, the one that knows a paper's versions."""

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Literal

from foreword.arxiv.connection import Answer, UnusableAnswerError
from foreword.arxiv.ids import parse_id
from foreword.errors import FetchError, SourceError, UsageError
from foreword.papers.archive import gunzip

MAX_PAGE_BYTES = 50_000_000
_OAI = "{http://www.openarchives.org/OAI/2.0/}"
_RAW = "{http://arxiv.org/OAI/arXivRaw/}"
_VERSION = re.compile(r"v([1-9]\d{0,3})", re.ASCII)
_MAX_NAME = 100
_NOTHING = re.compile(r"0+(?:\.0*)?\s*k?b?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One version of a paper."""

    number: int
    submitted: str
    """`2026-11-03T17:52:31Z`."""
    size: str
    """As arXiv writes it, `352kb`."""
    source_type: str
    """arXiv's letters: D for PDF from LaTeX, I for withdrawn and more; often empty."""

    @property
    def is_withdrawn(self) -> bool:
        """Whether arXiv marks it as one without a source."""
        return "I" in self.source_type or bool(_NOTHING.fullmatch(self.size))


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A paper with its versions, first to last; there is at least one."""

    paper: str
    versions: tuple[Version, ...]
    title: str
    abstract: str
    authors: str
    categories: tuple[str, ...]
    comments: str
    licence: str

    @property
    def first_day(self) -> str:
        """Day of the first version, `2026-11-03`, in UTC."""
        return self.versions[0].submitted[:10]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One answer: records, or an error that the protocol has a name for."""

    records: tuple[Record, ...] = ()
    days: tuple[str, ...] = ()
    """On which each record that was listed last changed, those left out below included."""
    deleted: tuple[str, ...] = ()
    """Papers that arXiv no longer has."""
    damaged: tuple[str, ...] = ()
    """Papers with a record that lacks its identifier, or has a version that can't be read."""
    token: str = ""
    """To ask for the next page; empty on the last one."""
    error: str = ""
    """`noRecordsMatch`, `badResumptionToken`, `idDoesNotExist`, …"""
    words: str = ""


def read_page(answer: Answer) -> Page:
    """The page in an answer.

    Raises:
        UnusableAnswerError: it is empty, torn, or no answer of an OAI-PMH server.
        FetchError: it is too large, or tries what no such server does.
    """
    root = _parse(answer)
    if root.tag != f"{_OAI}OAI-PMH":
        raise UnusableAnswerError(f"an answer that is no OAI-PMH ({answer.status})")
    error = root.find(f"{_OAI}error")
    if error is not None:
        return Page(error=error.get("code", "unknown"), words=" ".join((error.text or "").split()))
    listed = root.find(f"{_OAI}ListRecords")
    listed = root.find(f"{_OAI}GetRecord") if listed is None else listed
    found = [] if listed is None else listed.findall(f"{_OAI}record")
    if listed is None or not found:  # never the end: that is an error with a name
        raise UnusableAnswerError("an empty page")
    records = [(_name(one), _record(one)) for one in found]
    return Page(
        records=tuple(record for _, record in records if isinstance(record, Record)),
        days=tuple(_text(one, f"{_OAI}header/{_OAI}datestamp")[:10] for one in found),
        deleted=tuple(name for name, record in records if record == "deleted"),
        damaged=tuple(name for name, record in records if record == "damaged"),
        token=(listed.findtext(f"{_OAI}resumptionToken") or "").strip(),
    )


def _parse(answer: Answer) -> ET.Element:
    if not answer.is_whole:
        raise FetchError(
            f"a page of the listing is larger than {MAX_PAGE_BYTES // 1_000_000} MB; "
            "is this arXiv's OAI-PMH?"
        )
    if not answer.data.strip():
        raise UnusableAnswerError("an empty answer")
    try:
        data = answer.data
        if data.startswith(b"\x1f\x8b"):  # though it was not asked for
            data = gunzip(data, "a page of the listing")
        text = data.decode("utf-8-sig")
        if "<!DOCTYPE" in text:  # without one there are no entities to expand or to fetch
            raise FetchError("a page of the listing declares entities of its own; it was not read")
        return ET.fromstring(text)  # noqa: S314 - text, so that no other encoding hides a DOCTYPE
    except (SourceError, UnicodeDecodeError, ET.ParseError) as error:
        raise UnusableAnswerError(f"an answer that is no XML ({answer.status})") from error


def _name(record: ET.Element) -> str:
    """The paper that a record says it is of, whatever else is wrong with it."""
    name = _text(record, f"{_OAI}header/{_OAI}identifier").removeprefix("oai:arXiv.org:")
    return name[:_MAX_NAME] or "a record without an identifier"


def _record(record: ET.Element) -> Record | Literal["deleted", "damaged"]:
    """The paper that a record is of; or why there is none.

    One version that can't be read makes it damaged: it may be the first, whose day decides whether
    a query is answered, or the last, which is the one that is kept.
    """
    header = record.find(f"{_OAI}header")
    if header is not None and header.get("status") == "deleted":
        return "deleted"
    raw = record.find(f"{_OAI}metadata/{_RAW}arXivRaw")
    if raw is None:
        return "damaged"
    try:
        paper = parse_id(_text(raw, f"{_RAW}id")).paper
        versions = _versions(raw)
    except (UsageError, ValueError, OverflowError):
        return "damaged"
    return Record(
        paper=paper,
        versions=versions,
        title=_text(raw, f"{_RAW}title"),
        abstract=(raw.findtext(f"{_RAW}abstract") or "").strip(),
        authors=_text(raw, f"{_RAW}authors"),
        categories=tuple(_text(raw, f"{_RAW}categories").split()),
        comments=_text(raw, f"{_RAW}comments"),
        licence=_text(raw, f"{_RAW}license"),
    )


def _versions(raw: ET.Element) -> tuple[Version, ...]:
    """All versions, first to last.

    Raises:
        ValueError: one can't be read or comes twice, or the first is not among them.
        OverflowError: a date is none that a calendar has.
    """
    versions = sorted(map(_version, raw.findall(f"{_RAW}version")), key=lambda one: one.number)
    numbers = [version.number for version in versions]
    if numbers[:1] != [1] or len(numbers) != len(set(numbers)):
        raise ValueError(f"versions {numbers}")
    return tuple(versions)


def _version(version: ET.Element) -> Version:
    number = _VERSION.fullmatch(version.get("version", ""))
    when = parsedate_to_datetime(_text(version, f"{_RAW}date"))
    if number is None or when.tzinfo is None:  # without a zone, its day hangs on the machine's
        raise ValueError("a version without a number, or a time without a zone")
    return Version(
        number=int(number[1]),
        submitted=when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        size=_text(version, f"{_RAW}size"),
        source_type=_text(version, f"{_RAW}source_type"),
    )


def _text(element: ET.Element, path: str) -> str:
    """The text of a part, its white space made single spaces; empty where there is none."""
    return " ".join((element.findtext(path) or "").split())
