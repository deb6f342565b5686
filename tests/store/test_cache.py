import logging
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from foreword.errors import ForewordError, UsageError
from foreword.store import fingerprint
from foreword.store.cache import GIB, Cache, Held, find_cache

LONG = "".join(fingerprint(number) for number in range(30))  # compresses to about 1 kB
LONGER = "".join(fingerprint(number) for number in range(600))
ADDING = """
import sys, pathlib
from foreword.store import fingerprint
from foreword.store.cache import Cache
folder, name, lines = sys.argv[1:]
cache = Cache(pathlib.Path(folder))
for line in range(int(lines)):
    cache.add("s", {fingerprint([name, line, n]): {"row": [name, line, n]} for n in range(5)})
    print(line, flush=True)
"""


class Clock:
    """Seconds that stand still until a test moves them on."""

    def __init__(self) -> None:
        self.now = 1e9

    def __call__(self) -> float:
        return self.now


def rows(*names: str, text: str = "") -> dict[str, dict[str, str]]:
    return {fingerprint(name): {"name": name, "text": text} for name in names}


def adding(folder: Path, name: str, lines: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", "-c", ADDING, str(folder), name, str(lines)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]


def test_what_was_added_is_there_and_nothing_is_made_before(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "deep" / "cache")
    assert cache.get(list(rows("a"))) == {}
    assert cache.missing(list(rows("a"))) == list(rows("a"))
    assert (cache.sizes(), cache.size_bytes, cache.trim(0), cache.clear()) == ([], 0, 0, 0)
    assert list(tmp_path.iterdir()) == []
    cache.add("s", rows("a", "∀ 𝓁 é\u2028", "c"))
    wanted = rows("c", "∀ 𝓁 é\u2028", "d")
    assert Cache(tmp_path / "deep" / "cache").get(list(wanted)) == rows("c", "∀ 𝓁 é\u2028")
    assert cache.missing(list(wanted)) == list(rows("d"))
    assert [path.name for path in cache.path.parent.iterdir()] == ["scores-2.sqlite"]
    assert cache.path.parent.stat().st_mode & 0o77 == 0


def test_the_file_is_safe_on_network_file_systems(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.add("s", rows("a"))
    with closing(sqlite3.connect(cache.path)) as file:
        assert file.execute("PRAGMA journal_mode").fetchall() == [("delete",)]


def test_a_row_added_again_takes_the_place_of_the_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.add("s", rows("a", text="first"))
    cache.add("s", rows("a", "b", text="second"))
    assert cache.get(list(rows("a"))) == rows("a", text="second")
    assert [held.rows for held in cache.sizes()] == [2]
    with closing(sqlite3.connect(cache.path)) as file:
        assert file.execute("SELECT count(*) FROM contents").fetchall() == [(2,)]


def test_rows_are_counted_and_removed_by_scorer(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.add("small", rows("a"))
    cache.add("large", rows("b", "c", text=LONGER))
    assert [(held.scorer_id, held.rows) for held in cache.sizes()] == [("large", 2), ("small", 1)]
    before = cache.size_bytes
    assert cache.clear("large") == 2
    assert cache.size_bytes < before
    assert cache.get(list(rows("a", "b"))) == rows("a")
    assert isinstance(cache.sizes()[0], Held)
    assert cache.clear() == 1
    assert cache.sizes() == []


def test_the_least_recently_used_rows_leave_first(tmp_path: Path) -> None:
    clock = Clock()
    cache = Cache(tmp_path, clock=clock)
    for name in "abcdefgh":
        cache.add("s", rows(name, text=LONGER))
        clock.now += 10
    clock.now += 7200
    assert set(cache.get(list(rows("a", "c")))) == set(rows("a", "c"))
    clock.now += 10
    cache.add("s", rows("i", text=LONGER))
    half = cache.size_bytes // 2
    assert cache.trim(half) > 0
    assert cache.size_bytes <= half
    order = "bdefghaci"  # of their last use
    left = "".join(name for name in order if cache.get(list(rows(name))))
    assert len(left) in (3, 4)
    assert order.endswith(left)


def test_a_use_is_written_once_an_hour(tmp_path: Path) -> None:
    clock = Clock()
    cache = Cache(tmp_path, clock=clock)
    cache.add("s", rows("a"))
    before = cache.path.read_bytes()
    clock.now += 3000
    cache.get(list(rows("a")))
    assert cache.path.read_bytes() == before
    clock.now += 3000
    cache.get(list(rows("a")))
    assert cache.path.read_bytes() != before


def test_the_file_stays_within_its_bound(tmp_path: Path) -> None:
    cache = Cache(tmp_path, max_bytes=2**20)
    for number in range(60):
        cache.add("s", rows(*(f"{number}/{n}" for n in range(40)), text=f"{number} {LONG}"))
        assert cache.size_bytes <= 1.1 * 2**20
    assert cache.get(list(rows("59/39"))) != {}
    assert cache.get(list(rows("0/0"))) == {}
    assert cache.size_bytes > 0.7 * 2**20


def test_two_processes_add_at_the_same_time(tmp_path: Path) -> None:
    children = [adding(tmp_path, name, 60) for name in ("one", "two")]
    for child in children:
        _, words = child.communicate(timeout=100)
        assert (child.returncode, words) == (0, "")
    cache = Cache(tmp_path)
    expected = {
        fingerprint([name, line, n]): {"row": [name, line, n]}
        for name in ("one", "two")
        for line in range(60)
        for n in range(5)
    }
    assert cache.get(list(expected)) == expected
    assert cache.sizes()[0].rows == 600


def test_threads_may_share_a_cache(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    names = [[f"{thread}/{n}" for n in range(20)] for thread in range(4)]

    def work(mine: list[str]) -> None:
        for name in mine:
            cache.add("s", rows(name))
            assert cache.get(list(rows(name))) == rows(name)

    threads = [threading.Thread(target=work, args=(mine,)) for mine in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.sizes()[0].rows == 80


def test_killed_while_it_adds_nothing_is_damaged_and_nothing_added_is_lost(tmp_path: Path) -> None:
    for attempt in range(4):
        with adding(tmp_path, f"kill {attempt}", 10_000) as child:
            assert child.stdout is not None
            said = [child.stdout.readline() for _ in range(3 + 5 * attempt)]
            child.send_signal(signal.SIGKILL)
            said += child.stdout.readlines()
        told = [line for line in said if line.endswith("\n")]
        cache = Cache(tmp_path)
        keys = [
            fingerprint([f"kill {attempt}", line, n]) for line in range(len(told)) for n in range(5)
        ]
        assert len(cache.get(keys)) == len(keys)
        with closing(sqlite3.connect(cache.path)) as file:
            assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            [[held]] = file.execute("SELECT count(*) FROM contents")
        assert held == cache.sizes()[0].rows
        assert held % 5 == 0


def is_of_no_use(cache: Cache, caplog: pytest.LogCaptureFixture) -> str:
    """The one sentence that a cache said when it gave up."""
    for _ in range(2):
        cache.add("s", rows("new"))
        assert cache.get(list(rows("new"))) == {}
        assert cache.missing(list(rows("new"))) in ([], list(rows("new")))
    [sentence] = warnings(caplog)
    assert sentence.startswith("going on without the score cache: ")
    assert "\n" not in sentence
    return sentence


def test_a_file_that_is_no_database_is_gone_without_and_can_be_cleared(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = Cache(tmp_path)
    cache.path.write_bytes(b"not a database" * 100)
    assert "is damaged; `foreword cache --clear`" in is_of_no_use(cache, caplog)
    assert cache.path.read_bytes() == b"not a database" * 100
    with pytest.raises(ForewordError, match="is damaged"):
        cache.sizes()
    with pytest.raises(ForewordError, match="is damaged"):
        cache.clear("s")
    assert cache.clear() == 0
    assert not cache.path.exists()
    fresh = Cache(tmp_path)
    fresh.add("s", rows("new"))
    assert fresh.get(list(rows("new"))) == rows("new")


def test_a_file_damaged_in_the_middle_never_gives_a_wrong_row(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    names = [str(number) for number in range(300)]
    whole = Cache(tmp_path / "whole")
    whole.add("s", rows(*names, text=LONG))
    data = whole.path.read_bytes()
    for at in range(8, 16):
        cut = len(data) * at // 16
        damaged = Cache(tmp_path / f"damaged-{at}")
        damaged.path.parent.mkdir()
        damaged.path.write_bytes(data[:cut] + os.urandom(4096) + data[cut + 4096 :])
        found = damaged.get(list(rows(*names)))
        assert found.items() <= rows(*names, text=LONG).items()
        damaged.add("s", rows("after"))
    torn = Cache(tmp_path / "torn")
    torn.path.parent.mkdir()
    torn.path.write_bytes(data[: len(data) // 2])
    caplog.clear()
    is_of_no_use(torn, caplog)


def test_a_row_that_can_not_be_read_is_not_there_and_can_be_added_again(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.add("s", rows("a", "b"))
    with closing(sqlite3.connect(cache.path)) as file, file:
        file.execute("UPDATE contents SET packed = x'00112233' WHERE id = 1")
    assert cache.get(list(rows("a", "b"))) == rows("b")
    cache.add("s", rows("a"))
    assert cache.get(list(rows("a"))) == rows("a")


@pytest.mark.parametrize(
    "altered",
    [
        zlib.compress(b'{"name": 0.5}'),  # another value
        zlib.compress(b'{"name": NaN}'),
        zlib.compress(b"[" * 10**6),
        zlib.compress(b" " * 10**9),  # a thousand times as large when it is unpacked
        "text",
        None,
    ],
    ids=["value", "nan", "deep", "bomb", "text", "swapped"],
)
def test_an_altered_row_is_not_there(tmp_path: Path, altered: bytes | str | None) -> None:
    cache = Cache(tmp_path)
    cache.add("s", rows("a", "b"))
    with closing(sqlite3.connect(cache.path)) as file, file:
        [[one], [other]] = file.execute("SELECT packed FROM contents ORDER BY id").fetchall()
        for content in (altered, one[:16] + altered if isinstance(altered, bytes) else altered):
            file.execute("UPDATE contents SET packed = ? WHERE id = 1", [content or other])
            file.commit()
            assert cache.get(list(rows("a", "b"))) == rows("b")


def test_a_column_takes_no_value_of_another_kind(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.add("s", rows("a"))
    with closing(sqlite3.connect(cache.path)) as file:
        for column, value in [("used", "now"), ("bytes", 1.5), ("scorer_id", b"s")]:
            with pytest.raises(sqlite3.IntegrityError):
                file.execute(f"UPDATE entries SET {column} = ?", [value])


def test_a_database_of_another_program_is_left_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = Cache(tmp_path)
    with closing(sqlite3.connect(cache.path)) as file:
        file.execute("CREATE TABLE mine (x)")
    before = cache.path.read_bytes()
    assert "a database of another program" in is_of_no_use(cache, caplog)
    with pytest.raises(ForewordError, match="another program"):
        cache.clear()
    assert cache.path.read_bytes() == before


def test_a_locked_file_is_waited_for_and_then_gone_without(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cache = Cache(tmp_path, wait_s=0.2)
    cache.add("s", rows("a"))
    with closing(sqlite3.connect(cache.path, isolation_level=None)) as file:
        file.execute("BEGIN EXCLUSIVE")
        assert "in use by another process for 0.2 seconds" in is_of_no_use(cache, caplog)
    assert Cache(tmp_path).get(list(rows("a"))) == rows("a")


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without the rights that let root write everywhere."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_folder_that_must_not_be_written_still_gives_what_it_has(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with TemporaryDirectory() as name:  # not pytest's folder, which nobody may enter
        folder, clock = Path(name), Clock()
        Cache(folder, clock=clock).add("s", rows("a"))
        clock.now += 7200
        for mode in (0o555, 0o000):
            (folder / "scores-2.sqlite").chmod(0o444)
            folder.chmod(mode)
            with as_nobody():
                found = Cache(folder, clock=clock).get(list(rows("a")))
                assert found == (rows("a") if mode else {})
                caplog.clear()
                assert "can't use" in is_of_no_use(Cache(folder, clock=clock), caplog)
        folder.chmod(0o700)


def test_a_folder_that_can_not_be_made_is_gone_without(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    assert "not a directory" in is_of_no_use(Cache(tmp_path / "file" / "cache"), caplog)


def test_a_full_disk_keeps_what_was_there(tmp_path: Path) -> None:
    code = ADDING + "print(cache._given_up, len(cache.get([fingerprint([name, 0, 0])])))"
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
    command = [sys.executable, "-W", "error", "-c", limit + code, str(tmp_path), "x", "500"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("going on without the score cache") == 1
    assert done.stdout.splitlines()[-1] == "True 0"
    cache = Cache(tmp_path)
    assert cache.get([fingerprint(["x", 0, 0])]) != {}
    assert cache.sizes()[0].rows % 5 == 0


def test_the_environment_says_where_and_how_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found() -> tuple[Path, int]:
        cache = find_cache()
        assert cache is not None
        return cache.path.parent, cache.max_bytes

    for name in ("FOREWORD_CACHE", "FOREWORD_CACHE_GIB", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert found() == (tmp_path / ".cache" / "foreword", 2 * GIB)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert found()[0] == tmp_path / "x" / "foreword"
    monkeypatch.setenv("FOREWORD_CACHE", "~/mine")
    monkeypatch.setenv("FOREWORD_CACHE_GIB", "0.5")
    assert found() == (tmp_path / "mine", GIB // 2)
    for wrong in ("much", "0", "-1", "nan", "inf"):
        monkeypatch.setenv("FOREWORD_CACHE_GIB", wrong)
        with pytest.raises(UsageError, match=f"FOREWORD_CACHE_GIB is '{wrong}'"):
            find_cache()
    monkeypatch.setenv("FOREWORD_CACHE", "OFF")
    assert find_cache() is None
