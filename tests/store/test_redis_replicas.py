"""A master dies, and its replica takes its place: it has all that was acknowledged, if waited for.

The replica is kept from hearing the last of what its master wrote, as it is under load.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from saleroom_server.store.interface import Fenced, Unavailable
from saleroom_server.store.redis import RedisStore
from saleroom_server.store.redis_fit import UnfitRedis
from tests.store.conformance import journal, numbered
from tests.store.nodes import STEADY, until
from tests.store.replicated import Pair, entries, pair
from tests.store.test_redis_killed import ROOMS, gains, play
from tests.store.test_redis_wire import CALLS

__all__ = ["pair"]

SURE = replace(STEADY, replicas=1, replicas_ms=50, resend_ms=20_000)
HASTY = replace(SURE, resend_ms=200)

Acknowledged = dict[str, int]  # the last entry, by room


@asynccontextmanager
async def played(pair: Pair, replicas: int) -> AsyncIterator[tuple[RedisStore, Acknowledged]]:
    """Have entries appended to all rooms."""
    acknowledged: Acknowledged = {}
    store = await pair.node(replace(SURE, replicas=replicas))
    playing = [asyncio.create_task(play(store, room, acknowledged)) for room in ROOMS]
    try:
        await gains(acknowledged, 5)
        yield store, acknowledged
        assert not any(task.done() for task in playing)
    finally:
        for task in playing:
            task.cancel()
        await asyncio.wait(playing)


def lost(pair: Pair, acknowledged: Acknowledged) -> int:
    """Count the acknowledged entries that the replica does not know of."""
    return sum(max(0, last - entries(pair.replica, room)) for room, last in acknowledged.items())


async def test_what_was_acknowledged_is_there_when_the_replica_takes_over(pair: Pair) -> None:
    async with played(pair, replicas=1) as (store, acknowledged):
        pair.between.freeze()
        before = dict(acknowledged)
        await until(lambda: sum(entries(pair.master, room) for room in ROOMS) > total(before))
        await asyncio.sleep(0.2)  # the replica has been waited for in vain
        pair.fail_over()
        assert lost(pair, acknowledged) == 0
        assert total(acknowledged) <= total(before) + len(ROOMS)  # whose copies had come
        await pair.returns()
        await pair.joins()
        await gains(acknowledged, 5)
        assert lost(pair, acknowledged) == 0
    for room, last in acknowledged.items():
        kept = await journal(store, room)
        assert kept == tuple(numbered(1, len(kept)))
        assert last <= len(kept) <= last + 1


def total(acknowledged: Acknowledged) -> int:
    return sum(acknowledged.values())


async def test_without_waiting_for_the_replica_it_is_not(pair: Pair) -> None:
    async with played(pair, replicas=0) as (_, acknowledged):
        pair.between.freeze()
        await gains(acknowledged, 3)
        pair.fail_over()
        assert lost(pair, acknowledged) > 0


async def test_a_token_handed_out_twice_lets_only_its_newer_owner_write(pair: Pair) -> None:
    """Nobody waits for the replica here; it has not heard of the token it hands out again."""
    one = await pair.node(STEADY, "one")
    await one.create("r", numbered(1, 1), b"")
    await pair.is_followed(pair.master)
    pair.between.freeze()
    lost = await one.acquire("r")
    pair.fail_over()
    pair.loses_lease(pair.replica, "one")
    two = await pair.node(STEADY, "two")
    owned = await two.acquire("r")
    assert lost is not None
    assert owned is not None
    assert lost.fence == owned.fence
    with pytest.raises(Fenced):
        await one.append("r", lost.fence, 2, [b"too late"])
    await two.append("r", owned.fence, 2, numbered(2, 2))
    assert await journal(two, "r") == tuple(numbered(1, 2))


async def test_a_master_that_comes_back_does_not_take_part(pair: Pair) -> None:
    """It has what nobody else has, and believes that it is a master still."""
    store = await pair.node(HASTY)
    fence = await store.create("r", numbered(1, 1), b"")
    pair.between.freeze()
    with pytest.raises(Unavailable):
        await store.append("r", fence, 2, [b"unheard"])
    pair.fail_over()
    await pair.returns()
    assert entries(pair.master, "r") == 2
    pair.wire.lead(pair.master.path)
    for call in (store.append("r", fence, 3, numbered(3, 3)), journal(store, "r"), store.heads()):
        with pytest.raises(Unavailable, match="0 of 1 replicas"):
            await call
    await pair.joins()
    pair.wire.lead(pair.replica.path)
    await store.append("r", fence, 2, numbered(2, 2))
    assert await journal(store, "r") == tuple(numbered(1, 2))
    assert entries(pair.master, "r") == 2


async def test_nothing_is_answered_that_the_replica_does_not_know_of(pair: Pair) -> None:
    store = await pair.node(SURE)
    for asks, expected in CALLS.values():
        pair.master.ask("FLUSHALL")
        await store.create("r", numbered(1, 2), b"")
        pair.between.freeze()
        asked = asyncio.ensure_future(asks(store))
        await asyncio.sleep(0.1)
        assert not asked.done()
        pair.between.thaw()
        assert await asked == expected


async def test_what_is_found_done_over_a_new_connection_is_waited_for_too(pair: Pair) -> None:
    store = await pair.node(replace(SURE, replicas_ms=2_000))
    fence = await store.create("r", numbered(1, 1), b"")
    pair.between.freeze()
    asked = store.append("r", fence, 2, numbered(2, 2))
    await until(lambda: entries(pair.master, "r") == 2)
    pair.wire.cut()
    await asyncio.sleep(0.2)
    assert not asked.done()
    pair.between.thaw()
    await asked
    assert entries(pair.replica, "r") == 2


async def test_a_replica_that_stays_away_is_told_of(pair: Pair) -> None:
    store = await pair.node(HASTY)
    fence = await store.create("r", numbered(1, 1), b"")
    pair.between.unplug()
    with pytest.raises(Unavailable, match="0 of 1 replicas have what was written"):
        await store.append("r", fence, 2, numbered(2, 2))
    await pair.between.plug()
    await pair.is_followed(pair.master)
    owned = await store.acquire("r")
    assert owned is not None
    assert owned.entries == tuple(numbered(1, 2))  # whether it was written was not known


async def test_a_master_that_refuses_to_write_alone_is_asked_again(pair: Pair) -> None:
    pair.master.ask("CONFIG SET min-replicas-to-write 1")
    store = await pair.node(replace(SURE, replicas=0))
    fence = await store.create("r", numbered(1, 1), b"")
    pair.between.unplug()
    await until(lambda: pair.master.replicas == 0)
    asked = store.append("r", fence, 2, numbered(2, 2))
    await asyncio.sleep(0.1)
    assert (asked.done(), entries(pair.master, "r")) == (False, 1)
    await pair.between.plug()
    await asked


# At the start.


async def test_with_too_few_replicas_a_node_does_not_start(pair: Pair) -> None:
    with pytest.raises(
        UnfitRedis, match=r"1 of 2 replicas are connected; .* SALEROOM_REDIS_REPLICAS"
    ):
        await pair.node(replace(SURE, replicas=2))


async def test_of_replicas_that_are_not_waited_for_there_is_a_warning(
    pair: Pair, caplog: pytest.LogCaptureFixture
) -> None:
    await pair.node(STEADY)
    assert caplog.messages == ["redis_replicas_not_waited_for"]


async def test_of_a_master_that_writes_alone_there_is_a_warning(
    pair: Pair, caplog: pytest.LogCaptureFixture
) -> None:
    await pair.node(SURE)
    (record,) = caplog.records
    assert record.message == "redis_writes_alone"
    assert vars(record)["problem"] == "set min-replicas-to-write 1"
    pair.master.ask("CONFIG SET min-replicas-to-write 1")
    await pair.node(SURE, "b")
    assert len(caplog.records) == 1
