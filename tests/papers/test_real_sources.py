"""The sample papers, and the open corpus beside the repository where it is present."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from papers_made import SHARED, check_source_map

import foreword
from foreword.errors import SourceError
from foreword.papers import read_paper
from foreword.records import Paper

SAMPLES = Path(foreword.__file__).parent / "samples"
CORPUS = sorted(path for path in (SHARED / "tex").glob("*") if path.is_dir())
EPRINTS = SHARED / "arxiv" / "eprints"

OPENING = re.compile(
    r"\\begin\{(?:equation|align|alignat|flalign|gather|multline|eqnarray|displaymath|dmath)\*?\}"
)
CRUDE = re.compile(rf"{OPENING.pattern}|(?<!\\)\\\[|\$\$")
NUM_HIDDEN = {"hepph-cheatsheet": 5, "hott-book": 3, "hott-intro": 87, "quantum-comm-overview": 11,
              "sm-and-beyond": 18}  # fmt: skip
"""Openings that the crude count sees and TeX does not: in listings, in environments that are
comments (`comment`, or declared as such with \\excludecomment), and behind \\end{document}."""


def read_folder(folder: Path) -> Paper:
    try:
        return read_paper(folder)
    except SourceError:
        meta = json.loads((folder / "META.json").read_text(encoding="utf-8"))
        return read_paper(folder, main=meta["main_files"][0])


def crude_count(folder: Path, paper: Paper) -> int:
    count = 0
    for name in paper.files:
        if name.endswith((".sty", ".cls")):
            continue
        text = (folder / name).read_bytes().decode("utf-8", "replace")
        found = CRUDE.findall(re.sub(r"(?<!\\)%.*", "", text))
        count += len(found) - found.count("$$") + found.count("$$") // 2
    return count


@pytest.mark.parametrize("name", ["quantum", "fields", "spectra"])
def test_the_samples_read_whole(name: str) -> None:
    paper = read_paper(SAMPLES / name)
    check_source_map(paper, SAMPLES / name)
    assert paper.unresolved == ()
    assert len(paper.displays) >= 30
    assert "%" not in paper.text.replace("\\%", "")
    assert not re.search(r"\\(newcommand|def|let)(?![A-Za-z])", paper.text)


def test_macros_that_open_displays_are_resolved_in_a_sample() -> None:
    paper = read_paper(SAMPLES / "fields")
    openings = Counter(
        (paper.text[display.start : display.body_start], display.environment)
        for display in paper.displays
    )
    assert openings["\\be", "equation"] > 10
    assert openings["\\bea", "eqnarray"] > 1
    assert not paper.text.count("\\be\n") - openings["\\be", "equation"]


@pytest.mark.skipif(not CORPUS, reason="the corpus is not there")
@pytest.mark.parametrize("folder", CORPUS, ids=lambda folder: folder.name)
def test_a_real_project_reads_right(folder: Path) -> None:
    paper = read_folder(folder)
    check_source_map(paper, folder)
    for display in paper.displays:
        assert not OPENING.search(paper.text, display.body_start, display.body_end)
    assert len(paper.displays) == crude_count(folder, paper) - NUM_HIDDEN.get(folder.name, 0)
    if folder.name != "open-logic":  # all of it is included by macros
        assert len(paper.displays) >= 15


@pytest.mark.skipif(not EPRINTS.is_dir(), reason="the e-prints are not there")
@pytest.mark.parametrize(
    ("name", "main", "num_displays"),
    [
        ("compiler_1602.00123.tar", "Unconventional_pairing.tex", 1),
        ("browse_1907.07431v2.gz", "browse_1907.07431v2.tex", 0),
        ("st_test4.tar.gz", "main.tex", 1),
        ("st_version-2.tar.gz", "main1.tex", 0),
        ("st_test1.tar.gz", "fake-file-2.tex", 0),
    ],
)
def test_real_packages_read(name: str, main: str, num_displays: int) -> None:
    paper = read_paper(EPRINTS / name)
    check_source_map(paper, EPRINTS / name)
    assert (paper.main, len(paper.displays)) == (main, num_displays)


@pytest.mark.skipif(not EPRINTS.is_dir(), reason="the e-prints are not there")
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("browse_cs_9901011.tar.gz", "holds no LaTeX file"),
        ("st_version-2_00README.json", "is JSON"),
    ],
)
def test_real_packages_that_can_not_be_read_say_why(name: str, reason: str) -> None:
    with pytest.raises(SourceError, match=reason):
        read_paper(EPRINTS / name)
