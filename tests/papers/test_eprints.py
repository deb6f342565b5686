"""What stands behind a path: one paper, or a folder of sources."""

import os
from pathlib import Path

import pytest
from papers_made import bodies, gzip_of, tar_of, write_folder

from foreword.errors import SourceError
from foreword.papers import eprints, find_eprints, read_paper, read_papers


def latex(formula: str) -> bytes:
    text = f"\\begin{{document}}So \\[ {formula} \\] \\end{{document}}"
    return f"\\documentclass{{article}}{text}".encode()


def packed(formula: str) -> bytes:
    return gzip_of(tar_of({"ms.tex": latex(formula)}))


def ids(*paths: Path) -> list[str]:
    return [paper.id for paper in read_papers(paths)[0]]


def test_a_folder_of_sources_is_a_paper_a_file(tmp_path: Path) -> None:
    folder = write_folder(
        tmp_path / "mirror",
        {
            "2604.00001v2.tar.gz": packed("a = b"),
            "2604.00002v1.tex": latex("c = d"),
            "2604.00003v1": gzip_of(latex("e = f")),
            "hep-th_0001001v1.gz": gzip_of(latex("g = h")),
            "2604.00004v1.pdf": b"%PDF-1.5",
            "2604.00005v1.gz": b'{"error": "no such paper"}',
            "2603/hep-th0001002.gz": packed("k = l"),
            "SHA256SUMS": "0123  2604.00001v2.tar.gz",
            "manifest.json": '{"files": 7}',
            ".hidden.tex": latex("m = n"),
        },
    )
    papers, failures = read_papers([folder])
    assert {paper.id: bodies(paper) for paper in papers} == {
        "hep-th_0001002": ["k = l"],
        "2604.00001v2": ["a = b"],
        "2604.00002v1": ["c = d"],
        "2604.00003v1": ["e = f"],
        "hep-th_0001001v1": ["g = h"],
    }
    assert [(failure.item, failure.state) for failure in failures] == [
        (str(folder / "2604.00004v1.pdf"), "pdf only"),
        (str(folder / "2604.00005v1.gz"), "unreadable"),
    ]


def test_archives_need_no_arxiv_names_and_bulk_archives_may_lie_among_them(tmp_path: Path) -> None:
    bulk = tar_of({"2604/2604.00001.gz": packed("c = d"), "2604/2604.00002.pdf": b"%PDF"})
    files = {"a.tar.gz": packed("a = b"), "b.tar": bulk, "c.tar": tar_of({"ms.tex": latex("e")})}
    assert ids(write_folder(tmp_path, files)) == ["a", "2604.00001", "c"]


@pytest.mark.parametrize(
    "files",
    [
        {"ms.tex": latex("a = b"), "ms.tar.gz": packed("c = d")},
        {
            "src/ms.tex": latex("a = b"),
            "2604.00001v1.gz": packed("c"),
            "2604.00001v2.gz": packed("d"),
        },
        {"ms.tex": latex("a = b"), "2604.00001.pdf": b"%PDF", "2604.00002.pdf": b"%PDF"},
        {"2604.00001v1/ms.tex": latex("a = b"), "2604.00001v1.tar.gz": packed("c = d")},
        {"2604.00001v1/ms.tex": latex("a = b"), "fig.pdf": b"%PDF"},
        {"2604.00001v1.tex": latex("a = b"), "2604.00001v1.tar.gz": packed("c = d")},
        {"2604.00001v1.tex": latex("a = b"), "fig.pdf": b"%PDF"},
        {"ms": latex("a = b"), "fig.eps.gz": gzip_of(b"%!PS")},
    ],
)
def test_a_folder_in_which_latex_stands_is_one_paper(
    tmp_path: Path, files: dict[str, bytes]
) -> None:
    folder = write_folder(tmp_path / "paper", files)
    papers, failures = read_papers([folder])
    assert not failures
    assert [(paper.id, bodies(paper)) for paper in papers] == [("paper", ["a = b"])]


