"""A paper in many files and the same paper in one give the same displays, in the same order."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from papers_made import SHARED, bodies, environments

from foreword.errors import SourceError
from foreword.papers import read_paper

CORPUS = SHARED / "tex"
_INCLUDE = re.compile(
    r"^(?P<before>(?:[^%\n\\]|\\.)*?)\\(?:input|include)(?![A-Za-z])\s*"
    r"(?:\{\s*(?P<braced>[^{}\\]+?)\s*\}|(?P<bare>[^\s{}\\%\"]+))",
    re.MULTILINE,
)


def flattened(folder: Path, name: str, depth: int = 0) -> str:
    """The file with its includes in place, as TeX reads them; by text alone, in one expression."""
    text = (folder / name).read_bytes().decode("utf-8").replace("\r\n", "\n")

    def included(match: re.Match[str]) -> str:
        wanted = match["braced"] or match["bare"]
        names = {path.relative_to(folder).as_posix().lower(): path for path in folder.rglob("*")}
        for candidate in (f"{wanted}.tex".lower(), wanted.lower()):
            if candidate in names and depth < 10:
                candidate = names[candidate].relative_to(folder).as_posix()
                return match["before"] + flattened(folder, candidate, depth + 1)
        return match[0]

    before = None
    while before != text:  # several on one line
        before, text = text, _INCLUDE.sub(included, text)
    return text


def folders() -> Iterator[Path]:
    for folder in sorted(CORPUS.iterdir()) if CORPUS.is_dir() else ():
        try:
            paper = read_paper(folder)
        except SourceError:
            continue
        texts = (folder.joinpath(name).read_bytes() for name in paper.files)
        if len(paper.files) > 2 and "/" not in paper.main and all(map(is_simple, texts)):
            yield folder


def is_simple(text: bytes) -> bool:
    """Whether the one expression reads its includes right."""
    hard = (rb"\subfile", rb"\endinput", rb"\import", rb"\lstinput")
    return not any(word in text for word in hard) and b"\r" not in text


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not there")
def test_in_one_file_or_in_many_the_displays_are_the_same(tmp_path: Path) -> None:
    compared = 0
    for folder in folders():
        whole = read_paper(folder)
        (tmp_path / "flat.tex").write_text(flattened(folder, whole.main), encoding="utf-8")
        flat = read_paper(tmp_path / "flat.tex")
        assert environments(flat) == environments(whole), folder.name
        assert bodies(flat) == bodies(whole), folder.name
        compared += len(whole.displays)
    assert compared > 1000
