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
        "\\NewDocumentCommand{\\x}{s m}{a}",
        "\\NewDocumentCommand{\\x}{o m}{a}",
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


def test_an_alias_of_what_is_redefined_is_not_listed(tmp_path: Path) -> None:
    source = "\\let\\oldphi\\phi \\renewcommand{\\phi}{\\mathbf{\\oldphi}}"
    assert list(macros_of(tmp_path, source)) == ["phi"]


def test_groups_after_a_theorem_are_not_eaten(tmp_path: Path) -> None:
    paper = read_body(tmp_path, "\\newtheorem{thm}{Theorem}[section]\n\n{\\bf Text}")
    assert paper.text.strip() == "{\\bf Text}"
