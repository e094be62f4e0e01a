"""`saleroom admin nodes`, `rooms`, `drain`: what a service is made of, as seen from beside it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import quote

import msgspec
import typer
from msgspec import Struct
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from saleroom_cli.admin import HERE, Data, Yes, told
from saleroom_cli.console import err, fail, out, shown, tell

if TYPE_CHECKING:
    from saleroom_server.store.interface import Head
    from saleroom_server.store.redis_lease import Node
    from saleroom_server.store.redis_survey import Survey

Noted = Literal["waiting", "running", "paused", "finished", "closed"]  # that one failed is not

LOOK_SECONDS = 0.25  # between two looks whether a node is still there
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
OfNode = Annotated[
    str | None,
    typer.Option("--node", metavar="NAME", help=f"Only rooms of this node, or of {NOBODY}."),
]
InStatus = Annotated[Noted | None, typer.Option("--status", help="Only rooms in this status.")]
ToDrain = Annotated[
    str, typer.Argument(metavar="NODE", help="Its name, or NAME:INCARNATION, as `nodes` has it.")
]
Patience = Annotated[
    int, typer.Option("--timeout", min=1, metavar="SECONDS", help="How long to wait for it.")
]


class NodeLine(Struct, frozen=True):
    """A node as `--json` has it; `since` in milliseconds."""

    name: str
    incarnation: str
    address: str
    since: int
    rooms: int
    draining: bool


class RoomLine(Struct, frozen=True):
    """A room as `--json` has it: names by seat; without a node if nobody has it."""

    room: str
    game: str
    status: str
    seats: int
    players: dict[str, str]
    node: str | None


def nodes_command(store: OfStore = None, data: Data = HERE, as_json: Json = False) -> None:
    """List the nodes of a service on a Redis, and the rooms each has; the longest there first."""
    with told():
        asyncio.run(_nodes(_needed(store, data), as_json))


def rooms_command(
    store: OfStore = None,
    data: Data = HERE,
    node: OfNode = None,
    status: InStatus = None,
    as_json: Json = False,
) -> None:
    """List all rooms that have not been put away, private ones too; the oldest first.

    Of a service on a Redis, with the node that has each; or of a data directory, while a server
    runs there or not. Each room is as its server last noted it; that a room failed is not noted.
    """
    with told():
        asyncio.run(_rooms(_service(store, data), data, _Wanted(node, status), as_json))


def drain_command(
    node: ToDrain,
    store: OfStore = None,
    data: Data = HERE,
    timeout: Patience = 60,
    yes: Yes = False,
) -> None:
    """Have a node of a service on a Redis end, as SIGTERM would, and wait until it has.

    It takes no more connections and sends its sockets to other nodes, which take its rooms over.
    """
    with told():
        asyncio.run(_drain(_needed(store, data), node, timeout, yes))


def _service(store: str | None, data: Path) -> str | None:
    """Return the URL of a service's Redis, or of the Valkey that listens in a directory."""
    from saleroom_server.store.valkey_program import SOCKET

    if store:
        return store
    socket = data.absolute() / SOCKET
    return f"unix://{quote(str(socket))}" if socket.is_socket() else None


def _needed(store: str | None, data: Path) -> str:
    url = _service(store, data)
    if url is None:
        fail("only a service on a Redis has nodes: name it by --store or SALEROOM_STORE", 2)
    return url


# Nodes


async def _nodes(url: str, as_json: bool) -> None:
    from saleroom_server.store.redis_survey import Survey

    async with Survey.open(url) as survey:
        nodes, owned, now = await survey.nodes(), await survey.owned(), await survey.now()
    lines = [
        NodeLine(
            node.name,
            node.incarnation,
            node.address,
            node.since,
            owned[node.owner],
            node.draining,
        )
        for node in nodes
    ]
    if as_json:
        _tell_json(lines)
    elif lines:
        out.print(_table(lines, now))
    else:
        tell("no nodes")
    if owned[""]:
        err.print(f"rooms of {NOBODY}: {owned['']:,}", soft_wrap=True)


