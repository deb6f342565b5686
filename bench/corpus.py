"""The folders of a corpus of LaTeX projects, and the main file of those that hold several."""

from pathlib import Path

import foreword
from foreword.records import Paper

MAINS = {
    **dict.fromkeys(
        (
            "antedb",
            "carleson-blueprint",
            "equational-blueprint",
            "infinity-cosmos",
            "pfr-blueprint",
            "testing-lower-bounds",
        ),
        "blueprint/src/print.tex",
    ),
    "fremlin-measure": "vol1.tex",
    "hott-intro": "Book/hott-intro.tex",
    "mapping-stellar-surfaces": "paper2/ms.tex",
    "open-logic": "open-logic-complete.tex",
    "sm-and-beyond": "beyond.tex",
}


def folders_of(corpus: Path) -> list[Path]:
    """The folders of a corpus, by name."""
    return sorted(path for path in corpus.iterdir() if path.is_dir())


def read(folder: Path) -> Paper:
    """The paper that a folder holds.

    Raises:
        SourceError: it holds none.
    """
    return foreword.read_paper(folder, main=MAINS.get(folder.name))
