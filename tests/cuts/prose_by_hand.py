"""Papers of prose made by hand: paragraphs that differ, with what is asked for between them."""

import re
from collections.abc import Sequence

from paper_by_hand import displays

from foreword.records import Macro, Paper, Segment

SENTENCE = "Here the {}-th claim follows from what was said before it, with some care. "


def paragraph(number: int, sentences: int = 6) -> str:
    return "".join(SENTENCE.format(100 * number + i) for i in range(sentences)).rstrip()


def prose(blocks: Sequence[str], *, macros: Sequence[Macro] = (), name: str = "p") -> Paper:
    """A paper of these blocks, with an empty line between each two."""
    text = "\n\n".join(blocks) + "\n"
    return Paper(
        id=name,
        text=text,
        displays=displays(text),
        macros=tuple(macros),
        segments=(Segment(start=0, file="main.tex", line=1, column=1),),
    )


def open_environments(text: str, end: int) -> list[str]:
    """Environments open at an offset, counted by the simplest means: each opening less a closing.

    It knows nothing of listings, macros or displays: an independent check, not another reader.
    """
    counts: dict[str, int] = {}
    for side, name in re.findall(r"\\(begin|end)\s*\{([^{}]*)\}", text[:end]):
        counts[name] = counts.get(name, 0) + (1 if side == "begin" else -1)
    return [name for name, count in counts.items() if count > 0]


def open_braces(text: str, end: int) -> int:
    """Braces open at an offset; those with a backslash aside."""
    plain = re.sub(r"\\(?s:.)", "", text[:end])
    return plain.count("{") - plain.count("}")
