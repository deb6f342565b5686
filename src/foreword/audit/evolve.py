"""A universal text by an evolutionary search: it needs values alone, so any scorer will do."""

import logging
import random
from collections.abc import Sequence

from foreword.audit.objective import Found, Objective, universal
from foreword.audit.strategies import cut_to
from foreword.errors import ForewordError
from foreword.store import fingerprint

_PARENTS = 6
_CHILDREN = 6
_TRIES = 200
"""Draws for one generation: most are new texts, unless all are as long as they may be."""
_SYMBOLS = r"""
    = + - ( ) , . ; & 1 2 0 x y t n i k
    \left( \right) \frac{1}{2} \sum_{n} \int \partial \, \quad ^{2} _{i} \mathrm{d}
    \label{eq:} \nonumber \alpha \lambda \phi \hat \bar \langle \rangle \cdot \to
"""
_PIECES = (
    *_SYMBOLS.split(),
    "\\\\\n&=",
    "\n",
    "% Same equation:\n",
    "% same as above\n",
    "% First equation:\n",
    " \\qquad\\text{(as above)}",
)
"""What a text is made of, beside those that the search begins with."""
_log = logging.getLogger(__name__)


def evolve(
    objective: Objective, starts: Sequence[str], *, most: int, requests: int, seed: int
) -> Found:
    """The best text that a search finds, which begins with some texts and never does worse.

    In each generation six new texts are made of the best six, by putting a piece in, taking a
    stretch out, replacing one, doubling one, or joining two texts; the best six of all stay. The
    same arguments give the same texts, scored or remembered.

    Args:
        objective: what is wanted, on the papers for fitting.
        starts: texts to begin with.
        most: characters of a text.
        requests: to the scorer, at most; one a text and cut. All starts are tried in any case.
        seed: of the draws.

    Raises:
        ForewordError: none of the starts can be scored.
    """
    draw = random.Random(fingerprint(["audit evolve", seed]))  # noqa: S311 (no secret)
    tried = Tried(objective)
    tried.judge([cut_to(text, most) for text in starts])
    if not tried.values:
        raise ForewordError(
            "no text can be scored on the papers for fitting: `foreword score` on these cuts says "
            "why; mend that, or take another scorer"
        )
    start = tried.values[tried.best[0]]
    while (left := requests // len(objective.cuts) - tried.count) > 0:
        children = _children(tried, most, min(_CHILDREN, left), draw)
        if not children:
            break
        tried.judge(children)
        gain = tried.values[tried.best[0]] - start
        _log.info("universal search: %d requests, %+.4f so far", tried.requests, gain)
    best = tried.best[0]
    return Found(text=best, value=tried.values[best], start=start, requests=tried.requests)


class Tried:
    """The texts that were tried, with their values."""

    def __init__(self, objective: Objective) -> None:
        self.values: dict[str, float] = {}
        """Of those that could be scored, in nats per target token."""
        self._objective = objective
        self._failed: set[str] = set()

    def __contains__(self, text: str) -> bool:
        return text in self.values or text in self._failed

    @property
    def count(self) -> int:
        """How many texts."""
        return len(self.values) + len(self._failed)

    @property
    def requests(self) -> int:
        """One a text and cut."""
        return self.count * len(self._objective.cuts)

    @property
    def best(self) -> list[str]:
        """The texts with the highest values, the best first, shorter ones first where they tie."""
        order = sorted((-value, len(text), text) for text, value in self.values.items())
        return [text for *_, text in order[:_PARENTS]]

    def judge(self, texts: Sequence[str]) -> None:
        """Score those that were not tried before, together."""
        new = [text for text in dict.fromkeys(texts) if text not in self]
        if not new:
            return
        found = self._objective.values([universal(text) for text in new])
        for text, value in zip(new, found, strict=True):
            if value is None:
                self._failed.add(text)
            else:
                self.values[text] = value


def _children(tried: Tried, most: int, count: int, draw: random.Random) -> list[str]:
    """New texts, none of them tried."""
    children: dict[str, None] = {}
    parents = tried.best
    for _ in range(_TRIES):
        if len(children) == count:
            break
        child = cut_to(_changed(parents, draw), most)
        if child.strip() and child not in tried:
            children[child] = None
    return list(children)


def _changed(parents: Sequence[str], draw: random.Random) -> str:
    """One text changed, better ones more often."""
    place = min(draw.randrange(len(parents)), draw.randrange(len(parents)))
    text = parents[place]
    start, end = sorted(draw.randrange(len(text) + 1) for _ in range(2))
    piece = draw.choice(_PIECES)
    kind = draw.randrange(5)
    if kind == 0:
        return text[:start] + piece + text[start:]
    if kind == 1:
        return text[:start] + text[end:]
    if kind == 2:
        return text[:start] + piece + text[end:]
    if kind == 3:
        return text[:end] + text[start:end] + text[end:]
    other = draw.choice(parents)
    return text[:start] + other[draw.randrange(len(other) + 1) :]
