from pathlib import Path

import pytest
from papers_made import read_body


@pytest.mark.parametrize(
    ("body", "clean"),
    [
        ("a\\iffalse b\\fi c", "ac"),
        ("\\iffalse A \\iffalse B \\fi C \\fi D", "D"),
        ("\\iffalse abc\\else def\\fi ghi", "defghi"),
        ("\\iftrue abc\\else def\\fi", "abc"),
        ("\\iffalse \\ifx\\a\\b x \\else y \\fi z \\else w\\fi", "w"),
        ("\\iffalse \\figref{x} \\ifthenelse{a}{b}{c} $a \\iff b$ \\fi D", "D"),
        ("\\iffalse % \\fi\n x \\fi D", "D"),
        ("\\iffalse \\\\fi x \\fi D", "D"),
        ("a\n\\iffalse\nb\n\\fi\nc", "a\nc"),
        ("\\[\n\\iffalse\nb\n\\fi\nc\n\\]", "\\[\nc\n\\]"),
    ],
)
def test_false_branches_go(tmp_path: Path, body: str, clean: str) -> None:
    assert read_body(tmp_path, body + " end").text.strip().removesuffix("end").strip() == clean


@pytest.mark.parametrize(
    ("switch", "clean"),
    [
        ("\\newif\\ifsol", "B"),
        ("\\newif\\ifsol \\soltrue", "A"),
        ("\\newif\\ifsol \\soltrue \\solfalse", "B"),
        ("\\let\\ifsol\\iftrue", "A"),
        ("\\let\\ifsol=\\iffalse", "B"),
        ("\\newif\\ifsol \\newcommand{\\x}{\\soltrue}", "B"),
        ("\\newif\\ifsol \\iffalse\\soltrue\\fi", "B"),
    ],
)
def test_switches_of_the_paper_decide(tmp_path: Path, switch: str, clean: str) -> None:
    paper = read_body(tmp_path, "\\ifsol A\\else B\\fi", preamble=switch)
    assert paper.text.strip() == clean


def test_what_the_text_does_not_decide_stays(tmp_path: Path) -> None:
    body = "\\ifnum\\x>0 a\\else b\\fi \\ifdefined\\iffalse c\\fi \\ifx\\iftrue\\y d\\fi"
    assert read_body(tmp_path, body).text.strip() == body


def test_a_false_conditional_without_an_end_hides_the_rest_of_its_file(tmp_path: Path) -> None:
    paper = read_body(tmp_path, "a \\input{part} b", part_tex="c \\iffalse \\[ d \\]\n")
    assert paper.text.split() == ["a", "c", "b"]


def test_a_word_that_only_looks_like_a_conditional_does_not_hide_the_rest(tmp_path: Path) -> None:
    assert read_body(tmp_path, "\\iffalse \\ifmine{x}{y} \\fi kept").text.strip() == "kept"


def test_a_stray_fi_changes_nothing(tmp_path: Path) -> None:
    assert read_body(tmp_path, "a \\fi b \\else c").text.strip() == "a \\fi b \\else c"
