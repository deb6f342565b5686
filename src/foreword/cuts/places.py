"""Where a paper's displays stand in its source."""

from foreword.latex.places import Places
from foreword.records import Paper


def places(paper: Paper) -> list[tuple[str, int]]:
    """File and line of each display's start, as `Paper.locate` has them; the lines counted once.

    An empty name and 0 where the paper has no way back to its source.
    """
    found = [("", 0)] * len(paper.displays)
    known = Places(paper)
    for index in sorted(range(len(found)), key=lambda index: paper.displays[index].start):
        file, line, _ = known.at(paper.displays[index].start)
        found[index] = file, line
    return found
