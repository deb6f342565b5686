"""One cluster of two nodes for all tests here: to start it takes longer than most of them."""

import secrets
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from foreword.cluster import Cluster

_MARK = f"FOREWORD_TEST_CLUSTER={secrets.token_hex(8)}"


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Of a cluster of two nodes on this machine, two CPUs each."""
    pytest.importorskip("ray")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setenv("PYTHONPATH", str(Path(__file__).parent))  # where the actors find `scorers`
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_BACKEND_LOG_LEVEL", "fatal")
        patch.setenv(*_MARK.split("="))
        from ray.cluster_utils import Cluster as TwoNodes

        nodes = TwoNodes(initialize_head=True, head_node_args={"num_cpus": 2})
        nodes.add_node(num_cpus=2)
    yield nodes.address
    nodes.shutdown()


@pytest.fixture(scope="session")
def cluster(address: str) -> Iterator[Cluster]:
    with Cluster(address) as cluster:
        assert cluster.ray.is_initialized()
        yield cluster


@pytest.fixture(scope="session")
def actors(address: str) -> Callable[[], list[int]]:
    """Finds the processes of this cluster's scoring actors, and of no other's."""

    def find() -> list[int]:
        return [int(place.name) for place in Path("/proc").glob("[0-9]*") if _is_actor(place)]

    return find


def _is_actor(place: Path) -> bool:
    try:
        title = (place / "cmdline").read_bytes()
        return b"ScoringActor" in title and _MARK.encode() in (place / "environ").read_bytes()
    except OSError:
        return False
