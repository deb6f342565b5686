"""The cuts of one paper: which of its displayed equations are split, and where."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType

from foreword.cuts.arguments import UnbalancedError
from foreword.cuts.choose import random_for, spread
from foreword.cuts.content import BareText, bare, likeness, substance
from foreword.cuts.expansion import Expanded, expand_paper
from foreword.cuts.filler import filler_for
from foreword.cuts.lexemes import Vocabulary
from foreword.cuts.places import places
from foreword.cuts.reasons import Reason, Rejection
from foreword.cuts.sites import sites_among, top_level
from foreword.latex.diagrams import Diagrams
from foreword.latex.environments import LONGEST_DISPLAY
from foreword.latex.macros import Uses
from foreword.records import Cut, CutKind, Display, Paper

FILLER_MARGIN = 200
"""Characters of filler beyond the longest hidden rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutRules:
    """How to cut.

    Raises:
        ValueError: a number is too small, or the shortest hidden rest longer than the longest.
    """

    min_context: int = 10_000
    """Characters of clean text before an equation; this many are stored with the cut."""
    min_hidden: int = 50
    """Characters of the hidden rest, white space and bookkeeping not counted."""
    max_hidden: int = 400
    """Characters of the hidden rest, white space at its end not counted."""
    per_paper: int = 10
    """Cuts taken from one paper at most."""
    expand_macros: bool = False
    """Whether the paper's macros are written out in every formula before anything is measured."""

    def __post_init__(self) -> None:
        least = {"min_context": 0, "min_hidden": 1, "max_hidden": 1, "per_paper": 1}
        for name, value in least.items():
            if getattr(self, name) < value:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least {value}")
        if self.max_hidden < self.min_hidden:
            raise ValueError(
                f"max_hidden is {self.max_hidden}, less than min_hidden, {self.min_hidden}; "
                "no equation could be cut"
            )

    @property
    def kind(self) -> CutKind:
        """What is cut by these rules."""
        return "equation"

    @property
    def settings(self) -> dict[str, int]:
        """What sets a table of cuts apart; nothing of a choice that was not made.

        >>> CutRules(min_hidden=9).settings
        {'min_context': 10000, 'min_hidden': 9, 'max_hidden': 400, 'per_paper': 10}
        """
        fields = asdict(self)
        if not self.expand_macros:
            del fields["expand_macros"]
        return fields


DEFAULT_RULES = CutRules()
NOTHING_KNOWN: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class CutResult:
    """What became of a paper's displays, or ends of sentences: each is in one of the two."""

    cuts: tuple[Cut, ...]
    """In source order, as `rejected`."""
    rejected: tuple[Rejection, ...]
    qualified: tuple[str, ...] = ()
    """What the equations say that qualify, as `content.likeness` puts it, whether cut or not."""
    said: tuple[str, ...] = ()
    """The same of every equation: no other entry of `known` can change a result."""
    num_possible: int = 0
    """Cuts that the paper could give, were all of them taken."""


@dataclass(frozen=True, slots=True)
class _No:
    reason: Reason
    detail: str


class _Desk:
    """A paper, the rules, and what was made ready once for all of its displays."""

    def __init__(self, paper: Paper, rules: CutRules) -> None:
        self.paper, self.rules = paper, rules
        self.vocabulary = Vocabulary(paper.macros)
        self.diagrams = Diagrams(paper.macros)
        self.uses = Uses(paper.macros)
        self.said = BareText(paper.text)
        self.places = places(paper)

    def body(self, display: Display) -> str:
        """What stands between a display's opening and its closing."""
        return self.paper.text[display.body_start : display.body_end]

    def likenesses(self) -> list[str]:
        """What each display has in common with its near-duplicates; of its own what is too long."""
        return [
            f"\0{index}" if _is_endless(display) else likeness(self.body(display))
            for index, display in enumerate(self.paper.displays)
        ]


