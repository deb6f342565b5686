"""Turns over processes, with a clock of our own."""

from pathlib import Path

import pytest

from foreword.arxiv.pace import MAX_WAIT_S, Pace
from foreword.arxiv.site import find_site, is_arxiv, pace_file, user_agent
from foreword.errors import FetchError, UsageError


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.slept: list[float] = []

    def sleep(self, wait_s: float) -> None:
        self.slept.append(wait_s)
        self.now += wait_s

    def pace(self, path: Path) -> Pace:
        return Pace(path, pause_s=3.0, clock=lambda: self.now, sleep=self.sleep)


def test_the_pause_counts_from_the_end_of_the_last_request(tmp_path: Path) -> None:
    clock = Clock()
    with clock.pace(tmp_path / "deep" / "pace").turn():
        clock.now += 40
    clock.now += 1
    with clock.pace(tmp_path / "deep" / "pace").turn():
        pass
    clock.now += 5
    with clock.pace(tmp_path / "deep" / "pace").turn():
        pass
    assert clock.slept == [2.0]


def test_a_request_that_was_killed_has_its_pause(tmp_path: Path) -> None:
    clock = Clock()
    turn = clock.pace(tmp_path / "pace").turn()
    turn.__enter__()
    assert (tmp_path / "pace").read_text().startswith("1000000.000 3.000")
    turn.__exit__(None, None, None)


@pytest.mark.parametrize(
    "text", ["", "x", "1000000.0", "\udcff".encode("utf-8", "ignore").decode()]
)
def test_a_damaged_file_is_as_good_as_none(tmp_path: Path, text: str) -> None:
    clock = Clock()
    (tmp_path / "pace").write_text(text)
    with clock.pace(tmp_path / "pace").turn():
        pass
    assert clock.slept == []


def test_a_clock_that_was_set_back_makes_nobody_wait_longer(tmp_path: Path) -> None:
    clock = Clock()
    with clock.pace(tmp_path / "pace").turn():
        pass
    clock.now -= 500_000
    with clock.pace(tmp_path / "pace").turn():
        pass
    assert clock.slept == [3.0]


def test_what_a_server_asks_of_one_process_holds_for_all(tmp_path: Path) -> None:
    clock = Clock()
    first, second = clock.pace(tmp_path / "pace"), clock.pace(tmp_path / "pace")
    with first.turn():
        first.postpone(60)
    with second.turn():
        second.postpone(MAX_WAIT_S + 1)
    assert clock.slept == [60.0]
    with pytest.raises(FetchError, match="left alone for 61 minutes"), first.turn():
        pass
    clock.now += MAX_WAIT_S
    with first.turn():
        first.refuse()
    with pytest.raises(FetchError, match="refuses this machine"), second.turn():
        pass


def test_both_of_arxivs_hosts_are_one_site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREWORD_CACHE", "/cache")
    assert pace_file(find_site()) == pace_file(find_site("https://export.arxiv.org/"))
    assert pace_file(find_site()) == Path("/cache/pace-arxiv.org")
    assert pace_file(find_site("http://127.0.0.1:80/a/../b")) == Path("/cache/pace-127.0.0.1_80")
    assert not is_arxiv("notarxiv.org")
    assert find_site("https://mirror.example/").pause_s == 3.0


def test_the_contact_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREWORD_CONTACT", "me@example.org")
    assert user_agent(find_site(), None).endswith(" (mailto:me@example.org)")
    monkeypatch.delenv("FOREWORD_CONTACT")
    assert user_agent(find_site("http://127.0.0.1:1"), None).startswith("foreword/")
    for base_url in ("ftp://x", "x", "file:///etc", "https://"):
        with pytest.raises(UsageError, match="no address of a server"):
            find_site(base_url)
