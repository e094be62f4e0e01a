"""What the commands share that look after a service: where it is, and how objects are printed."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
import typer

from saleroom_cli.console import fail, tell

NOBODY = "nobody"  # owns a room
NO_NODES = "only a service on a Redis, or one with workers, has nodes"

OfStore = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        envvar="SALEROOM_STORE",
        help="The Redis or Valkey of the service; with a password better by the variable.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print a JSON object a line.")]


def redis_of(store: str | None, data: Path) -> str | None:
    """Return the URL of a service's Redis, or of the Valkey in a directory; None: there is none.

    A Valkey that does not run cannot be asked: that ends the command.
    """
    from saleroom_server.store.directory import Kind, kind_of
    from saleroom_server.store.valkey_program import SOCKET

    if store:
        return store
    socket = data.absolute() / SOCKET
    if socket.is_socket():
        return f"unix://{quote(str(socket))}"
    if kind_of(data) is Kind.VALKEY:
        fail(f"{data} is of a server with workers, and can be looked into only while that runs")
    return None


def redis_needed(store: str | None, data: Path) -> str:
    """Return the same; end the command if there is none."""
    url = redis_of(store, data)
    if url is None:
        fail(f"{NO_NODES}: name it by --store, or by --data", 2)
    return url


def tell_json(lines: Sequence[Any]) -> None:
    """Print an object a line, in plain ASCII: a name may hold anything."""
    if lines:
        tell("\n".join(json.dumps(msgspec.to_builtins(line)) for line in lines))
