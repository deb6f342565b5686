import pytest

from foreword.cluster.pool import Node, Pool, plan_pool
from foreword.errors import UsageError


def nodes(*cpus: float, gpus: float = 0) -> list[Node]:
    return [Node(id=str(i), name=str(i), cpus=each, gpus=gpus) for i, each in enumerate(cpus)]


@pytest.mark.parametrize("cpus", [(1,), (2,), (3,), (4, 4), (8, 1, 3), (64, 64, 2.5)])
@pytest.mark.parametrize("wanted", [None, 1, 2, 3, 7, 100])
def test_actors_fit_on_the_nodes_and_leave_something(
    cpus: tuple[float, ...], wanted: int | None
) -> None:
    total = sum(int(each) for each in cpus)
    most = max(1, total - 1)
    if wanted is not None and wanted > most:
        with pytest.raises(UsageError, match=f"give --actors {most} or less"):
            plan_pool(nodes(*cpus), wanted)
        return
    pool = plan_pool(nodes(*cpus), wanted)
    assert pool.actors == (wanted or most)
    assert pool.actors * pool.cpus <= total - 1 or total == 1
    assert sum(each // pool.cpus for each in cpus) >= pool.actors


def test_on_a_single_cpu_one_actor_takes_half() -> None:
    assert plan_pool(nodes(1)) == Pool(actors=1, cpus=0.5)
    with pytest.raises(UsageError, match="give --actors 1 or less"):
        plan_pool(nodes(1), 2)


def test_a_cluster_without_cpus_is_refused() -> None:
    with pytest.raises(UsageError, match="no CPU to give"):
        plan_pool(nodes(0, 0))


@pytest.mark.parametrize("cpus", [(16, 16), (8,), (2, 2), (1,), (0,)])
def test_on_gpus_there_is_an_actor_for_each_and_a_node_keeps_part_of_its_cpus(
    cpus: tuple[float, ...],
) -> None:
    pool = plan_pool(nodes(*cpus, gpus=8), on_gpus=True)
    assert (pool.actors, pool.gpus) == (8 * len(cpus), 1)
    assert all(8 * pool.cpus < each or each == 0 for each in cpus)
    assert pool.cpus <= 1
    assert plan_pool(nodes(*cpus, gpus=8), 3, on_gpus=True).actors == 3


def test_more_actors_than_gpus_are_refused() -> None:
    with pytest.raises(UsageError, match="has 2 GPUs, one for each actor: give --actors 2 or less"):
        plan_pool(nodes(4, gpus=2), 3, on_gpus=True)
    with pytest.raises(UsageError, match="wants a GPU, and the cluster has none"):
        plan_pool(nodes(4), on_gpus=True)
