"""Bulk archives as arXiv gives them."""

import hashlib
import io
import os
import tarfile
import tracemalloc
from pathlib import Path

import pytest
from papers_made import bodies, gzip_of, tar_of

from foreword.errors import SourceError
from foreword.papers import Eprint, archive, bulk, find_eprints, read_paper, read_papers
from foreword.papers.inspect import inspect_paper


def latex(formula: str) -> bytes:
    text = f"\\begin{{document}}Thus \\[ {formula} \\] \\end{{document}}"
    return f"\\documentclass{{article}}{text}".encode()


def packed(formula: str) -> bytes:
    return gzip_of(tar_of({"ms.tex": latex(formula), "fig.pdf": b"%PDF"}))


MEMBERS: dict[str, bytes] = {
    "2604/2604.00001.gz": packed("a = b"),
    "2604/2604.00002.pdf": b"%PDF-1.5 ...",
    "2604/2604.00003.gz": gzip_of(latex("c = d")),
    "2604/hep-th0001001.gz": gzip_of(b"\\input other $$e = f$$ \\bye"),
    "2604/2604.00004.gz": gzip_of(b"%auto-ignore withdrawn"),
    "2604/2604.00005.gz": gzip_of(b"<html>no source</html>"),
    "2604/2604.00006.gz": gzip_of(tar_of({"../out.tex": latex("g = h")})),
    "2604/2604.00007.gz": packed("i = j")[:-20],
}


def folder_member(name: str) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type = tarfile.DIRTYPE
    return made


def write(folder: Path, data: bytes, name: str = "arXiv_src_2604_001.tar") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_each_member_of_a_bulk_archive_is_a_paper(tmp_path: Path) -> None:
    path = write(tmp_path, tar_of(MEMBERS, folder_member("2604")))
    papers, failures = read_papers([path])
    assert [(paper.id, paper.main, bodies(paper)) for paper in papers] == [
        ("2604.00001", "ms.tex", ["a = b"]),
        ("2604.00003", "2604.00003.tex", ["c = d"]),
        ("hep-th_0001001", "hep-th_0001001.tex", ["e = f"]),
    ]
    assert papers[2].unresolved == ("other",)
    single = MEMBERS["2604/2604.00003.gz"]
    assert papers[1].source_sha256 == hashlib.sha256(single).hexdigest()
    (tmp_path / "2604.00001.tar.gz").write_bytes(MEMBERS["2604/2604.00001.gz"])
    alone = read_paper(tmp_path / "2604.00001.tar.gz")
    assert alone == papers[0]
    assert [(failure.item, failure.state) for failure in failures] == [
        (f"{path}: 2604/2604.00002.pdf", "pdf only"),
        (f"{path}: 2604/2604.00004.gz", "withdrawn"),
        (f"{path}: 2604/2604.00005.gz", "html only"),
        (f"{path}: 2604/2604.00006.gz", "bad archive"),
        (f"{path}: 2604/2604.00007.gz", "bad archive"),
    ]
    assert "leaves the archive's folder" in failures[3].reason
    assert all(failure.reason.startswith(failure.item) for failure in failures)
    assert {one.name for one in tmp_path.iterdir()} == {path.name, "2604.00001.tar.gz"}


def test_contents_decide_and_not_names(tmp_path: Path) -> None:
    members = {"a.pdf": packed("a = b"), "b.tex": gzip_of(latex("c = d")), "c.gz": b"%PDF-1.5"}
    papers, failures = read_papers([write(tmp_path, tar_of(members), "mirror.bin")])
    assert [paper.id for paper in papers] == ["a", "b"]
    assert [failure.state for failure in failures] == ["pdf only"]


@pytest.mark.parametrize(
    "members",
    [
        {"ms.tex": latex("a = b"), "old.tar.gz": packed("c = d"), "fig.pdf": b"%PDF"},
        {"old.tar.gz": packed("c = d"), "sub/2604.tex": latex("a = b")},
        {"2604.00001.tex": latex("a = b"), "2604.00001.gz": packed("c = d")},
        {"2604.00001v1.txt": latex("a = b"), "fig1.eps.gz": gzip_of(b"%!PS")},
    ],
)
def test_an_archive_in_which_latex_stands_is_one_paper(
    tmp_path: Path, members: dict[str, bytes]
) -> None:
    path = write(tmp_path, tar_of(members), "paper.tar")
    papers, failures = read_papers([path])
    assert not failures
    assert [(paper.id, bodies(paper)) for paper in papers] == [("paper", ["a = b"])]


@pytest.mark.parametrize("name", ["notes.txt", "2604/readme.tex"])
def test_latex_beside_packed_members_is_a_paper_and_swallows_none(
    tmp_path: Path, name: str
) -> None:
    members = {**MEMBERS, name: b"use \\begin and \\input", "2604/ms.tex": latex("k = l")}
    path = write(tmp_path, tar_of(members))
    papers, failures = read_papers([path])
    with_displays = [paper.id for paper in papers if paper.displays]
    assert with_displays == ["2604.00001", "2604.00003", "hep-th_0001001", "ms"]
    assert len(papers) + len(failures) == len(members)


