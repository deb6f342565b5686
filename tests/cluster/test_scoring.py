import os
import re
import socket
import threading
from collections import Counter
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest
from scorers import ElsewhereScorer, WatchedScorer, nothing

import foreword
from foreword.cluster import Cluster
from foreword.cluster.scoring import ActorPool
from foreword.cluster.shards import Shards
from foreword.errors import ForewordError, UsageError
from foreword.records import Cut, Pair, Score, TokenScores
from foreword.scores import Engine, Scorer, ScriptedScorer, in_threads, request_key, score_all
from foreword.store import Journal
from foreword.study import sample_papers

CONTROLS = ("empty", "same-budget")


@pytest.fixture(scope="module")
def cuts() -> list[Cut]:
    papers, _ = foreword.read_papers(sample_papers())
    rules = foreword.CutRules(per_paper=4)
    return [cut for paper in papers for cut in foreword.cut_equations(paper, rules, seed=0).cuts]


@pytest.fixture
def pool(cluster: Cluster, tmp_path: Path) -> ActorPool:
    return ActorPool(cluster=cluster, folder=tmp_path / "shards", num_actors=2)


def scored(cuts: Sequence[Cut], scorer: Scorer, journal: Path, engine: Engine) -> list[Score]:
    with Journal(journal) as kept:
        return score_all(cuts, [], scorer, controls=CONTROLS, seed=0, journal=kept, engine=engine)


def watched(tmp_path: Path, **how: object) -> WatchedScorer:
    return WatchedScorer(tmp_path, **how)  # type: ignore[arg-type]


