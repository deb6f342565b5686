"""Means of scoring whose journals are closed after the test."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from foreword.scores import Means, Scorer
from foreword.store import Journal


@pytest.fixture
def means_of(tmp_path: Path) -> Iterator[Callable[..., Means]]:
    with ExitStack() as stack:

        def made(scorer: Scorer, name: str = "journal") -> Means:
            return Means(scorer=scorer, journal=stack.enter_context(Journal(tmp_path / name)))

        yield made
