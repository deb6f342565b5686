r"""Answers that stand before their cut in the same paper: whole, or in long pieces.

Texts are compared without white space, labels and, at Y's end, punctuation. *Exact* means that
all of Y stands there. *Near* means that enough of its runs of 20 characters do; how often that
happens by chance is measured on other papers (docs/design/copies.md).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from foreword.analysis.pairing import estimate
from foreword.findings import Copies, Copy, CopyLift
from foreword.records import Cut, Paper

RUN = 20
"""Characters of a run."""
THRESHOLD = 0.5
"""The share of Y's runs that stand before the cut, from which on it is a near copy."""

_BOOKKEEPING = re.compile(r"\\(?:label|tag\*?)\s*\{[^{}]*\}|\\(?:nonumber|notag)(?![A-Za-z])")
_END = ".,;:"


@dataclass(frozen=True, slots=True)
class Traces:
    """What of one answer stands before its cut."""

    is_exact: bool
    is_exact_in_context: bool
    shared: float
    """The share of its runs that stand there; 0 where it is shorter than a run."""
    shared_in_context: float
    is_whole: bool
    """Whether the paper was searched from its start, not the context alone."""

    @property
    def is_copy(self) -> bool:
        """Exact or near."""
        return self.is_exact or self.shared >= THRESHOLD

    @property
    def is_copy_in_context(self) -> bool:
        """The same, in what the cut itself holds; of an exact copy, that all of it stands there."""
        if self.is_exact:
            return self.is_exact_in_context
        return self.shared_in_context >= THRESHOLD


def copies(
    cuts: Sequence[Cut],
    texts: Mapping[str, Paper],
    lifts: Mapping[str, Mapping[str, float]],
    papers: Mapping[str, str],
) -> Copies | None:
    """The cuts whose answer stands before them, and each predictor's lift with and without.

    Args:
        cuts: of the study; one without a hidden rest (its licence keeps it) is not known.
        texts: papers by id; where a cut's is not among them, its context alone is searched.
        lifts: condition → cut → lift.
        papers: cut → its paper.

    Returns:
        None where there is no cut.
    """
    if not cuts:
        return None
    traces = find_traces([cut for cut in cuts if cut.hidden], texts)
    found = {cut: trace for cut, trace in traces.items() if trace.is_copy}
    return Copies(
        run=RUN,
        threshold=THRESHOLD,
        num_searched=len(traces),
        num_whole=sum(trace.is_whole for trace in traces.values()),
        num_unknown=len(cuts) - len(traces),
        found=tuple(
            Copy(
                cut_id=cut,
                paper_id=papers[cut],
                is_exact=trace.is_exact,
                in_context=trace.is_copy_in_context,
                shared=trace.shared,
            )
            for cut, trace in found.items()
        ),
        lifts=tuple(_lift(name, values, traces, papers) for name, values in lifts.items()),
    )


def _lift(
    condition: str,
    values: Mapping[str, float],
    traces: Mapping[str, Traces],
    papers: Mapping[str, str],
) -> CopyLift:
    every = {cut: value for cut, value in values.items() if cut in traces}
    not_exact = {cut: value for cut, value in every.items() if not traces[cut].is_exact}
    clean = {cut: value for cut, value in every.items() if not traces[cut].is_copy}
    return CopyLift(
        condition=condition,
        every=estimate(every, papers),
        without_exact=estimate(not_exact, papers),
        without=estimate(clean, papers),
    )


def find_traces(cuts: Sequence[Cut], texts: Mapping[str, Paper]) -> dict[str, Traces]:
    r"""What of each cut's answer stands before it, by the cut's id.

    >>> cut = Cut(id="p/0/2", paper_id="p", environment="[", context=r"We know that $y+1\le z$",
    ...           opening=r"\[", prefix="x=", hidden=" y + 1.", closing=r"\]")
    >>> find_traces([cut], {})["p/0/2"].is_exact_in_context
    True
    """
    of: dict[str, list[Cut]] = {}
    for cut in cuts:
        of.setdefault(cut.paper_id, []).append(cut)
    found: dict[str, Traces] = {}
    for paper_id, own in of.items():
        found |= _traces_in(own, texts.get(paper_id))
    return {cut.id: found[cut.id] for cut in cuts}


def _traces_in(cuts: Sequence[Cut], paper: Paper | None) -> dict[str, Traces]:
    """The traces of one paper's cuts; the paper is gone through once, whatever their number."""
    starts = {cut.id: _start(cut, paper) for cut in cuts}
    answers = {cut.id: squeezed(cut.hidden).rstrip(_END) for cut in cuts}
    wanted = frozenset(run for answer in answers.values() for run in runs(answer))
    text = ""
    ends: dict[int, int] = {}
    if paper is not None:
        text, ends = _squeezed_to(paper.text, {at for at in starts.values() if at is not None})
    places = _places(text, wanted)
    found = {}
    for cut in cuts:
        start, answer = starts[cut.id], answers[cut.id]
        near = squeezed(cut.context + cut.opening + cut.prefix)
        own = runs(answer)
        near_runs = {one for one in own if one in near}
        end = ends[start] if start is not None else 0
        before = {one for one in own if places.get(one, end) + RUN <= end}
        found[cut.id] = Traces(
            is_exact=bool(answer) and (answer in near or text.find(answer, 0, end) >= 0),
            is_exact_in_context=bool(answer) and answer in near,
            shared=len(before | near_runs) / len(own) if own else 0.0,
            shared_in_context=len(near_runs) / len(own) if own else 0.0,
            is_whole=start is not None,
        )
    return found


def _start(cut: Cut, paper: Paper | None) -> int | None:
    """Where the cut's display starts in its paper; None where that can't be told."""
    if paper is None:
        return None
    _, display, _ = ("//" + cut.id).rsplit("/", 2)
    if not display.isdecimal() or int(display) >= len(paper.displays):
        return None
    return paper.displays[int(display)].start


def squeezed(text: str) -> str:
    r"""The text without white space and without labels, tags and what turns numbers off.

    >>> squeezed(r" x = y \label{eq:x} \nonumber z")
    'x=yz'
    """
    return "".join(_BOOKKEEPING.sub("", text).split())


def runs(answer: str) -> frozenset[str]:
    """The runs of 20 characters in a squeezed answer; none where it is shorter.

    >>> len(runs("x" * 30)), len(runs("0123456789" * 3)), len(runs("short"))
    (1, 10, 0)
    """
    return frozenset(answer[at : at + RUN] for at in range(len(answer) - RUN + 1))


def _squeezed_to(text: str, stops: set[int]) -> tuple[str, dict[int, int]]:
    """The squeezed text, and how long it is up to each stop."""
    parts: list[str] = []
    ends: dict[int, int] = {}
    so_far = last = 0
    for stop in sorted(stops):
        parts.append(squeezed(text[last:stop]))
        so_far += len(parts[-1])
        ends[stop], last = so_far, stop
    return "".join(parts), ends


def _places(text: str, wanted: frozenset[str]) -> dict[str, int]:
    """Where each wanted run first stands."""
    from_the_end = range(len(text) - RUN, -1, -1)
    return {text[at : at + RUN]: at for at in from_the_end if text[at : at + RUN] in wanted}