def test_an_actor_killed_in_the_middle_costs_no_row_and_repeats_none(
    pool: ActorPool, cuts: Sequence[Cut], tmp_path: Path
) -> None:
    scorer = watched(tmp_path, dies_over=cuts[len(cuts) // 2].id)
    rows = scored(cuts, scorer, tmp_path / "cluster", pool)
    assert [path.name for path in tmp_path.glob("died-*")] == ["died-0"]
    assert rows == scored(cuts, scorer.inner, tmp_path / "here", in_threads)
    lines = [(tmp_path / name).read_bytes().splitlines() for name in ("cluster", "here")]
    assert sorted(lines[0]) == sorted(lines[1])
    assert max(Counter(scorer.scored()).values()) == 1
    assert scorer.num_processes() == 3
    assert not pool.folder.exists()


def test_an_actor_that_dies_of_one_group_each_time_is_given_up_and_the_rest_is_kept(
    pool: ActorPool, cuts: Sequence[Cut], tmp_path: Path
) -> None:
    first, last = cuts[0].id, cuts[-1].id
    deadly = watched(tmp_path, dies_over=last, dies_once=False)
    with pytest.raises(ForewordError, match="3 processes died, one after the other, while they"):
        scored(cuts, deadly, tmp_path / "j", pool)
    assert len(list(tmp_path.glob("died-*"))) == 3
    assert any(first in one for one in deadly.scored())
    mended = watched(tmp_path)
    rows = scored(cuts, mended, tmp_path / "j", pool)
    assert len(rows) == len(cuts) * len(CONTROLS) == len(mended.scored())
    assert max(Counter(mended.scored()).values()) == 1


def test_shards_that_a_killed_driver_left_are_used_and_not_computed_again(
    pool: ActorPool, tmp_path: Path
) -> None:
    groups = [[Pair(id=f"{i}", prompt=f"p{i}", target="xy")] for i in range(3)]
    scorer = watched(tmp_path)
    shards = Shards(pool.folder)
    pool.folder.mkdir()
    keys = [[request_key(scorer.scorer_id, pair, statistics=False) for pair in g] for g in groups]
    left = TokenScores(token_ids=(7,), token_texts=("xy",), logprobs=(-7.0,))
    shards.write(keys[1], [left])
    (pool.folder / f"{shards.name(keys[2])}.json").write_text("{")
    results = dict(pool(groups, scorer, False))
    assert sorted(results) == [0, 1, 2]
    assert results[1] == [left]
    assert sorted(scorer.scored()) == ["0", "2"]


def test_a_consumer_that_stops_loses_nothing_that_is_finished(
    pool: ActorPool, tmp_path: Path
) -> None:
    groups = [[Pair(id=f"{i}", prompt=f"p{i}", target="xy")] for i in range(4)]
    scorer = watched(tmp_path)
    working = pool(groups, scorer, False)
    assert isinstance(working, Generator)
    taken, _ = next(working)
    working.close()
    left = {path.stem for path in pool.folder.glob("*.json")}
    before = Counter(scorer.scored())
    assert before[str(taken)] == 1
    results = dict(pool(groups, scorer, False))
    assert sorted(results) == [0, 1, 2, 3]
    assert (Counter(scorer.scored()) - before).total() <= 4 - len(left)


def test_a_problem_in_an_actor_is_told_in_its_own_words(pool: ActorPool, tmp_path: Path) -> None:
    groups = [[Pair(id="a", prompt="p", target="xy")]]
    with pytest.raises(UsageError, match="no statistics to give"):
        list(pool(groups, watched(tmp_path), True))


def test_what_nobody_foresaw_is_named(pool: ActorPool, tmp_path: Path) -> None:
    groups = [[Pair(id="a", prompt="p", target="xy")]]
    scorer = watched(tmp_path, inner=ScriptedScorer(nothing))
    with pytest.raises(ForewordError, match=r"failed on the cluster: ZeroDivisionError: .* kept"):
        list(pool(groups, scorer, False))


def test_actors_on_all_cpus_are_refused(cluster: Cluster, tmp_path: Path) -> None:
    pool = ActorPool(cluster=cluster, folder=tmp_path / "shards", num_actors=4)
    groups = [[Pair(id="a", prompt="p", target="xy")]]
    with pytest.raises(UsageError, match=r"hold all 4 CPUs .* give --actors 3 or less"):
        list(pool(groups, watched(tmp_path), False))
    assert not pool.folder.exists()


def test_a_scorer_that_can_not_be_sent_is_refused(pool: ActorPool, tmp_path: Path) -> None:
    groups = [[Pair(id="a", prompt="p", target="xy")]]
    lock = threading.Lock()
    scorer = ScriptedScorer(lambda before, letter: float(lock.locked()))
    with pytest.raises(ForewordError, match="the scorer scripted can't be sent to actors"):
        list(pool(groups, scorer, False))


def test_a_server_is_asked_from_here(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    nowhere = Cluster("127.0.0.1:1")
    pool = ActorPool(cluster=nowhere, folder=tmp_path / "shards")
    scorer = foreword.load_scorer(f"openai:http://127.0.0.1:{port}/v1#m")
    with pytest.raises(ForewordError, match=f"127.0.0.1:{port}"):
        list(pool([[Pair(id="a", prompt="p", target="xy")]], scorer, False))


def test_a_folder_that_the_nodes_do_not_see_is_refused(cluster: Cluster, tmp_path: Path) -> None:
    here_alone = os.open(tmp_path, os.O_RDONLY)
    try:
        folder = Path(f"/proc/self/fd/{here_alone}/shards")
        pool = ActorPool(cluster=cluster, folder=folder)
        groups = [[Pair(id="a", prompt="p", target="xy")]]
        with pytest.raises(ForewordError, match="does not see what is written into") as caught:
            list(pool(groups, watched(tmp_path), False))
    finally:
        os.close(here_alone)
    assert len(re.findall("does not see", str(caught.value))) == 2


def test_a_node_with_other_software_is_refused(pool: ActorPool) -> None:
    groups = [[Pair(id="a", prompt="p", target="xy")]]
    with pytest.raises(ForewordError, match="the scorer is there there and here here"):
        list(pool(groups, ElsewhereScorer(os.getpid()), False))
