"""Where clients come: one socket that listens, or several at one port.

Several, for several processes: the kernel deals connections out among the sockets, by chance and
so about evenly. If all shared one socket, whichever woke first would take what comes, and that is
nearly always the same few. What is waiting at a socket is lost only when nobody has it open any
more, so whoever starts the processes keeps all of them.
"""

import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager


def listen(host: str, port: int) -> socket.socket:
    """Return a socket at an address that nobody else has; it does not listen yet.

    Raises:
        OSError: the address cannot be listened on.
    """
    return _bound(host, port, socket.SO_REUSEADDR)


@contextmanager
def listen_together(
    host: str, port: int, count: int, *, backlog: int
) -> Iterator[Sequence[socket.socket]]:
    """Listen at one address by several sockets, meanwhile.

    Args:
        host: the address.
        port: its port; 0: any that is free.
        count: how many sockets.
        backlog: connections that may wait at each.

    Raises:
        OSError: the address cannot be listened on.
    """
    with listen(host, port) as alone:  # or another server of this user would share it unasked
        port = alone.getsockname()[1]
    with ExitStack() as held:
        several = [
            held.enter_context(_bound(host, port, socket.SO_REUSEADDR, socket.SO_REUSEPORT))
            for _ in range(count)
        ]
        for each in several:
            each.setblocking(False)
            each.listen(backlog)
        yield several


def url_of(listening: socket.socket) -> str:
    """Return where a socket listens."""
    return url_at(*listening.getsockname()[:2])


def url_at(host: str, port: int) -> str:
    """Return the URL of an address."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _bound(host: str, port: int, *options: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family)
    try:
        for option in options:
            listening.setsockopt(socket.SOL_SOCKET, option, 1)
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        where = f"cannot listen on {host}, port {port}: {error.strerror}"
        raise OSError(error.errno, where) from error
    return listening
