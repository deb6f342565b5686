r"""Files for a paper: which there are, what each is called, and one document that shows all.

Every file of a name that this module knows is written anew or taken away, so that a folder never
holds a number of an earlier run beside those of this one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from foreword.analysis import WindowLift
from foreword.errors import UsageError
from foreword.figures import panels, tables
from foreword.figures.panels import Figure
from foreword.figures.study import Shown
from foreword.figures.tex import Table, booktabs, escaped
from foreword.records import Analysis
from foreword.store import replacing, write_text

if TYPE_CHECKING:
    from types import ModuleType

_DRAWN = (".pdf", ".svg", "-dark.svg")
"""Endings of a figure's files: for print, and for pages with a light and with a dark background."""
_NO_MATPLOTLIB = (
    "figures need the package matplotlib, which is not installed: run "
    "`pip install -c constraints.txt -e '.[figures]'`"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a folder of files holds now."""

    files: tuple[Path, ...]
    left_out: Mapping[str, str]
    """A figure or table that is not there → why not."""


def check_drawing() -> None:
    """See that figures can be drawn, before anything else is done.

    Raises:
        UsageError: matplotlib is not installed.
    """
    _draw()


def _draw() -> "ModuleType":
    try:
        from foreword.figures import draw
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("foreword"):
            raise
        raise UsageError(_NO_MATPLOTLIB) from error
    return draw


def write_files(
    analysis: Analysis, folder: Path, *, source: str, windows: Sequence[WindowLift] = ()
) -> Written:
    """The figures and tables of one analysis, as files for a paper.

    Args:
        analysis: of one study, by one scorer.
        folder: where to; made if it is not there.
        source: in words, where the numbers come from; it stands in every file.
        windows: lifts by window of target tokens, of a study of prose.

    Raises:
        UsageError: matplotlib is not installed.
    """
    shown = Shown(analysis)
    source = f"scorer {analysis.scorer_id or 'none'}; {source}"
    drawn, no_figures = panels.figures(shown, windows)
    made, no_tables = tables.tables(shown, windows)
    left_out = no_figures | no_tables
    # First of all, so that a run that is killed leaves no two runs' numbers side by side.
    (folder / "all.tex").unlink(missing_ok=True)
    _take_away([*(one.name for one in drawn), *(one.name for one in made), *left_out], folder)
    files = [*_write_figures(drawn, folder, source), *_write_tables(made, folder, source)]
    write_text(folder / "all.tex", _document(drawn, made))
    return Written(files=(*files, folder / "all.tex"), left_out=left_out)


def write_windows(rows: Sequence[WindowLift], folder: Path, *, source: str) -> Written:
    """The figure and the table of lift by window, of any study.

    Raises:
        UsageError: matplotlib is not installed.
    """
    figure, table = panels.by_window(rows), tables.by_window(rows)
    drawn = [figure] if isinstance(figure, Figure) else []
    made = [table] if isinstance(table, Table) else []
    left_out = dict(one for one in (figure, table) if isinstance(one, tuple))
    files = [*_write_figures(drawn, folder, source), *_write_tables(made, folder, source)]
    _take_away(left_out, folder)
    return Written(files=tuple(files), left_out=left_out)


def _write_figures(figures: Sequence[Figure], folder: Path, source: str) -> list[Path]:
    draw = _draw()
    paths: list[Path] = []
    for figure in figures:
        about = f"From: {source}. {figure.caption}"
        for ending in _DRAWN:
            path = folder / f"{figure.name}{ending}"
            ink = draw.DARK if "dark" in ending else draw.LIGHT
            found = draw.drawn(figure.drawing, path.suffix[1:], ink=ink, about=about)
            with replacing(path) as temporary:
                temporary.write_bytes(found)
            paths.append(path)
    return paths


def _write_tables(made: Sequence[Table], folder: Path, source: str) -> list[Path]:
    paths = [folder / f"{table.name}.tex" for table in made]
    for path, table in zip(paths, made, strict=True):
        write_text(path, booktabs(table, escaped(source, 600)))
    return paths


def write_tables(made: Sequence[Table], folder: Path, *, source: str) -> Written:
    """Tables alone, as files for a paper."""
    return Written(files=tuple(_write_tables(made, folder, source)), left_out={})


def _take_away(names: Iterable[str], folder: Path) -> None:
    for name in names:
        for ending in (*_DRAWN, ".tex"):
            (folder / f"{name}{ending}").unlink(missing_ok=True)


def _document(drawn: Sequence[Figure], made: Sequence[Table]) -> str:
    """A document that shows every file with its caption, for pdflatex in the same folder."""
    lines = [
        "% All figures and tables, to look through: pdflatex all.tex",
        r"\documentclass{article}",
        r"\usepackage[margin=2cm]{geometry}",
        r"\usepackage{booktabs,graphicx}",
        r"\newsavebox{\fittedbox}",
        r"\newcommand{\fitted}[1]{\sbox{\fittedbox}{#1}%",
        r"  \ifdim\wd\fittedbox>\linewidth\resizebox{\linewidth}{!}{\usebox{\fittedbox}}%",
        r"  \else\usebox{\fittedbox}\fi}",
        r"\begin{document}",
    ]
    for figure in drawn:
        lines += [
            r"\begin{figure}[p]\centering",
            rf"\fitted{{\includegraphics{{{figure.name}.pdf}}}}",
            rf"\caption{{{escaped(figure.caption, 600)}}}",
            r"\end{figure}",
        ]
    for table in made:
        lines += [
            r"\begin{table}[p]\centering\footnotesize",
            rf"\caption{{{table.caption}}}",
            rf"\fitted{{\input{{{table.name}.tex}}}}",
            r"\end{table}",
        ]
    return "\n".join([*lines, r"\clearpage", r"\end{document}", ""])
