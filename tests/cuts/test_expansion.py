import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import pytest
from paper_by_hand import displays, equation, macro, paper
from papers_made import SHARED, read_body

from foreword.cuts import CutRules, count_reasons, cut_equations
from foreword.cuts.expansion import expand_paper
from foreword.errors import SourceError
from foreword.latex.expandable import why_kept
from foreword.papers import read_paper
from foreword.records import Paper

ON = CutRules(expand_macros=True)
CORPUS = SHARED / "tex"
FOLDERS = ["amortized-opt", "hepph-cheatsheet", "infinity-cosmos", "poly-book", "ra-lebl"]
CONTROL = re.compile(r"\\([A-Za-z]+|(?s:.))")

PREAMBLE = r"""
\newcommand{\R}{\ensuremath{\mathbb{R}}}\newcommand{\half}{\tfrac12}\newcommand{\eg}{e.g.}
\newcommand{\be}{\begin{equation}}\newcommand{\ee}{\end{equation}}
\newcommand{\bea}[1]{\begin{equation*}\label{#1}\begin{aligned}}
\newcommand{\eea}{\end{aligned}\end{equation*}}
\def\grab#1\done{\begin{eqnarray}#1\end{eqnarray}}
\newenvironment{eq}{\begin{align}}{\end{align}}\newenvironment{mat}{\begin{pmatrix}}{\end{pmatrix}}
\newcommand{\loops}{\loops x}
\newcommand{\whole}[1]{\begin{equation}\label{e}#1\end{equation}}
"""


def written(folder: Path, body: str) -> str:
    return expand_paper(read_body(folder, body, preamble=PREAMBLE)).paper.text.strip()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\be x\in\R \ee", r"\begin{equation} x\in\mathbb{R} \end{equation}"),
        (r"\bea{e:1}x&=\half\eea",
         r"\begin{equation*}\label{e:1}\begin{aligned}x&=\tfrac12\end{aligned}\end{equation*}"),
        (r"\grab x&=&\R\done", r"\begin{eqnarray} x&=&\mathbb{R}\end{eqnarray}"),
        (r"\begin{eq}x&=\begin{mat}1\end{mat}\end{eq}",
         r"\begin{align}x&=\begin{pmatrix}1\end{pmatrix}\end{align}"),
        (r"\whole{x\in\R}", r"\begin{equation}\label{e}x\in\mathbb{R}\end{equation}"),
        (r"\begin{empheq}[box=\fbox]{align}\half\end{empheq}",
         r"\begin{empheq}[box=\fbox]{align}\tfrac12\end{empheq}"),
        (r"\eg in \R, $x^\half$ and \(\half\)",
         r"\eg in $\mathbb{R}$, $x^{\tfrac12}$ and \(\tfrac12\)"),
        (r"\verb|$\half$| \url{$\half$} \$\half\$", None),
        (r"\begin{verbatim}$\half$\end{verbatim}", None),
        ("\\be x \\ee costs $5\n\nand $\\half$",
         "\\begin{equation} x \\end{equation} costs $5\n\nand $\\tfrac12$"),
        (r"\[\loops\] and $\loops$, $\half$", r"\[\loops\] and $\loops$, $\tfrac12$"),
    ],
)  # fmt: skip
def test_formulas_are_written_out_and_words_are_not(
    tmp_path: Path, source: str, expected: str | None
) -> None:
    assert written(tmp_path, source) == (source if expected is None else expected)


