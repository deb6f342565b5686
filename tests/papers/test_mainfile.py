from pathlib import Path

import pytest
from papers_made import write_folder

from foreword.errors import SourceError
from foreword.papers import read_paper

WHOLE = "\\documentclass{article}\n\\begin{document}\nHere. \\end{document}\n"


def main_of(folder: Path, *names: str, **texts: str) -> str:
    files = dict.fromkeys(names, WHOLE)
    files |= {name.replace("_", "."): text for name, text in texts.items()}
    return read_paper(write_folder(folder, files)).main


def test_the_main_file_has_a_class_and_a_body(tmp_path: Path) -> None:
    assert main_of(tmp_path, "b.tex", a_tex="An appendix.", c_sty="\\begin{document}") == "b.tex"


def test_a_commented_class_makes_no_main_file(tmp_path: Path) -> None:
    commented = "% \\documentclass{article}\n%\\begin{document}\n"
    assert main_of(tmp_path, "b.tex", a_tex=commented) == "b.tex"


def test_an_old_documentstyle_is_one_as_well(tmp_path: Path) -> None:
    old = "\\documentstyle[12pt]{article}\n\\begin{document}Old.\\end{document}"
    assert main_of(tmp_path, a_tex=old, b_tex="x") == "a.tex"


def test_a_main_file_may_lie_deeper(tmp_path: Path) -> None:
    assert main_of(tmp_path, "src/tex/x.tex") == "src/tex/x.tex"


def test_a_file_that_another_includes_is_not_the_main_one(tmp_path: Path) -> None:
    stub = "\\documentclass{article}\\begin{document}\\input{body.tex}\\end{document}"
    assert main_of(tmp_path, "body.tex", a_tex=stub) == "a.tex"


def test_parts_with_a_class_of_their_own_are_not_the_main_one(tmp_path: Path) -> None:
    part = "\\documentclass[../b.tex]{subfiles}\\begin{document}Part.\\end{document}"
    assert main_of(tmp_path, "b.tex", a_tex=part) == "b.tex"


def test_a_bbl_file_of_the_same_name_breaks_a_tie(tmp_path: Path) -> None:
    assert main_of(tmp_path, "b.tex", "main.tex", b_bbl="\\bibitem") == "b.tex"


def test_a_usual_name_breaks_a_tie(tmp_path: Path) -> None:
    assert main_of(tmp_path, "cover.tex", "ms.tex", "z.tex") == "ms.tex"


def test_of_usual_names_the_one_on_top_is_taken(tmp_path: Path) -> None:
    assert main_of(tmp_path, "arxiv/main.tex", "main.tex") == "main.tex"


def test_a_tie_that_stays_names_the_candidates_and_main_settles_it(tmp_path: Path) -> None:
    with pytest.raises(
        SourceError, match=r"\(a\.tex, b\.tex\); say which one it is with `--main FILE`"
    ):
        main_of(tmp_path, "a.tex", "b.tex")
    assert read_paper(tmp_path, main="b.tex").main == "b.tex"


def test_a_main_file_that_is_not_there_is_an_error_with_those_that_are(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a.tex": WHOLE})
    with pytest.raises(SourceError, match=r"holds no file c\.tex; it holds a\.tex"):
        read_paper(tmp_path, main="c.tex")


def test_main_is_for_folders_and_archives(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a.tex": WHOLE})
    with pytest.raises(SourceError, match="is one file"):
        read_paper(tmp_path / "a.tex", main="b.tex")
    assert read_paper(tmp_path / "a.tex", main="a.tex").main == "a.tex"


def test_one_plain_file_is_the_main_one_and_several_are_none(tmp_path: Path) -> None:
    assert main_of(tmp_path, plain_tex="Hence $$a = b$$ \\bye") == "plain.tex"
    with pytest.raises(SourceError, match="has no main file"):
        main_of(tmp_path / "two", a_tex="x", b_tex="y")


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="holds no LaTeX file"):
        read_paper(tmp_path)


@pytest.mark.parametrize(
    ("note", "content"),
    [
        ("00README.XXX", "b.tex toplevelfile\na.tex ignore\n"),
        ("00README.json", '{"sources": [{"filename": "b.tex", "usage": "toplevel"}]}'),
        ("00readme.yaml", "sources: [{filename: b.tex, usage: toplevel}, {filename: a.tex}]"),
        (
            "00readme.yaml",
            "sources:\n  - usage: ignore\n    filename: a.tex\n  - kind: tex\n"
            "    usage: toplevel\n    filename: 'b.tex'\n",
        ),
        (
            "00readme.yaml",
            "sources:\n  - filename: a.tex\n  - filename: b.tex\n    usage: toplevel\n",
        ),
    ],
)
def test_arxivs_own_note_names_the_main_file(tmp_path: Path, note: str, content: str) -> None:
    write_folder(tmp_path, {"main.tex": WHOLE, "a.tex": WHOLE, "b.tex": WHOLE, note: content})
    assert read_paper(tmp_path).main == "b.tex"


def test_what_arxivs_note_ignores_is_no_candidate(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a.tex": WHOLE, "b.tex": WHOLE, "00README.XXX": "a.tex ignore\n"})
    assert read_paper(tmp_path).main == "b.tex"


@pytest.mark.parametrize(
    "content", ["{", '{"sources": 1}', '{"sources": [[]]}', "[", "\0", "{" * 9999]
)
def test_a_note_that_is_none_decides_nothing(tmp_path: Path, content: str) -> None:
    write_folder(tmp_path, {"b.tex": WHOLE, "00README.json": content})
    assert read_paper(tmp_path).main == "b.tex"


@pytest.mark.parametrize(
    "other", ["rebuttal", "supp", "supplement", "cover-letter", "template", "ms_response", "diff"]
)
def test_what_stands_beside_a_paper_is_not_it(tmp_path: Path, other: str) -> None:
    assert main_of(tmp_path, f"{other}.tex", "quark.tex") == "quark.tex"


def test_a_file_that_names_its_root_is_not_the_main_one(tmp_path: Path) -> None:
    part = f"% !TEX root = whole.tex\n{WHOLE}"
    assert main_of(tmp_path, "whole.tex", a_tex=part) == "whole.tex"


def test_a_main_file_needs_no_ending_and_may_be_text(tmp_path: Path) -> None:
    assert main_of(tmp_path / "a", "paper") == "paper"
    assert main_of(tmp_path / "b", "paper.txt", x_tex="part") == "paper.txt"


def test_plain_tex_ends_with_a_bye(tmp_path: Path) -> None:
    assert main_of(tmp_path, a_tex="\\input b $$x=y$$ \\bye", b_tex="\\def\\x{y}") == "a.tex"
