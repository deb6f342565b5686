"""The socket, the server's loop, and how it ends."""

import ipaddress
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from foreword.errors import ForewordError
from foreword.scores import LocalScorer
from foreword.serve.app import make_app
from foreword.serve.connections import ACCEPTED_AT_ONCE, BoundedProtocol
from foreword.serve.service import Service, Settings

_KEEP_ALIVE_S = 75
"""An idle connection is kept for so long."""


def run_server(
    scorer: LocalScorer, settings: Settings, *, host: str, port: int, say: Callable[[str], None]
) -> None:
    """Serve until SIGTERM or SIGINT; then answer what was accepted, and return.

    Args:
        scorer: what is served.
        settings: what the server allows.
        host: the name or address to listen on.
        port: the port; 0 for any that is free.
        say: tells the user something.

    Raises:
        ForewordError: the model can't be loaded, or the address is not to be had.
    """
    faults: list[BaseException] = []

    def loaded(error: BaseException | None) -> None:
        if error:
            faults.append(error)
            server.should_exit = True
        else:
            say(f"ready: {scorer.scorer_id}")

    with listening(host, port) as listener:
        server = make_server(Service(scorer, settings, loaded))
        if not settings.token and not is_loopback(listener):
            say(
                f"warning: whoever reaches {host} can use this server; "
                "set FOREWORD_SERVE_TOKEN to ask for a token"
            )
        say(f"listening on {url_of(listener)}, loading the model")
        with _signals_end(server):
            server.run(sockets=[listener])
    if faults:
        raise faults[0]


def make_server(service: Service) -> uvicorn.Server:
    """A server that logs nothing of what it is sent, and waits for what it has accepted."""
    config = uvicorn.Config(
        make_app(service),
        log_config=None,
        access_log=False,
        log_level="error",  # a line for each broken request is a way to fill the disk
        lifespan="on",
        ws="none",
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_S,
        http=BoundedProtocol,
        backlog=ACCEPTED_AT_ONCE,
    )
    return uvicorn.Server(config)


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that listens.

    Raises:
        ForewordError: the address is not to be had.
    """
    try:
        [(family, _, _, _, address), *_] = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        listener = socket.create_server(address[:2], family=family, backlog=2048)
    except OSError as error:
        raise ForewordError(
            f"can't listen on {host}, port {port}: {(error.strerror or str(error)).lower()}"
        ) from error
    with listener:
        yield listener


def is_loopback(listener: socket.socket) -> bool:
    """Whether only this machine can reach it."""
    return ipaddress.ip_address(listener.getsockname()[0].partition("%")[0]).is_loopback


def url_of(listener: socket.socket) -> str:
    """The address that clients are given."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/v1" if ":" in host else f"http://{host}:{port}/v1"


@contextmanager
def _signals_end(server: uvicorn.Server) -> Iterator[None]:
    """A signal ends the server, not the process: uvicorn sends it again once it has ended."""
    kinds = (signal.SIGINT, signal.SIGTERM)
    before = {kind: signal.signal(kind, server.handle_exit) for kind in kinds}
    try:
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
