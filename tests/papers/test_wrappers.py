from pathlib import Path

import pytest
from papers_made import bodies, environments, read_body


@pytest.mark.parametrize(
    ("preamble", "body", "environment"),
    [
        ("\\newcommand{\\be}{\\begin{equation}}\\newcommand{\\ee}{\\end{equation}}",
         "\\be a=b \\ee", "equation"),
        ("\\def\\bea{\\begin{eqnarray}}\\def\\eea{\\end{eqnarray}}", "\\bea a=b\\eea", "eqnarray"),
        ("\\def\\ba{\\begin{align}}\\def\\ea{\\end{align}}\\let\\bb\\ba", "\\bb a=b\\ea", "align"),
        ("\\newcommand{\\be}{\\begin{equation}}", "\\be a=b \\end{equation}", "equation"),
        ("\\newcommand{\\ee}{\\end{equation}}", "\\begin{equation} a=b \\ee", "equation"),
        ("\\newcommand{\\be}{\\begin{equation}\\begin{aligned}}"
         "\\newcommand{\\ee}{\\end{aligned}\\end{equation}}", "\\be a=b \\ee", "equation"),
        ("\\newcommand{\\be}{\\begin{subequations}\\begin{align}}"
         "\\newcommand{\\ee}{\\end{align}\\end{subequations}}", "\\be a=b \\ee", "align"),
        ("\\newcommand{\\be}[1]{\\begin{equation}\\label{#1}}\\def\\ee{\\end{equation}}",
         "\\be{eq:1} a=b \\ee", "equation"),
        ("\\newcommand{\\be}[1][x]{\\begin{equation}\\label{#1}}\\def\\ee{\\end{equation}}",
         "\\be[eq:1] a=b \\ee", "equation"),
        ("\\def\\be#1\\ee{\\begin{equation}#1\\end{equation}}", "\\be a=b \\ee", "equation"),
        ("\\def\\be{\\[}\\def\\ee{\\]}", "\\be a=b \\ee", "["),
        ("\\def\\be{$$}\\def\\ee{$$}", "\\be a=b \\ee", "$$"),
        ("\\renewcommand{\\[}{\\begin{equation}}\\renewcommand{\\]}{\\end{equation}}",
         "\\[ a=b \\]", "equation"),
        ("\\newenvironment{eq}{\\begin{equation}}{\\end{equation}}",
         "\\begin{eq} a=b \\end{eq}", "equation"),
        ("\\newenvironment{eq}[1]{\\begin{equation}\\label{#1}}{\\end{equation}\\par}",
         "\\begin{eq}{eq:1} a=b \\end{eq}", "equation"),
        ("\\newcommand{\\be}{\\begin{alignat}{2}}\\newcommand{\\ee}{\\end{alignat}}",
         "\\be a=b \\ee", "alignat"),
    ],
)  # fmt: skip
def test_what_a_paper_makes_a_display_is_one(
    tmp_path: Path, preamble: str, body: str, environment: str
) -> None:
    paper = read_body(tmp_path, f"Thus {body} holds.", preamble=preamble)
    assert environments(paper) == [environment]
    assert bodies(paper) == ["a=b"]
    assert paper.text[paper.displays[0].start : paper.displays[0].end] == body


def test_display_macros_are_not_listed_with_the_others(tmp_path: Path) -> None:
    preamble = "\\def\\be{\\begin{equation}}\\def\\ee{\\end{equation}}\\def\\x{y}"
    paper = read_body(tmp_path, "\\be x \\ee", preamble=preamble)
    assert [macro.name for macro in paper.macros] == ["x"]


@pytest.mark.parametrize(
    "preamble",
    [
        "\\newcommand{\\be}{\\begin{theorem}}",
        "\\newcommand{\\be}{text \\begin{equation}}",
        "\\newcommand{\\be}{\\begin{equation} x \\end{equation}}",
        "\\newcommand{\\be}{\\be}",
        "\\newcommand{\\be}{\\bb}\\newcommand{\\bb}{\\be}",
        "\\newcommand{\\be}{\\begin{equation}\\begin{equation}}",
        "\\def\\be#1;{\\begin{equation}#1}",
    ],
)
def test_other_macros_open_no_display(tmp_path: Path, preamble: str) -> None:
    assert not read_body(tmp_path, "\\be a=b \\end{equation}", preamble=preamble).displays


def test_definitions_make_no_display_wherever_they_stand(tmp_path: Path) -> None:
    body = (
        "\\newcommand{\\be}{\\begin{equation}}\n\\newcommand{\\ee}{\\end{equation}}\n"
        "\\newenvironment{eq}{\\begin{align}}{\\end{align}} A \\be x=1 \\ee B"
    )
    assert bodies(read_body(tmp_path, body)) == ["x=1"]


def test_many_display_macros_are_told_apart(tmp_path: Path) -> None:
    names = [f"b{a}{b}" for a in "abcdefghijkl" for b in "abcdefghijkl"]
    preamble = "".join(f"\\def\\{name}{{\\begin{{align}}}}" for name in names)
    assert bodies(read_body(tmp_path, "\\baa x \\bbx \\end{align}", preamble=preamble)) == [
        "x \\bbx"
    ]