def cut_equations(
    paper: Paper,
    rules: CutRules = DEFAULT_RULES,
    *,
    seed: int = 0,
    known: Mapping[str, str] = NOTHING_KNOWN,
) -> CutResult:
    r"""Split a paper's displayed equations, one cut an equation and `rules.per_paper` a paper.

    An equation is cut just after a relation or a top-level additive operator in the middle third of
    its body, the nearest to the middle whose rest has the right length. Where more equations
    qualify than are taken, one is drawn from each of as many even stretches of the paper.

    Args:
        paper: a clean text with its displays.
        rules: lengths and numbers.
        seed: of the draw; the result depends on this paper, the rules, the seed and `known` alone.
        known: what equations of other papers say (`CutResult.qualified`), with the paper's id: of
            near-duplicates in a study one is kept.

    >>> from foreword.records import Display, Paper
    >>> text = r"Energy is \[E = m c^2 + \frac{p^2}{2m}\]"
    >>> paper = Paper(id="p", text=text, displays=(
    ...     Display(environment="[", start=10, body_start=12, body_end=38, end=40),))
    >>> result = cut_equations(paper, CutRules(min_context=10, min_hidden=5))
    >>> [(cut.id, cut.prefix, cut.hidden) for cut in result.cuts]
    [('p/0/11', 'E = m c^2 +', ' \\frac{p^2}{2m}')]
    """
    original, expanded = paper, None
    if rules.expand_macros:
        expanded = expand_paper(paper)
        paper = expanded.paper
    desk = _Desk(paper, rules)
    likenesses = desk.likenesses()
    verdicts = _verdicts(desk, expanded.problems if expanded else {}, likenesses, known)
    qualified = [index for index, verdict in enumerate(verdicts) if isinstance(verdict, int)]
    chosen = set(spread(qualified, rules.per_paper, random_for(seed, paper.id)))
    unlucky = _No(
        "not chosen", f"one of {len(qualified)} that qualify; {rules.per_paper} are taken"
    )
    cuts: list[Cut] = []
    rejected: list[Rejection] = []
    for index, verdict in enumerate(verdicts):
        if isinstance(verdict, _No):
            rejected.append(_rejection(desk, index, verdict))
        elif index not in chosen:
            rejected.append(_rejection(desk, index, unlucky))
        else:
            used = _source(original, expanded, index, rules)
            cuts.append(_cut(desk, index, verdict, seed, used))
    return CutResult(
        cuts=tuple(cuts),
        rejected=tuple(rejected),
        qualified=tuple(likenesses[index] for index in qualified),
        said=tuple(likenesses),
        num_possible=len(qualified),
    )


def cuts_again(paper: Paper, cut_ids: Sequence[str], rules: CutRules, *, seed: int) -> list[Cut]:
    """Cuts of a paper by their ids alone: no equation is looked at but these.

    Raises:
        ValueError: an id is no cut's, or the paper has no such equation or it is shorter.
    """
    original, expanded = paper, None
    if rules.expand_macros:
        expanded = expand_paper(paper)
        paper = expanded.paper
    desk = _Desk(paper, rules)
    cuts: list[Cut] = []
    for cut_id in cut_ids:
        index, site = (int(part) for part in cut_id.rsplit("/", 2)[1:])
        if index >= len(paper.displays) or not 0 < site < len(desk.body(paper.displays[index])):
            raise ValueError(f"{paper.id} has no equation to be cut as {cut_id}")
        cuts.append(_cut(desk, index, site, seed, _source(original, expanded, index, rules)))
    return cuts


def _source(original: Paper, expanded: Expanded | None, index: int, rules: CutRules) -> str:
    """A display with its context, as the paper has them."""
    display = original.displays[index]
    start = display.start - rules.min_context
    if expanded is not None:
        start = expanded.origin(expanded.paper.displays[index].start - rules.min_context)
    return original.text[start : display.end]


def _verdicts(
    desk: _Desk, problems: Mapping[int, str], likenesses: Sequence[str], known: Mapping[str, str]
) -> list[int | _No]:
    """For each display the offset in its body at which it can be cut, or why it can't be.

    Of those that say the same, the first that can be cut is; the later ones are repeated.
    """
    said = {key: f"as in {paper}" for key, paper in known.items()}
    verdicts: list[int | _No] = []
    for index, display in enumerate(desk.paper.displays):
        key = likenesses[index]
        verdict = _unfit(desk, display, problems.get(index)) or _site(
            desk, display, said.get(key, "")
        )
        if isinstance(verdict, int):
            said[key] = f"as equation {index}"
        verdicts.append(verdict)
    return verdicts


