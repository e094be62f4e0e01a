"""A wire to Redis that breaks: what was asked for happens once, whatever was on its way."""

import asyncio
from asyncio import Future, StreamReader, StreamWriter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from msgspec.structs import replace

from saleroom_server.store.interface import Fenced, OutOfOrder, RoomExists, Unavailable
from saleroom_server.store.redis import RedisStore
from saleroom_server.store.redis_place import Place
from saleroom_server.store.redis_scripts import plain
from saleroom_server.store.redis_wire import Wire
from tests.store.conformance import answer, heads, journal, numbered
from tests.store.nodes import STEADY, Shared, shared, until

__all__ = ["shared"]

WIRES = 3  # of a node: one writes, one reads, one says that it lives

Call = Callable[[RedisStore], Awaitable[object]]

# What each returns in a store whose room `r`, with the entries 1 and 2, has the token 1.
CALLS: dict[str, tuple[Call, object]] = {
    "create": (lambda store: store.create("other", numbered(1, 2), b"head", answer()), 2),
    "append": (lambda store: store.append("r", 1, 3, numbered(3, 5), b"head", answer()), None),
    "append one": (lambda store: store.append("r", 1, 3, numbered(3, 3)), None),
    "append none": (lambda store: store.append("r", 1, 3, [], b"head"), None),
    "archive": (lambda store: store.archive("r", 1, b"head", b"record"), None),
    "forget": (lambda store: store.forget("r", 1), None),
    "release": (lambda store: store.release("r", 1), None),
    "remember": (lambda store: store.remember(answer()), None),
    "secret": (lambda store: store.secret("name", b"mine"), b"mine"),
    "probe": (lambda store: store.probe(), None),
}


def calls(shared: Shared, *commands: str) -> int:
    """Return how often the server has carried some commands out."""
    stats = shared.direct.info("commandstats")
    return sum(stats.get(f"cmdstat_{name}", {}).get("calls", 0) for name in commands)


def seen(shared: Shared) -> dict[bytes, bytes]:
    """Return all rooms and answers there are, as Redis would hand them to another.

    News may be told twice.
    """
    return {
        key: shared.direct.dump(key)
        for key in sorted(shared.direct.keys())
        if not key.startswith((b"n:", b"nodes", b"arrivals", b"probe", b"news", b"ticks"))
    }


@pytest.mark.parametrize("call", CALLS)
async def test_a_call_carried_out_before_the_wire_broke_is_answered_as_if_it_had_not(
    shared: Shared, call: str
) -> None:
    wire, (asks, expected) = await shared.wire(), CALLS[call]
    store = await shared.node("a", url=wire.url)
    await store.create("r", numbered(1, 2), b"")
    wire.freeze("back")
    before = calls(shared, "evalsha", "set", "incr")
    asked = asyncio.ensure_future(asks(store))
    await until(lambda: calls(shared, "evalsha", "set", "incr") > before)
    there = seen(shared)
    assert not asked.done()
    wire.cut()
    wire.thaw()
    assert await asked == expected
    assert seen(shared) == there


async def test_a_takeover_sent_again_gives_the_same_token(shared: Shared) -> None:
    wire = await shared.wire()
    store = await shared.node("a", url=wire.url)
    await store.create("r", numbered(1, 2), b"")
    wire.freeze("back")
    before = calls(shared, "evalsha")
    asked = asyncio.ensure_future(store.acquire("r"))
    await until(lambda: calls(shared, "evalsha") > before)
    wire.cut()
    wire.thaw()
    owned = await asked
    assert owned is not None
    assert (owned.fence, owned.entries) == (2, (b"1", b"2"))


@pytest.mark.parametrize("call", CALLS)
async def test_a_call_that_never_arrived_is_carried_out_later(shared: Shared, call: str) -> None:
    wire, (asks, expected) = await shared.wire(), CALLS[call]
    store = await shared.node("a", url=wire.url)
    await store.create("r", numbered(1, 2), b"")
    there = seen(shared)
    wire.freeze("there")
    asked = asyncio.ensure_future(asks(store))
    await asyncio.sleep(0.02)  # for it to have been on its way
    assert seen(shared) == there
    wire.cut()
    wire.thaw()
    assert await asked == expected


