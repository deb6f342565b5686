"""The slate of a study: every candidate, taken or left out, and why."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from foreword.catalogue import Candidate, LeftOut, Listing
from foreword.cuts import Rules, cut_paper
from foreword.cuts.choose import random_for
from foreword.licences import licence_name
from foreword.records import Failure, Paper
from foreword.slate.criteria import Criteria, Fault, fault_of
from foreword.store import hash_text

Progress = Callable[[Sequence[Paper]], Iterable[Paper]]


def choose_slate(
    papers: Sequence[Paper],
    criteria: Criteria,
    *,
    rules: Rules,
    seed: int = 0,
    listings: Sequence[Listing] = (),
    failures: Sequence[Failure] = (),
    progress: Progress = iter,
) -> list[Candidate]:
    """Every paper that a study could take: its place in the study, or why it was left out.

    The papers come first, in their order, then those that could not be read, then those that are
    listed and were not read. Nothing but the papers, their listing, the criteria, the rules for
    cuts and the seed has a say: no model has run.

    With `max_papers` the papers that meet the other criteria are taken in an order that the seed
    and their ids alone fix, so that another paper beside them moves no other; without, in their own
    order. Cuts count as qualifying as they will be when they are cut, in that order: those
    that repeat an earlier paper of the slate do not.

    Args:
        papers: all that could be read.
        criteria: what is asked of them.
        rules: for cuts, with which `min_cuts` is counted.
        seed: of the draw.
        listings: what arXiv says of them, by `paper_id`.
        failures: the papers that could not be read, one row each.
        progress: wraps the papers, to show how far it is.

    >>> from foreword.cuts import CutRules
    >>> papers = [Paper(id=name, text="x" * n) for name, n in (("a", 9), ("b", 30))]
    >>> slate = choose_slate(papers, Criteria(min_characters=20), rules=CutRules())
    >>> [(one.paper_id, one.place, one.reason, one.detail) for one in slate]
    [('a', None, 'too short', '9 characters, 20 asked for'), ('b', 1, None, '')]
    """
    listed = {listing.paper_id: listing for listing in listings}
    candidates = {paper.id: _candidate(paper, listed.get(paper.id)) for paper in papers}
    known: dict[str, str] = {}
    num_taken = 0
    for paper in progress(_in_order(papers, criteria, seed)):
        before = candidates[paper.id]
        fault = _fault_of_source(paper, listed.get(paper.id))
        fault = fault or fault_of(paper, listed.get(paper.id), criteria)
        if fault is None and num_taken == criteria.max_papers:
            fault = "not drawn", f"{criteria.max_papers} papers were drawn before it"
        if fault is None and criteria.min_cuts:
            found = cut_paper(paper, rules, seed=seed, known=known)
            possible = found.num_possible
            before = replace(before, num_qualifying=possible)
            if possible < criteria.min_cuts:
                fault = "too few cuts", f"{possible} qualify, {criteria.min_cuts} asked for"
            else:
                known |= dict.fromkeys(found.qualified, paper.id)
        num_taken += fault is None
        candidates[paper.id] = (
            replace(before, place=num_taken) if fault is None else _left_out(before, *fault)
        )
    unread = [_unread(failure, listed.get(failure.paper_id)) for failure in failures]
    known_ids = candidates.keys() | {failure.paper_id for failure in failures}
    unasked = [_not_read(listing) for listing in listings if listing.paper_id not in known_ids]
    return [*candidates.values(), *unread, *unasked]


def count_left_out(candidates: Iterable[Candidate]) -> dict[str, int]:
    """How many papers were left out for each reason that occurs, the most frequent first."""
    counts = Counter(one.reason for one in candidates if one.reason)
    return dict(counts.most_common())


def _fault_of_source(paper: Paper, listing: Listing | None) -> Fault | None:
    """What a listing says of a paper's licence and days, it says of the bytes that were fetched."""
    if listing is None or listing.source_sha256 == paper.file_sha256:
        return None
    return "not listed", "its source has other bytes than the one that the listing tells of"


def _in_order(papers: Sequence[Paper], criteria: Criteria, seed: int) -> Sequence[Paper]:
    if criteria.max_papers is None:
        return papers
    return sorted(
        papers, key=lambda paper: (random_for(seed, "slate", paper.id).random(), paper.id)
    )


def _candidate(paper: Paper, listing: Listing | None) -> Candidate:
    return replace(
        _listed(paper.id, listing),
        title=listing.title if listing and listing.title else paper.title,
        source_sha256=paper.source_sha256,
        text_sha256=hash_text(paper.text),
        num_characters=len(paper.text),
        num_displays=len(paper.displays),
    )


def _listed(paper_id: str, listing: Listing | None) -> Candidate:
    """A candidate as arXiv lists it, before it is read."""
    if listing is None:
        return Candidate(paper_id=paper_id)
    return Candidate(
        paper_id=paper_id,
        arxiv_id=listing.id,
        version=listing.version,
        title=listing.title,
        authors=listing.authors,
        categories=listing.categories,
        first_submitted=listing.first_submitted,
        licence=licence_name(listing.licence),
        source_sha256=listing.source_sha256,
    )


def _left_out(candidate: Candidate, reason: LeftOut, detail: str) -> Candidate:
    return replace(candidate, reason=reason, detail=detail)


def _unread(failure: Failure, listing: Listing | None) -> Candidate:
    """A paper that could not be read; no folder of the user's is named."""
    said = failure.reason
    for folder in filter(_has_name, Path(failure.item).parents):
        said = said.replace(f"{folder}{os.sep}", "").replace(str(folder), folder.name)
    candidate = _listed(failure.paper_id or Path(failure.item).name, listing)
    if not failure.state:
        return _left_out(candidate, "repeated", said)
    return _left_out(candidate, "no text", f"{failure.state}: {said}")


def _has_name(folder: Path) -> bool:
    return bool(folder.name)


def _not_read(listing: Listing) -> Candidate:
    """A listed paper that is not among the papers: nobody can leave one out unseen."""
    candidate = _listed(listing.paper_id, listing)
    if listing.state == "ok":
        return _left_out(candidate, "not read", "it is listed, and was not given to be read")
    return _left_out(candidate, "no text", f"{listing.state}: {listing.reason}")
