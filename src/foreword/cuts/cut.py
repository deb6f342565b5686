"""The cuts of one paper: which of its displayed equations are split, and where."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType

from foreword.cuts.arguments import UnbalancedError
from foreword.cuts.choose import random_for, spread
from foreword.cuts.content import bare, likeness, substance
from foreword.cuts.expansion import Expanded, expand_paper
from foreword.cuts.filler import filler_for
from foreword.cuts.lexemes import Vocabulary
from foreword.cuts.reasons import Reason, Rejection
from foreword.cuts.sites import candidate_sites
from foreword.latex.diagrams import is_diagram
from foreword.latex.macros import used_macros
from foreword.records import Cut, Display, Paper

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
    """What became of a paper's displays: each is in one of the two, in source order."""

    cuts: tuple[Cut, ...]
    rejected: tuple[Rejection, ...]
    qualified: tuple[str, ...] = ()
    """What the equations say that qualify, as `content.likeness` puts it, whether cut or not."""


@dataclass(frozen=True, slots=True)
class _No:
    reason: Reason
    detail: str


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
    likenesses = [likeness(_body(paper, display)) for display in paper.displays]
    repeats = _repeats(likenesses, known)
    verdicts = _verdicts(paper, rules, expanded.problems if expanded else {}, repeats)
    qualified = [index for index, verdict in enumerate(verdicts) if isinstance(verdict, int)]
    chosen = set(spread(qualified, rules.per_paper, random_for(seed, paper.id)))
    unlucky = _No(
        "not chosen", f"one of {len(qualified)} that qualify; {rules.per_paper} are taken"
    )
    cuts: list[Cut] = []
    rejected: list[Rejection] = []
    for index, verdict in enumerate(verdicts):
        if isinstance(verdict, _No):
            rejected.append(_rejection(paper, index, verdict))
        elif index not in chosen:
            rejected.append(_rejection(paper, index, unlucky))
        else:
            used = _source(original, expanded, index, rules)
            cuts.append(_cut(paper, index, verdict, rules, seed, used))
    return CutResult(
        cuts=tuple(cuts),
        rejected=tuple(rejected),
        qualified=tuple(likenesses[index] for index in qualified),
    )


def _repeats(likenesses: Sequence[str], known: Mapping[str, str]) -> list[str]:
    """For each display where the same was displayed before; empty where nowhere."""
    first: dict[str, int] = {}
    places = [first.setdefault(key, index) for index, key in enumerate(likenesses)]
    return [
        f"as in {known[key]}" if key in known else f"as equation {place}" if place != index else ""
        for index, (key, place) in enumerate(zip(likenesses, places, strict=True))
    ]


def _source(original: Paper, expanded: Expanded | None, index: int, rules: CutRules) -> str:
    """A display with its context, as the paper has them."""
    display = original.displays[index]
    start = display.start - rules.min_context
    if expanded is not None:
        start = expanded.origin(expanded.paper.displays[index].start - rules.min_context)
    return original.text[start : display.end]


def _verdicts(
    paper: Paper, rules: CutRules, problems: Mapping[int, str], repeats: Sequence[str]
) -> list[int | _No]:
    """For each display the offset in its body at which it can be cut, or why it can't be."""
    vocabulary = Vocabulary(paper.macros)
    return [
        _unfit(paper, display, rules, problems.get(index))
        or _site(paper, display, rules, vocabulary, repeats[index])
        for index, display in enumerate(paper.displays)
    ]


def _unfit(paper: Paper, display: Display, rules: CutRules, problem: str | None) -> _No | None:
    if display.start < rules.min_context:
        return _No("early", f"{display.start} of {rules.min_context} characters before it")
    body = _body(paper, display)
    if is_diagram(display.environment, body, paper.macros):
        return _No("diagram", f"{len(body)} characters")
    return None if problem is None else _No("not expanded", problem)


def _site(
    paper: Paper, display: Display, rules: CutRules, vocabulary: Vocabulary, repeat: str
) -> int | _No:
    body = _body(paper, display)
    try:
        sites = candidate_sites(body, vocabulary)
    except UnbalancedError as error:
        return _No("unbalanced", str(error))
    if repeat:
        return _No("repeated", repeat)
    if substance(body) < rules.min_hidden:
        return _No(
            "too short", f"{substance(body)} characters in all, {rules.min_hidden} asked for"
        )
    if not sites:
        return _No("no site", f"{len(body)} characters")
    trimmed = body.rstrip()
    faults = [_fault(trimmed, site, rules) for site in sites]
    if None not in faults:
        assert faults[0] is not None
        return faults[0]
    site = sites[faults.index(None)]
    answer = bare(body[site:])
    if answer in bare(_context(paper, display, rules)) or answer in bare(body[:site]):
        return _No("answer in context", f"{len(answer)} characters, cut at {site}")
    return site


def _fault(body: str, site: int, rules: CutRules) -> _No | None:
    """What is wrong with the length of the hidden rest, if anything; `body` ends without space."""
    length = len(body) - site
    if length > rules.max_hidden:
        return _No("too long", f"{length} characters would be hidden, {rules.max_hidden} allowed")
    inked = substance(body[site:])
    if inked < rules.min_hidden:
        return _No("too short", f"{inked} characters would be hidden, {rules.min_hidden} asked for")
    return None


def _cut(paper: Paper, index: int, site: int, rules: CutRules, seed: int, used: str) -> Cut:
    display = paper.displays[index]
    body = _body(paper, display)
    opening = paper.text[display.start : display.body_start]
    closing = paper.text[display.body_end : display.end]
    file, line = _place(paper, display)
    cut_id = f"{paper.id}/{index}/{site}"
    context = _context(paper, display, rules)
    return Cut(
        id=cut_id,
        paper_id=paper.id,
        environment=display.environment,
        context=context,
        opening=opening,
        prefix=body[:site],
        hidden=body[site:],
        closing=closing,
        filler=filler_for(
            paper, display, body[site:], rules.max_hidden + FILLER_MARGIN, random_for(seed, cut_id)
        ),
        file=file,
        line=line,
        macros=used_macros(used, paper.macros),
    )


def _rejection(paper: Paper, index: int, verdict: _No) -> Rejection:
    display = paper.displays[index]
    file, line = _place(paper, display)
    return Rejection(
        paper_id=paper.id,
        display=index,
        environment=display.environment,
        file=file,
        line=line,
        reason=verdict.reason,
        detail=verdict.detail,
    )


def _body(paper: Paper, display: Display) -> str:
    return paper.text[display.body_start : display.body_end]


def _context(paper: Paper, display: Display, rules: CutRules) -> str:
    return paper.text[display.start - rules.min_context : display.start]


def _place(paper: Paper, display: Display) -> tuple[str, int]:
    return paper.locate(display.start) if paper.segments else ("", 0)