async def test_a_whole_group_is_sent_again_in_its_order(shared: Shared) -> None:
    wire = await shared.wire()
    store = await shared.node("a", url=wire.url)
    for room in "rs":
        await store.create(room, numbered(1, 1), b"")
    wire.freeze("back")
    before = calls(shared, "evalsha")
    asked: list[Future[Any]] = [
        *(store.append("r", 1, n, numbered(n, n), b"%d" % n) for n in range(2, 30)),
        store.append("r", 1, 2, [b"another"]),
        store.append("s", 7, 2, numbered(2, 2)),
        store.append("s", 2, 9, []),
        asyncio.ensure_future(store.create("r", [], b"")),
        asyncio.ensure_future(store.forget("s", 2)),
    ]
    await until(lambda: calls(shared, "evalsha") >= before + 31)
    wire.cut()
    wire.thaw()
    results = await asyncio.gather(*asked, return_exceptions=True)
    assert results[:28] == [None] * 28
    kinds = [type(result) for result in results[28:]]
    assert kinds == [OutOfOrder, Fenced, OutOfOrder, RoomExists, type(None)]
    assert await journal(store, "r") == tuple(numbered(1, 29))
    assert await heads(store) == {"r": b"29"}


async def test_what_comes_late_over_a_wire_that_was_given_up_changes_nothing(
    shared: Shared,
) -> None:
    wire = await shared.wire()
    impatient = replace(STEADY, answer_ms=100)
    store = await shared.node("a", url=wire.url, limits=impatient)
    fence = await store.create("r", numbered(1, 1), b"")
    wire.freeze()
    asked = [store.append("r", fence, n, numbered(n, n)) for n in range(2, 9)]
    await asyncio.sleep(0.35)
    assert not any(future.done() for future in asked)
    wire.thaw()
    await asyncio.gather(*asked)
    await store.append("r", fence, 9, numbered(9, 9))
    assert await journal(store, "r") == tuple(numbered(1, 9))


async def test_a_short_silence_costs_time_and_nothing_else(shared: Shared) -> None:
    a, b = await shared.node("a"), await shared.node("b")
    fence = await a.create("r", numbered(1, 1), b"")
    shared.server.freeze()
    try:
        asked = [a.append("r", fence, n, numbered(n, n)) for n in range(2, 9)]
        late = asyncio.ensure_future(b.heads())
        await asyncio.sleep(0.3)
        assert not any(future.done() for future in asked)
    finally:
        shared.server.thaw()
    await asyncio.gather(*asked)
    assert len(await late) == 1
    assert shared.entries("r") == numbered(1, 8)


async def test_a_call_that_waits_too_long_is_unavailable_and_the_next_is_not(
    shared: Shared, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "saleroom")
    wire = await shared.wire()
    store = await shared.node("a", url=wire.url, limits=replace(STEADY, resend_ms=150))
    fence = await store.create("r", numbered(1, 1), b"")
    wire.unplug()
    for call in (store.append("r", fence, 2, numbered(2, 2)), store.heads(), store.probe()):
        with pytest.raises(Unavailable, match=r"127\.0\.0\.1"):
            await call
    await wire.plug()
    await store.append("r", fence, 2, numbered(2, 2))
    await store.heads()
    assert sorted(caplog.messages) == sorted(["redis_connection_lost", "redis_connection_back"] * 2)


async def test_an_idle_connection_that_is_dead_is_noticed_before_it_is_needed(
    shared: Shared,
) -> None:
    wire = await shared.wire()
    store = await shared.node("a", url=wire.url, limits=replace(STEADY, ping_ms=20))
    before = calls(shared, "client|setname")
    wire.cut()
    await until(lambda: calls(shared, "client|setname") == before + WIRES)
    await store.probe()


async def test_closing_while_redis_is_away_waits_for_nobody(
    shared: Shared, caplog: pytest.LogCaptureFixture
) -> None:
    wire = await shared.wire()
    store = await shared.node("a", url=wire.url, limits=replace(STEADY, ping_ms=20))
    await store.create("r", numbered(1, 1), b"")
    wire.unplug()
    await until(lambda: caplog.messages.count("redis_connection_lost") == WIRES)
    async with asyncio.timeout(5):
        await store.close()


