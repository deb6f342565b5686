"""A paper's source: fetched once, kept as it came, and read to see what it is."""

import re
import zlib
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from foreword.arxiv.connection import Answer, Connection, NoUseError, UnusableAnswerError
from foreword.arxiv.ids import file_stem
from foreword.arxiv.site import Site
from foreword.catalogue import Listing, ListingState
from foreword.errors import FetchError, SourceError
from foreword.papers import read_paper
from foreword.papers.archive import is_tar
from foreword.papers.read import MAX_NOTE_CHARACTERS
from foreword.papers.source import describe
from foreword.store import JSON, Journal, fingerprint, hash_file, replacing

MAX_SOURCE_BYTES = 200_000_000
"""As much as `papers read` takes."""
_ENDINGS = (".tar.gz", ".gz", ".tar", ".pdf", ".ps", ".tex", ".bin")
_MAX_TRIES = 3
_MAX_IN_A_ROW = 3
_WITHDRAWN = re.compile(r"\bwithdrawn\b", re.IGNORECASE)


class Sources:
    """The folder `sources` of a fetch: asks for what is not there, and for nothing twice.

    Args:
        connection: to arXiv, or to what stands in for it.
        site: where its sources are.
        folder: the fetch's own folder.
        journal: of that folder; keeps what is known of each source.
    """

    def __init__(self, connection: Connection, site: Site, folder: Path, journal: Journal) -> None:
        self._connection = connection
        self._site = site
        self._folder = folder
        self._journal = journal
        self._in_a_row = 0

    def fetch(self, listing: Listing, *, is_last: bool) -> Listing:
        """The listing with its source, where there is one, and the state that reading it showed.

        Args:
            listing: of a version that arXiv has.
            is_last: whether that is the last version, of which the comments speak.

        Raises:
            FetchError: the site refuses, is not there, or answers with nonsense again and again.
        """
        assert listing.version is not None, "only what is pinned can be fetched"
        stem = file_stem(listing.id, listing.version)
        path = self._find(stem)
        if path is None:
            size_key = f"too large {stem}"
            if size_key in self._journal:
                return _failed(listing, "too large", self._journal[size_key])
            found = self._ask(listing)
            if isinstance(found, Listing):
                if found.state == "too large":
                    self._journal.add({size_key: found.reason})
                return found
            path = self._folder / "sources" / f"{stem}{_ending(found)}"
            with replacing(path) as temporary:
                temporary.write_bytes(found)
        return self._read(listing, path, listing.comments if is_last else "")

    def _find(self, stem: str) -> Path | None:
        paths = (self._folder / "sources" / f"{stem}{ending}" for ending in _ENDINGS)
        return next((path for path in paths if path.is_file()), None)

    def _ask(self, listing: Listing) -> bytes | Listing:
        """The source's bytes; or the listing with the state that says why there are none."""
        url = f"{self._site.sources}{listing.id}v{listing.version}"
        try:
            answer = self._connection.ask(
                url, _read_answer, limit_bytes=MAX_SOURCE_BYTES, max_tries=_MAX_TRIES
            )
        except NoUseError as error:
            self._in_a_row += 1
            if self._in_a_row >= _MAX_IN_A_ROW:
                raise FetchError(
                    f"{error}; so were the {_MAX_IN_A_ROW - 1} sources before"
                ) from error
            return _failed(listing, "unreadable", f"{error}")
        self._in_a_row = 0
        if answer.status in (404, 410):
            return _failed(listing, "not found", "arXiv has no source of it (404)")
        if not answer.is_whole:
            limit = f"{MAX_SOURCE_BYTES // 1_000_000} MB"
            return _failed(listing, "too large", f"its source is larger than {limit}; left out")
        if describe(answer.data) == "a web page":
            return _failed(
                listing,
                "html only",
                "arXiv answered with a web page: the paper has no LaTeX, or something went wrong "
                "there; nothing was kept, and the same command asks again",
            )
        return answer.data

    def _read(self, listing: Listing, path: Path, comments: str) -> Listing:
        """The listing with a source that is there; the same bytes are read only once."""
        digest = hash_file(path)
        key = fingerprint(["state", version("foreword"), path.name, digest])
        if key not in self._journal:
            self._journal.add({key: _state(path)})
        state, reason, num_characters = self._journal[key]
        is_paper = state == "ok" and num_characters >= MAX_NOTE_CHARACTERS
        if not is_paper and _WITHDRAWN.search(comments):  # arXiv does not always mark it otherwise
            state, reason = "withdrawn", f"its source is none, and arXiv says: {comments[:300]}"
        return replace(
            listing,
            state=state,
            reason=reason,
            source=path.relative_to(self._folder).as_posix(),
            source_sha256=digest,
        )


def _state(path: Path) -> JSON:
    """What reading a source shows: its state, why that is not `ok`, and how long its text is."""
    try:
        return ["ok", "", len(read_paper(path).text)]
    except SourceError as error:
        return [error.state, str(error).replace(str(path), path.name), 0]


def _failed(listing: Listing, state: ListingState, reason: str) -> Listing:
    return replace(listing, state=state, reason=reason)


def _read_answer(answer: Answer) -> Answer:
    """The answer, where it is a source or says that there is none.

    Raises:
        UnusableAnswerError: it is neither.
    """
    if answer.status in (404, 410) or not answer.is_whole:
        return answer
    if answer.status != 200:
        raise UnusableAnswerError(f"an answer with the status {answer.status}")
    kind = describe(answer.data)
    if kind in ("empty", "JSON"):
        words = answer.data[:200].decode("utf-8", "replace").strip()
        raise UnusableAnswerError(f"not a source but {kind} {words}".strip())
    return answer


def _ending(data: bytes) -> str:
    r"""The ending of a file's name, from its bytes.

    >>> _ending(b"%PDF-1.5"), _ending(b"\\documentclass{article}")
    ('.pdf', '.tex')
    """
    if data.startswith(b"\x1f\x8b"):
        try:
            head = zlib.decompressobj(31).decompress(data, 512)
        except zlib.error:
            head = b""
        return ".tar.gz" if is_tar(head) else ".gz"
    if is_tar(data):
        return ".tar"
    kinds = {"a PDF": ".pdf", "PostScript": ".ps", None: ".tex"}
    return kinds.get(describe(data), ".bin")
