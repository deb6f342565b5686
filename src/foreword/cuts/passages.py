"""The cuts of one paper's prose: between its blocks, where every environment and group is closed.

Source: section 7 of 'Likelihood scoring for continuations of mathematical text' (arXiv 2605.10810).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from random import Random

from foreword.cuts.choose import random_for
from foreword.cuts.content import tidy
from foreword.cuts.cut import NOTHING_KNOWN, CutResult
from foreword.cuts.headings import PARTS, Part, Region, left_out
from foreword.cuts.nesting import is_inside, open_stretches, without_listings
from foreword.cuts.reasons import Reason, Rejection
from foreword.cuts.sentences import sentence_ends
from foreword.latex.macros import Uses
from foreword.latex.places import Places
from foreword.records import Cut, CutKind, Paper
from foreword.store import JSON

LIKENESS = 200
"""Characters from the cut on by which two passages are told to be the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProseRules:
    """How to cut prose. All lengths are in characters.

    Raises:
        ValueError: a number is too small, or there is no such part.
    """

    min_context: int = 10_000
    """Clean text before a cut; so much is stored with it."""
    hidden: int = 2_400
    """Clean text behind a cut that is hidden: enough for the largest window of tokens, 400."""
    asked: int = 1_800
    """How much of it a predictor is asked for."""
    budget: int = 1_000
    """How much of a forecast the scorer reads."""
    per_paper: int = 10
    """Cuts taken from one paper at most; their hidden texts never overlap."""
    also_in: tuple[Part, ...] = ()
    """Parts that are cut too, though they are left out by default."""

    def __post_init__(self) -> None:
        for name in ("min_context", "hidden", "asked", "budget", "per_paper"):
            least = 0 if name == "min_context" else 1
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least {least}")
        for part in self.also_in:
            if part not in PARTS:
                raise ValueError(f"there is no part '{part}'; the parts are {', '.join(PARTS)}")

    @property
    def kind(self) -> CutKind:
        """What is cut by these rules."""
        return "prose"

    @property
    def settings(self) -> dict[str, JSON]:
        """What sets a table of cuts apart.

        >>> ProseRules().settings["kind"], ProseRules(also_in=("appendix",)).settings["also_in"]
        ('prose', ['appendix'])
        """
        return {"kind": self.kind, **asdict(self), "also_in": sorted(self.also_in)}


DEFAULT_PROSE_RULES = ProseRules()


@dataclass(frozen=True, slots=True)
class _No:
    reason: Reason
    detail: str


class _Desk:
    """A paper, the rules, and what was made ready once for all of its sentences."""

    def __init__(self, paper: Paper, rules: ProseRules) -> None:
        self.paper, self.rules = paper, rules
        text = without_listings(paper.text)
        self.stretches = open_stretches(paper, text)
        self.regions = _disjoint(
            region for region in left_out(text, paper.macros) if region.part not in rules.also_in
        )
        self.uses = Uses(paper.macros)
        self.sites = list(sentence_ends(text))

    def likeness(self, site: int) -> str:
        """What a passage has in common with its copies."""
        return tidy(self.paper.text[site : site + LIKENESS])

    def region(self, site: int) -> Region | None:
        """The first part left out that the text hidden behind a site touches."""
        index = bisect_right(self.regions, site, key=lambda region: region.end)
        if index == len(self.regions) or self.regions[index].start >= site + self.rules.hidden:
            return None
        return self.regions[index]


def _disjoint(regions: Iterable[Region]) -> list[Region]:
    """The regions, of those that overlap the later ones cut short."""
    kept: list[Region] = []
    for region in regions:
        end = kept[-1].end if kept else 0
        if region.end > end:
            kept.append(region._replace(start=max(region.start, end)))
    return kept


def cut_prose(
    paper: Paper,
    rules: ProseRules = DEFAULT_PROSE_RULES,
    *,
    seed: int = 0,
    known: Mapping[str, str] = NOTHING_KNOWN,
) -> CutResult:
    r"""Cut a paper's prose where a sentence or a paragraph ends, `rules.per_paper` times at most.

    Nothing is open at a cut: no environment, formula, group or option. The hidden texts lie in no
    part that is left out (`headings.TITLES`) and do not overlap. Where more cuts are possible than
    are taken, each is drawn from a stretch of the paper of its own.

    Args:
        paper: a clean text with its displays.
        rules: lengths and numbers.
        seed: of the draw; the result depends on this paper, the rules, the seed and `known` alone.
        known: how passages of other papers begin (`CutResult.qualified`), with the paper's id.

    >>> paper = Paper(id="p", text="We begin here. Then \\emph{we. Go} on. So it is.\n\nAnd so on")
    >>> result = cut_prose(paper, ProseRules(min_context=20, hidden=9))
    >>> [(cut.id, cut.context[-8:], cut.hidden) for cut in result.cuts]
    [('p/prose/37', ' Go} on.', ' So it is'), ('p/prose/49', 'it is.\n\n', 'And so on')]
    """
    desk = _Desk(paper, rules)
    verdicts = _verdicts(desk, known)
    qualified = [site for site, verdict in verdicts.items() if verdict is None]
    taken, num_possible = draw_apart(
        qualified, rules.hidden, rules.per_paper, random_for(seed, paper.id, "prose")
    )
    unlucky = _No(
        "not chosen", f"{num_possible} cuts are possible; {min(num_possible, rules.per_paper)} are"
    )
    chosen, cuts, rejected = set(taken), list[Cut](), list[Rejection]()
    places = Places(paper)
    for site, verdict in verdicts.items():
        file, line, _ = places.at(site)
        if site in chosen:
            cuts.append(_cut(desk, site, file, line))
        else:
            rejected.append(_rejection(paper, site, verdict or unlucky, file, line))
    outer = [site for site, no in verdicts.items() if no is None or no.reason == "repeated"]
    return CutResult(
        cuts=tuple(cuts),
        rejected=tuple(rejected),
        qualified=tuple(desk.likeness(site) for site in qualified),
        said=tuple(desk.likeness(site) for site in outer),
        num_possible=num_possible,
    )


