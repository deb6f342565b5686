"""Whom to ask, and as whom: arXiv's own hosts, or what stands in for them."""

import os
import re
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

from foreword.errors import UsageError

PAUSE_S = 3.0
"""What arXiv asks for: one request in three seconds."""
_MAIL = re.compile(r"[!-~]+@[!-~]+", re.ASCII)
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Where listings and sources are, and how long to wait between two requests."""

    oai: str
    sources: str
    """Followed by an identifier with its version."""
    name: str
    """Requests to sites of one name take turns, over all processes."""
    pause_s: float


def find_site(base_url: str | None = None) -> Site:
    """Hosts of arXiv; or a mirror of both under one address, with arXiv's paths below it.

    Raises:
        UsageError: the address is none.

    >>> find_site("http://127.0.0.1:8000/").oai, find_site().name
    ('http://127.0.0.1:8000/oai', 'arxiv.org')
    """
    if base_url is None:
        return Site(
            oai="https://oaipmh.arxiv.org/oai",
            sources="https://export.arxiv.org/src/",
            name="arxiv.org",
            pause_s=PAUSE_S,
        )
    base = base_url.rstrip("/")
    wrong = f"{base_url!r} is no address of a server; it starts with https://"
    try:
        parts = urlsplit(base)
        _ = parts.port
    except ValueError:  # half a pair of brackets, a port that is no number
        raise UsageError(wrong) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(wrong)
    return Site(
        oai=f"{base}/oai",
        sources=f"{base}/src/",
        name="arxiv.org" if is_arxiv(parts.hostname) else parts.netloc.rpartition("@")[2],
        pause_s=0.0 if parts.hostname in _LOOPBACK else PAUSE_S,
    )


def is_arxiv(host: str) -> bool:
    """Whether a host is arXiv's own."""
    return host == "arxiv.org" or host.endswith(".arxiv.org")


def user_agent(site: Site, contact: str | None) -> str:
    """How foreword names itself, with whom to write to.

    Raises:
        UsageError: arXiv is to be asked and nobody is named, or what is named is no mail address.
    """
    contact = contact or os.environ.get("FOREWORD_CONTACT") or ""
    name = f"foreword/{version('foreword')}"
    if contact and not _MAIL.fullmatch(contact):
        raise UsageError(f"{contact!r} is no mail address; give one as --contact")
    if not contact and is_arxiv(site.name):
        raise UsageError(
            "arXiv wants to know whom to write to when a program asks too much: give your mail "
            "address as --contact, or as FOREWORD_CONTACT in the environment"
        )
    return f"{name} (mailto:{contact})" if contact else name


def pace_file(site: Site) -> Path:
    """The file over which all processes of this user agree whose turn it is to ask a site."""
    cache = os.environ.get("FOREWORD_CACHE")
    folder = Path(cache) if cache else _user_cache() / "foreword"
    return folder / f"pace-{re.sub(r'[^A-Za-z0-9.-]', '_', site.name)}"


def _user_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
