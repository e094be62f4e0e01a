"""`saleroom admin nodes`, `rooms`, `drain`, `close`: what an operator is told of a service."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from typer.testing import Result

from saleroom_server.rooms.commands import Close
from saleroom_server.store.redis import RedisStore
from saleroom_server.store.sqlite import SqliteStore
from saleroom_server.store.valkey_program import LOGS, SOCKET
from tests.clients.test_record_command import run
from tests.store.conformance import empty, numbered
from tests.store.nodes import Shared
from tests.store.test_redis_survey import ATTENTIVE
from tests.support.nodes import PEOPLE, Node


@pytest.fixture
async def shared() -> AsyncIterator[Shared]:
    async with AsyncExitStack() as opened:
        made = Shared(empty("valkey"), opened)
        yield made
    made.direct.close()


@pytest.fixture
async def journal() -> tuple[str, list[bytes]]:
    """A room that is played, and its journal."""
    node = await Node().opens()
    room = await node.starts()
    await node.closes()
    return room, node.store.kept.rooms[room].entries


@pytest.fixture
async def heads() -> dict[str, bytes]:
    """Heads of two rooms: one that runs, and one that is closed."""
    node = await Node().opens()
    running = await node.starts(visibility="private")
    closed = (await node.makes(game="vernissage")).room
    await node.actor(closed).ask(Close("enough"))
    await node.closes()
    return {room: node.store.kept.rooms[room].head for room in (running, closed)}


async def admin(*words: str | Path, **more: Any) -> Result:
    return await asyncio.to_thread(run, "admin", *words, **more)


def objects(told: Result) -> list[dict[str, Any]]:
    assert (told.exit_code, told.stderr) == (0, "")
    return [json.loads(line) for line in told.stdout.splitlines()]


async def test_nodes_are_listed_with_what_they_own(shared: Shared) -> None:
    a = await shared.node("a", address="http://a.example:8000")
    await shared.node("b:8001", incarnation="2nd")
    for room in ("r1", "r2"):
        await a.create(room, numbered(1, 1), b"")
    first, second = objects(await admin("nodes", "--json", SALEROOM_STORE=shared.server.url))
    assert first.pop("since") <= second.pop("since")
    _, incarnation = a.node.split(":")
    assert first == {
        "name": "a",
        "incarnation": incarnation,
        "address": "http://a.example:8000",
        "rooms": 2,
        "draining": False,
    }
    assert (second["name"], second["incarnation"], second["rooms"]) == ("b:8001", "2nd", 0)
    await a.release("r1", 1)
    table = await admin("nodes", "--store", shared.server.url)
    assert table.exit_code == 0
    assert "http://a.example:8000" in table.stdout
    assert "serving" in table.stdout
    assert table.stderr == "rooms of nobody: 1\n"


async def test_that_there_is_no_node_is_said(shared: Shared) -> None:
    told = await admin("nodes", "--store", shared.server.url)
    assert (told.exit_code, told.stdout) == (0, "no nodes\n")
    told = await admin("rooms", "--store", shared.server.url)
    assert (told.exit_code, told.stdout) == (0, "no rooms\n")


async def test_rooms_are_listed_with_who_owns_them(shared: Shared, heads: dict[str, bytes]) -> None:
    a, b = await shared.node("a"), await shared.node("b")
    running, closed = heads
    fence = await a.create(running, numbered(1, 1), heads[running])
    await b.create(closed, numbered(1, 1), heads[closed])
    await a.create("unread", numbered(1, 1), b"\xc1")
    await a.release(running, fence)
    store = ("--store", shared.server.url)
    told, names = await admin("rooms", *store), ["Person", "a,", "Person", "b,", "Person", "c"]
    assert [line.split() for line in told.stdout.splitlines()] == [
        [running, "kunstmarkt", "running", "3/3", "nobody", *names],
        [closed, "vernissage", "closed", "1/3", "b", "Person", "a"],
        ["unread", "unreadable", "0/0", "a"],
    ]
    assert objects(await admin("rooms", "--json", *store))[0] == {
        "room": running,
        "game": "kunstmarkt",
        "status": "running",
        "seats": 3,
        "players": {"0": "Person a", "1": "Person b", "2": "Person c"},
        "node": None,
    }
    for words, listed in (
        (("--node", "a"), ["unread"]),
        (("--node", b.node), [closed]),
        (("--node", "nobody"), [running]),
        (("--node", "c"), []),
        (("--status", "closed"), [closed]),
        (("--status", "closed", "--node", "a"), []),
    ):
        found = objects(await admin("rooms", "--json", *store, *words))
        assert [line["room"] for line in found] == listed


async def test_however_long_names_are_rooms_fit_a_line_of_a_terminal_and_a_pipe_gets_them_whole(
    shared: Shared, tmp_path: Path
) -> None:
    node = await Node().opens()
    room = (await node.makes(replace(PEOPLE[0], name="展" * 24))).room
    await node.closes()
    head = node.store.kept.rooms[room].head
    a, store = await shared.node("inn-8000-1"), await SqliteStore.open(tmp_path)
    await a.create(room, numbered(1, 1), head)
    await store.create(room, numbered(1, 1), head)
    for where in (("--store", shared.server.url), ("--data", tmp_path)):
        facts = f"{room}  kunstmarkt  waiting     1/3  "
        (whole,) = (await admin("rooms", *where, COLUMNS="80")).stdout.splitlines()
        assert (whole[: len(facts)], whole[-24:]) == (facts, "展" * 24)
        at_terminal = await admin("rooms", *where, COLUMNS="80", TTY_COMPATIBLE="1")
        (line,) = at_terminal.stdout.splitlines()
        assert line.startswith(facts)
        assert line.endswith("…")
        assert cell_len(line) <= 80
        (listed,) = objects(await admin("rooms", "--json", *where))
        assert listed["players"] == {"0": "展" * 24}
    await store.close()


async def test_rooms_of_a_directory_are_listed_beside_its_server(
    tmp_path: Path, heads: dict[str, bytes]
) -> None:
    store = await SqliteStore.open(tmp_path)
    for room, head in heads.items():
        await store.create(room, numbered(1, 1), head)
    told = await admin("rooms", "--data", tmp_path, "--status", "closed")
    (_, closed) = heads
    assert told.stdout.split() == [closed, "vernissage", "closed", "1/3", "Person", "a"]
    assert [line["node"] for line in objects(await admin("rooms", "--json", "--data", tmp_path))]
    await store.close()


async def test_a_valkey_of_our_own_is_found_by_its_directory(
    shared: Shared, tmp_path: Path
) -> None:
    await shared.node("a")
    (tmp_path / SOCKET).symlink_to(shared.server.path)
    (node,) = objects(await admin("nodes", "--json", "--data", tmp_path))
    assert node["name"] == "a"


async def test_of_workers_that_do_not_run_it_is_said_that_they_must(tmp_path: Path) -> None:
    (tmp_path / LOGS).mkdir()
    for words in (("nodes",), ("rooms",), ("drain", "a"), ("close", "r1", "--yes")):
        refused = await admin(*words, "--data", tmp_path)
        assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1)
        assert "of a server with workers, and can be looked into only while" in refused.stderr


async def test_only_a_service_has_nodes(tmp_path: Path) -> None:
    for words in (("nodes",), ("drain", "a"), ("rooms", "--node", "a")):
        refused = await admin(*words, "--data", tmp_path)
        assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
        assert "only a service on a Redis, or one with workers, has nodes" in refused.stderr
    refused = await admin("rooms", "--data", tmp_path)
    assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1)
    assert "there is no store in" in refused.stderr


async def test_what_redis_says_no_to_is_told_without_a_password(shared: Shared) -> None:
    url = shared.server.url.replace("//", "//me:hush@")
    for words in (("nodes",), ("rooms",), ("drain", "a")):
        refused = await admin(*words, "--store", url)
        assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1)
        assert "hush" not in refused.output


def ends_when_drained(store: RedisStore) -> list[asyncio.Task[None]]:
    """Let a node end as it is asked to; return what then ends it."""
    ending: list[asyncio.Task[None]] = []
    store.when_drained(lambda: ending.append(asyncio.create_task(store.close())))
    return ending


async def test_a_node_that_is_drained_is_waited_for(shared: Shared) -> None:
    a = await shared.node("a", limits=ATTENTIVE)
    b = await shared.node("b", limits=ATTENTIVE)
    await a.create("r1", numbered(1, 1), b"")
    await b.create("r2", numbered(1, 1), b"")
    ending = ends_when_drained(a)
    told = await admin("drain", a.node, "--store", shared.server.url)
    assert (told.exit_code, told.stderr) == (0, "")
    assert told.stdout == f"{a.node} has ended; rooms it had: 1\n"
    assert len(ending) == 1
    assert await b.alive() == {b.node}
    assert await b.acquire("r1") is not None


async def test_the_last_node_is_drained_only_if_that_is_meant(shared: Shared) -> None:
    a = await shared.node("a", limits=ATTENTIVE)
    ending = ends_when_drained(a)
    asked = await admin("drain", "a", "--store", shared.server.url, stdin=b"n\n")
    assert asked.exit_code == 1
    assert "It is the last node" in asked.stderr
    assert not shared.direct.keys("drain:*")
    told = await admin("drain", "a", "--yes", "--store", shared.server.url)
    assert (told.exit_code, len(ending)) == (0, 1)


async def test_who_drains_nobody_is_told_who_there_is(shared: Shared) -> None:
    a, b = await shared.node("a"), await shared.node("b")
    refused = await admin("drain", "c", "--store", shared.server.url)
    assert refused.exit_code == 1
    assert refused.stderr == f"error: no node c is alive; there are: {a.node}, {b.node}\n"


async def test_a_node_that_does_not_end_is_waited_for_no_longer_than_asked(shared: Shared) -> None:
    a, _ = await shared.node("a"), await shared.node("b")
    told = await admin("drain", "a", "--timeout", "1", "--store", shared.server.url)
    assert told.exit_code == 1
    assert told.stderr == f"error: {a.node} has not ended within 1 seconds\n"


async def test_a_room_of_a_service_is_closed_whoever_has_it(
    shared: Shared, journal: tuple[str, list[bytes]]
) -> None:
    a, (room, entries) = await shared.node("a"), journal
    await a.create(room, entries, b"head")
    store = ("--store", shared.server.url)
    asked = await admin("close", room, *store, stdin=b"n\n")
    assert asked.exit_code == 1
    assert shared.entries(room) == entries
    told = await admin("close", room, "--yes", *store)
    assert (told.exit_code, told.stdout) == (0, f"{room} is closed; its record is kept\n")
    kept = await a.archived(room)
    assert kept is not None
    assert b"by_operator" in kept.record
    assert await a.heads() == []
    again = await admin("close", room, "--yes", *store)
    assert (again.exit_code, again.stdout) == (1, "")
    assert f"there is no room {room}" in again.stderr
    assert shared.living() == ["a"]


async def test_before_a_room_is_closed_it_is_looked_for_and_named(
    shared: Shared, tmp_path: Path, heads: dict[str, bytes]
) -> None:
    running, closed = heads
    service = ("--store", shared.server.url)
    a, store = await shared.node("a"), await SqliteStore.open(tmp_path)
    for kept in (a, store):
        await kept.create(running, numbered(1, 1), heads[running])
        await kept.create(closed, numbered(1, 1), heads[closed])
        await kept.create("runread", numbered(1, 1), b"?")
    used = await admin("close", running, "--data", tmp_path)
    assert "is in use by process" in used.stderr
    await store.close()
    for where in (service, ("--data", tmp_path)):
        nowhere = await admin("close", "rnowhere", *where)
        assert (nowhere.exit_code, nowhere.stderr.count("\n")) == (1, 1)
        assert "there is no room rnowhere" in nowhere.stderr
        asked = await admin("close", running, *where, stdin=b"n\n")
        facts = "kunstmarkt, running, Person a, Person b, Person c"
        assert f"That ends {running} for good ({facts}), even if" in asked.stderr
        asked = await admin("close", "runread", *where, stdin=b"n\n")
        assert "That ends runread for good (unreadable), even if" in asked.stderr
        over = await admin("close", closed, *where)
        assert f"error: {closed} is left as it is: its journal cannot be read" in over.stderr
    await a.append(running, 1, 2, numbered(2, 1))  # nobody has taken it


async def test_a_room_of_a_directory_is_closed_while_no_server_runs(
    tmp_path: Path, journal: tuple[str, list[bytes]]
) -> None:
    room, entries = journal
    nowhere = await admin("close", room, "--yes", "--data", tmp_path)
    assert "there is no store in" in nowhere.stderr
    store = await SqliteStore.open(tmp_path)
    await store.create(room, entries, b"head")
    await store.create("runread", [b"?"], b"head")
    early = await admin("close", room, "--yes", "--data", tmp_path)
    assert (early.exit_code, early.stderr.count("\n")) == (1, 1)
    assert "is in use by process" in early.stderr
    await store.close()
    assert (await admin("close", room, "--yes", "--data", tmp_path)).exit_code == 0
    left = await admin("close", "runread", "--yes", "--data", tmp_path)
    assert (left.exit_code, left.stderr.count("\n")) == (1, 1)
    assert "runread is left as it is: its journal cannot be read" in left.stderr
    store = await SqliteStore.open(tmp_path)
    assert [head.room for head in await store.heads()] == ["runread"]
    assert await store.archived(room) is not None
    await store.close()
