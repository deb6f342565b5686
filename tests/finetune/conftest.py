from pathlib import Path

import pytest
from tuning import tuned


@pytest.fixture(scope="session")
def adapter(tmp_path_factory: pytest.TempPathFactory, tiny_model: Path) -> Path:
    """The folder of an adapter of the tiny model; papers p0 to p3, one of them held out."""
    return tuned(tmp_path_factory.mktemp("adapter"), tiny_model).folder
