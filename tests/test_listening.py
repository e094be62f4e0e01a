"""One port, several sockets, and nobody who was not asked."""

import socket
from collections import Counter
from contextlib import ExitStack, suppress

import pytest

from saleroom_server.listening import listen, listen_together, url_of


def port_of(listening: socket.socket) -> int:
    port: int = listening.getsockname()[1]
    return port


def test_several_sockets_at_one_port_each_get_about_as_many_connections() -> None:
    with listen_together("127.0.0.1", 0, 4) as sockets, ExitStack() as clients:
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


def test_no_other_server_comes_to_the_same_port_unasked() -> None:
    with listen_together("127.0.0.1", 0, 2) as sockets:
        port = port_of(sockets[0])
        for again in (listen, lambda host, port: listen_together(host, port, 2).__enter__()):
            with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1, port {port}: "):
                again("127.0.0.1", port)


def test_an_address_of_six_is_written_in_brackets() -> None:
    with listen("::1", 0) as listening:
        assert url_of(listening) == f"http://[::1]:{port_of(listening)}"
