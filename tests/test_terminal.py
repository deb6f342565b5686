import logging
import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from foreword import terminal

SHOWING = """
import time
from foreword.terminal import show
for item in show("scoring [red]requests")(range(30)):
    time.sleep(0.12)
"""


def test_off_a_terminal_there_is_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(terminal, "_SECONDS_A_LINE", 0.3)
    for _ in terminal.show("scoring requests")(range(10)):
        time.sleep(0.12)
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert out == ""
    assert lines[0] == "scoring requests: 10"
    assert len(lines) >= 3
    told = re.compile(r"scoring requests: \d of 10, \S+ a (second|minute), .* s left")
    assert all(told.fullmatch(line) for line in lines[2:])


def test_lines_stop_when_the_work_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(terminal, "_SECONDS_A_LINE", 0.05)

    def failing() -> Iterator[int]:
        for item in terminal.show("x")(range(10)):
            yield item
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        list(failing())
    time.sleep(0.2)
    assert len(capsys.readouterr().err.splitlines()) <= 2


def test_nothing_to_do_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(terminal.show("x")([])) == []
    assert capsys.readouterr().err == ""


def test_on_a_terminal_there_is_a_bar() -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-W", "error", "-c", SHOWING],
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    ) as child:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # Linux says so when the other side is closed
            pass
        os.close(ours)
    assert child.returncode == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode())
    assert re.search(r"scoring \[red\]requests .* 2\d/30 \S+ a second, \d+ s left", text)


def test_what_the_library_says_is_shown_once_and_safe(
    capsys: pytest.CaptureFixture[str],
) -> None:
    log = logging.getLogger("foreword")
    before, level = list(log.handlers), log.level
    try:
        terminal.show_log()
        logging.getLogger("foreword.some.module").warning("%s is \x1b[31mred", "it")
        logging.getLogger("foreword.some.module").info("news")
        logging.getLogger("foreword.some.module").debug("noise")
    finally:
        log.handlers[:] = before
        log.setLevel(level)
    assert capsys.readouterr().err == "it is \\x1b[31mred\nnews\n"
