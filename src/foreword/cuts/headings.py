r"""A paper's headings, and the parts of it that they, or their like, say are not to be forecast.

Whoever foresees a paper's argument can't be asked for its thanks and its list of references.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from foreword.latex.arguments import Arguments, brace_pairs
from foreword.records import Macro

Part = Literal["abstract", "related work", "acknowledgements", "bibliography", "appendix"]
PARTS: tuple[Part, ...] = get_args(Part)
"""The parts of a paper in which no text is cut, and into which none runs, unless asked for."""

TITLES: Mapping[Part, tuple[str, ...]] = MappingProxyType(
    {
        "abstract": ("abstract",),
        "related work": (
            "... related work",
            "... related works",
            "... related literature",
            "... related research",
            "... prior work",
            "... prior works",
            "... previous work",
            "... previous works",
            "... earlier work",
            "... literature review",
            "... literature survey",
            "... review of literature",
            "... review of the literature",
        ),
        "acknowledgements": (
            "acknowledgement ...",
            "acknowledgements ...",
            "acknowledgment ...",
            "acknowledgments ...",
            "funding",
            "author contributions ...",
            "data availability ...",
            "code availability ...",
            "competing interests ...",
            "conflict of interest ...",
            "conflicts of interest ...",
        ),
        "bibliography": (
            "bibliography",
            "references",
            "references and notes",
            "literature",
            "literature cited",
            "works cited",
            "further reading",
        ),
        "appendix": (
            "appendix ...",
            "appendices ...",
            "supplement ...",
            "supplements ...",
            "supplementary ...",
            "supplemental ...",
            "supporting information ...",
        ),
    }
)
"""Titles by which a part is known, as `plain_title` has them; dots stand for any words, at the
front for any words before and after."""

ENVIRONMENTS: Mapping[str, Part] = MappingProxyType(
    {
        "abstract": "abstract",
        "acknowledgement": "acknowledgements",
        "acknowledgements": "acknowledgements",
        "acknowledgment": "acknowledgements",
        "acknowledgments": "acknowledgements",
        "ack": "acknowledgements",
        "acks": "acknowledgements",
        "thebibliography": "bibliography",
        "appendix": "appendix",
        "appendices": "appendix",
        "subappendices": "appendix",
    }
)
"""Environments, without their stars, that are such a part."""

WORDS: Mapping[str, Part] = MappingProxyType(
    {
        "acknowledgement": "acknowledgements",
        "acknowledgements": "acknowledgements",
        "acknowledgment": "acknowledgements",
        "acknowledgments": "acknowledgements",
        "ack": "acknowledgements",
        "bibliography": "bibliography",
        "printbibliography": "bibliography",
    }
)
r"""Control words that begin such a part, which ends at the next heading; behind `\appendix` all is
appendix."""

_LEVELS = {
    "part": 0,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
    "subparagraph": 6,
}
_LOWEST = max(_LEVELS.values())
_BEHIND_ALL = -1
_HEADS = re.compile(rf"\\(?P<level>{'|'.join(_LEVELS)})(?![A-Za-z])\*?\s*(?:\[[^\[\]]*\]\s*)?\{{#")
_TOKEN = re.compile(
    r"\\(?P<side>begin|end)\s*\{(?P<environment>[A-Za-z]{1,40})\*?\}"
    r"|\\(?P<word>[A-Za-z@]+)|\\(?s:.)"
)
_NO_WORDS = re.compile(r"\\label\s*\{[^{}]*\}|\\[A-Za-z@]+\*?|(?:[^\w\\]|[\d_])+|\\")
_NUMBER = re.compile(r"(?:[ivx]+|[a-z]) (?=\w)")
_LONGEST_TITLE = 300


class Region(NamedTuple):
    """A run of the text that is such a part."""

    start: int
    end: int
    part: Part


class _Head(NamedTuple):
    """Where a part of the paper begins."""

    start: int
    level: int
    part: Part | None
    """None for a part that may be cut."""


def left_out(text: str, macros: Iterable[Macro] = ()) -> list[Region]:
    r"""The stretches of a paper that are none of its argument, in order of where they begin.

    A part goes from its heading to the next one of the same or a higher level.

    Args:
        text: clean text, without listings.
        macros: of the paper; one that is a heading counts as it.

    >>> text = r"\section{Proofs} We \section*{Related Work} They \subsection{Us} So \section{Z} I"
    >>> [(text[region.start:region.end], region.part) for region in left_out(text)]
    [('\\section*{Related Work} They \\subsection{Us} So ', 'related work')]
    """
    heads = sorted(_heads(text, macros))
    found = list(_environments(text))
    for number, head in enumerate(heads):
        if head.part is not None:
            behind = islice(heads, number + 1, None)
            later = (other.start for other in behind if other.level <= head.level)
            found.append(Region(head.start, next(later, len(text)), head.part))
    return sorted(found)


def part_of(title: str) -> Part | None:
    r"""The part that a heading says begins; None for one that may be cut.

    >>> part_of(r"Background and Related Works\label{sec:b}"), part_of("A. Appendix: proofs")
    ('related work', 'appendix')
    >>> part_of("Abstract algebra"), part_of("References"), part_of("Reference frames")
    (None, 'bibliography', None)
    """
    plain = plain_title(title)
    return next((p for p in PARTS if any(_is_like(plain, known) for known in TITLES[p])), None)


def plain_title(title: str) -> str:
    r"""The words of a heading in small letters: no commands, numbers or signs.

    >>> plain_title(r"2.1~\texorpdfstring{Prior}{}-\emph{Work}")
    'prior work'
    """
    words = " ".join(_NO_WORDS.sub(" ", title[:_LONGEST_TITLE]).lower().split())
    return _NUMBER.sub("", words, count=1) if _NUMBER.match(words) else words


def _is_like(title: str, known: str) -> bool:
    words = known.replace("...", "").strip()
    if known.startswith("..."):
        return f" {words} " in f" {title} "
    return title == words or (known.endswith("...") and title.startswith(f"{words} "))


def _environments(text: str) -> Iterator[Region]:
    at = 0
    for match in _TOKEN.finditer(text):
        part = ENVIRONMENTS.get(match["environment"] or "")
        if part and match["side"] == "begin" and match.start() >= at:
            end = text.find(f"\\end{{{match['environment']}", match.end())
            at = len(text) if end < 0 else end
            yield Region(match.start(), at, part)


def _heads(text: str, macros: Iterable[Macro]) -> Iterator[_Head]:
    bodies = {macro.name: macro.body for macro in macros}
    own = {name: head["level"] for name, body in bodies.items() if (head := _HEADS.search(body))}
    levels = {name: _LEVELS[own.get(name, name)] for name in (*own, *_LEVELS)}
    words = {word: part for word, part in WORDS.items() if word not in bodies}
    pairs = brace_pairs(text)
    for match in _TOKEN.finditer(text):
        word = match["word"]
        if word in levels:
            read = Arguments(text, match.end(), pairs)
            read.star()
            read.option()
            title = read.group()
            if title is not None:
                yield _Head(match.start(), levels[word], part_of(title))
        elif word == "appendix":
            yield _Head(match.start(), _BEHIND_ALL, "appendix")
        elif word in words:
            yield _Head(match.start(), _LOWEST, words[word])
