r"""Public bug reports on reading LaTeX, each as a test with the right value.

The number is that of the report: project and issue. What stands in them are minimal inputs of ours.
"""

from contextlib import suppress
from pathlib import Path
from time import perf_counter

import pytest
from papers_made import bodies, environments, read_body, write_folder

from foreword.errors import SourceError
from foreword.papers import read_paper

AFTER = "\n\\[ after \\]"
DISPLAYS = [
    ("pylatexenc 86", r"\newcommand{\be}{\begin{equation}}\newcommand{\ee}{\end{equation}}",
     r"A \be x=1 \ee B", ["x=1"]),
    ("pylatexenc 90", "", "\\begin{lstlisting}\n$ 50% \\begin{equation}\n\\end{lstlisting}", []),
    ("pylatexenc 48", r"\newcolumntype{C}{>{$}c<{$}}", r"\begin{tabular}{C} x \end{tabular}", []),
    ("pylatexenc 101", "\\ifthenelse{\\x}{}{\\begin{adjustwidth}{1cm}{1cm}}\n\\catcode`@=11",
     r"\[ a \]", ["a"]),
    ("TexSoup 158", "", r"$\cmd[0,1)$ and $S \cup [0,\infty)$ \[ a \]", ["a"]),
    ("TexSoup 191", r"\newenvironment{S}{\begin{color}{blue}}{\end{color}}"
     r"\def\be{\begin{equation}}\def\ee{\end{equation}}", r"\begin{S}\be x \ee\end{S}", ["x"]),
    ("TexSoup 55", "", r"\begin{center} text\\$formula$ \end{center} \[ a \]", ["a"]),
    ("latex2speech 101", r"\let\newc\newcommand \newc{\beq}{\begin{equation}}"
     r"\newc{\eeq}{\end{equation}}", r"\beq x \eeq", ["x"]),
    ("latexdiff 237", "\\newcommand{\\be}{\\begin{equation}}\n\\newcommand{\\ee}{\\end{equation}}",
     r"\be x \ee \be y \ee", ["x", "y"]),
    ("latexdiff 15", "", r"\begin{IEEEeqnarray}{rCl} a&=&b \end{IEEEeqnarray}", ["a&=&b"]),
    ("pandoc 3018", "", r"\begin{alignat*}{2} a&=b&\qquad&\text{x}\end{alignat*}",
     [r"a&=b&\qquad&\text{x}"]),
    ("pandoc 8122", "", "\\begin{align} a&=b\\\\ % c1\nc&=d % c2\n\\end{align}",
     ["a&=b\\\\ c&=d"]),
    ("pandoc 1178", "", r"$$ x=1\ \text{under $H_0$} $$", [r"x=1\ \text{under $H_0$}"]),
    ("pandoc 1178, mbox", "", r"\[ x \mbox{ if $$ y $$} \]", [r"x \mbox{ if $$ y $$}"]),
    ("pandoc 6096", r"\newif\ifsol \solfalse", r"\ifsol \[ A \]\else \[ B \]\fi", ["B"]),
    ("arxiv-latex-cleaner 46", "", r"\iffalse \[ a \] \figref{x} \fi \[ b \]", ["b"]),
    ("arxiv-latex-cleaner 12", "", r"\iffalse A \iffalse B \fi \[ C \] \fi \[ d \]", ["d"]),
    ("arxiv-latex-cleaner 98", "", r"\iffalse \[ abc \]\else \[ def \]\fi", ["def"]),
    ("arxiv-latex-cleaner 51", "", "\\begin{lstlisting}\nx = 5 % 3\n\\end{lstlisting}\\[ a \\]",
     ["a"]),
    ("arxiv-latex-cleaner 132", "", "% \\begin{verbatim}\n\\[ a \\]", ["a"]),
    ("arxiv-latex-cleaner 73", "", "\\begin{align}\n%Z\n %Y\nX\n\\end{align}", ["X"]),
    ("arxiv-latex-cleaner 82", "", r"\url{https://e.com/hello%20world} \[ a \]", ["a"]),
    ("chirun, plastex 3", "", r"\begin{align} a \\[2pt] b \end{align}", [r"a \\[2pt] b"]),
    ("unified-latex 40", "", r"\begin{gather*} 1 \\ [A,B] \end{gather*}", [r"1 \\ [A,B]"]),
    ("LaTeXML 1813", "", r"\begin{eqnarray} &+&1-} A_0+{P \end{eqnarray}", ["&+&1-} A_0+{P"]),
    ("LaTeXML 2383", "",
     r"\begin{eqnarray}\begin{aligned}{A}\end{aligned}\end{eqnarray}",
     [r"\begin{aligned}{A}\end{aligned}"]),
    ("LaTeXML 2278", r"\NewEnviron{as}{\begin{align}\begin{split}\BODY\end{split}\end{align}}",
     r"\begin{as} a=b \end{as}", ["a=b"]),
    ("tree-sitter-latex 17", r"\newenvironment{c}{\begin{center}}{\end{center}}",
     r"\begin{c} \[ a \] \end{c}", ["a"]),
    ("docling 3209", "", r"$$\small E=mc^2$$", [r"\small E=mc^2"]),
    ("own: one macro is the display", r"\newcommand{\eq}[1]{\begin{equation}#1\end{equation}}",
     r"\eq{x = \frac{1}{2}} and \eq{y}", [r"x = \frac{1}{2}", "y"]),
    ("own: xparse", r"\NewDocumentCommand{\be}{}{\begin{equation}}"
     r"\NewDocumentCommand{\ee}{}{\end{equation}}", r"\be x \ee", ["x"]),
    ("own: one macro for two", r"\newcommand{\bea}{\begin{equation*}\begin{aligned}}"
     r"\newcommand{\eea}{\end{aligned}\end{equation*}}", r"\bea x &= y \eea", ["x &= y"]),
    ("own: empheq", "", r"\begin{empheq}[left=\empheqlbrace]{align} a&=b \end{empheq}", ["a&=b"]),
    ("own: plain TeX", "", r"$$ \eqalign{a&=b\cr c&=d} $$", [r"\eqalign{a&=b\cr c&=d}"]),
    ("own: dgroup", "", r"\begin{dgroup*}\begin{dmath*} a \end{dmath*}\end{dgroup*}", ["a"]),
    ("own: subequations", "", r"\begin{subequations}\label{x}\begin{align} a \end{align}"
     r"\end{subequations}", ["a"]),
    ("own: unused", r"\newcommand{\be}{\begin{equation} x \end{equation}}", "", []),
    ("own: math environment", "", r"\begin{math} x \end{math} \(y\)", []),
]  # fmt: skip


