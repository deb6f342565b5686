import importlib.util
import os
import socket
import subprocess
import sys
from pathlib import Path

import click
import pytest

from foreword.cluster import Cluster
from foreword.engine_flags import Place
from foreword.errors import ForewordError, UsageError


def test_without_the_package_the_command_to_install_it_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "ray" else find(name)
    )
    with pytest.raises(ForewordError, match=r"needs Ray: run `pip install .*\[ray\]"):
        Cluster()


def test_an_address_of_a_client_is_refused() -> None:
    with pytest.raises(UsageError, match="run foreword on a node of the cluster"):
        Cluster("ray://10.0.0.1:10001")


def test_where_no_cluster_listens_it_is_told_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    code = (
        "from foreword.cluster import Cluster; from foreword.errors import ForewordError\n"
        f"try: Cluster('127.0.0.1:{port}').ray\n"
        "except ForewordError as error: print(error)"
    )
    shown = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60
    )
    assert f"the Ray cluster at 127.0.0.1:{port} can't be joined" in shown.stdout
    assert shown.stderr == ""


def test_flags_of_ray_are_refused_without_it(tmp_path: Path) -> None:
    for place in (
        Place(engine="local", ray_address="auto"),
        Place(engine="local", ray_address=None, actors=2),
    ):
        with pytest.raises(click.UsageError, match="goes with --engine ray"):
            place.engines(tmp_path)


def test_a_ray_that_runs_already_is_used_and_left_running(cluster: Cluster) -> None:
    with Cluster() as again:
        assert again.ray.get_runtime_context().get_node_id()
        assert again.ray is cluster.ray
    assert cluster.ray.is_initialized()


def test_the_environment_is_as_it_was_after_ray_has_run_here() -> None:
    code = (
        "import os\nbefore = dict(os.environ)\n"
        "from foreword.cluster import Cluster\n"
        "for _ in range(2):\n"
        "    with Cluster() as cluster:\n"
        "        assert cluster.ray.get(cluster.ray.remote(lambda: 7).remote()) == 7\n"
        "        assert os.environ['RAY_AUTH_MODE'] == 'token'\n"
        "    changed = set(os.environ.items()) ^ set(before.items())\n"
        "    names = {name for name, _ in changed}\n"
        "    assert names <= {'RAY_CLIENT_MODE', 'PYTHONBREAKPOINT'}, changed\n"  # Ray's own
    )
    given = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    shown = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=200,
        env={**given, "HOME": "/nonexistent"},
    )
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout + shown.stderr == ""