def _table(lines: Sequence[NodeLine], now: int) -> Table:
    table = Table()
    for name in ("node", "incarnation", "address"):
        table.add_column(name, overflow="fold")
    table.add_column("here for", justify="right")
    table.add_column("rooms", justify="right")
    table.add_column("state")
    for line in lines:
        here = timedelta(seconds=max(0, now - line.since) // 1000)
        words = (line.name, line.incarnation, line.address)
        state = "draining" if line.draining else "serving"
        table.add_row(*map(shown, words), str(here), f"{line.rooms:,}", state)
    return table


# Rooms


class _Wanted(Struct, frozen=True):
    node: str | None
    status: Noted | None

    def has(self, line: RoomLine) -> bool:
        """Whether a room is one of those to be listed."""
        names = {line.node, line.node.rpartition(":")[0]} if line.node else {NOBODY}
        return (self.node is None or self.node in names) and self.status in {None, line.status}


async def _rooms(url: str | None, data: Path, wanted: _Wanted, as_json: bool) -> None:
    if url is None and wanted.node is not None:
        fail("only a service on a Redis has nodes", 2)
    found = False
    async for page in _pages(url, data):
        lines = [line for line in page if wanted.has(line)]
        found = found or bool(lines)
        if as_json:
            _tell_json(lines)
        elif lines:
            tell(Text("\n".join(_line(line, with_node=url is not None) for line in lines)))
    if not found and not as_json:
        tell("no rooms")


async def _pages(url: str | None, data: Path) -> AsyncIterator[list[RoomLine]]:
    if url is None:
        from saleroom_server.store import sqlite_survey

        for heads in sqlite_survey.rooms(data):
            yield [_noted(head, None) for head in heads]
        return
    from saleroom_server.store.redis_survey import Survey

    async with Survey.open(url) as survey:
        async for listed in survey.rooms():
            yield [_noted(each.head, each.owner or None) for each in listed]


def _noted(head: "Head", node: str | None) -> RoomLine:
    """Read what the lobby knows of a room; of an unreadable one only that it is there."""
    from saleroom_server.owner.head import Head as Known

    try:
        told = msgspec.msgpack.decode(head.body, type=Known).summary
    except (msgspec.DecodeError, UnicodeDecodeError):
        return RoomLine(head.room, "", "unreadable", 0, {}, node)
    players = {seat: sitter.name for seat, sitter in sorted(told.seats.items())}
    return RoomLine(head.room, told.game, told.status, told.seat_count, players, node)


def _line(line: RoomLine, *, with_node: bool) -> str:
    seats = f"{len(line.players)}/{line.seats}"
    facts = [f"{line.room:13}  {line.game:11}  {line.status:10}  {seats:>5}"]
    if with_node:
        facts.append(f"{line.node or NOBODY:36}")
    return shown("  ".join([*facts, ", ".join(line.players.values())])).rstrip()


# Drain


async def _drain(url: str, name: str, patience: int, yes: bool) -> None:
    from saleroom_server.store.redis_survey import Survey

    async with Survey.open(url) as survey:
        nodes = await survey.nodes()
        node = _named(nodes, name)
        if len(nodes) == 1 and not yes:
            _confirm_last()
        rooms = [room async for page in survey.owned_by(node) for room in page]
        await survey.drain(node, patience * 1000)
        try:
            async with asyncio.timeout(patience):
                await _ended(survey, node, rooms)
        except TimeoutError:
            fail(f"{node.owner} has not ended within {patience} seconds")
    tell(shown(f"{node.owner} has ended; rooms it had: {len(rooms):,}"))


def _named(nodes: Sequence["Node"], name: str) -> "Node":
    for node in nodes:
        if name in {node.name, node.owner}:
            return node
    living = ", ".join(node.owner for node in nodes) or "none"
    fail(f"no node {name} is alive; there are: {living}")


def _confirm_last() -> None:
    question = "It is the last node: nobody plays until there is another. Go on?"
    if not typer.confirm(question, err=True):
        raise typer.Exit(1)


async def _ended(survey: "Survey", node: "Node", rooms: Sequence[str]) -> None:
    with _progress(len(rooms)) as report:
        while node.owner in {living.owner for living in await survey.nodes()}:
            owners = await survey.owners(rooms)
            report(len(rooms) - owners.count(node.owner))
            await asyncio.sleep(LOOK_SECONDS)


@contextmanager
def _progress(rooms: int) -> Iterator[Callable[[int], None]]:
    """Show how many rooms have been given up, to somebody who sits at a terminal."""
    with Progress(console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("Draining", total=rooms)
        yield lambda done: bar.update(task, completed=done)


def _tell_json(lines: Sequence[Any]) -> None:
    """Print an object a line, in plain ASCII: a name may hold anything."""
    if lines:
        tell("\n".join(json.dumps(msgspec.to_builtins(line)) for line in lines))