@pytest.mark.parametrize(
    ("report", "preamble", "body", "expected"), DISPLAYS, ids=[one[0] for one in DISPLAYS]
)
def test_the_displays_are_those_that_tex_sets(
    tmp_path: Path, report: str, preamble: str, body: str, expected: list[str]
) -> None:
    del report
    found = read_body(tmp_path, body + AFTER, preamble=preamble)
    assert bodies(found) == [*expected, "after"]
    assert bodies(read_body(tmp_path, preamble + body + AFTER)) == [*expected, "after"]


def test_texsoup_132_a_definition_without_braces_is_read(tmp_path: Path) -> None:
    [macro] = read_body(tmp_path, r"\foo", preamble=r"\def\foo{bar}").macros
    assert (macro.name, macro.body) == ("foo", "bar")


def test_latexdiff_112_no_include_in_a_macros_body_is_followed(tmp_path: Path) -> None:
    preamble = r"\newcommand{\sect}[1]{\input{#1.tex}}"
    paper = read_body(tmp_path, r"\[ a \]", preamble=preamble, part_tex=r"\[ b \]")
    assert (bodies(paper), paper.unresolved) == (["a"], ())


def test_a_macro_that_includes_is_followed_where_it_is_used(tmp_path: Path) -> None:
    preamble = r"\newcommand{\sect}[1]{\section{#1}\input{#1}}"
    paper = read_body(tmp_path, r"\sect{part} \[ c \]", preamble=preamble, part_tex=r"\[ b \]")
    assert bodies(paper) == ["b", "c"]


