from pathlib import Path

import pytest
from papers_made import read_body

from foreword.records import Macro


def macros_of(folder: Path, preamble: str) -> dict[str, Macro]:
    return {macro.name: macro for macro in read_body(folder, "x", preamble=preamble).macros}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("\\newcommand{\\x}{a}", (0, None, "a")),
        ("\\newcommand*\\x{a}", (0, None, "a")),
        ("\\newcommand\\x\\alpha", (0, None, "\\alpha")),
        ("\\newcommand{\\x}[2]{#1+#2}", (2, None, "#1+#2")),
        ("\\newcommand{\\x}[2][\\infty]{#1+#2}", (2, "\\infty", "#1+#2")),
        ("\\newcommand {\\x} % why\n [1] {#1}", (1, None, "#1")),
        ("\\renewcommand{\\x}{a % why\n b}", (0, None, "a b")),
        ("\\def\\x{a{b}\\}}", (0, None, "a{b}\\}")),
        ("\\def\\x#1#2{#2#1}", (2, None, "#2#1")),
        ("\\long\\gdef\\x #1{#1}", (1, None, "#1")),
        ("\\DeclareMathOperator{\\x}{ad}", (0, None, "\\operatorname{ad}")),
        ("\\DeclareMathOperator*\\x{ess\\,sup}", (0, None, "\\operatorname*{ess\\,sup}")),
        ("\\let\\x\\phi", (0, None, "\\phi")),
        ("\\def\\y#1{<#1>}\\let\\x=\\y", (1, None, "<#1>")),
        ("\\NewDocumentCommand{\\x}{m m}{#1#2}", (2, None, "#1#2")),
        ("\\NewDocumentCommand\\x{O{z} m}{#1#2}", (2, "z", "#1#2")),
        ("\\DeclareRobustCommand{\\x}{a}", (0, None, "a")),
        ("\\newcommand{\\x}{a}\\renewcommand{\\x}{b}", (0, None, "b")),
        ("\\newcommand{\\x}{a}\\providecommand{\\x}{b}", (0, None, "a")),
        ("\\providecommand{\\x}{b}", (0, None, "b")),
    ],
)
def test_definitions_are_read(
    tmp_path: Path, source: str, expected: tuple[int, str | None, str]
) -> None:
    macro = macros_of(tmp_path, source)["x"]
    assert (macro.num_args, macro.default, macro.body) == expected


@pytest.mark.parametrize(
    "source",
    [
        "\\def\\x#1,#2;{a}",
        "\\def\\x[#1]{a}",
        "\\NewDocumentCommand{\\x}{s v}{a}",
        "\\NewDocumentCommand{\\x}{e{_} m}{a}",
        "\\NewDocumentCommand{\\x}{m O{#1}}{a}",
        "\\NewDocumentCommand{\\x}{>{\\TrimSpaces} m}{a}",
        "\\DeclarePairedDelimiterX{\\x}{(}{)}{#1}",
        "\\DeclarePairedDelimiterX{\\x}[8]{(}{)}{#1}",
        "\\newcommand{\\x}{a}\\def\\x#1|{b}",
        "\\newcommand{\\x",
        "\\def\\x#1",
        "% \\newcommand{\\x}{a}",
        "\\iffalse\\newcommand{\\x}{a}\\fi",
        "\\newcommand{\\y}{\\newcommand{\\x}{a}}",
    ],
)
def test_what_can_not_be_written_out_at_its_place_is_not_listed(
    tmp_path: Path, source: str
) -> None:
    assert "x" not in macros_of(tmp_path, source)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\NewDocumentCommand\x{s m}{#2}", ("s m", 1, None, "#2")),
        (r"\NewDocumentCommand\x{ s +m }{#2}", ("s +m", 1, None, "#2")),
        (r"\NewDocumentCommand\x{+m +m}{#2}", ("", 2, None, "#2")),
        (r"\RenewDocumentCommand{\x}{o m}{#2}", ("o m", 2, "", "#2")),
        (r"\DeclareDocumentCommand{\x}{O{\mathbf{a}} o m}{#1#3}",
         (r"O{\mathbf{a}} o m", 2, r"\mathbf{a}", "#1#3")),
        (r"\NewExpandableDocumentCommand\x{d() D<>{k} t+ r|| m}{}",
         ("d() D<>{k} t+ r|| m", 1, None, "")),
        (r"\DeclarePairedDelimiter\x\langle\rangle", ("s o m", 2, "",
         r"\IfBooleanTF{#1}{\left\langle#3\right\rangle}{\IfNoValueTF{#2}{\langle#3\rangle}"
         r"{\mathopen#2\langle#3\mathclose#2\rangle}}")),
        (r"\DeclarePairedDelimiter{\x}{|}{|}", ("s o m", 2, "",
         r"\IfBooleanTF{#1}{\left|#3\right|}{\IfNoValueTF{#2}{\lvert#3\rvert}"
         r"{\mathopen#2|#3\mathclose#2|}}")),
        (r"\DeclarePairedDelimiter\x/]", ("s o m", 2, "",
         r"\IfBooleanTF{#1}{\left/#3\right]}{\IfNoValueTF{#2}{\mathopen/#3]}"
         r"{\mathopen#2/#3\mathclose#2]}}")),
        (r"\DeclarePairedDelimiterX\x[2](){#1 \delimsize\vert y#2}", ("s o m m", 3, "",
         r"\IfBooleanTF{#1}{\left(#3 \middle\vert y#4\right)}{\IfNoValueTF{#2}"
         r"{(#3 \vert y#4)}{\mathopen#2(#3 #2\vert y#4\mathclose#2)}}")),
        (r"\DeclarePairedDelimiterXPP{\x}[1]{P}{(}{)}{_a}{#1}", ("s o m", 2, "",
         r"\IfBooleanTF{#1}{P\left(#3\right)_a}{\IfNoValueTF{#2}{P(#3)_a}"
         r"{P\mathopen#2(#3\mathclose#2)_a}}")),
        (r"\let\x\phi\renewcommand\phi{\varphi}", ("=", 0, None, r"\phi")),
        (r"\let\y\phi\let\x=\y\def\phi{\varphi}", ("=", 0, None, r"\phi")),
        (r"\LetLtxMacro{\x}{\sqrt}\renewcommand\sqrt[1]{\x[3]{#1}}", ("=", 0, None, r"\sqrt")),
        (r"\NewCommandCopy\x\phi", ("", 0, None, r"\phi")),
        (r"\def\y#1{<#1>}\let\x\y\def\y{z}", ("", 1, None, "<#1>")),
    ],
)  # fmt: skip
def test_what_a_macro_takes_is_listed_with_it(
    tmp_path: Path, source: str, expected: tuple[str, int, str | None, str]
) -> None:
    found = macros_of(tmp_path, source)["x"]
    assert (found.arguments, found.num_args, found.default, found.body) == expected


def test_an_alias_of_what_could_not_be_latexs_is_not_listed(tmp_path: Path) -> None:
    r"""`\newcommand` says that there was no such word, so the alias came later."""
    source = r"\AtBeginDocument{\let\x\mine}\newcommand{\mine}{a}"
    assert list(macros_of(tmp_path, source)) == ["mine"]


def test_groups_after_a_theorem_are_not_eaten(tmp_path: Path) -> None:
    paper = read_body(tmp_path, "\\newtheorem{thm}{Theorem}[section]\n\n{\\bf Text}")
    assert paper.text.strip() == "{\\bf Text}"
