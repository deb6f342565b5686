"""Where the offsets of a clean text stand in its source."""

from bisect import bisect_right

from foreword.records import Paper


class Places:
    """Finds places as `Paper.place` does; quick where one lies behind the last one, and near it."""

    def __init__(self, paper: Paper) -> None:
        self._paper = paper
        self._within = self._last = self._line = self._line_start = 0
        """The segment of the last offset, the offset, its line, and where that line starts."""

    def at(self, offset: int) -> tuple[str, int, int]:
        """File, line and column (from 1) of the source; an empty name and 0 where it has none.

        Raises:
            ValueError: the offset lies outside of the text.
        """
        paper = self._paper
        if not paper.segments:
            return "", 0, 0
        within = bisect_right(paper.segments, offset, key=lambda segment: segment.start)
        if within == self._within and self._last <= offset <= len(paper.text):
            file = paper.segments[within - 1].file
            self._line += paper.text.count("\n", self._last, offset)
            newline = paper.text.rfind("\n", self._last, offset)
            self._line_start = newline + 1 if newline >= 0 else self._line_start
        else:
            file, self._line, column = paper.place(offset)
            self._line_start = offset - column + 1
        self._within, self._last = within, offset
        return file, self._line, offset - self._line_start + 1
