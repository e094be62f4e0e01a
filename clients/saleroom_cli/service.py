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
    """Return the URL of a service's Redis, or of the Valkey in a directory; None: there is none."""
    from saleroom_server.store.valkey_program import SOCKET

    if store:
        return store
    socket = data.absolute() / SOCKET
    return f"unix://{quote(str(socket))}" if socket.is_socket() else None


def redis_needed(store: str | None, data: Path) -> str:
    """Return the same; end the command if there is none."""
    url = redis_of(store, data)
    if url is None:
        fail("only a service on a Redis has nodes: name it by --store or SALEROOM_STORE", 2)
    return url


def tell_json(lines: Sequence[Any]) -> None:
    """Print an object a line, in plain ASCII: a name may hold anything."""
    if lines:
        tell("\n".join(json.dumps(msgspec.to_builtins(line)) for line in lines))
