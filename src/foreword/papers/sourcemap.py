"""Clean text in the making, with the way back of each character to its source."""

from foreword.latex.comments import ends_in_word
from foreword.records import Segment


class Lines:
    """Where the lines of one source file start, found out on the way through it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at, self._line, self._start = 0, 1, 0
        """An offset, its line, and where that line starts."""

    def place(self, offset: int) -> tuple[int, int]:
        r"""Line and column of an offset, both from 1; quick where it lies near the last one.

        >>> Lines("ab\ncd").place(4)
        (2, 2)
        """
        if offset >= self._at:
            self._line += self._text.count("\n", self._at, offset)
            self._start = self._text.rfind("\n", self._at, offset) + 1 or self._start
        elif lines := self._text.count("\n", offset, self._at):
            self._line -= lines
            self._start = self._text.rfind("\n", 0, offset) + 1
        self._at = offset
        return self._line, offset - self._start + 1


class CleanText:
    """Collects runs of source text, in the order in which they are read."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._segments: list[Segment] = []
        self._source_end = ("", -1)
        self.length = 0
        self.at_line_start = True
        """Whether there is nothing but blanks on the last line so far."""

    def add(self, file: str, lines: Lines, text: str, start: int, end: int) -> None:
        """Take over the run of `text`, the whole of `file`, from `start` to `end`."""
        if start >= end:
            return
        run = text[start:end]
        if self._source_end != (file, start):
            line, column = lines.place(start)
            self._segments.append(Segment(start=self.length, file=file, line=line, column=column))
        self._source_end = (file, end)
        self._parts.append(run)
        self.length += len(run)
        _, newline, last = run.rpartition("\n")
        self.at_line_start = not last.strip() and (bool(newline) or self.at_line_start)

    @property
    def ends_in_word(self) -> bool:
        """Whether the text so far ends in a control word."""
        return bool(self._parts) and ends_in_word(self._parts[-1], len(self._parts[-1]))

    def finish(self) -> tuple[str, tuple[Segment, ...]]:
        """The whole text, and its segments."""
        return "".join(self._parts), tuple(self._segments)