KINDS = r"""
\DeclarePairedDelimiter{\norm}{\lVert}{\rVert}\let\oldnorm\norm
\def\abs{\@ifstar{\oldnorm}{\oldnorm*}}\let\Phi\phi\let\phi\varphi
\DeclarePairedDelimiterX{\inner}[2]{\langle}{\rangle}{#1\,\delimsize\vert\,#2}
\NewDocumentCommand{\R}{s}{\ensuremath{\mathbb{R}\IfBooleanT{#1}{^*}}}
\NewDocumentCommand{\pd}{o m}{\frac{\partial\IfValueT{#1}{^{#1}}}{\partial #2}}
"""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\norm x\norm*{x}\norm[\big]{x}",
         r"\lVert x\rVert\left\lVert x\right\rVert\bigl\lVert x\bigr\rVert"),
        (r"\abs{x}\abs*{x}", r"\left\lVert x\right\rVert\lVert x\rVert"),
        (r"\inner{a}{b}\inner*ab\inner[\Big]ab", r"\langle a\,\vert\,b\rangle"
         r"\left\langle a\,\middle\vert\,b\right\rangle\Bigl\langle a\,\Big\vert\,b\Bigr\rangle"),
        (r"\Phi=\phi", r"\phi=\varphi"),
        (r"\R*+\pd x\pd[2]{y}",
         r"\mathbb{R}^*+\frac{\partial}{\partial x}\frac{\partial^{2}}{\partial y}"),
    ],
)  # fmt: skip
def test_macros_of_packages_are_written_out_too(tmp_path: Path, source: str, expected: str) -> None:
    expanded = expand_paper(read_body(tmp_path, rf"In \R* \[{source}\]", preamble=KINDS))
    assert not expanded.problems
    assert expanded.paper.text.strip() == rf"In \R* \[{expected}\]"


def test_a_word_that_is_latexs_own_now_is_no_macro_any_more(tmp_path: Path) -> None:
    paper = expand_paper(read_body(tmp_path, r"\[\Phi\]", preamble=KINDS)).paper
    assert {"Phi", "norm"} <= {macro.name for macro in paper.macros}
    assert "phi" not in {macro.name for macro in paper.macros}


def test_every_place_still_leads_to_the_source(tmp_path: Path) -> None:
    lines = "\n".join(f"Line {i} $\\half$\n\\be\n{i}\n=\\half\n\\ee" for i in range(40))
    original = read_body(tmp_path, r"\input{part}" + "\n" + lines, preamble=PREAMBLE,
                         part_tex=lines)  # fmt: skip
    expanded = expand_paper(original)
    assert not expanded.problems
    assert len(expanded.paper.displays) == 80
    for before, after in zip(original.displays, expanded.paper.displays, strict=True):
        assert original.locate(before.start) == expanded.paper.locate(after.start)
        assert expanded.origin(after.start) == before.start
        assert original.locate(before.start - 3) == expanded.paper.locate(after.start - 3)
        body = expanded.paper.text[after.body_start : after.body_end]
        assert body.endswith("\n=\\tfrac12\n")


def long_paper(shift: int = 0) -> Paper:
    macros = [macro("zz", r"\zeta(s) + \Gamma(s)"), macro("loops", r"\loops x"), macro("N", "N")]
    bodies = [equation(i).replace(r"\zeta(s)", r"\zz") for i in range(30 + shift)]
    return paper([*bodies, r"\loops " + equation(99), r"\zz"], macros=macros,
                 before=r"Let $\zz$ be; " * 1000)  # fmt: skip


def test_all_that_predictor_and_scorer_see_is_written_out() -> None:
    made = long_paper()
    result = cut_equations(made, ON)
    assert len(result.cuts) == 10
    for cut in result.cuts:
        seen = "".join([cut.context, cut.opening, cut.prefix, cut.hidden, cut.closing])
        assert r"\zz" not in seen + cut.filler.replace(r"\loops", "")
        assert r"\zeta(s) + \Gamma(s)" in cut.context
        assert [found.name for found in cut.macros] == ["zz"]
        assert len(cut.context) == ON.min_context
        _, display, site = cut.id.split("/")
        body = made.text[made.displays[int(display)].body_start :]
        assert int(site) == len(cut.prefix)
        assert made.locate(made.displays[int(display)].start) == (cut.file, cut.line)
        assert body.startswith(cut.prefix[:30])
    plain = cut_equations(made)
    assert [found.name for found in plain.cuts[0].macros] == ["zz"]
    assert r"\zz" in plain.cuts[0].context + plain.cuts[0].hidden


