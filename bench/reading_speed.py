r"""How fast a paper is read: by foreword, by pylatexenc and by regular expressions, in one run.

    pip install -e '.[bench]'
    python bench/reading_speed.py CORPUS --repeats 3

A corpus is a folder of LaTeX projects. `read` is foreword's reading of each folder, `cut` that and
the cutting of every paper; `pylatexenc` walks the same files (tolerant, as it comes), `regex` knows
comments, `\begin` with its `\end`, `$$` and `\[`. Each measurement is a process of its own. Seconds
are of processor time, so that what else runs matters little; peak memory is the kernel's high-water
mark, reset before, less what was held.
Then one text is read once, and two, four and eight times as long; and all folders are read by one
process and by two at once.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import foreword
from corpus import folders_of, read
from foreword.errors import SourceError
from foreword.latex.environments import DISPLAYS, is_display

SIDES = ("read", "cut", "regex", "pylatexenc")
SCALES = (1, 2, 4, 8)
ROUNDS = 5
"""How often one or two processes read all, so that starting them counts for little."""
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_DISPLAY = re.compile(
    rf"\\begin\{{((?:{'|'.join(sorted(DISPLAYS))})\*?)\}}.*?\\end\{{\1\}}|\$\$.*?\$\$"
    r"|(?<!\\)\\\[.*?\\\]",
    re.DOTALL,
)


def by_read(folders: Sequence[Path]) -> int:
    """Displays that foreword finds."""
    return sum(len(read(folder).displays) for folder in folders)


def by_cut(folders: Sequence[Path]) -> int:
    """Cuts that foreword makes."""
    return sum(len(foreword.cut_equations(read(folder)).cuts) for folder in folders)


def by_regex(texts: Sequence[str]) -> int:
    """Displays that regular expressions find."""
    return sum(1 for text in texts for _ in _DISPLAY.finditer(_COMMENT.sub(r"\1", text)))


def by_pylatexenc(texts: Sequence[str]) -> int:
    """Displays that pylatexenc finds; a text that it gives up on is named, and has none."""
    from pylatexenc.latexwalker import LatexWalker

    found = 0
    for number, text in enumerate(texts):
        try:
            nodes = LatexWalker(text, tolerant_parsing=True).get_latex_nodes()[0]
        except Exception as error:  # noqa: BLE001 - whatever another program does, it is counted
            print(f"pylatexenc gave up on file {number}: {error!r:.80}", file=sys.stderr)
        else:
            found += _num_displays(nodes)
    return found


def _num_displays(nodes: Sequence[Any]) -> int:
    """Displays among pylatexenc's nodes and in them."""
    found, waiting = 0, list(nodes)
    while waiting:
        node = waiting.pop()
        if is_display(getattr(node, "environmentname", "")) or (
            getattr(node, "displaytype", "") == "display"
        ):
            found += 1
        else:
            waiting += getattr(node, "nodelist", None) or []
            waiting += getattr(getattr(node, "nodeargd", None), "argnlist", None) or []
    return found


def files_of(folder: Path) -> list[Path]:
    """The files that foreword reads of a folder."""
    return [folder / name for name in read(folder).files]


def work_of(side: str, folders: Sequence[Path]) -> Callable[[], int]:
    """What is to be timed, with all that it needs in memory but foreword's files."""
    if side in ("read", "cut"):
        whole = by_read if side == "read" else by_cut
        whole(folders[:1])  # imports what is imported at first use
        return lambda: whole(folders)
    texts = [path.read_text("utf-8", "replace") for f in folders for path in files_of(f)]
    by_text = by_regex if side == "regex" else by_pylatexenc
    by_text(["x"])
    return lambda: by_text(texts)


