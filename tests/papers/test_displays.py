import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreword.latex.environments import DISPLAYS
from foreword.papers.displays import find_displays


def found(text: str) -> list[tuple[str, str]]:
    return [
        (display.environment, text[display.body_start : display.body_end].strip())
        for display in find_displays(text)
    ]


@pytest.mark.parametrize("name", sorted(DISPLAYS - {"alignat", "xalignat", "xxalignat"}))
@pytest.mark.parametrize("star", ["", "*"])
def test_every_display_environment_is_found(name: str, star: str) -> None:
    name += star
    arguments = "{rCl}" if name.startswith("IEEE") else ""
    text = f"a \\begin{{{name}}}{arguments} x=y \\label{{z}}\\end{{{name}}} b"
    assert found(text) == [(name, "x=y \\label{z}")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\\[ x \\]", [("[", "x")]),
        ("$$ x $$", [("$$", "x")]),
        ("\\begin{alignat}{2} x&y \\end{alignat}", [("alignat", "x&y")]),
        ("\\begin{IEEEeqnarray}[b]{rCl} x \\end{IEEEeqnarray}", [("IEEEeqnarray", "x")]),
        ("\\begin{dmath}[label={a}] x \\end{dmath}", [("dmath", "x")]),
        ("\\begin{equation} [A,B]=C \\end{equation}", [("equation", "[A,B]=C")]),
        ("\\begin{subequations}\\begin{align} x \\end{align}\\end{subequations}", [("align", "x")]),
        ("\\begin{dgroup}\\begin{dmath} x \\end{dmath}\\end{dgroup}", [("dmath", "x")]),
        (
            "\\begin{equation}\\begin{split} x\\\\y \\end{split}\\end{equation}",
            [("equation", "\\begin{split} x\\\\y \\end{split}")],
        ),
        (
            "\\begin{align} a \\\\[2pt] b \\end{align} \\[ c \\]",
            [("align", "a \\\\[2pt] b"), ("[", "c")],
        ),
        ("a \\\\[2pt] b", []),
        ("a \\\\\\[ x \\]", [("[", "x")]),
        ("$$ x=1\\ \\text{under $H_0$} $$", [("$$", "x=1\\ \\text{under $H_0$}")]),
        ("$$ x \\mbox{if $a$ or \\text{$b$}} $$", [("$$", "x \\mbox{if $a$ or \\text{$b$}}")]),
        ("\\begin{equation} x \\text{if $a$} \\end{equation}", [("equation", "x \\text{if $a$}")]),
        ("$a$$b$ and $$ c $$", [("$$", "c")]),
        ("costs \\$5 or \\$$x$ then $$ c $$", [("$$", "c")]),
        ("$S \\cup [0,\\infty)$ \\[ x \\]", [("[", "x")]),
        ("\\begin{eqnarray} &+&1-} A_0+{P \\end{eqnarray}", [("eqnarray", "&+&1-} A_0+{P")]),
        ("\\begin {equation}\n x \\end{equation}", [("equation", "x")]),
        ("$$ $$ \\[\\] \\begin{equation} \\end{equation}", []),
    ],
)  # fmt: skip
def test_displays_are_what_tex_displays(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\\begin{equation} x \\begin{equation} y \\end{equation}", [("equation", "y")]),
        ("\\begin{equation} x \\end{align} \\[ y \\]", [("[", "y")]),
        ("\\[ x \\begin{align} y \\end{align}", [("align", "y")]),
        ("$$ x \\begin{align} y \\end{align} $z$ $$ w $$", [("align", "y"), ("$$", "w")]),
        ("$$ x $ y", []),
        ("\\end{equation} \\] x", []),
        ("$$ x\n\n y $$", []),
        ("a $ b\n\n $$ c $$", [("$$", "c")]),
        ("\\newcolumntype{C}{>{$}c} $$ c $$", [("$$", "c")]),
        ("\\begin{x} $ \\end{x} $$ c $$", [("$$", "c")]),
        ("$$ \\begin{x}\n\n\\end{x} $$", [("$$", "\\begin{x}\n\n\\end{x}")]),
    ],
)  # fmt: skip
def test_what_has_no_end_is_dropped_and_harms_no_other(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert found(text) == expected


def test_opaque_stretches_open_and_close_nothing() -> None:
    text = "\\verb|\\[| \\[ x \\verb|\\]| y \\]"
    opaque = [(match.start(), match.end()) for match in re.finditer(r"\\verb\|..\|", text)]
    displays = find_displays(text, opaque)
    assert [text[display.start : display.end] for display in displays] == [
        "\\[ x \\verb|\\]| y \\]"
    ]


PIECES = st.lists(
    st.sampled_from(
        ["$", "$$", "\\[", "\\]", "{", "}", "\\begin{equation}", "\\end{equation}", "\\\\", "x",
         "\\begin{align}", "\\end{align}", "\\begin{split}", "\\end{split}", "\n\n", "\\text{", " "]
    ),
    max_size=40,
)  # fmt: skip


@given(PIECES)
def test_displays_never_overlap_and_hold_no_other(pieces: list[str]) -> None:
    text = "".join(pieces)
    displays = find_displays(text)
    for display in displays:
        assert display.start < display.body_start < display.body_end < display.end
        body = text[display.body_start : display.body_end]
        assert not re.search(r"\\(begin|end)\{(equation|align)\}", body)
        assert text[display.start :].startswith(("$$", "\\[", "\\begin"))
        assert text[: display.end].endswith(("$$", "\\]", "}"))
    for first, second in pairwise(displays):
        assert first.end <= second.start
