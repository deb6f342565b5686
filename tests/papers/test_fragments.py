"""Papers put together at random from pieces of TeX: a paper comes out, or one clear error."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from papers_made import check_source_map, gzip_of, tar_of, write_folder

from foreword.errors import ForewordError, SourceError
from foreword.papers import read_paper

PIECES = [
    "\\documentclass{article}", "\\begin{document}", "\\end{document}", "\\begin{equation}",
    "\\end{equation}", "\\begin{alignat}{2}", "\\begin{align*}", "\\end{align*}", "\\[", "\\]",
    "$", "$$", "{", "}", "[", "]", "\\", "%", "\n", " ", "#1", "\\be", "\\ee", "x", "é", "\0", "\r",
    "\\newcommand", "\\def", "\\let", "\\newenvironment", "\\newif", "\\ifdraft", "\\iffalse",
    "\\else", "\\fi", "\\drafttrue", "\\input", "\\input{a}", "\\input{b}", "\\include{main}",
    "\\subfile{b}", "\\endinput", "\\verb|", "\\verb", "\\begin{verbatim}", "\\end{verbatim}",
    "\\begin{comment}", "\\end{comment}", "\\usepackage{own}", "\\title{", "\\text{", "\\\\",
    "\\NewDocumentCommand", "\\DeclareMathOperator", "\\newtheorem", "\\lstinline", "\\url{",
    "\\import{..}{a}", "{\\be}", "{\\begin{equation}}", "\\ifx\\a\\b", "\\newif\\ifdraft", "=",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@settings(max_examples=300, deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_any_text_gives_a_paper_or_one_clear_error(main: str, part: str, style: str) -> None:
    with TemporaryDirectory() as folder:
        path = write_folder(Path(folder), {"main.tex": main, "a.tex": part, "own.sty": style})
        try:
            paper = read_paper(path / "main.tex")
        except ForewordError as error:
            assert "\n" not in str(error)  # noqa: PT017
            return
        check_source_map(paper, path / "main.tex")
        for display in paper.displays:
            assert 0 <= display.start < display.body_start < display.body_end < display.end
            assert display.end <= len(paper.text)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=2_000), st.integers(0, 3_000), st.integers(0, 255))
def test_any_bytes_give_a_paper_or_one_clear_error(data: bytes, at: int, value: int) -> None:
    archive = bytearray(tar_of({"ms.tex": "\\begin{document}x\\end{document}", "b.tex": "b"}))
    archive[at % len(archive)] = value
    with TemporaryDirectory() as folder:
        for number, content in enumerate((data, bytes(archive), gzip_of(bytes(archive)))):
            path = Path(folder, f"{number}.gz")
            path.write_bytes(content)
            try:
                read_paper(path)
            except SourceError:
                continue


LONG = {
    "groups without end": "{" * 100_000,
    "backslashes": "\\" * 100_001,
    "definitions without end": "\\def\\x{" * 20_000,
    "options without end": "\\begin{dmath}[" * 10_000,
    "openings without end": "\\begin{equation}" * 10_000,
    "verbs without end": "\\verb|" * 20_000,
    "conditionals without end": "\\iffalse\\iffoo\\fi " * 10_000,
    "dollars": "${" * 50_000,
    "comments": "a%\n" * 30_000,
    "a macro chain": "".join(f"\\def\\{'a' * i}{{\\{'a' * (i + 1)}}}" for i in range(1, 400)),
    "includes": "\\input{x}" * 20_000,
    "nothing but blanks": "\\newcommand" + " " * 100_000,
}


@pytest.mark.parametrize("kind", LONG)
def test_hostile_text_ends(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.tex"
    path.write_text(f"\\begin{{document}}\nx {LONG[kind]}\n\\end{{document}}")
    try:
        paper = read_paper(path)
    except SourceError as error:
        assert error.state == "too large"  # noqa: PT017
    else:
        assert not paper.displays