def test_a_bare_number_takes_its_archive_from_its_folder(tmp_path: Path) -> None:
    members = {"hep-th/0001001.gz": packed("a = b"), "math/0001001.gz": packed("c = d")}
    papers = read_papers([write(tmp_path, tar_of(members))])[0]
    assert [paper.id for paper in papers] == ["hep-th_0001001", "math_0001001"]


def test_an_archive_of_figures_alone_is_one_paper_without_latex(tmp_path: Path) -> None:
    path = write(tmp_path, tar_of({"ms.pdf": b"%PDF", "fig.ps.gz": gzip_of(b"%!PS")}))
    assert [failure.item for failure in read_papers([path])[1]] == [str(path)]


def test_main_files_are_named_by_the_id_of_a_member(tmp_path: Path) -> None:
    two = gzip_of(tar_of({"a.tex": latex("a = b"), "b.tex": latex("c = d")}))
    path = write(tmp_path, tar_of({"2604/2604.00001.gz": two, "2604/2604.00002.gz": packed("x")}))
    papers, failures = read_papers([path])
    assert [failure.state for failure in failures] == ["ambiguous main"]
    papers, failures = read_papers([path], mains={"2604.00001": "b.tex"})
    assert [(paper.id, paper.main) for paper in papers] == [
        ("2604.00001", "b.tex"),
        ("2604.00002", "ms.tex"),
    ]


def test_a_paper_that_comes_twice_counts_once(tmp_path: Path) -> None:
    members = {f"2604/2604.0000{number}.gz": packed("a = b") for number in (1, 2)}
    path = write(tmp_path, tar_of(members))
    again = write(tmp_path, packed("c = d"), "2604.00001.tar.gz")
    papers, failures = read_papers([path, again])
    assert [paper.id for paper in papers] == ["2604.00001"]
    assert "has the same text as 2604.00001" in failures[0].reason
    first = f"{path}: 2604/2604.00001.gz"
    assert f"{again} has the same id, 2604.00001, as {first}" in failures[1].reason


def test_progress_sees_every_member(tmp_path: Path) -> None:
    path = write(tmp_path, tar_of(MEMBERS))
    counts: list[int] = []

    def progress(eprints: object) -> list[Eprint]:
        assert isinstance(eprints, list)
        counts.append(len(eprints))
        return eprints

    read_papers([path, path], progress=progress)
    assert counts == [2 * len(MEMBERS)]


# ------------------------------------------------------------------------------ torn and unsafe


@pytest.mark.parametrize("where", ["in the third member", "in its header", "without an end"])
def test_a_torn_archive_keeps_the_papers_before(tmp_path: Path, where: str) -> None:
    names = [f"2604/2604.0000{number}.gz" for number in (1, 2, 3)]
    whole = tar_of({name: packed(f"a = {name[-4]}") for name in names})
    with tarfile.open(fileobj=io.BytesIO(whole)) as tar:
        third = tar.getmember(names[2])
    ends = {
        "in the third member": third.offset_data + 20,
        "in its header": third.offset + 100,
        "without an end": third.offset_data + (third.size + 511) // 512 * 512,
    }
    path = write(tmp_path, whole[: ends[where]])
    papers, failures = read_papers([path])
    kept = 3 if where == "without an end" else 2
    assert [paper.id for paper in papers] == ["2604.00001", "2604.00002", "2604.00003"][:kept]
    assert [(failure.item, failure.state) for failure in failures] == [(str(path), "bad archive")]
    assert f"nothing after its member '{names[kept - 1]}' can be read" in failures[0].reason


def test_a_damaged_header_in_the_middle_is_no_end(tmp_path: Path) -> None:
    whole = bytearray(tar_of({f"2604/2604.0000{n}.gz": packed(f"a = {n}") for n in (1, 2)}))
    with tarfile.open(fileobj=io.BytesIO(bytes(whole))) as tar:
        whole[tar.getmembers()[1].offset + 150] ^= 1
    papers, failures = read_papers([write(tmp_path, bytes(whole))])
    assert ([paper.id for paper in papers], len(failures)) == (["2604.00001"], 1)
    assert "torn or damaged" in failures[0].reason


def test_an_archive_joined_to_another_is_named(tmp_path: Path) -> None:
    first, second = (tar_of({f"2604/2604.0000{n}.gz": packed(f"a = {n}")}) for n in (1, 2))
    path = write(tmp_path, first + second)
    papers, failures = read_papers([path])
    assert [paper.id for paper in papers] == ["2604.00001"]
    assert [(failure.item, failure.state) for failure in failures] == [(str(path), "bad archive")]
    assert failures[0].reason.startswith(f"{path} holds more after its end; nothing behind")
    assert "'2604/2604.00001.gz'" in failures[0].reason
    assert read_papers([write(tmp_path, first + bytes(1_000_000))])[1] == []


