import hashlib
from pathlib import Path

import pytest
from papers_made import gzip_of, read_body, write_folder

from foreword.errors import SourceError
from foreword.papers import Eprint, read_paper, read_papers

NOTE = "\\begin{document}\nThus \\[ a = b. \\]\n\\end{document}\n"


def test_a_paper_says_where_each_character_came_from(tmp_path: Path) -> None:
    paper = read_body(tmp_path, "one % x\n two\n\\input{part}\nfour", part_tex="three\n")
    places = {word: paper.locate(paper.text.index(word)) for word in paper.text.split()}
    assert places == {
        "one": ("main.tex", 4),
        "two": ("main.tex", 5),
        "three": ("part.tex", 1),
        "four": ("main.tex", 7),
    }


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("\\title{On \\emph{things}\n  and % more\n  others}", "On \\emph{things} and others"),
        ("\\title[Short]{Long}", "Long"),
        ("% \\title{Old}\n\\title{New}", "New"),
        ("\\title{Never closed", ""),
        ("", ""),
    ],
)
def test_the_title_is_one_line(tmp_path: Path, source: str, title: str) -> None:
    assert read_body(tmp_path, "x", preamble=source).title == title


def test_a_title_in_the_body_stays_in_the_text(tmp_path: Path) -> None:
    paper = read_body(tmp_path, "\\title{A} x")
    assert paper.title == "A"
    assert paper.text.strip() == "\\title{A} x"


def test_an_empty_body_is_an_error_that_names_what_was_not_found(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"is empty \(includes not found: gone\)"):
        read_body(tmp_path, "% nothing\n\\input{gone}")


def test_a_class_without_a_body_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.tex"
    path.write_text("\\documentclass{article}\nText")
    with pytest.raises(SourceError, match=r"has no \\begin\{document\}"):
        read_paper(path)


def test_a_part_of_a_paper_counts_whole(tmp_path: Path) -> None:
    path = tmp_path / "part.tex"
    path.write_text("\\section{A}\nThus \\[ a = b. \\]\n")
    paper = read_paper(path)
    assert paper.text == "\\section{A}\nThus \\[ a = b. \\]\n"
    assert len(paper.displays) == 1


def test_the_hash_of_a_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    for name, data in {"a.tex": NOTE.encode(), "a.gz": gzip_of(NOTE.encode())}.items():
        (tmp_path / name).write_bytes(data)
        sha256 = hashlib.sha256(data).hexdigest()
        assert read_paper(tmp_path / name).source_sha256 == sha256


def test_the_hash_of_a_folder_is_that_of_the_files_that_were_read(tmp_path: Path) -> None:
    body = "\\documentclass{article}\\begin{document}a \\input{b}\\end{document}"
    files = {"a.tex": body, "b.tex": "b", "c.txt": "c"}
    first = read_paper(write_folder(tmp_path / "one", files)).source_sha256
    unread = read_paper(write_folder(tmp_path / "two", files | {"c.txt": "d"})).source_sha256
    other = read_paper(write_folder(tmp_path / "three", files | {"b.tex": "B"})).source_sha256
    assert first == unread != other


def test_line_ends_and_marks_of_other_systems_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_bytes(b"\xef\xbb\xbf" + NOTE.replace("\n", "\r\n").encode())
    (tmp_path / "b.tex").write_bytes(NOTE.replace("\n", "\r").encode())
    assert read_paper(tmp_path / "a.tex").text == read_paper(tmp_path / "b.tex").text


def test_a_declared_encoding_counts_for_all_files(tmp_path: Path) -> None:
    main = (
        b"\\documentclass{article}\\usepackage[latin2]{inputenc}\\begin{document}\\input{b}"
        b"\\end{document}"
    )
    write_folder(tmp_path, {"a.tex": main, "b.tex": "Erdős".encode("iso8859-2")})
    assert read_paper(tmp_path, main="a.tex").text.strip() == "Erdős"


def test_papers_that_fail_are_rows_and_the_others_are_read(tmp_path: Path) -> None:
    write_folder(
        tmp_path,
        {
            "a.tex": NOTE,
            "b.tex": b"%PDF-1.5",
            "c.tex": NOTE.replace("a", "c"),
            "sub/a.tex": NOTE,
            "twin.tex": NOTE,
        },
    )
    paths = [tmp_path / name for name in ("a.tex", "b.tex", "sub/a.tex", "c.tex", "twin.tex")]
    papers, failures = read_papers(paths)
    assert [paper.id for paper in papers] == ["a", "c"]
    assert [(failure.stage, failure.item) for failure in failures] == [
        ("papers", str(tmp_path / "b.tex")),
        ("papers", str(tmp_path / "sub/a.tex")),
        ("papers", str(tmp_path / "twin.tex")),
    ]
    assert "is a PDF" in failures[0].reason
    assert "has the same id, a, as" in failures[1].reason
    assert "has the same text as a: it would count as two papers" in failures[2].reason


def test_a_path_that_is_not_there_stops_everything(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"there is no .*gone\.tex; check the paths"):
        read_papers([tmp_path / "gone.tex"])


def test_progress_sees_every_path(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a.tex": NOTE, "b.tex": NOTE})
    seen: list[Eprint] = []

    def progress(eprints: object) -> list[Eprint]:
        assert isinstance(eprints, list)
        seen.extend(eprints)
        return eprints

    read_papers([tmp_path / "a.tex", tmp_path / "b.tex"], progress=progress)
    assert [eprint.id for eprint in seen] == ["a", "b"]