def test_latexdiff_172_imports_are_relative_to_their_folder(tmp_path: Path) -> None:
    main = "\\begin{document}\\import{sections/}{intro}\\subimport{sections/}{more}\\end{document}"
    files = {
        "main.tex": main,
        "sections/intro.tex": "\\[ a \\]\\input{deep}",
        "sections/deep.tex": "\\[ b \\]",
        "sections/more.tex": "\\[ c \\]",
    }
    assert bodies(read_paper(write_folder(tmp_path, files))) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "include", [r"\input part.tex ", r"\input part ", r"\input{part}", r'\input{"part.tex"}',
                r'\input "part" ', r"\input{Part.TEX}", r"\include{part}", r"\subfile{part}"]
)  # fmt: skip
def test_chirun_156_and_latexml_1739_every_spelling_of_an_include(
    tmp_path: Path, include: str
) -> None:
    assert bodies(read_body(tmp_path, include + "\\[ b \\]", part_tex="\\[ a \\]\n")) == ["a", "b"]


def test_arxiv_to_prompt_1_no_include_is_followed_where_tex_would_not(tmp_path: Path) -> None:
    body = "% \\input{old}\n\\begin{verbatim}\\input{old}\\end{verbatim}\\iffalse\\input{old}\\fi"
    paper = read_body(tmp_path, body + AFTER, old_tex=r"\[ old \]")
    assert (bodies(paper), paper.unresolved) == (["after"], ())


def test_only_what_includeonly_names_is_included(tmp_path: Path) -> None:
    paper = read_body(
        tmp_path,
        r"\include{a}\include{b}\input{c}",
        preamble=r"\includeonly{a, d}",
        a_tex=r"\[ a \]",
        b_tex=r"\[ b \]",
        c_tex=r"\[ c \]",
    )
    assert bodies(paper) == ["a", "c"]


def test_environments_keep_their_names(tmp_path: Path) -> None:
    paper = read_body(
        tmp_path,
        r"\be x \ee \begin{empheq}{gather*} a \end{empheq} \begin{as} b \end{as} \eq{c}",
        preamble=r"\newcommand{\be}{\begin{multline}}\newcommand{\ee}{\end{multline}}"
        r"\NewEnviron{as}{\begin{align}\BODY\end{align}}"
        r"\newcommand{\eq}[1]{\begin{equation}#1\end{equation}}",
    )
    assert environments(paper) == ["multline", "gather*", "align", "equation"]


@pytest.mark.parametrize(
    ("preamble", "include"),
    [
        (r"\newcommand{\dir}{parts}", r"\input{\dir/one}"),
        (r"\newcommand*{\dir}{\base}\def\base{parts}", r"\include{\dir /one.tex}"),
        (r"\newcommand{\dir}{parts}\newcommand{\chap}[1]{\input{\dir/#1}}", r"\chap{one}"),
    ],
)
def test_a_files_name_may_hold_the_papers_own_words(
    tmp_path: Path, preamble: str, include: str
) -> None:
    main = f"{preamble}\\begin{{document}}{include}\\end{{document}}"
    paper = read_paper(write_folder(tmp_path, {"main.tex": main, "parts/one.tex": "\\[ a \\]"}))
    assert (bodies(paper), paper.unresolved) == (["a"], ())


PARTS = {"main.tex": "", "parts/one.tex": r"\[ a \]", "parts/two.tex": r"\[ b \]"}


