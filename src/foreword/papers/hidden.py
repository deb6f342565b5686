r"""Text that a reader of the page would not see: white, tiny, or of no width.

Papers were found with instructions to language models in white. Such text is taken out of the clean
text, and reported. Source: arXiv/html_feedback#4338.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping

from foreword.latex.arguments import Arguments
from foreword.papers.apart import Why

INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]+")
"""Characters without width, and those that turn the direction of writing."""

_SMALLEST_POINTS = 3.0
_WHITE = re.compile(
    r"white(?:!100)?|(?:1(?:\.0*)?\s*,\s*){2}1(?:\.0*)?|(?:255\s*,\s*){2}255|[fF]{6}"
)
_WHITE_GRAY = re.compile(r"(?:1|1\.0*|0\.9[5-9]\d*)")
_SIZE = re.compile(r"\s*(\d{0,4}\.?\d{0,4})\s*(pt|px|bp|mm|cm|em|ex|sp)?\s*")
_POINTS = {
    "pt": 1.0,
    "px": 1.0,
    "bp": 1.0,
    "mm": 2.85,
    "cm": 28.5,
    "em": 10.0,
    "ex": 4.3,
    "sp": 0.0,
}


def hidden_argument(command: str, arguments: Arguments) -> Why | None:
    r"""Why the text that a command sets can't be seen; None if it can. Moves past its arguments.

    Args:
        command: `textcolor`, `color` or `fontsize`.
        arguments: from behind the command on.
    """
    if command == "fontsize":
        size = _SIZE.fullmatch(arguments.group() or "")
        arguments.group()
        if size is None or not size[1].strip("."):
            return None
        return (
            "hidden: tiny"
            if float(size[1]) * _POINTS[size[2] or "pt"] <= _SMALLEST_POINTS
            else None
        )
    model = arguments.option()
    color = (arguments.group() or "").strip()
    is_white = _WHITE_GRAY.fullmatch(color) if model == "gray" else _WHITE.fullmatch(color)
    return "hidden: white" if is_white else None


class Groups:
    """The groups of a file, for the question in which one an offset lies."""

    def __init__(self, pairs: Mapping[int, int]) -> None:
        self._edges: list[int] = []
        self._ends: list[int | None] = []
        open_: list[int] = []
        for at, is_open in _edges(pairs.items()):
            if is_open:
                open_.append(pairs[at])
            else:
                open_.pop()
            self._edges.append(at)
            self._ends.append(open_[-1] if open_ else None)

    def end(self, offset: int) -> int | None:
        """Offset of the `}` of the innermost group around an offset; None outside of all."""
        edge = bisect_right(self._edges, offset) - 1
        return self._ends[edge] if edge >= 0 else None


def _edges(pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, bool]]:
    yield from sorted(edge for start, end in pairs for edge in ((start, True), (end, False)))
