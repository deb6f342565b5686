"""A paper's text with stretches of it replaced, and the way back to its source."""

from bisect import bisect_right
from dataclasses import dataclass, field, replace

from foreword.latex.places import Places
from foreword.records import Display, Paper, Segment


@dataclass(slots=True)
class Rewriting:
    """The text that is made, with the way back to the original.

    Stretches are replaced in order; what stands between them is copied.
    """

    paper: Paper
    starts: list[int] = field(default_factory=lambda: [0])
    origins: list[int] = field(default_factory=lambda: [0])
    """Copied and written-out stretches by turns: where each starts, here and in the original."""
    _parts: list[str] = field(default_factory=list)
    _length: int = 0
    _copied: int = 0

    def replace(self, start: int, end: int, text: str) -> int:
        """Put a text in the place of a stretch of the original; where it starts now."""
        if self.paper.text[start:end] == text:
            return self._length + start - self._copied
        self._add(self.paper.text[self._copied : start])
        at = self._length
        self._mark(start)
        self._add(text)
        self._mark(end)
        self._copied = end
        return at

    def display(self, display: Display, parts: list[str]) -> Display:
        """Put a display in its place; where it stands now."""
        start = self.replace(display.start, display.end, "".join(parts))
        body_start = start + len(parts[0])
        body_end = body_start + len(parts[1])
        return replace(
            display,
            start=start,
            body_start=body_start,
            body_end=body_end,
            end=body_end + len(parts[2]),
        )

    def finish(self) -> str:
        """The whole text."""
        self._add(self.paper.text[self._copied :])
        self._copied = len(self.paper.text)
        return "".join(self._parts)

    def segments(self) -> tuple[Segment, ...]:
        """The way back to the source files."""
        if not self.paper.segments:
            return ()
        found: list[Segment] = []
        known = Places(self.paper)
        ends = [*self.starts[1:], self._length + 1]
        for number, (start, origin, end) in enumerate(
            zip(self.starts, self.origins, ends, strict=True)
        ):
            if end > start:
                file, line, column = known.at(origin)
                found.append(Segment(start=start, file=file, line=line, column=column))
            if not number % 2:
                found += self._within(start, origin, origin + end - start)
        return tuple(found)

    def _within(self, start: int, origin: int, end: int) -> list[Segment]:
        """The original's segments that begin inside of a copied stretch."""
        segments = self.paper.segments
        first = bisect_right(segments, origin, key=lambda segment: segment.start)
        last = bisect_right(segments, end - 1, key=lambda segment: segment.start)
        return [
            replace(segment, start=segment.start - origin + start)
            for segment in segments[first:last]
        ]

    def _add(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _mark(self, origin: int) -> None:
        self.starts.append(self._length)
        self.origins.append(origin)