@pytest.mark.parametrize("name", ["notes.txt", "readme.tex", "old/readme.tex"])
def test_latex_beside_packed_papers_is_a_paper_and_swallows_none(tmp_path: Path, name: str) -> None:
    files = {
        "2604.00001.gz": packed("a = b"),
        "2604.00002v1.gz": gzip_of(latex("c = d")),
        name: "use \\begin and \\input",
        "ms.tex": latex("e = f"),
    }
    folder = write_folder(tmp_path / "mirror", files)
    papers, failures = read_papers([folder])
    assert [paper.id for paper in papers if paper.displays] == ["2604.00001", "2604.00002v1", "ms"]
    read = [paper.main for paper in papers] + [Path(failure.item).name for failure in failures]
    assert Path(name).name in read


def test_a_folder_named_by_an_identifier_is_an_unpacked_paper(tmp_path: Path) -> None:
    files = {
        "2604.00001.gz": packed("a = b"),
        "2604.00003/2604.00003.gz": packed("c = d"),
        "2604.00003/notes.txt": "use \\begin and \\input",
        "2611.00001/main.tex": latex("e = \\input{parts/f}"),
        "2611.00001/parts/f.tex": "f",
        "2611.00001/figs/2604.00009.pdf": b"%PDF",
        "2611.00001/old.tar.gz": packed("old"),
        "hep-th/0001001v2/src/main.tex": latex("g = h"),
    }
    papers = read_papers([write_folder(tmp_path / "2604.00008", files)])[0]
    assert {paper.id: bodies(paper) for paper in papers if paper.displays} == {
        "2604.00001": ["a = b"],
        "2604.00003": ["c = d"],
        "2611.00001": ["e = f"],
        "hep-th_0001001v2": ["g = h"],
    }
    two = {"2604.00001.gz": packed("a = b"), "2611.00001/main.tex": latex("c = d")}
    assert ids(write_folder(tmp_path / "two", two)) == ["2604.00001", "2611.00001"]


def test_a_bare_number_takes_its_archive_from_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "hep-th/0001001.gz": packed("a = b"),
        "math/0001001v2.gz": packed("c = d"),
        "math/0001/0001002.tar.gz": packed("e = f"),
        "papers/0001003.gz": packed("g = h"),
        "notes.txt": "use \\begin and \\input",
    }
    found = find_eprints([write_folder(tmp_path, files)])
    names = ["hep-th_0001001", "math_0001002", "math_0001001v2", "notes", "0001003"]
    assert [eprint.id for eprint in found] == names
    monkeypatch.chdir(tmp_path / "hep-th")
    assert ids(Path()) == ["hep-th_0001001"]


def test_a_gzipped_bulk_archive_is_called_one(tmp_path: Path) -> None:
    bulk = tar_of({f"2604/2604.0000{n}.gz": packed(f"a = {n}") for n in (1, 2)})
    noted = tar_of(
        {"2604.00001.gz": packed("a"), "2604.00002.gz": packed("b"), "ms.tex": latex("c")}
    )
    files = {"a.tar.gz": gzip_of(bulk), "b.tar.gz": gzip_of(noted), "c.tar.gz": packed("c = d")}
    folder = write_folder(tmp_path, files)
    for paths in ([folder], sorted(folder.iterdir())):
        papers, failures = read_papers(paths)
        assert [paper.id for paper in papers] == ["c"]
        assert [Path(failure.item).name for failure in failures] == ["a.tar.gz", "b.tar.gz"]
        for failure in failures:
            assert "is a gzipped collection of e-prints, not one paper; gunzip it" in failure.reason


def test_a_folder_of_nothing_is_one_paper_without_latex(tmp_path: Path) -> None:
    for files in ({}, {"a.pdf": b"%PDF"}, {"notes.md": "none"}):
        folder = write_folder(tmp_path / str(len(files)), files)
        folder.mkdir(exist_ok=True)
        assert [eprint.id for eprint in find_eprints([folder])] == [folder.name]


def test_a_file_of_a_folder_of_sources_stands_alone(tmp_path: Path) -> None:
    body = b"\\documentclass{article}\\begin{document}\\input{2604.00002v1} x\\end{document}"
    folder = write_folder(
        tmp_path, {"2604.00001v1.tex": body, "2604.00002v1.tex": latex("the other = paper")}
    )
    first, second = read_papers([folder])[0]
    assert (first.unresolved, first.displays) == (("2604.00002v1",), ())
    assert bodies(second) == ["the other = paper"]
    direct = read_paper(folder / "2604.00001v1.tex")
    assert direct.unresolved == (), "a file that is given may include its neighbours"


