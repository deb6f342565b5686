"""One server for all tests that only ask it something."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from begin_model import save_begin_model
from serve_running import Running, running

from foreword.scores import LocalScorer, load_scorer


@pytest.fixture(scope="session")
def tiny(tiny_model: Path) -> LocalScorer:
    scorer = load_scorer(f"hf:{tiny_model}", device="cpu")
    assert isinstance(scorer, LocalScorer)
    return scorer


@pytest.fixture(scope="session")
def server(tiny: LocalScorer) -> Iterator[Running]:
    with running(tiny) as started:
        yield started


@pytest.fixture(scope="session")
def begin(tmp_path_factory: pytest.TempPathFactory) -> LocalScorer:
    """A scorer whose model begins every text with a token of its own."""
    folder = save_begin_model(tmp_path_factory.mktemp("begin-model"))
    scorer = load_scorer(f"hf:{folder}", device="cpu")
    assert isinstance(scorer, LocalScorer)
    return scorer


@pytest.fixture(scope="session")
def begin_server(begin: LocalScorer) -> Iterator[Running]:
    with running(begin) as started:
        yield started
