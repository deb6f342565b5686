"""Where a paper's displays stand in its source."""

from bisect import bisect_right

from foreword.records import Paper


def places(paper: Paper) -> list[tuple[str, int]]:
    """File and line of each display's start, as `Paper.locate` has them; the lines counted once.

    An empty name and 0 where the paper has no way back to its source.
    """
    found = [("", 0)] * len(paper.displays)
    if not paper.segments:
        return found
    segment, last, file, line = -1, 0, "", 0
    for index in sorted(range(len(found)), key=lambda index: paper.displays[index].start):
        start = paper.displays[index].start
        within = bisect_right(paper.segments, start, key=lambda segment: segment.start)
        if within == segment and start <= len(paper.text):
            line += paper.text.count("\n", last, start)
        else:
            file, line = paper.locate(start)
        segment, last = within, start
        found[index] = file, line
    return found