@pytest.mark.parametrize("named", ["", "sources"])
def test_the_folder_of_a_fetch_is_its_sources(tmp_path: Path, named: str) -> None:
    files = {
        "listing.journal": '{"a": "\\\\begin{document}"}\n',
        "papers.parquet": b"PAR1\0",
        "sources/2604.00001v1.tar.gz": packed("a = b"),
        "sources/2604.00002v1.tex": b"\\begin{document}\\input{ms} x\\end{document}",
        "sources/2604.00003v1.tar": tar_of({"2604.00009.gz": packed("no"), "b.gz": packed("no")}),
        "sources/.2604.00004v1.gz.tmp": packed("c = d"),
        "sources/ms.tex": latex("e = f"),
        "sources/2604.00005v1/main.tex": latex("g = \\input{part}"),
        "sources/2604.00005v1/part.tex": "h",
    }
    folder = write_folder(tmp_path, files)
    (folder / "sources" / "link.gz").symlink_to(folder / "sources" / "2604.00001v1.tar.gz")
    papers, failures = read_papers([folder / named])
    assert [paper.id for paper in papers] == ["2604.00001v1", "2604.00002v1", "2604.00005v1", "ms"]
    assert papers[1].unresolved == ("ms",)
    assert bodies(papers[2]) == ["g = h"]
    assert [Path(failure.item).name for failure in failures] == ["2604.00003v1.tar", "link.gz"]
    direct = [folder / "sources" / name for name in ("2604.00002v1.tex", "ms.tex")]
    assert [paper.unresolved for paper in read_papers(direct)[0]] == [("ms",), ()]


def test_a_fetch_without_sources_is_said(tmp_path: Path) -> None:
    write_folder(tmp_path, {"listing.journal": ""})
    (tmp_path / "sources").mkdir()
    [failure] = read_papers([tmp_path])[1]
    assert "is empty; did the fetch bring anything?" in failure.reason


def test_a_link_out_of_a_folder_of_sources_is_not_followed(tmp_path: Path) -> None:
    write_folder(tmp_path / "else", {"secret.gz": packed("secret")})
    folder = write_folder(tmp_path / "mirror", {"2604.00001.gz": packed("a = b")})
    (folder / "2604.00002.gz").symlink_to(tmp_path / "else" / "secret.gz")
    (folder / "2604.00003.gz").symlink_to(folder / "2604.00003.gz")
    os.mkfifo(folder / "2604.00004.gz")
    papers, failures = read_papers([folder])
    assert [paper.id for paper in papers] == ["2604.00001"]
    assert [Path(failure.item).stem for failure in failures] == [
        "2604.00002",
        "2604.00003",
        "2604.00004",
    ]
    assert "a link that leads out of" in failures[0].reason


def test_a_link_to_a_bulk_archive_elsewhere_is_not_followed(tmp_path: Path) -> None:
    names = ("2604.00001.gz", "2604.00002.gz")
    outer = write_folder(
        tmp_path / "else", {"b.tar": tar_of({name: packed("x") for name in names})}
    )
    folder = write_folder(tmp_path / "mirror", {"2604.00003.gz": packed("a = b")})
    (folder / "2604.00004.gz").symlink_to(outer / "b.tar")
    papers, failures = read_papers([folder])
    assert [paper.id for paper in papers] == ["2604.00003"]
    assert "a link that leads out of" in failures[0].reason


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eprints, "MAX_FILES", 3)
    write_folder(tmp_path, {f"2604.0000{number}.gz": packed("a") for number in range(4)})
    [failure] = read_papers([tmp_path])[1]
    assert (failure.item, failure.state) == (str(tmp_path), "too large")
    assert "holds more than 3 files" in failure.reason


def test_a_folder_of_one_source_can_be_read_as_one_paper(tmp_path: Path) -> None:
    write_folder(tmp_path, {"2604.00001v1.tar.gz": packed("a = b")})
    assert read_paper(tmp_path).id == "2604.00001v1"
    write_folder(tmp_path, {"2604.00002v1.tar.gz": packed("a = b")})
    with pytest.raises(SourceError, match="holds 2 e-prints, not one paper"):
        read_paper(tmp_path)
