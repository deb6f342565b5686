"""Where sentences and paragraphs end, and prose goes on behind them."""

import re
from collections.abc import Iterator

_SPACE = re.compile(r"\s+")
_STOP = re.compile(r"[.?!](?:''|[)\]}”’\"])*\Z")
_SHORT = re.compile(
    r"(?:\A|[^A-Za-z])(?:[A-Za-z]|[ei]\.\s?[eg]|al|cf|ca|vs|etc|resp|viz|approx|St|Dr|Profs?|Mrs?|Ms"
    r"|Eqs?|Eqns?|Figs?|Tabs?|Secs?|Sects?|Refs?|Ch|Chap|App|Thms?|Props?|Lem|Cor|Defs?|Exs?|Rems?"
    r"|[Nn]os?|[Vv]ols?|pp?|eds?)\.\Z"
)
_LONGEST_STOP = 20
_WORD = re.compile(r"``|[^\W\d_]")
_FORMULA = re.compile(r"\$(?!\$)|\\\(")


def sentence_ends(text: str) -> Iterator[int]:
    r"""Offsets at which a sentence or a paragraph has ended and a word, or a formula, comes next.

    An offset stands behind the line ends, and before the spaces, that part the two: so no token of
    usual tokenizers lies across it. A paragraph may go on with any letter or a formula; a sentence
    in its middle with a capital alone, for `Fig. 3` and `e.g. this` end none.

    >>> text = "See Fig. 2 by Roe et al. It is. Hence\nwe go on.\n\n $y$ is big"
    >>> [text[at:at + 8] for at in sentence_ends(text)]
    [' Hence\nw', ' $y$ is ']
    """
    for match in _SPACE.finditer(text):
        start, end = match.span()
        space = match.group()
        is_paragraph = space.count("\n") > 1
        before = text[max(0, start - _LONGEST_STOP) : start]
        is_end = is_paragraph or (_STOP.search(before) and not _SHORT.search(before))
        if start and is_end and _goes_on(text, end, is_paragraph=is_paragraph):
            yield start + space.rfind("\n") + 1


def _goes_on(text: str, at: int, *, is_paragraph: bool) -> bool:
    word = _WORD.match(text, at)
    if word is None:
        return is_paragraph and _FORMULA.match(text, at) is not None
    return is_paragraph or not word.group().islower()
