"""The kinds of cuts: by what rules each is made, and how. Other stages ask here."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from foreword.cuts.cut import NOTHING_KNOWN, CutResult, CutRules, cut_equations, cuts_again
from foreword.cuts.passages import ProseRules, cut_prose, prose_again, site_of
from foreword.records import Cut, CutKind, Paper
from foreword.store import JSON

Rules = CutRules | ProseRules


@dataclass(frozen=True, slots=True)
class _Way:
    """How one kind of cut is made."""

    rules: Callable[..., Rules]
    cut: Callable[..., CutResult]
    again: Callable[..., list[Cut]]
    lies_at: Callable[[Paper, Cut], tuple[int, int, int]]


def cut_paper(
    paper: Paper, rules: Rules, *, seed: int = 0, known: Mapping[str, str] = NOTHING_KNOWN
) -> CutResult:
    """The cuts of one paper, of the kind of the rules, as `cut_equations` and `cut_prose` have it.

    >>> cut_paper(Paper(id="p", text="Too short. So."), ProseRules()).num_possible
    0
    """
    return _WAYS[rules.kind].cut(paper, rules, seed=seed, known=known)


def cut_again(paper: Paper, cut_ids: Sequence[str], rules: Rules, *, seed: int) -> list[Cut]:
    """Cuts of a paper by their ids alone.

    Raises:
        ValueError: an id is no cut's, or the paper has no such place.
    """
    return _WAYS[rules.kind].again(paper, cut_ids, rules, seed=seed)


def make_rules(settings: Mapping[str, JSON]) -> Rules:
    """The rules whose `settings` these are.

    >>> make_rules(ProseRules(hidden=900).settings) == ProseRules(hidden=900)
    True

    Raises:
        KeyError, TypeError, ValueError: they are no rules' settings.
    """
    fields: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()
    }
    return _WAYS[fields.pop("kind", "equation")].rules(**fields)


def lies_at(paper: Paper, cut: Cut) -> tuple[int, int, int]:
    """Where a cut lies in its paper: the start and the end of what it cuts, and the cut in it.

    Raises:
        ValueError: the cut's id is none of foreword's.
    """
    return _WAYS[cut.kind].lies_at(paper, cut)


def _equation_at(paper: Paper, cut: Cut) -> tuple[int, int, int]:
    display, site = (int(part) for part in cut.id.rsplit("/", 2)[1:])
    return paper.displays[display].start, paper.displays[display].end, site


def _prose_at(paper: Paper, cut: Cut) -> tuple[int, int, int]:
    del paper
    site = site_of(cut.id)
    return site, site + len(cut.hidden), 0


_WAYS: Mapping[CutKind, _Way] = MappingProxyType(
    {
        "equation": _Way(CutRules, cut_equations, cuts_again, _equation_at),
        "prose": _Way(ProseRules, cut_prose, prose_again, _prose_at),
    }
)