def prose_again(
    paper: Paper,
    cut_ids: Sequence[str],
    rules: ProseRules,
    *,
    seed: int = 0,  # noqa: ARG001 (as for equations)
) -> list[Cut]:
    """Cuts of a paper's prose by their ids alone.

    Raises:
        ValueError: an id is no such cut's, or the paper is shorter.
    """
    desk, places = _Desk(paper, rules), Places(paper)
    cuts: list[Cut] = []
    for cut_id in cut_ids:
        site = site_of(cut_id)
        if not rules.min_context <= site <= len(paper.text) - rules.hidden:
            raise ValueError(f"{paper.id} has no prose to be cut as {cut_id}")
        cuts.append(_cut(desk, site, *places.at(site)[:2]))
    return cuts


def site_of(cut_id: str) -> int:
    """Where in the clean text a cut of prose stands.

    Raises:
        ValueError: it is no such cut's id.

    >>> site_of("2604.00001v1/prose/18200")
    18200
    """
    kind, site = cut_id.rsplit("/", 2)[-2:]
    if kind != "prose":
        raise ValueError(f"{cut_id} is no cut of prose")
    return int(site)


def draw_apart(
    sites: Sequence[int], length: int, most: int, random: Random
) -> tuple[list[int], int]:
    """Sites whose texts do not overlap, and how many such there could be at most.

    As many are drawn as there can be, up to `most`; the n-th from the n-th of as many even
    stretches of the sites, where that leaves room for those to come.

    Args:
        sites: in order.
        length: of the text behind each, in characters.
        most: how many to draw.
        random: `random.random()` is used alone, whose sequence Python keeps between versions.

    >>> draw_apart([0, 4, 9, 12, 20, 31], 10, 2, random_for(0))[1]
    3
    """
    fits = [0] * (len(sites) + 1)  # how many texts fit from each site on
    for index in range(len(sites) - 1, -1, -1):
        fits[index] = 1 + fits[bisect_left(sites, sites[index] + length, lo=index)]
    count, drawn, first = min(most, fits[0]), list[int](), 0
    for number in range(count):
        left = count - number
        last = bisect_right(fits, -left, lo=first, hi=len(sites), key=lambda fit: -fit) - 1
        low = min(max(first, number * len(sites) // count), last)
        high = min(max(low + 1, (number + 1) * len(sites) // count), last + 1)
        drawn.append(sites[low + int(random.random() * (high - low))])
        first = bisect_left(sites, drawn[-1] + length)
    return drawn, fits[0]


def _verdicts(desk: _Desk, known: Mapping[str, str]) -> dict[int, _No | None]:
    """For each end of a sentence None, or why it can't be cut there."""
    said = {key: f"as in {paper}" for key, paper in known.items()}
    verdicts: dict[int, _No | None] = {}
    for site in desk.sites:
        verdict = _unfit(desk, site)
        if verdict is None:
            likeness = desk.likeness(site)
            if likeness in said:
                verdict = _No("repeated", said[likeness])
            else:
                said[likeness] = f"as at character {site}"
        verdicts[site] = verdict
    return verdicts


def _unfit(desk: _Desk, site: int) -> _No | None:
    rules, text = desk.rules, desk.paper.text
    if is_inside(site, desk.stretches):
        return _No("nested", "something is open there")
    if site < rules.min_context:
        return _No("early", f"{site} of {rules.min_context} characters before it")
    behind = len(text) - site
    if behind < rules.hidden:
        return _No("too short", f"{behind} characters behind it, {rules.hidden} asked for")
    region = desk.region(site)
    if region is not None:
        return _No("section", region.part)
    if text[site : site + LIKENESS].strip() in text[site - rules.min_context : site]:
        return _No("answer in context", f"the first {LIKENESS} characters of it")
    return None


def _cut(desk: _Desk, site: int, file: str, line: int) -> Cut:
    text, rules = desk.paper.text, desk.rules
    start, end = site - rules.min_context, site + rules.hidden
    return Cut(
        id=f"{desk.paper.id}/prose/{site}",
        paper_id=desk.paper.id,
        environment="",
        context=text[start:site],
        opening="",
        prefix="",
        hidden=text[site:end],
        closing="",
        file=file,
        line=line,
        macros=desk.uses.of(text[start:end]),
        kind="prose",
        asked=rules.asked,
        room=rules.budget,
    )


def _rejection(paper: Paper, site: int, verdict: _No, file: str, line: int) -> Rejection:
    return Rejection(
        paper_id=paper.id,
        display=site,
        environment="",
        file=file,
        line=line,
        reason=verdict.reason,
        detail=verdict.detail,
    )
