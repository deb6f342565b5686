"""What several stages' tests share: a tiny real model, and hypothesis without deadlines."""

from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

from tiny_model import save_tiny_model

settings.register_profile("foreword", deadline=None, derandomize=True)
settings.load_profile("foreword")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where each test has its score cache: no test finds what another, or the user, computed."""
    folder = tmp_path_factory.getbasetemp() / f"score-cache-{next(_NUMBERS)}"
    monkeypatch.setenv("FOREWORD_CACHE", str(folder))
    return folder


_NUMBERS = count()


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a random two-layer Llama and a byte-level BPE with a few merges."""
    return save_tiny_model(tmp_path_factory.mktemp("tiny-model"), merges=MERGES, window=WINDOW)


WINDOW = 2048
MERGES = [("=", "\\"), ("l", "e"), ("f", "t"), ("le", "ft"), ("Ġ", "="), ("r", "i")]
"""Enough for tokens to straddle the boundaries of the tests: `=\\`, `left`."""