def _is_endless(display: Display) -> bool:
    """Whether a display is longer than any formula: it has no site, for all that was looked at."""
    return display.body_end - display.body_start > LONGEST_DISPLAY


def _unfit(desk: _Desk, display: Display, problem: str | None) -> _No | None:
    least = desk.rules.min_context
    if display.start < least:
        return _No("early", f"{display.start} of {least} characters before it")
    body = desk.body(display)
    if _is_endless(display):
        return _No("too long", f"{len(body)} characters, {LONGEST_DISPLAY} are looked into")
    if desk.diagrams.has(display.environment, body):
        return _No("diagram", f"{len(body)} characters")
    return None if problem is None else _No("not expanded", problem)


def _site(desk: _Desk, display: Display, repeat: str) -> int | _No:
    body, rules = desk.body(display), desk.rules
    try:
        pieces = top_level(body, desk.vocabulary)
    except UnbalancedError as error:
        return _No("unbalanced", str(error))
    if repeat:
        return _No("repeated", repeat)
    inked = substance(body)
    if inked < rules.min_hidden:
        return _No("too short", f"{inked} characters in all, {rules.min_hidden} asked for")
    sites = sites_among(pieces, len(body))
    if not sites:
        return _No("no site", f"{len(body)} characters")
    site = _fitting(body.rstrip(), sites, rules)
    if isinstance(site, int) and _is_shown(desk, display, site):
        return _No("answer in context", f"{len(bare(body[site:]))} characters, cut at {site}")
    return site


def _fitting(body: str, sites: Sequence[int], rules: CutRules) -> int | _No:
    """The first site whose rest has the right length; or what is wrong with the first of all."""
    faults = (_fault(body, site, rules) for site in sites)
    first = next(faults)
    if first is None:
        return sites[0]
    return next((site for site, fault in zip(sites[1:], faults, strict=True) if not fault), first)


def _is_shown(desk: _Desk, display: Display, site: int) -> bool:
    """Whether the rest behind a site could be copied, from the context or from the prefix."""
    body = desk.body(display)
    answer = bare(body[site:])
    context = desk.said.between(display.start - desk.rules.min_context, display.start)
    return answer in context or answer in bare(body[:site])


def _fault(body: str, site: int, rules: CutRules) -> _No | None:
    """What is wrong with the length of the hidden rest, if anything; `body` ends without space."""
    length = len(body) - site
    if length > rules.max_hidden:
        return _No("too long", f"{length} characters would be hidden, {rules.max_hidden} allowed")
    inked = substance(body[site:])
    if inked < rules.min_hidden:
        return _No("too short", f"{inked} characters would be hidden, {rules.min_hidden} asked for")
    return None


def _cut(desk: _Desk, index: int, site: int, seed: int, used: str) -> Cut:
    paper, rules = desk.paper, desk.rules
    display = paper.displays[index]
    body = desk.body(display)
    file, line = desk.places[index]
    cut_id = f"{paper.id}/{index}/{site}"
    draw, length = random_for(seed, cut_id), rules.max_hidden + FILLER_MARGIN
    return Cut(
        id=cut_id,
        paper_id=paper.id,
        environment=display.environment,
        context=paper.text[display.start - rules.min_context : display.start],
        opening=paper.text[display.start : display.body_start],
        prefix=body[:site],
        hidden=body[site:],
        closing=paper.text[display.body_end : display.end],
        filler=filler_for(paper, display, body[site:], length, draw, desk.diagrams),
        file=file,
        line=line,
        macros=desk.uses.of(used),
    )


def _rejection(desk: _Desk, index: int, verdict: _No) -> Rejection:
    file, line = desk.places[index]
    return Rejection(
        paper_id=desk.paper.id,
        display=index,
        environment=desk.paper.displays[index].environment,
        file=file,
        line=line,
        reason=verdict.reason,
        detail=verdict.detail,
    )
