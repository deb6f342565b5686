"""Small papers, written for a test and read as the stage reads them."""

import gzip
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path

from foreword.papers import read_paper
from foreword.papers.decode import declared_encoding, decode
from foreword.papers.source import open_source
from foreword.records import Paper

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared"


def write_folder(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def read_body(folder: Path, body: str, *, preamble: str = "", **others: str) -> Paper:
    """A paper with this body; `others` are further files, `_` in their names meaning a dot."""
    main = (
        f"\\documentclass{{article}}\n{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    )
    files = {name.replace("_", "."): text for name, text in others.items()}
    return read_paper(write_folder(folder, {"main.tex": main, **files}))


def bodies(paper: Paper) -> list[str]:
    return [paper.text[display.body_start : display.body_end].strip() for display in paper.displays]


def environments(paper: Paper) -> list[str]:
    return [display.environment for display in paper.displays]


def tar_of(files: Mapping[str, str | bytes], *members: tarfile.TarInfo) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, content in files.items():
            data = content if isinstance(content, bytes) else content.encode()
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
        for member in members:
            tar.addfile(member)
    return packed.getvalue()


def gzip_of(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def check_source_map(paper: Paper, path: Path) -> None:
    """Every character of the clean text stands where its segment says it does."""
    source, _, _ = open_source(path)
    encoding = declared_encoding(source.read(paper.main))
    lines = {name: decode(source.read(name), encoding).text.split("\n") for name in paper.files}
    starts = [segment.start for segment in paper.segments] + [len(paper.text)]
    assert starts[0] == 0
    assert starts == sorted(starts)
    for segment, end in zip(paper.segments, starts[1:], strict=True):
        runs = paper.text[segment.start : end].split("\n")
        for number, run in enumerate(runs):
            line = lines[segment.file][segment.line - 1 + number]
            column = segment.column - 1 if number == 0 else 0
            assert line[column : column + len(run)] == run
            if number < len(runs) - 1:
                assert column + len(run) == len(line)
