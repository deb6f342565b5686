r"""Does TeX set the same boxes for a display and for the display with its macros written out?

    python bench/expansion_against_tex.py PAPER... [--most 250]

Each paper's definitions stand in an `article` with amsmath; every display that `expand_paper`
changes is put into a box twice, and TeX's own descriptions of the two are compared. Needs pdflatex.
"""

import argparse
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from corpus import read
from foreword.cuts.expansion import expand_paper
from foreword.records import Macro, Paper

BOX = re.compile(r"(?m)^BOXSTART$(.*?)^BOXEND$", re.DOTALL)
LABEL = re.compile(r"\\label\s*\{[^{}]*\}\s*")
ENVIRONMENT = re.compile(r"(begin|end)\{(.*)\}")
KEPT = frozenset(["begin", "end", "left", "right", "text", "label", "ref", "par", "document"])
PREAMBLE = r"""\documentclass{article}
\usepackage{amsmath,amssymb,amsthm,bm,graphicx,ifthen,xspace,etoolbox,mathtools,xparse}
\makeatletter
"""
START = r"""\makeatother\begin{document}
\showboxbreadth=100000 \showboxdepth=1000 \hbadness=10000 \vbadness=10000 \hfuzz=1000pt
"""


def definition(macro: Macro) -> str:
    if macro.arguments == "=":  # by `\let`: another name of one of LaTeX's own words
        return f"\\let{own(macro)}{macro.body}\\let\\{macro.name}{macro.body}\n"
    if macro.arguments:
        return f"\\DeclareDocumentCommand\\{macro.name}{{{macro.arguments}}}{{{macro.body}}}\n"
    environment = ENVIRONMENT.fullmatch(macro.name)
    if environment is None:
        default = "" if macro.default is None else f"[{macro.default}]"
        signature = f"[{macro.num_args}]{default}" if macro.num_args else ""
        word = f"\\{macro.name}"
        return (
            f"\\providecommand{{{word}}}{{}}\\renewcommand{{{word}}}{signature}{{{macro.body}}}\n"
        )
    name = environment[2] if environment[1] == "begin" else f"end{environment[2]}"
    parameters = "".join(f"#{number + 1}" for number in range(macro.num_args))
    return f"\\expandafter\\def\\csname {name}\\endcsname{parameters}{{{macro.body}}}\n"


def own(macro: Macro) -> str:
    """A name under which LaTeX's own word is kept, whatever the paper makes of it."""
    return f"\\latexsown{macro.body[1:]}"


def with_own_words(made: str, macros: Iterable[Macro]) -> str:
    """The box of a display that is written out: LaTeX's own words mean there what they are."""
    words = "".join(f"\\let{one.body}{own(one)}" for one in macros if one.arguments == "=")
    return f"\\begingroup{words}{box(made)}\\endgroup"


def box(display: str) -> str:
    bare = LABEL.sub("", display)
    return (
        f"\\setcounter{{equation}}{{0}}\\setbox0\\vbox{{\\hsize=500pt {bare}}}"
        "\\immediate\\write-1{BOXSTART}\\showbox0 \\immediate\\write-1{BOXEND}\n"
    )


def pairs(paper: Paper) -> Iterator[tuple[str, str]]:
    expanded = expand_paper(paper).paper
    for before, after in zip(paper.displays, expanded.displays, strict=True):
        source, made = paper.text[before.start : before.end], expanded.text[after.start : after.end]
        if source != made:
            yield source, made


def boxes(tex: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "boxes.tex").write_text(tex, encoding="utf-8")
        command = ["pdflatex", "-interaction=batchmode", "-no-shell-escape", "boxes.tex"]
        subprocess.run(command, cwd=folder, capture_output=True, timeout=300, check=False)
        log = (Path(folder) / "boxes.log").read_text(encoding="utf-8", errors="replace")
    return [
        "\n".join(line for line in found.splitlines() if line.startswith("."))
        for found in BOX.findall(log)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("papers", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=250, help="displays a paper")
    arguments = parser.parse_args()
    for path in arguments.papers:
        paper = read(path)
        macros = [m for m in (*paper.macros, *paper.wrappers) if m.name not in KEPT]
        chosen = list(pairs(paper))[: arguments.most]
        found = boxes(
            PREAMBLE
            + "".join(map(definition, macros))
            + START
            + "".join(box(source) + with_own_words(made, macros) for source, made in chosen)
            + "\\end{document}\n"
        )
        same = [one == two for one, two in zip(found[::2], found[1::2], strict=False)]
        print(f"{paper.id}: {sum(same)} of {len(same)} the same, {len(chosen)} asked for")
        for (source, made), equal in zip(chosen, same, strict=False):
            if not equal:
                print(f"  {source[:200]!r}\n  {made[:200]!r}")


if __name__ == "__main__":
    main()
