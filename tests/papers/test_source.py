import os
from pathlib import Path

import pytest
from papers_made import write_folder

from foreword.errors import SourceError
from foreword.papers import read_paper
from foreword.papers.source import Folder, Members, paper_id

MAIN = "\\documentclass{article}\\begin{document}\\input{part}\\end{document}"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.5 ...", "a PDF"),
        (b"%!PS-Adobe-3.0", "PostScript"),
        (b"<!DOCTYPE html><html>", "a web page"),
        (b'{"error": "not found"}', "JSON"),
        (b"PK\x03\x04", "a zip archive"),
        (b"", "empty"),
        (b" \n", "empty"),
        (b"\x7fELF\0\0\0", "binary data"),
    ],
)
def test_what_is_no_latex_is_named(tmp_path: Path, data: bytes, kind: str) -> None:
    path = tmp_path / "paper.tex"
    path.write_bytes(data)
    with pytest.raises(SourceError, match=f"is {kind}, not LaTeX; give its LaTeX source"):
        read_paper(path)


def test_a_path_that_is_not_there_is_a_source_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is not there; check the path"):
        read_paper(tmp_path / "nothing.tex")


def test_a_device_is_not_read() -> None:
    with pytest.raises(SourceError, match="neither a file nor a folder"):
        read_paper("/dev/zero")


def test_a_pipe_in_a_folder_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "part.tex")
    write_folder(tmp_path, {"main.tex": MAIN.replace("\\input", "x \\input")})
    assert read_paper(tmp_path).unresolved == ("part",)


@pytest.mark.parametrize(
    ("name", "id_"),
    [
        ("2604.19885v2.tar.gz", "2604.19885v2"),
        ("2604.19885v2.gz", "2604.19885v2"),
        ("2604.19885v2.tex", "2604.19885v2"),
        ("2604.19885v2.tgz", "2604.19885v2"),
        ("2604.19880", "2604.19880"),
        ("hep-th9411028", "hep-th9411028"),
        (".tex", ".tex"),
    ],
)
def test_the_id_is_the_name_without_what_tells_how_it_is_packed(
    tmp_path: Path, name: str, id_: str
) -> None:
    assert paper_id(tmp_path / name) == id_


def test_a_folder_keeps_its_whole_name_and_a_dot_is_resolved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "my.tex"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert paper_id(Path()) == "my.tex"


def test_files_are_found_in_any_case(tmp_path: Path) -> None:
    write_folder(tmp_path, {"Sections/Intro.tex": "x"})
    for source in (Folder(tmp_path), Members({"Sections/Intro.tex": b"x"})):
        assert source.find("Sections/Intro.tex") == "Sections/Intro.tex"
        assert source.find("sections/intro.TEX") == "Sections/Intro.tex"
        assert source.find("sections/other.tex") is None


def test_links_that_lead_out_of_the_folder_do_not_count(tmp_path: Path) -> None:
    outside = write_folder(tmp_path / "outside", {"secret.tex": "secret"})
    folder = write_folder(tmp_path / "paper", {"main.tex": "x \\input{part}\\input{sub/secret}"})
    (folder / "part.tex").symlink_to(outside / "secret.tex")
    (folder / "sub").symlink_to(outside)
    paper = read_paper(folder / "main.tex")
    assert "secret" not in paper.text
    assert paper.unresolved == ("part", "sub/secret")
    assert Folder(folder).names() == ["main.tex"]


def test_hidden_folders_and_figures_are_not_looked_into(tmp_path: Path) -> None:
    write_folder(tmp_path, {".git/main.tex": MAIN, "a.tex": "x", "b.pdf": "%PDF", "c.dat": b"\0"})
    assert Folder(tmp_path).names() == ["a.tex"]