@pytest.mark.parametrize(
    ("preamble", "body", "expected"),
    [
        # one macro in another, defined before it or behind it
        (r"\newcommand{\inc}[1]{\input{parts/#1}}\newcommand{\chap}[1]{\section{#1}\inc{#1}}",
         r"\chap{one}\chap{two}", "ab"),
        (r"\newcommand{\chap}[1]{\inc{#1}}\newcommand{\inc}[1]{\input{parts/#1}}",
         r"\chap{one}", "a"),
        (r"\newcommand{\all}{\input{parts/one}\input{parts/two}}", r"\all", "ab"),
        (r"\def\inc#1{\input parts/#1 and more}", r"\inc{two}", "b"),
        (r"\def\inc#1{\let\old\input\typeout{\input{x}}\immediate\write18{\input{x}}\string\input"
         r"\input parts/#1\relax}", r"\inc{two}", "b"),
        (r"\newcommand{\fig}[2]{\input{parts/#1}#2}", r"\fig{one}{" + "long " * 300 + "}", "a"),
        # folders and options
        (r"\newcommand{\inc}[2][parts]{\import{#1/}{#2}}", r"\inc{one}\inc[parts]{two}", "ab"),
        (r"\newcommand{\inc}[2]{\subimport*{#1/}{#2}}", r"\inc{parts}{one}", "a"),
        (r"\NewDocumentCommand{\inc}{s o m}{\IfBooleanTF{#1}{}{"
         r"\IfNoValueTF{#2}{\input{parts/#3}}{\input{#2/#3}}}}",
         r"\inc{one}\inc[parts]{two}\inc*{one}", "ab"),
        (r"\newcommand{\inc}[2][]{\ifx\\#1\\\input{parts/#2}\else\input{#1/#2}\fi}",
         r"\inc{one}\inc[parts]{two}", "ab"),
        (r"\DeclareDocumentCommand\inc{o m}{\begingroup\edef\base{\base parts/}\subfile{\base #2}"
         r"\endgroup}\def\base{}", r"\inc{one}", "a"),
        (r"\let\choose\@secondoftwo\newcommand{\inc}[1]{\choose{\input{#1}}{\input{parts/#1}}}",
         r"\inc{one}", "a"),
        # what the paper's files and switches decide
        (r"\newcommand{\inc}[1]{\IfFileExists{parts/#1.tex}{\input{parts/#1}}{\input{parts/two}}}",
         r"\inc{one}\inc{three}", "ab"),
        (r"\newcommand{\inc}[1]{\InputIfFileExists{parts/#1}{}{\input{parts/two}}}",
         r"\inc{one}\inc{three}", "ab"),
        ("", r"\InputIfFileExists{parts/one}{}{}\InputIfFileExists{parts/three}{}{}", "a"),
        (r"\newif\ifdraft\newcommand{\inc}[1]{\ifdraft\input{#1}\else\input{parts/#1}\fi}",
         r"\inc{one}", "a"),
        (r"\newcommand{\inc}[1]{\iftrue\input{parts/#1}\else\iffalse\fi\input{#1}\fi}",
         r"\inc{one}", "a"),
    ],
)  # fmt: skip
def test_includes_of_the_papers_own_are_followed_where_they_are_used(
    tmp_path: Path, preamble: str, body: str, expected: str
) -> None:
    main = f"{preamble}\\begin{{document}}{body}\\end{{document}}"
    paper = read_paper(write_folder(tmp_path, PARTS | {"main.tex": main}))
    assert ("".join(bodies(paper)), paper.unresolved) == (expected, ())


