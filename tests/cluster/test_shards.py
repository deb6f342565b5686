from pathlib import Path

import pytest

from foreword.cluster.shards import Shards
from foreword.errors import ForewordError
from foreword.records import TokenScores

KEYS = ["a" * 64, "b" * 64]
RESULTS = [
    TokenScores(token_ids=(1, 2), token_texts=("x", "é"), logprobs=(-0.1, -1 / 3), first_byte=3),
    TokenScores(failure="too long"),
]


def test_a_shard_gives_back_what_was_written(tmp_path: Path) -> None:
    shards = Shards(tmp_path / "shards")
    assert shards.names() == set()
    with shards.opened(), shards.begun(KEYS, "a group"):
        shards.write(KEYS, RESULTS)
    assert shards.names() == {shards.name(KEYS)}
    assert shards.read(KEYS) == RESULTS
    assert [path.suffix for path in shards.folder.iterdir()] == [".json"]
    with shards.opened():
        shards.remove(KEYS)
    assert not shards.folder.exists()


def test_writing_a_group_again_leaves_the_same_file(tmp_path: Path) -> None:
    shards = Shards(tmp_path)
    shards.write(KEYS, RESULTS)
    (file,) = tmp_path.iterdir()
    before = file.read_bytes()
    shards.write(KEYS, RESULTS)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [before]


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"a": 1}', b"\xff"])
def test_a_damaged_shard_counts_as_none(tmp_path: Path, damage: bytes) -> None:
    shards = Shards(tmp_path)
    shards.write(KEYS, RESULTS)
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage)
    assert shards.read(KEYS) is None


def test_a_group_is_begun_three_times_and_in_the_next_run_again(tmp_path: Path) -> None:
    shards = Shards(tmp_path)
    die = [shards.begun(KEYS, "a group").__enter__ for _ in range(3)]
    for begin in die:
        begin()
    with (
        pytest.raises(ForewordError, match=r"3 processes died, .* while they scored a group"),
        shards.begun(KEYS, "a group"),
    ):
        pass
    with shards.opened(), shards.begun(KEYS, "a group"):
        assert len(list(tmp_path.iterdir())) == 1
    assert not tmp_path.exists()