def resident(field: str) -> int:
    """Resident memory of this process in bytes: `VmRSS` now, `VmHWM` at its peak."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def timed(work: Callable[[], int]) -> dict[str, float]:
    """Seconds of processor time, peak memory in bytes, and what was found."""
    Path("/proc/self/clear_refs").write_text("5")
    before, start = resident("VmRSS"), time.process_time()
    found = work()
    seconds = time.process_time() - start
    return {"seconds": seconds, "peak": resident("VmHWM") - before, "found": found}


def started(side: str, folders: Sequence[Path]) -> "subprocess.Popen[str]":
    """A process that takes one measurement."""
    command = [sys.executable, __file__, str(folders[0].parent), "--side", side, "--only"]
    command += [folder.name for folder in folders]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def finished(process: "subprocess.Popen[str]") -> dict[str, float]:
    """What the process measured."""
    shown, _ = process.communicate()
    if process.returncode:
        sys.exit("a measurement failed; its message stands above")
    measured: dict[str, float] = json.loads(shown.splitlines()[-1])
    return measured


def print_sides(folders: Sequence[Path], repeats: int) -> None:
    """The table of speeds."""
    megabytes = sum(path.stat().st_size for f in folders for path in files_of(f)) / 1e6
    print(f"{len(folders)} papers, {megabytes:.2f} MB\n")
    runs: dict[str, list[dict[str, float]]] = {side: [] for side in SIDES}
    for turn in range(repeats):
        for side in SIDES if turn % 2 == 0 else SIDES[::-1]:
            runs[side].append(finished(started(side, folders)))
            print(f"run {turn + 1}: {side} {runs[side][-1]['seconds']:.2f} s", file=sys.stderr)
    print("| side | seconds, each run | MB/s | papers/s | peak memory | found |")
    print("|---|---|---:|---:|---:|---:|")
    for side, measured in runs.items():
        seconds = [run["seconds"] for run in measured]
        each, middle = ", ".join(f"{value:.2f}" for value in seconds), median(seconds)
        peak = max(run["peak"] for run in measured) / 2**20
        print(
            f"| {side} | {each} | {megabytes / middle:.2f} | {len(folders) / middle:.1f} "
            f"| {peak:.0f} MiB | {measured[0]['found']:,.0f} |"
        )


def print_scaling(folders: Sequence[Path]) -> None:
    """Whether time is linear in text: one that is twice as long should take twice the time."""
    text = max((read(folder).text for folder in folders), key=len)
    taken: list[tuple[int, float]] = []
    with TemporaryDirectory() as scratch:
        path = Path(scratch) / "main.tex"
        for scale in SCALES:
            body = "\n\n".join([text] * scale)
            path.write_text(f"\\begin{{document}}\n{body}\n\\end{{document}}\n", "utf-8")
            runs = [timed(lambda: len(foreword.read_paper(path).displays)) for _ in range(3)]
            taken.append((len(body), min(run["seconds"] for run in runs)))
    print("\n| characters | seconds, best of 3 | times the first |")
    print("|---:|---:|---:|")
    for length, seconds in taken:
        print(f"| {length:,} | {seconds:.3f} | {seconds / taken[0][1]:.2f} |")


def print_processes(folders: Sequence[Path]) -> None:
    """All folders read by one process, and half of them by each of two at once."""
    ordered = sorted(folders, key=lambda f: sum(path.stat().st_size for path in files_of(f)))
    print("\n| processes at once | seconds of the clock | of the processors | processors used |")
    print("|---:|---:|---:|---:|")
    for shares in ([ordered], [ordered[::2], ordered[1::2]]):
        start = time.perf_counter()
        processes = [started(f"read:{ROUNDS}", share) for share in shares]
        busy = sum(finished(process)["seconds"] for process in processes)
        clock = time.perf_counter() - start
        print(f"| {len(shares)} | {clock:.1f} | {busy:.1f} | {busy / clock:.2f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--side", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.side:
        side, _, rounds = args.side.partition(":")
        work = work_of(side, [args.corpus / name for name in args.only])
        print(json.dumps(timed(lambda: [work() for _ in range(int(rounds or 1))][-1])))
        return
    folders = []
    for folder in folders_of(args.corpus):
        try:
            read(folder)
        except SourceError as error:
            print(f"left out: {error}", file=sys.stderr)
        else:
            folders.append(folder)
    print_sides(folders, args.repeats)
    print_scaling(folders)
    print_processes(folders)


if __name__ == "__main__":
    main()