@pytest.mark.parametrize(
    ("preamble", "body", "unresolved"),
    [
        # never in a definition, a comment, a listing or a dead branch
        (r"\newcommand{\inc}[1]{\input{parts/#1}}\newcommand{\more}{\inc{one}}", "x", ()),
        (r"\newcommand{\inc}[1]{\input{parts/#1}}", "% \\inc{one}\n\\verb|\\inc{one}|", ()),
        (r"\newcommand{\inc}[1]{\input{parts/#1}}",
         r"\begin{verbatim}\inc{one}\end{verbatim}\iffalse\inc{one}\fi", ()),
        (r"\newcommand{\inc}[1]{\def\later##1{\input{parts/##1}}}", r"\inc{one}", ()),
        (r"\newcommand{\drop}[1]{}\newcommand{\inc}[1]{\drop{\input{parts/#1}}}", r"\inc{one}", ()),
        (r"\newcommand{\inc}[1]{\newenvironment{x}{\input{parts/#1}}{}}", r"\inc{one}", (r"\inc",)),
        # what only a run of TeX decides
        (r"\newcommand{\inc}[1]{\ifx\a\b\input{parts/#1}\fi}", r"\inc{one}", ("parts/one",)),
        (r"\newcommand{\inc}[1]{\ifnum1<2 \def\d{parts}\fi\input{\d/#1}}",
         r"\inc{one}", (r"\d/one",)),
        (r"\newcommand{\inc}[1]{\input{\jobname/#1}}", r"\inc{one}", (r"\jobname/one",)),
        (r"\newcommand{\inc}[1]{\IfFileExists{a.cls}{\input{parts/#1}}{}}",
         r"\inc{one}", ("parts/one",)),
        (r"\newcommand{\inc}[1]{\input{parts/#1}}", r"\inc", ()),
        # what does not end
        (r"\newcommand{\inc}[1]{\inc{#1}\input{parts/#1}}", r"\inc{one}", (r"\inc",)),
        (r"\newcommand{\inc}[1]{\inc{#1#1}\input{parts/#1}}", r"\inc{one}", (r"\inc",)),
        (r"\newcommand{\inc}[1]{\input{parts/#1}" + "#1" * 300 + "}",
         r"\inc{one and more}", (r"\inc",)),
    ],
)  # fmt: skip
def test_no_include_of_the_papers_own_is_made_up(
    tmp_path: Path, preamble: str, body: str, unresolved: tuple[str, ...]
) -> None:
    main = f"{preamble}\\begin{{document}}{body} x\\end{{document}}"
    paper = read_paper(write_folder(tmp_path, PARTS | {"main.tex": main}))
    assert (bodies(paper), paper.unresolved) == ([], unresolved)


def test_a_file_that_includes_itself_by_a_macro_is_listed_once(tmp_path: Path) -> None:
    preamble = r"\newcommand{\inc}[1]{\input{#1}}"
    paper = read_body(tmp_path, r"\inc{part}", preamble=preamble, part_tex=r"\[ a \]\inc{part}")
    assert (bodies(paper), paper.unresolved) == (["a"], ("part",))


def test_only_what_includeonly_names_is_included_by_a_macro(tmp_path: Path) -> None:
    preamble = r"\includeonly{a}\newcommand{\inc}[1]{\include{#1}}"
    paper = read_body(
        tmp_path, r"\inc{a}\inc{b}", preamble=preamble, a_tex=r"\[ a \]", b_tex=r"\[ b \]"
    )
    assert (bodies(paper), paper.unresolved) == (["a"], ())


@pytest.mark.parametrize("unit", [r"\inc", r"\inc{a}", r"\inc{\inc{", r"\two{a}", r"\far{a}",
                                  r"\long{a}"])  # fmt: skip
def test_hostile_uses_of_a_macro_that_includes_end_soon(tmp_path: Path, unit: str) -> None:
    preamble = (
        r"\newcommand{\inc}[1]{\inc{#1}\inc{#1}\input{#1}}\newcommand{\two}[1]{\one{#1}\one{#1}}"
        r"\newcommand{\one}[1]{\input{#1}\input{#1}}\newcommand{\far}[1]{\far{#1#1}\input{a}}"
        r"\newcommand{\long}[1]{\input{a}" + "#1" * 2_000 + "}"
    )
    start = perf_counter()
    with suppress(SourceError):  # it asks for too many files
        read_body(tmp_path, "x" + (unit * 100_000)[:100_000], preamble=preamble)
    assert perf_counter() - start < 5


def test_includes_that_are_not_sure_are_not_looked_for(tmp_path: Path) -> None:
    preamble = r"\newcommand{\inc}[1]{\ifx\a\b\input{#1}\fi}"
    paper = read_body(tmp_path, r"\inc{a}" * 10_001 + r"\[ b \]", preamble=preamble)
    assert (bodies(paper), paper.unresolved[0]) == (["b"], "a")


def test_a_name_that_leads_to_itself_is_not_found(tmp_path: Path) -> None:
    paper = read_body(tmp_path, r"\input{\dir/one} \[ a \]", preamble=r"\def\dir{\dir\dir}")
    assert bodies(paper) == ["a"]
    assert len(paper.unresolved) == 1
