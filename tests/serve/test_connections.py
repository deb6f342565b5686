"""Connections that only wait, and too many of them."""

import logging
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
from serve_running import Running, running, wait_for

from foreword.scores import LocalScorer
from foreword.serve import connections


@pytest.fixture
def hurried(tiny: LocalScorer, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """A server that waits a second for headers, and keeps five connections."""
    monkeypatch.setattr(connections, "_HEADERS_S", 1)
    monkeypatch.setattr(connections, "_MOST", 5)
    monkeypatch.setattr(connections.BoundedProtocol, "_last_told", float("-inf"))
    with running(tiny) as server:
        yield server


def connected(server: Running) -> socket.socket:
    parts = urlsplit(server.url)
    return socket.create_connection((parts.hostname, parts.port), timeout=20)


def is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def ask_health(client: socket.socket) -> None:
    client.sendall(b"GET /health HTTP/1.1\r\nHost: here\r\n\r\n")
    answer = b""
    while not answer.endswith(b"}"):
        answer += client.recv(1000)
    assert answer.startswith(b"HTTP/1.1 200")


def drip(client: socket.socket) -> None:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        client.sendall(b"x")
        time.sleep(0.05)


@pytest.mark.parametrize("sent", [b"", b"GET /health HT"])
def test_a_connection_without_a_request_is_closed(hurried: Running, sent: bytes) -> None:
    with connected(hurried) as client:
        client.sendall(sent)
        assert is_closed(client)


def test_headers_that_come_drop_by_drop_do_not_keep_a_connection(hurried: Running) -> None:
    with connected(hurried) as client, pytest.raises(OSError, match=r"Broken pipe|reset"):
        drip(client)


def test_nor_do_those_of_a_second_request(hurried: Running) -> None:
    with connected(hurried) as client:
        ask_health(client)
        client.sendall(b"GET /health HT")
        assert is_closed(client)


def test_a_connection_between_two_requests_is_kept(hurried: Running) -> None:
    with connected(hurried) as client:
        for _ in range(2):
            ask_health(client)
            time.sleep(1.5)


def test_too_many_are_closed_at_once_told_once_and_the_server_goes_on(
    hurried: Running, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING), ExitStack() as held:
        clients = [held.enter_context(connected(hurried)) for _ in range(30)]
        assert sum(map(is_closed, clients[10:])) == 20
        assert caplog.text.count("connections are open") == 1
    wait_for(lambda: hurried.client.get("/health").status_code == 200)


def test_fewer_open_files_are_fewer_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    for soft, most in [(resource.RLIM_INFINITY, 2048), (200, 50), (1024, 704), (10**6, 2048)]:
        monkeypatch.setattr(resource, "getrlimit", lambda _, soft=soft: (soft, soft))
        assert connections.most_connections() == most
