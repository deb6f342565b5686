"""Ray started on this machine, or a cluster joined; and kept quiet, on the terminal and outside."""

import importlib.util
import logging
import os
import secrets
import socket
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any, Self

from foreword.errors import ForewordError, UsageError
from foreword.store.journal import first_line

_KNOCK_S = 10.0
_INSTALL = "pip install -c constraints.txt -e '.[ray]'"
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # it would report to its makers
    "RAY_BACKEND_LOG_LEVEL": "fatal",
    "RAY_DATA_DISABLE_PROGRESS_BARS": "1",
}
_GUARDED = {
    # A started Ray listens on the network, and whoever is let in can run code. Left alone it keeps
    # the token in the home folder; one a process is enough, for nobody else is to join.
    "RAY_AUTH_MODE": "token",
    "RAY_AUTH_TOKEN": secrets.token_hex(32),
}


class Cluster:
    """A Ray cluster, started or joined when it is first needed. Use it in a `with` block.

    A Ray that runs in this process already is used as it is, and left running.
    """

    def __init__(self, address: str | None = None) -> None:
        """Nothing is started yet.

        Args:
            address: of a cluster to join, or `auto` for the one that this machine belongs to. None:
                Ray is started on this machine, for as long as the block runs.

        Raises:
            UsageError: an address for Ray's client, which is no member of the cluster.
            ForewordError: Ray is not installed.
        """
        if address and "://" in address:
            raise UsageError(
                f"{address} is an address for Ray's client; run foreword on a node of the cluster, "
                "with --ray-address auto"
            )
        if importlib.util.find_spec("ray") is None:
            raise ForewordError(f"--engine ray needs Ray: run `{_INSTALL}` in foreword's folder")
        self._address = address
        self._ray: Any = None
        self._left = ExitStack()

    @property
    def ray(self) -> Any:
        """The module `ray`, connected.

        Raises:
            ForewordError: the cluster can't be joined, or Ray can't be started.
        """
        if self._ray is None:
            self._ray = self._connected()
        return self._ray

    def _connected(self) -> Any:
        with ExitStack() as left:
            left.enter_context(_environment(_QUIET, forced="RAY_USAGE_STATS_ENABLED"))
            if self._address is None and "RAY_AUTH_TOKEN_PATH" not in os.environ:
                left.enter_context(_environment(_GUARDED))
            ray = _imported()
            if not ray.is_initialized():
                left.callback(ray.shutdown)
                _init(ray, self._address)
            self._left = left.pop_all()
        return ray

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ray = None
        self._left.close()


@contextmanager
def _environment(values: Mapping[str, str], *, forced: str = "") -> Iterator[None]:
    """Environment variables set while the block runs, unless they were; the forced one in any case.

    The processes that Ray starts take them over.
    """
    before = {name: os.environ.get(name) for name in values}
    for name, value in values.items():
        if before[name] is None or name == forced:
            os.environ[name] = value
    try:
        yield
    finally:
        for name, was in before.items():
            if was is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = was


def _imported() -> Any:
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise ForewordError(
            f"Ray Data can't be imported ({first_line(error)}): run `{_INSTALL}` in foreword's "
            "folder"
        ) from error
    with _own_warnings():  # Ray warns of its own settings
        context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    for handler in logging.getLogger("ray.data").handlers:
        is_own = handler not in logging.root.handlers  # Ray may have taken over the program's
        if is_own and isinstance(handler, logging.StreamHandler):
            handler.setLevel(logging.CRITICAL + 1)  # its file keeps all
    # What a raylet has to say of a lost worker goes to stdout otherwise; here it is an error or
    # the work was done again.
    if hasattr(ray._private.worker, "print_to_stdstream"):
        ray._private.worker.print_to_stdstream = lambda *_, **__: None
    return ray


def _init(ray: Any, address: str | None) -> None:
    try:
        _knock(address)
        with _own_warnings(), _stderr_shut():
            ray.init(
                address=address or "local",
                configure_logging=True,
                include_dashboard=None if address else False,
                log_to_driver=False,
                logging_level=logging.CRITICAL,
            )
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        if address:
            raise ForewordError(
                f"the Ray cluster at {address} can't be joined ({first_line(error)}): is it up, "
                "with this version of Ray and Python, and is this one of its nodes?"
            ) from error
        raise ForewordError(f"Ray can't be started here: {first_line(error)}") from error


def _knock(address: str | None) -> None:
    """See whether anybody listens at an address: Ray would go on asking for minutes.

    Raises:
        OSError: nobody does.
    """
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS")
    host, _, port = (address or "").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), timeout=_KNOCK_S).close()


@contextmanager
def _own_warnings() -> Iterator[None]:
    """Ray's warnings of Ray's own doing are passed over while the block runs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("ignore", ResourceWarning)
        yield


@contextmanager
def _stderr_shut() -> Iterator[None]:
    """What compiled code writes to stderr while the block runs is thrown away.

    Ray says there, on its own, that the level of its log was set.
    """
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
