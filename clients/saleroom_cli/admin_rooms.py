"""`saleroom admin rooms` and `close`: the rooms a store has, and how one is ended for good."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Annotated, NoReturn

import msgspec
import typer
from msgspec import Struct
from rich.text import Text

from saleroom_cli.admin import HERE, Data, Yes, told
from saleroom_cli.console import fail, out, shown, tell
from saleroom_cli.options import RoomId
from saleroom_cli.service import NO_NODES, NOBODY, Json, OfStore, redis_of, tell_json
from saleroom_protocol.document import Status

if TYPE_CHECKING:
    from saleroom_server.store.interface import Head, Owned, Store

    TakeOver = Callable[[str], Awaitable[Owned | None]]

OfNode = Annotated[
    str | None,
    typer.Option("--node", metavar="NAME", help=f"Only rooms of this node, or of {NOBODY}."),
]
InStatus = Annotated[Status | None, typer.Option("--status", help="Only rooms in this status.")]


class RoomLine(Struct, frozen=True):
    """A room as `--json` has it: names by seat; without a node if nobody has it."""

    room: str
    game: str
    status: str
    seats: int
    players: dict[str, str]
    node: str | None


def rooms_command(
    store: OfStore = None,
    data: Data = HERE,
    node: OfNode = None,
    status: InStatus = None,
    as_json: Json = False,
) -> None:
    """List all rooms that have not been put away, private ones too; the oldest first.

    Of a service on a Redis, or of workers while they run, with the node that has each; or of any
    other data directory, while a server runs there or not. Each room is as its server last noted
    it. A terminal shows of players what fits the line; `--json` tells all.
    """
    with told():
        asyncio.run(_rooms(redis_of(store, data), data, _Wanted(node, status), as_json))


class _Wanted(Struct, frozen=True):
    node: str | None
    status: Status | None

    def has(self, line: RoomLine) -> bool:
        """Whether a room is one of those to be listed."""
        names = {line.node, line.node.rpartition(":")[0]} if line.node else {NOBODY}
        return (self.node is None or self.node in names) and self.status in {None, line.status}


async def _rooms(url: str | None, data: Path, wanted: _Wanted, as_json: bool) -> None:
    if url is None and wanted.node is not None:
        fail(NO_NODES, 2)
    found = False
    async for page in _pages(url, data):
        lines = [line for line in page if wanted.has(line)]
        found = found or bool(lines)
        if as_json:
            tell_json(lines)
        elif lines:
            listed = Text("\n".join(_line(line, with_node=url is not None) for line in lines))
            if out.is_terminal:
                out.print(listed, overflow="ellipsis", no_wrap=True)
            else:  # a pipe gets whole lines
                out.print(listed, soft_wrap=True)
    if not found and not as_json:
        tell("no rooms")


async def _pages(url: str | None, data: Path) -> AsyncGenerator[list[RoomLine], None]:
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
    """Return a room as people read it; no two nodes that live share a name."""
    seats = f"{len(line.players)}/{line.seats}"
    facts = [f"{line.room:13}  {line.game:10}  {line.status:10}  {seats:>3}"]
    if with_node:
        facts.append(f"{line.node.rpartition(':')[0] if line.node else NOBODY:12}")
    return shown("  ".join([*facts, ", ".join(line.players.values())])).rstrip()


def close_command(room: RoomId, store: OfStore = None, data: Data = HERE, yes: Yes = False) -> None:
    """End a room for good that has failed; it keeps its record.

    Of a service on a Redis, or of workers, while they run; of any other data directory while no
    server does. A room that has failed goes on with a program that has the fault no more; one that
    is closed never does.
    """
    with told():
        asyncio.run(_close(redis_of(store, data), data, room, yes))
    tell(shown(f"{room} is closed; its record is kept"))


async def _close(url: str | None, data: Path, room: str, yes: bool) -> None:
    from saleroom_server.owner.closing import CannotClose, close_for_good

    found = await _found(url, data, room)
    if not yes and found.status not in {"finished", "closed"}:  # these can only be put away
        _confirm(found)
    store, take_over = await _opened(url, data)
    try:
        owned = await take_over(room)
        if owned is None:
            _fail_for_want_of(room)
        await close_for_good(store, room, owned, time.time_ns() // 1_000_000)
    except CannotClose as why:
        fail(f"{room} is left as it is: {why}")
    finally:
        await store.close()


async def _found(url: str | None, data: Path, room: str) -> RoomLine:
    """Look for a room without taking it from anybody; end the command if it cannot be closed."""
    from saleroom_server.store.sqlite_lock import DirectoryLock
    from saleroom_server.store.sqlite_survey import database

    if url is None:
        DirectoryLock(database(data).parent).release()  # or a server has it, and that is said
    async with aclosing(_pages(url, data)) as pages:
        async for page in pages:
            for line in page:
                if line.room == room:
                    return line
    _fail_for_want_of(room)


def _fail_for_want_of(room: str) -> NoReturn:
    fail(f"there is no room {room}, or it is over and has been put away")


def _confirm(line: RoomLine) -> None:
    players = ", ".join(line.players.values()) or "nobody sits there"
    facts = f"{line.game}, {line.status}, {players}" if line.game else line.status
    question = f"That ends {line.room} for good ({facts}), even if it has not failed. Go on?"
    if not typer.confirm(shown(question), err=True):
        raise typer.Exit(1)


async def _opened(url: str | None, data: Path) -> tuple["Store", "TakeOver"]:
    """Open a store, and say how a room is taken over there; nobody else has a directory."""
    if url is None:
        from saleroom_server.store.sqlite import SqliteStore
        from saleroom_server.store.sqlite_survey import database

        directory = await SqliteStore.open(database(data).parent)
        return directory, directory.acquire
    from saleroom_server.store.redis import RedisStore

    redis = await RedisStore.open(url, node=f"admin-{token_hex(4)}")
    return redis, redis.seize