async def test_a_cancelled_call_disturbs_no_other_on_its_way(shared: Shared) -> None:
    wire = await shared.wire()
    store = await shared.node("a", url=wire.url)
    fence = await store.create("r", numbered(1, 1), b"")
    wire.freeze("back")
    before = calls(shared, "evalsha")
    asked = [store.append("r", fence, n, numbered(n, n)) for n in range(2, 9)]
    taking = asyncio.ensure_future(store.acquire("r"))
    reading = asyncio.ensure_future(store.heads())
    await until(lambda: calls(shared, "evalsha") >= before + 7)
    for call in (asked[0], asked[4], taking, reading):
        call.cancel()
    wire.thaw()
    await asyncio.gather(*(future for future in asked if not future.cancelled()))
    assert await heads(store) == {"r": b""}
    assert await journal(store, "r") == tuple(numbered(1, 8))


async def test_scripts_that_redis_forgets_are_given_again_and_nothing_overtakes(
    shared: Shared,
) -> None:
    store = await shared.node("a")
    fence, last = await store.create("r", numbered(1, 1), b""), 1
    for _ in range(10):
        asked = [store.append("r", fence, n, numbered(n, n)) for n in range(last + 1, last + 51)]
        await asyncio.to_thread(shared.direct.script_flush)
        last += 50
        await asyncio.gather(*asked)
    assert shared.entries("r") == numbered(1, last)


async def test_a_replica_is_left_for_whoever_takes_its_place(shared: Shared) -> None:
    store = await shared.node("a")
    fence = await store.create("r", numbered(1, 1), b"")
    shared.direct.replicaof("127.0.0.1", "1")
    before = calls(shared, "evalsha")
    asked = store.append("r", fence, 2, numbered(2, 2))
    await until(lambda: calls(shared, "evalsha") > before + 2)
    assert not asked.done()
    shared.direct.replicaof("NO", "ONE")
    await asked
    assert shared.entries("r") == numbered(1, 2)


@pytest.mark.parametrize(
    "excuse",
    [
        "LOADING Redis is loading the dataset in memory",
        "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
        "NOREPLICAS Not enough good replicas to write.",
        "READONLY You can't write against a read only replica.",
    ],
)
async def test_what_is_wrong_with_the_server_itself_is_no_answer_to_a_call(excuse: str) -> None:
    answers = iter([f"-{excuse}\r\n", "+1\r\n"])
    connections: list[asyncio.Task[None] | None] = []

    async def serve(reader: StreamReader, writer: StreamWriter) -> None:
        connections.append(asyncio.current_task())
        with suppress(asyncio.IncompleteReadError):  # the other side hangs up
            while True:
                command = await command_from(reader)
                writer.write((next(answers) if command[0] == b"GET" else "+OK\r\n").encode())
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        wire = await Wire.open(Place(f"redis://127.0.0.1:{port}"), STEADY, "a")
        assert await wire.ask(plain("GET", "key"), bytes) == b"1"
        await wire.close()
        await asyncio.gather(*filter(None, connections))
    assert len(connections) == 2


async def command_from(reader: StreamReader) -> list[bytes]:
    """Read a command as clients of Redis send it."""
    words = int((await reader.readuntil(b"\r\n"))[1:])
    lengths = (int((await reader.readuntil(b"\r\n"))[1:]) for _ in range(words))
    return [(await reader.readexactly(length + 2))[:-2] async for length in lengths]


async def test_a_redis_that_is_full_says_so_and_writes_nothing_by_halves(shared: Shared) -> None:
    store = await shared.node("a")
    fence = await store.create("r", numbered(1, 1), b"before")
    with full(shared):
        with pytest.raises(Unavailable, match="maxmemory"):
            await store.append("r", fence, 2, numbered(2, 3), b"after", answer())
        assert await heads(store) == {"r": b"before"}
    assert await store.recall("p1", "key", 0) is None
    await store.append("r", fence, 2, numbered(2, 2))


@contextmanager
def full(shared: Shared) -> Iterator[None]:
    shared.direct.config_set("maxmemory", "1")
    try:
        yield
    finally:
        shared.direct.config_set("maxmemory", "0")