def test_an_equation_that_can_not_be_written_out_is_counted() -> None:
    rejected = cut_equations(long_paper(), ON).rejected
    assert count_reasons(rejected)["not expanded"] == 1
    (found,) = [one for one in rejected if one.reason == "not expanded"]
    assert (found.display, found.detail) == (30, "its macros do not come to an end")
    assert "not expanded" not in count_reasons(cut_equations(long_paper()).rejected)


def test_lengths_are_those_of_the_formula_written_out() -> None:
    long = macro("l", " + ".join(f"x_{i}" for i in range(30)))
    made = paper([f"a_{i} = \\l" for i in range(3)], macros=[long])
    assert {one.reason for one in cut_equations(made).rejected} == {"too short"}
    cuts = cut_equations(made, ON).cuts
    assert cuts
    assert all(50 <= len(cut.hidden) <= 400 for cut in cuts)


def test_a_table_of_papers_without_wrappers_says_what_is_not_known(tmp_path: Path) -> None:
    made = replace(read_body(tmp_path, r"\be x \ee", preamble=PREAMBLE), wrappers=())
    assert expand_paper(made).problems == {0: r"what \be and \ee stand for is not known"}


def test_a_paper_without_macros_is_left_alone() -> None:
    made = paper([equation(i) for i in range(20)])
    expanded = expand_paper(made)
    assert (expanded.paper, expanded.problems) == (made, {})
    assert cut_equations(made, ON).cuts == cut_equations(made).cuts


@pytest.mark.parametrize("unit", [r"$\a$", r"\[\a\]", r"$\R+\R$", r"$\f", r"$\g[", "${$", r"\E$",
                                  r"\(\k\a\)", r"\verb|", r"\begin{verbatim}"])  # fmt: skip
def test_a_hostile_paper_of_100_kb_ends_soon(unit: str) -> None:
    macros = (
        macro("a", r"x\a"), macro("R", r"\mathbb{R}"), macro("f", "#1", 1),
        macro("g", "[#1]", 2, "z"), macro("E", r"\ensuremath{E}"), macro("k", r"\ifx#1", 1),
    )  # fmt: skip
    text = (unit * 100_000)[:100_000]
    made = replace(paper([]), text=text, displays=displays(text), segments=(), macros=macros)
    start = perf_counter()
    expand_paper(made)
    assert perf_counter() - start < 5


def read_folder(folder: Path) -> Paper:
    try:
        return read_paper(folder)
    except SourceError:
        meta = json.loads((folder / "META.json").read_text(encoding="utf-8"))
        return read_paper(folder, main=meta["main_files"][0])


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not there")
@pytest.mark.parametrize("name", FOLDERS)
def test_real_displays_are_written_out_or_say_why(name: str) -> None:
    made = read_folder(CORPUS / name)
    expanded = expand_paper(made)
    macros = {found.name: found for found in made.macros}
    kept: Counter[str] = Counter()
    plain = 0
    for index, display in enumerate(expanded.paper.displays):
        before = made.displays[index]
        assert made.locate(before.start) == expanded.paper.locate(display.start)
        if index in expanded.problems:
            continue
        body = expanded.paper.text[display.body_start : display.body_end]
        left = macros.keys() & set(CONTROL.findall(body))
        reasons = [why_kept(macros[word], macros) for word in left]
        assert all(reasons), left
        kept.update(reason or "" for reason in reasons)
        plain += not left
    print(f"{name}: {plain} of {len(made.displays)} displays are free of macros; {dict(kept)}")  # noqa: T201
    assert not expanded.problems
    assert plain >= 0.85 * len(made.displays)
