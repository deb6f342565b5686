"""One file of a paper while it is read, and its groups."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from foreword.latex.arguments import Arguments, brace_pairs
from foreword.papers.sourcemap import Lines

_COLOR = re.compile(
    r"\\(?:definecolor\s*\{(?P<name>[^{}]{1,60})\}\s*\{(?:rgb|RGB|HTML)\}|colorlet\s*"
    r"\{(?P<alias>[^{}]{1,60})\})\s*\{(?P<color>[^{}]{1,60})\}"
)


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


@dataclass(slots=True)
class OpenFile:
    """One file while it is read."""

    name: str
    text: str
    lines: Lines
    end: int
    r"""Where reading stops: the file's end, or that of the line of an `\endinput`."""
    is_style: bool
    """A package or class: read for its definitions only."""
    was_in_body: bool
    """Whether the document's body had begun when this file was entered."""
    is_document: bool = False
    """A part with a preamble of its own (`subfiles`, `standalone`)."""
    pairs: dict[int, int] | None = None
    groups: Groups | None = None
    named_colors: dict[str, str] | None = None

    @property
    def colors(self) -> Mapping[str, str]:
        """The colours that this file names, with what they are."""
        if self.named_colors is None:
            self.named_colors = {
                match["name"] or match["alias"]: match["color"].strip()
                for match in _COLOR.finditer(self.text)
            }
        return self.named_colors

    def group_end(self, at: int) -> int | None:
        """Offset of the `}` of the innermost group around an offset."""
        if self.groups is None:
            self.groups = Groups(self.arguments(at).pairs)
        return self.groups.end(at)

    def arguments(self, at: int) -> Arguments:
        """A reader of the arguments that start at an offset."""
        if self.pairs is None:
            self.pairs = brace_pairs(self.text)
        return Arguments(self.text, at, self.pairs)
