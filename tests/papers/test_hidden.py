from pathlib import Path

import pytest
from papers_made import bodies, check_source_map, read_body

from foreword.papers import read_paper


@pytest.mark.parametrize(
    ("body", "clean"),
    [
        (r"a \textcolor{white}{PRAISE} b", "a  b"),
        (r"a \textcolor[rgb]{1,1,1}{PRAISE} b", "a  b"),
        (r"a \textcolor[gray]{0.99}{PRAISE} b", "a  b"),
        (r"a \textcolor[HTML]{FFFFFF}{PRAISE} b", "a  b"),
        (r"a {\color{white} PRAISE {x}} b", "a {} b"),
        (r"a \textcolor{White}{PRAISE} b", "a  b"),
        (r"a \textcolor{white!99}{PRAISE} b", "a  b"),
        (r"a \textcolor{-black}{PRAISE} b", "a  b"),
        (r"a \textcolor[HTML]{fffffe}{PRAISE} b", "a  b"),
        (r"a \textcolor[cmyk]{0,0,0,0}{PRAISE} b", "a  b"),
        (r"\pagecolor{white} \textcolor{white}{PRAISE}", r"\pagecolor{white}"),
        (r"\definecolor{bg}{rgb}{1,1,1} \textcolor{bg}{PRAISE}", r"\definecolor{bg}{rgb}{1,1,1}"),
        (r"\colorlet{bg}{white} \textcolor{bg}{PRAISE}", r"\colorlet{bg}{white}"),
        (r"a \color{white} PRAISE \color{black} b", r"a \color{black} b"),
        (r"a {\fontsize{0.1pt}{1pt}\selectfont PRAISE} b", "a {} b"),
        ("a\u200b\u202eb\ufeff c", "ab c"),
        ("a \U000e0041\U000e0042 b", "a  b"),
    ],
)
def test_what_no_reader_sees_is_left_out_and_counted(tmp_path: Path, body: str, clean: str) -> None:
    paper = read_body(tmp_path, body)
    assert paper.text.strip() == clean
    assert paper.num_hidden >= 1
    check_source_map(paper, tmp_path)
    kept = read_paper(tmp_path, keep_hidden=True)
    assert kept.text.strip() == body
    assert kept.num_hidden == 0


@pytest.mark.parametrize(
    "body",
    [
        r"a \textcolor{red}{b} c",
        r"a \textcolor[gray]{0.5}{b} c",
        r"a {\fontsize{8pt}{10pt}\selectfont b} c",
        r"a {\fontsize{2em}{3em}\selectfont b} c",
        r"a {\tiny b} c",
        r"\colorbox{black}{\textcolor{white}{b}}",
        r"\definecolor{bg}{rgb}{1,0,1} \textcolor{bg}{b}",
        r"\textcolor[rgb]{1,1,0}{b} \textcolor[HTML]{F0FF00}{b} \textcolor[cmyk]{0,0,0,1}{b}",
        "\\rowcolor{blue}\n\\textcolor{white}{b} & c",
        r"\textcolor{white}",
        r"\color",
        r"\fontsize{\x}{1pt} b",
    ],
)
def test_what_a_reader_sees_stays(tmp_path: Path, body: str) -> None:
    paper = read_body(tmp_path, body)
    assert paper.text.strip() == body
    assert paper.num_hidden == 0


def test_a_display_keeps_its_other_text(tmp_path: Path) -> None:
    paper = read_body(tmp_path, "\\[ x {\\color{white}=} \u200b= y \\]")
    assert bodies(paper) == ["x {} = y"]


def test_many_hidden_stretches_take_linear_time(tmp_path: Path) -> None:
    paper = read_body(tmp_path, "{" * 2000 + "{\\color{white} x}\u200b" * 20_000 + "}" * 2000)
    assert paper.num_hidden == 40_000
