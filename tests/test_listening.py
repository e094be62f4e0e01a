"""One port, several sockets, and nobody who was not asked."""

import socket
from collections import Counter
from contextlib import ExitStack, suppress
from functools import partial

import pytest

from saleroom_server.listening import listen, listen_together, url_of


def port_of(listening: socket.socket) -> int:
    port: int = listening.getsockname()[1]
    return port


def waiting_at(listening: socket.socket) -> int:
    """Count how many connections may wait at a socket; more than ten are not tried."""
    waiting = 0
    with ExitStack() as clients, suppress(TimeoutError):
        for _ in range(10):
            address = listening.getsockname()
            clients.enter_context(socket.create_connection(address, timeout=0.5))
            waiting += 1
    return waiting


def test_several_sockets_at_one_port_each_get_about_as_many_connections() -> None:
    with listen_together("127.0.0.1", 0, 4, backlog=200) as sockets, ExitStack() as clients:
        assert len({url_of(each) for each in sockets}) == 1
        for _ in range(200):
            address = sockets[0].getsockname()
            clients.enter_context(socket.create_connection(address, timeout=5))
        taken: Counter[int] = Counter()
        for number, each in enumerate(sockets):
            with suppress(BlockingIOError):
                while True:
                    clients.enter_context(each.accept()[0])
                    taken[number] += 1
    assert taken.total() == 200
    assert min(taken[number] for number in range(4)) >= 15


def test_so_many_connections_wait_at_a_socket_and_hardly_more() -> None:
    with listen_together("127.0.0.1", 0, 1, backlog=3) as (only,):
        assert waiting_at(only) in (3, 4)


def test_no_other_server_comes_to_the_same_port_unasked() -> None:
    with listen_together("127.0.0.1", 0, 2, backlog=1) as sockets:
        port = port_of(sockets[0])
        together = partial(listen_together, count=2, backlog=1)
        for again in (listen, lambda host, port: together(host, port).__enter__()):
            with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1, port {port}: "):
                again("127.0.0.1", port)


def test_an_address_of_six_is_written_in_brackets() -> None:
    with listen("::1", 0) as listening:
        assert url_of(listening) == f"http://[::1]:{port_of(listening)}"
