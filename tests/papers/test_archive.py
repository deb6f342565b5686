import tarfile
from pathlib import Path

import pytest
from papers_made import bodies, gzip_of, tar_of

from foreword.errors import SourceError, UnsafeArchiveError
from foreword.papers import archive, read_paper

MAIN = "\\documentclass{article}\\begin{document}Thus \\[ a = b \\] \\end{document}"


def write(folder: Path, data: bytes, name: str = "paper.tar.gz") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.linkname = kind, link
    return made


@pytest.mark.parametrize("name", ["2604.19885v2.tar.gz", "2604.19885v2.gz", "2604.19885v2"])
def test_bytes_decide_what_a_source_is_and_not_its_name(tmp_path: Path, name: str) -> None:
    for data in (
        gzip_of(tar_of({"ms.tex": MAIN})),
        tar_of({"./ms.tex": MAIN}),
        gzip_of(MAIN.encode()),
        MAIN.encode(),
    ):
        paper = read_paper(write(tmp_path, data, name))
        assert paper.id.startswith("2604.19885v2".removesuffix(".gz"))
        assert bodies(paper) == ["a = b"]


def test_an_old_tar_header_without_a_magic_word_is_a_tar(tmp_path: Path) -> None:
    header = bytearray(tar_of({"ms.tex": MAIN}))
    header[257:265] = b"\0" * 8
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header[:512])
    assert bodies(read_paper(write(tmp_path, bytes(header)))) == ["a = b"]


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (member("/etc/passwd"), "absolute path"),
        (member("../out.tex"), "leaves the archive's folder"),
        (member("a/../../out.tex"), "leaves the archive's folder"),
        (member("a\\..\\..\\out.tex"), "leaves the archive's folder"),
        (member("\\\\server\\out.tex"), "absolute path"),
        (member("C:out.tex"), "drive letter"),
        (member("link.tex", tarfile.SYMTYPE, "/etc/passwd"), "is a link to '/etc/passwd'"),
        (member("link.tex", tarfile.LNKTYPE, "ms.tex"), "is a link to 'ms.tex'"),
        (member("null", tarfile.CHRTYPE), "neither a file nor a folder"),
        (member("disk", tarfile.BLKTYPE), "neither a file nor a folder"),
        (member("pipe", tarfile.FIFOTYPE), "neither a file nor a folder"),
    ],
)
def test_an_unsafe_member_is_refused_by_name(
    tmp_path: Path, bad: tarfile.TarInfo, says: str
) -> None:
    path = write(tmp_path, gzip_of(tar_of({"ms.tex": MAIN}, bad)))
    with pytest.raises(UnsafeArchiveError, match="so nothing in it was used") as caught:
        read_paper(path)
    assert repr(bad.name) in str(caught.value)
    assert says in str(caught.value)
    assert list(tmp_path.iterdir()) == [path]


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_MEMBERS", 3)
    data = tar_of({f"{number}.tex": MAIN for number in range(4)})
    with pytest.raises(UnsafeArchiveError, match=r"'3\.tex' is one of more than 3 members"):
        read_paper(write(tmp_path, data))


def test_a_large_member_is_refused_before_it_is_read(tmp_path: Path) -> None:
    huge = member("huge.tex")
    huge.size = archive.MAX_FILE_BYTES + 1
    with pytest.raises(SourceError):
        read_paper(write(tmp_path, huge.tobuf() + b"\0" * 1024))
    padded = huge.tobuf() + b"\0" * (huge.size + 2048)
    with pytest.raises(UnsafeArchiveError, match=r"'huge\.tex' is larger than 50 MB"):
        read_paper(write(tmp_path, gzip_of(padded)))


def test_members_that_are_too_large_together_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 20_480)
    data = tar_of({"a.tex": "a" * 9_000, "b.tex": "b" * 9_000})
    assert len(data) <= 20_480
    monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 17_000)
    with pytest.raises(UnsafeArchiveError, match=r"'b\.tex' brings the archive over"):
        archive.untar(data, "paper.tar")


def test_a_gzip_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_TOTAL_BYTES", 1_000_000)
    with pytest.raises(UnsafeArchiveError, match="unpacks to more than 1 MB"):
        read_paper(write(tmp_path, gzip_of(b"\\par " * 1_000_000)))


@pytest.mark.parametrize("kept", [5, 40, 200])
def test_a_torn_gzip_file_is_a_source_error(tmp_path: Path, kept: int) -> None:
    whole = gzip_of(tar_of({"ms.tex": MAIN, "b.tex": str(list(range(999)))}))
    with pytest.raises(SourceError, match="damaged gzip file"):
        read_paper(write(tmp_path, whole[:kept]))


@pytest.mark.parametrize("kept", [600, 1_024, 1_100])
def test_a_torn_tar_is_a_source_error(tmp_path: Path, kept: int) -> None:
    whole = tar_of({"ms.tex": MAIN, "b.tex": "b"})
    with pytest.raises(SourceError, match="damaged"):
        read_paper(write(tmp_path, whole[:kept]))


def test_a_damaged_header_in_the_middle_is_no_end(tmp_path: Path) -> None:
    whole = bytearray(tar_of({"ms.tex": MAIN, "b.tex": "b"}))
    whole[1_024 + 150] ^= 1
    with pytest.raises(SourceError, match="torn or damaged"):
        read_paper(write(tmp_path, bytes(whole)))


def test_headers_nested_without_end_are_a_source_error(tmp_path: Path) -> None:
    name = member("././@LongLink", tarfile.GNUTYPE_LONGNAME)
    name.size = 4
    data = (name.tobuf(tarfile.GNU_FORMAT) + b"abc\0".ljust(512, b"\0")) * 5_000
    with pytest.raises(SourceError):
        read_paper(write(tmp_path, data))


def test_figures_are_not_kept() -> None:
    data = tar_of({"ms.tex": MAIN, "fig/a.PDF": b"%PDF", "b.eps": b"%!PS", "c": "text"})
    assert sorted(archive.untar(data, "paper.tar")) == ["c", "ms.tex"]


def test_an_archive_with_no_latex_says_so(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="holds no LaTeX file"):
        read_paper(write(tmp_path, gzip_of(tar_of({"paper.pdf": b"%PDF-1.5"}))))


def test_a_gzip_file_in_a_gzip_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="a gzip file in another one"):
        read_paper(write(tmp_path, gzip_of(gzip_of(MAIN.encode()))))


def test_a_gzip_file_in_two_parts_is_read_whole() -> None:
    assert archive.gunzip(gzip_of(b"one ") + gzip_of(b"two"), "x.gz") == b"one two"
