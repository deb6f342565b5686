"""A real `foreword serve`, as a process of its own."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from serve_running import wait_for

CODE = "from foreword.cli import main; main()"


@dataclass
class Command:
    """A running command, and what it has said so far."""

    process: "subprocess.Popen[str]"
    said: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Where it listens, without `/v1`, once it says so."""
        wait_for(lambda: any("listening on" in line for line in self.said))
        line = next(line for line in self.said if "listening on" in line)
        return line.split()[2].rstrip(",").removesuffix("/v1")

    def wait_until_ready(self) -> None:
        """Return when the model is loaded."""
        wait_for(lambda: any("ready: " in line for line in self.said), 60)


@contextmanager
def started(*arguments: object, **more: Any) -> Iterator[Command]:
    """Run `foreword serve --port 0` while the block runs; it is killed where it does not end."""
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", CODE, "serve", "--port", "0", *map(str, arguments)],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        **more,
    )
    command = Command(process)

    assert process.stderr
    lines = process.stderr
    hearing = threading.Thread(target=lambda: [command.said.append(line) for line in lines])
    hearing.start()
    try:
        yield command
    finally:
        process.kill()
        process.wait()
        hearing.join()
        lines.close()
