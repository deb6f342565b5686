import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from scorers import flat

from foreword.cluster.sight import Needs, lacks, token_in
from foreword.models import find_model
from foreword.scores import ScriptedScorer


@pytest.fixture(autouse=True)
def _here() -> Iterator[None]:
    before = os.getcwd()
    yield
    os.chdir(before)


def test_a_node_that_has_all_lacks_nothing(tmp_path: Path, tiny_model: Path) -> None:
    (tmp_path / "note.tex").touch()
    with token_in(tmp_path) as token:
        needs = Needs(
            cwd=str(tmp_path),
            paths=("note.tex",),
            token=token,
            scorer=ScriptedScorer(flat),
            scorer_id="scripted",
            model=find_model(f"hf:{tiny_model}"),
        )
        assert lacks(needs) == ""
    assert [path.name for path in tmp_path.iterdir()] == ["note.tex"]


def test_what_a_node_lacks_is_named(tmp_path: Path, tiny_model: Path) -> None:
    needs = Needs(cwd=str(tmp_path))
    assert lacks(Needs(cwd="/nowhere")) == "it has no folder /nowhere"
    assert lacks(replace(needs, paths=("a.tex",))) == "it does not see a.tex"
    (tmp_path / "token-x").write_text("another")
    seen = lacks(replace(needs, token=(str(tmp_path / "token-x"), "word")))
    assert seen == f"it does not see what is written into {tmp_path}"
    other = lacks(replace(needs, scorer=ScriptedScorer(flat), scorer_id="mine"))
    assert other.startswith("the scorer is scripted there and mine here")
    files = find_model(f"hf:{tiny_model}")
    model = lacks(replace(needs, model=replace(files, sha256="0" * 64)))
    assert model == f"its model {tiny_model} is another one"
    gone = lacks(replace(needs, model=replace(files, folder=tmp_path / "gone")))
    assert gone.startswith(f"it has no model {tmp_path / 'gone'}")
