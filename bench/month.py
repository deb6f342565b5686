"""Read and cut as many papers as three categories of arXiv get in a month.

    python bench/month.py CORPUS --papers 2000

A corpus is a folder of LaTeX projects. Those that are papers (0.05 to 0.6 MB of LaTeX) are copied
again and again into a bulk archive as arXiv gives them, each copy with words and equations of its
own, so that none is a duplicate. Then the commands that a user would give are run on it, one after
the other, each in a process of its own, and what they took is printed.
"""

import argparse
import gzip
import io
import os
import re
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from corpus import folders_of

LEAST, MOST = 50_000, 600_000
_EQUALS = re.compile(r"(?<=[A-Za-z)}\]]) = ")


def sources(folder: Path) -> dict[str, str]:
    """The LaTeX files of a project, by their names in it."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".tex", ".sty", ".cls", ".bbl") and path.is_file():
            found[path.relative_to(folder).as_posix()] = path.read_text("utf-8", "replace")
    return found


def as_copy(files: dict[str, str], number: int) -> dict[str, str]:
    """The files with other equations and other words, so that no two copies are duplicates."""
    changed = {name: _EQUALS.sub(f" = {number} + ", text) for name, text in files.items()}
    begin = r"\begin{document}"
    return {name: text.replace(begin, f"{begin} Copy {number}.") for name, text in changed.items()}


def packed(files: dict[str, str]) -> bytes:
    """The files as an e-print."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, text in files.items():
            data = text.encode()
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return gzip.compress(buffer.getvalue(), compresslevel=1)


def eprints(corpus: Path, num_papers: int) -> Iterator[bytes]:
    """So many e-prints, the projects in turn."""
    papers = []
    for folder in folders_of(corpus):
        files = sources(folder)
        if LEAST <= sum(map(len, files.values())) <= MOST:
            papers.append(files)
    for number in range(num_papers):
        yield packed(as_copy(papers[number % len(papers)], number))


def run(command: list[str]) -> tuple[float, float, str]:
    """Seconds of the clock and of the processor that a command took, and what it said last."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 3):
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return wall, after.ru_utime - before.ru_utime, done.stdout.strip().splitlines()[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--papers", type=int, default=2000)
    args = parser.parse_args()
    corpus = args.corpus.resolve()
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        size = 0
        with tarfile.open("arXiv_src_2611_001.tar", "w") as tar:
            for number, data in enumerate(eprints(corpus, args.papers)):
                info = tarfile.TarInfo(f"2611/2611.{number:05}.gz")
                info.size = len(data)
                size += len(data)
                tar.addfile(info, io.BytesIO(data))
        print(f"{args.papers} e-prints, {size / 1e6:.0f} MB packed")
        foreword = [sys.executable, "-c", "from foreword.cli import main; main()"]
        steps = [
            ["papers", "read", "arXiv_src_2611_001.tar", "--out", "papers.parquet"],
            ["slate", "papers.parquet", "--min-cuts", "5", "--out", "slate.parquet"],
            ["cut", "papers.parquet", "--slate", "slate.parquet", "--out", "cuts.parquet"],
        ]
        print("| command | seconds | of the processor | |\n|---|---:|---:|---|")
        for step in steps:
            wall, busy, said = run([*foreword, *step])
            name = "foreword " + " ".join(step[: 2 if step[0] == "papers" else 1])
            print(f"| {name} | {wall:.0f} | {busy:.0f} | {said} |")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"peak memory of a process: {peak:.0f} MiB")


if __name__ == "__main__":
    main()