def test_what_follows_an_archive_is_not_read_without_end(tmp_path: Path) -> None:
    path = write(tmp_path, tar_of({"2604/2604.00001.gz": packed("a = b")}))
    with path.open("r+b") as file:
        file.truncate(50_000_000_000)  # a hole
    assert "holds more after its end" in read_papers([path])[1][0].reason


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz"])
def test_headers_that_lead_back_are_looked_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    looked: list[str] = []
    monkeypatch.setattr(bulk, "kind_of", lambda name, _: (looked.append(name), "packed")[1])
    back = bad("back", b"Z")
    back.size = -1024  # to the header of the member before
    data = tar_of({"2604.00001.gz": b"x"})[:1024] + back.tobuf(tarfile.GNU_FORMAT) + bytes(10_240)
    path = write(tmp_path, gzip_of(data) if name.endswith("gz") else data, name)
    for eprint in find_eprints([path]):
        with pytest.raises(SourceError):
            eprint.open()
    assert looked == ["2604.00001.gz"]


def bad(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, link
    return made


@pytest.mark.parametrize(
    ("member", "says"),
    [
        (bad("/etc/2604.00009.gz"), "absolute path"),
        (bad("../2604.00009.gz"), "leaves the archive's folder"),
        (bad("2604.00009.gz", tarfile.SYMTYPE, "/etc/passwd"), "is a link to '/etc/passwd'"),
        (bad("2604.00009.gz", tarfile.LNKTYPE, "2604/2604.00001.gz"), "is a link to"),
        (bad("2604.00009.gz", tarfile.CHRTYPE), "neither a file nor a folder"),
        (bad("2604.00009.gz", tarfile.FIFOTYPE), "neither a file nor a folder"),
        (bad("2604.00009.gz", tarfile.GNUTYPE_SPARSE), "neither a file nor a folder"),
    ],
)
def test_an_unsafe_member_refuses_the_whole_archive(
    tmp_path: Path, member: tarfile.TarInfo, says: str
) -> None:
    path = write(tmp_path, tar_of(MEMBERS, member))
    papers, failures = read_papers([path])
    assert papers == []
    assert [(failure.item, failure.state) for failure in failures] == [(str(path), "bad archive")]
    assert says in failures[0].reason
    assert repr(member.name) in failures[0].reason


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "MAX_MEMBERS", 3)
    papers, failures = read_papers([write(tmp_path, tar_of(MEMBERS))])
    assert papers == []
    assert "is one of more than 3 members" in failures[0].reason


def test_a_member_that_is_too_large_or_a_bomb_is_a_paper_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = {
        "2604/2604.00001.gz": gzip_of(latex("a = b") + os.urandom(20_000)),
        "2604/2604.00002.gz": gzip_of(b"\\begin" * 10_000),
        "2604/2604.00003.gz": packed("c = d"),
    }
    path = write(tmp_path, tar_of(members))
    monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 50_000)
    monkeypatch.setattr(bulk, "MAX_TOTAL_BYTES", 15_000)
    papers, failures = read_papers([path])
    assert [paper.id for paper in papers] == ["2604.00003"]
    assert [failure.state for failure in failures] == ["too large", "too large"]


def test_headers_without_end_are_not_read_into_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.tar"
    whole = tar_of({"2604/2604.00001.gz": packed("a = b")})
    with tarfile.open(fileobj=io.BytesIO(whole)) as tar:
        info = tar.getmembers()[0]
    first = whole[: info.offset_data + (info.size + 511) // 512 * 512]
    name = bad("././@LongLink", tarfile.GNUTYPE_LONGNAME)
    name.size = 200_000_000
    with path.open("wb") as file:
        file.write(first + name.tobuf(tarfile.GNU_FORMAT))
        file.truncate(len(first) + 512 + name.size + 10_240)  # with a hole: no bytes on the disk
    tracemalloc.start()
    found = find_eprints([path])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000
    assert [eprint.id for eprint in found] == ["2604.00001", "bomb"]
    with pytest.raises(SourceError, match="torn or damaged"):
        found[1].open()


def test_a_large_archive_is_read_piece_by_piece(tmp_path: Path) -> None:
    path = tmp_path / "large.tar"
    with tarfile.open(path, "w") as tar:
        for number in range(60):
            files = {"ms.tex": latex(f"a = {number}"), "fig.pdf": os.urandom(600_000)}
            data = gzip_of(tar_of(files))
            info = tarfile.TarInfo(f"2604/2604.{number:05}.gz")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    assert path.stat().st_size > 30_000_000
    open_before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").is_dir() else 0
    tracemalloc.start()
    papers, failures = read_papers([path])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (len(papers), failures) == (60, [])
    assert peak < 10_000_000, "some copies of one paper, and never the archive"
    if open_before:
        assert len(os.listdir("/proc/self/fd")) == open_before


def test_one_paper_is_not_looked_for_in_a_bulk_archive(tmp_path: Path) -> None:
    path = write(tmp_path, tar_of(MEMBERS))
    with pytest.raises(SourceError, match="holds 8 e-prints, not one paper"):
        read_paper(path)
    assert "`foreword papers read` reads them all" in inspect_paper(path).reason
