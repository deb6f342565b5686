"""Records of which papers there are and which a study takes: Listing, Candidate, Reference.

They hold none of a paper's text; what flows from stage to stage is in `records.py`.
"""

from dataclasses import dataclass
from typing import Literal

from foreword.errors import State

ListingState = Literal[State, "not found"]
"""What a paper's source turned out to be, or that arXiv has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """A paper as arXiv lists it, pinned to one version, and what its source turned out to be."""

    paper_id: str
    """Under which `papers read` knows it: `2604.19885v2`, `hep-th_9901001v1`."""
    id: str
    """As arXiv writes it, without a version: `2604.19885`, `hep-th/9901001`."""
    version: int | None
    """The pinned one; None where there is no such paper."""
    state: ListingState
    reason: str = ""
    """Why the state is not `ok`."""
    source: str = ""
    """The file with the source, relative to the listing's folder; empty where there is none."""
    source_sha256: str = ""
    first_submitted: str = ""
    """When the first version came in, `2026-11-03T17:52:31Z`."""
    submitted: str = ""
    """When the pinned version came in."""
    licence: str = ""
    """The licence's address; empty for old papers, which have none."""
    title: str = ""
    abstract: str = ""
    authors: str = ""
    """As arXiv writes them, in one line."""
    categories: tuple[str, ...] = ()
    """The primary one first."""
    comments: str = ""
    """Of the last version."""


LeftOut = Literal[
    "no text",
    "repeated",
    "not read",
    "not listed",
    "category",
    "day",
    "licence",
    "too short",
    "too long",
    "too few cuts",
    "not drawn",
]
"""Why a paper is not in a study's slate; a paper has the first that holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A paper that a study could have taken: its place in it, or why it was left out."""

    paper_id: str
    place: int | None = None
    """Among the papers of the study, from 1; None for a paper that was left out."""
    reason: LeftOut | None = None
    """Why it was left out; None for a paper that was taken."""
    detail: str = ""
    """The numbers or words behind the reason."""
    title: str = ""
    arxiv_id: str = ""
    """Without a version; empty for a paper that no listing tells of, as what follows."""
    version: int | None = None
    authors: str = ""
    categories: tuple[str, ...] = ()
    first_submitted: str = ""
    licence: str = ""
    """Its short name, `CC-BY-4.0`; else its address; empty where none is known."""
    source_sha256: str = ""
    text_sha256: str = ""
    """Of the clean text in UTF-8; empty for a paper that was not read."""
    num_characters: int | None = None
    """Of the clean text."""
    num_displays: int | None = None
    num_qualifying: int | None = None
    """Cuts that the paper could give; None where they were not counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """Where a cut lies in its paper: enough to make it again, and to see that it is the same."""

    cut_id: str
    paper_id: str
    source_sha256: str
    """Of the paper's source, as `Paper` has it."""
    text_sha256: str
    """Of the paper's clean text."""
    start: int
    """Offset in the clean text at which the equation opens, or the prose is cut."""
    end: int
    """Where its closing, or the hidden text, ends."""
    site: int
    """Offset in the equation's body at which it is cut; with `expand_macros`, in the body with the
    paper's macros written out. 0 in prose."""
    num_hidden: int
    """Characters of the hidden rest."""
    sha256: str
    """Of the whole cut: `fingerprint(to_row(cut))`."""
