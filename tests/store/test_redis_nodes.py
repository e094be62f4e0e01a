"""Nodes that share a Redis: who owns a room, who may take it, and who writes nothing any more."""

import asyncio

import pytest
from msgspec.structs import replace

from saleroom_server.metrics import Metrics
from saleroom_server.store.interface import Fenced, Head, Held
from saleroom_server.store.redis_scripts import plain
from saleroom_server.store.shared import News, TooLongAgo
from saleroom_server.store.watched import WatchedStore
from tests.store.conformance import journal, numbered
from tests.store.nodes import STEADY, Shared, shared, until
from tests.support.hand_clock import HandClock
from tests.support.samples import samples

__all__ = ["shared"]


async def test_a_room_is_held_by_the_node_that_lives_and_owns_it(shared: Shared) -> None:
    a, b = await shared.node("a"), await shared.node("b")
    fence = await a.create("r", numbered(1, 1), b"")
    with pytest.raises(Held) as held:
        await b.acquire("r")
    assert held.value.node == a.node
    await a.append("r", fence, 2, numbered(2, 2))
    assert await shared.owner("r") == a.node


async def test_its_owner_may_take_a_room_over_again(shared: Shared) -> None:
    a = await shared.node("a")
    fence = await a.create("r", numbered(1, 1), b"")
    owned = await a.acquire("r")
    assert owned is not None
    assert owned.fence > fence


async def test_a_room_of_a_dead_node_is_there_to_be_taken(shared: Shared) -> None:
    a, b, c = [await shared.node(name) for name in "abc"]
    await a.create("r", numbered(1, 3), b"")
    shared.loses_lease("a")
    assert await shared.owner("r") is None
    assert await journal(b, "r") == (b"1", b"2", b"3")
    with pytest.raises(Held) as held:
        await c.acquire("r")
    assert held.value.node == b.node


async def test_a_lease_ends_by_itself_unless_it_is_renewed(shared: Shared) -> None:
    a = await shared.node("a", limits=replace(STEADY, lease_ms=100))
    b = await shared.node("b")
    c = await shared.node("c", limits=replace(STEADY, lease_ms=1_000, renew_ms=50))
    await a.create("r", numbered(1, 1), b"")
    await c.create("s", numbered(1, 1), b"")
    await until(lambda: shared.living() == ["b", "c"])
    await asyncio.sleep(1.1)  # longer than the lease of c, had it not been renewed
    assert await b.acquire("r") is not None
    with pytest.raises(Held):
        await b.acquire("s")


async def test_a_lease_that_is_hastened_ends_soon_unless_it_is_renewed(shared: Shared) -> None:
    a = await shared.node("a", limits=replace(STEADY, renew_ms=100))
    b = await shared.node("b")  # renews nothing, as if it were dead
    c = await shared.node("c", limits=replace(STEADY, renew_ms=20))
    waits = [await a.hasten(node.node) for node in (b, c)]
    assert all(0 < wait_ms <= 201 for wait_ms in waits)
    await until(lambda: shared.living() == ["a", "c"])
    await asyncio.sleep(0.1)
    assert await a.alive() == {a.node, c.node}
    assert await a.hasten(b.node) == 1, "there is nothing to wait for"


async def test_a_node_lives_though_it_reads_much_meanwhile(shared: Shared) -> None:
    a = await shared.node("a", limits=replace(STEADY, lease_ms=200, renew_ms=20))
    reading = a._reader._wire.ask(plain("BLPOP", "nothing", "0.6"), bool)
    await asyncio.sleep(0.4)
    assert await a.alive() == {a.node}
    assert not reading.done()
    await reading


async def test_a_lease_ends_no_later_for_being_hastened(shared: Shared) -> None:
    a = await shared.node("a")
    await shared.node("b", limits=replace(STEADY, lease_ms=1_000))
    (lease,) = shared.direct.keys("n:b:*")
    await a.hasten(lease.decode().removeprefix("n:"))
    assert 0 < shared.direct.pttl(lease) <= 1_000


async def test_a_node_taken_for_dead_writes_nothing_any_more(shared: Shared) -> None:
    a, b = await shared.node("a"), await shared.node("b")
    old = await a.create("r", numbered(1, 1), b"before")
    shared.loses_lease("a")
    owned = await b.acquire("r")
    assert owned is not None
    for call in (
        a.append("r", old, 2, [b"by a"], b"by a"),
        a.archive("r", old, b"by a", b"by a"),
        a.forget("r", old),
    ):
        with pytest.raises(Fenced):
            await call
    await a.release("r", old)
    with pytest.raises(Held):
        await a.acquire("r")
    await b.append("r", owned.fence, 2, [b"by b"])
    assert shared.entries("r") == [b"1", b"by b"]
    assert [head.body for head in await b.heads()] == [b"before"]
    assert await b.archived("r") is None


async def test_of_two_who_were_given_the_same_number_one_writes(shared: Shared) -> None:
    """A failover forgets that a was given a number, and gives it to b."""
    a, b = await shared.node("a"), await shared.node("b")
    await a.create("r", numbered(1, 1), b"")
    await a.release("r", 1)
    kept = {key: shared.direct.dump(key) for key in ("tokens", "{r}:m")}
    lost = await a.acquire("r")
    for key, value in kept.items():
        shared.direct.restore(key, 0, value, replace=True)
    owned = await b.acquire("r")
    assert lost is not None
    assert owned is not None
    assert lost.fence == owned.fence
    with pytest.raises(Fenced):
        await a.append("r", lost.fence, 2, [b"by a"])
    await b.append("r", owned.fence, 2, [b"by b"])
    assert shared.entries("r") == [b"1", b"by b"]


async def test_nobody_is_taken_for_dead_by_one_who_may_have_been_cut_off_alike(
    shared: Shared,
) -> None:
    """A Redis that was frozen for longer than a lease has none when it thaws."""
    a, b = await shared.node("a"), await shared.node("b")
    await a.create("r", numbered(1, 1), b"")
    for name in "ab":
        shared.loses_lease(name)
    with pytest.raises(Held):
        await b.acquire("r")


async def test_nobody_is_taken_for_dead_by_a_redis_that_has_just_started(shared: Shared) -> None:
    a = await shared.node("a")
    b = await shared.node("b", limits=replace(STEADY, settling_ms=10**9))
    await a.create("r", numbered(1, 1), b"")
    shared.loses_lease("a")
    with pytest.raises(Held):
        await b.acquire("r")
    await a.release("r", 1)
    assert await b.acquire("r") is not None


async def test_a_released_room_can_be_taken_at_once(shared: Shared) -> None:
    a, b = await shared.node("a"), await shared.node("b")
    fence = await a.create("r", numbered(1, 1), b"")
    await a.release("r", fence + 1)
    with pytest.raises(Held):
        await b.acquire("r")
    await a.release("r", fence)
    assert await shared.owner("r") is None
    await a.append("r", fence, 2, numbered(2, 2))  # nobody has taken it yet
    assert await journal(b, "r") == (b"1", b"2")
    await a.release("r", fence)
    assert await shared.owner("r") == b.node


async def test_a_room_can_be_seized_from_an_owner_that_lives(shared: Shared) -> None:
    a, b = await shared.node("a"), await shared.node("b")
    old = await a.create("r", numbered(1, 1), b"")
    owned = await b.seize("r")
    assert owned is not None
    assert owned.entries == (b"1",)
    with pytest.raises(Fenced):
        await a.append("r", old, 2, [b"by a"])
    with pytest.raises(Held):
        await a.acquire("r")
    await b.append("r", owned.fence, 2, [b"by b"])
    assert await b.seize("unheard-of") is None


async def test_a_node_that_closes_leaves_its_rooms_to_the_others(shared: Shared) -> None:
    a, b = await shared.node("a"), await shared.node("b")
    for number in range(200):
        await a.create(f"r{number}", numbered(1, 1), b"")
    await a.forget("r7", 8)
    await a.close()
    assert [node.name for node in await b.nodes()] == ["b"]
    owners = {shared.direct.hget(f"{{r{number}}}:m", "owner") for number in range(200)}
    assert owners == {b"", None}
    assert await journal(b, "r199") == (b"1",)


async def test_nodes_see_each_other_and_where_they_are(shared: Shared) -> None:
    a = await shared.node("a", address="http://a.example:8000", incarnation="1")
    b = await shared.node("b:8001")
    first, second = await a.nodes()
    assert (first.name, first.incarnation, first.address) == ("a", "1", "http://a.example:8000")
    assert second.name == "b:8001"
    assert 0 <= second.since - first.since < 60_000
    await b.create("r", numbered(1, 1), b"")
    assert await shared.owner("r") == b.node
    assert await shared.owner("unheard-of") is None
    shared.loses_lease("b:8001")
    assert await a.nodes() == [first]
    shared.loses_lease("a")
    assert await a.nodes() == []
    assert await a.nodes() == []  # nobody is even looked for


async def test_that_a_room_is_held_is_no_failure_of_the_store(shared: Shared) -> None:
    a, b, metrics = await shared.node("a"), await shared.node("b"), Metrics()
    watched = WatchedStore(b, metrics, HandClock(), told_ms=0)
    fence = await a.create("r", numbered(1, 1), b"")
    with pytest.raises(Held):
        await watched.acquire("r")
    await watched.release("r", fence)
    assert samples(metrics.registry).value("store_failures_total") == 0


# What has become of rooms


async def test_whoever_asks_from_a_mark_on_hears_of_new_changed_and_forgotten_rooms(
    shared: Shared,
) -> None:
    a, b = await shared.node("a"), await shared.node("b")
    await a.create("old", numbered(1, 1), b"old")
    start = await b.news(None)
    assert (start.heads, start.gone) == ((), ())
    assert await b.news(start.mark) == start
    fence = await a.create("new", numbered(1, 1), b"new")
    made = await b.news(start.mark)
    assert (made.heads, made.gone) == ((Head("new", b"new"),), ())
    await a.append("new", fence, 2, numbered(2, 2), b"other")
    changed = await b.news(made.mark)
    assert (changed.heads, changed.gone) == ((Head("new", b"other"),), ())
    await a.forget("new", fence)
    gone = await b.news(changed.mark)
    assert (gone.heads, gone.gone) == ((), ("new",))
    assert await b.news(gone.mark) == News(gone.mark, (), ())


async def test_of_a_room_that_changed_often_the_last_head_is_told_once(shared: Shared) -> None:
    a, b = await shared.node("a"), await shared.node("b")
    start = (await b.news(None)).mark
    fence = await a.create("r", numbered(1, 1), b"1")
    for entry in range(2, 6):
        await a.append("r", fence, entry, numbered(entry, entry), b"%d" % entry)
    assert (await b.news(start)).heads == (Head("r", b"5"),)
    await a.forget("r", fence)
    told = await b.news(start)
    assert (told.heads, told.gone) == ((), ("r",))


async def test_entries_without_a_head_are_no_news(shared: Shared) -> None:
    a = await shared.node("a")
    fence = await a.create("r", numbered(1, 1), b"head")
    mark = (await a.news(None)).mark
    await a.append("r", fence, 2, numbered(2, 2))
    await a.release("r", fence)
    await journal(a, "r")
    assert await a.news(mark) == News(mark, (), ())


async def test_every_mark_gets_what_came_after_it(shared: Shared) -> None:
    a = await shared.node("a")
    marks = [(await a.news(None)).mark]
    for number in range(5):
        await a.create(f"r{number}", numbered(1, 1), b"")
        marks.append((await a.news(None)).mark)
    for number, mark in enumerate(marks):
        told = [head.room for head in (await a.news(mark)).heads]
        assert told == [f"r{later}" for later in range(number, 5)]


async def test_of_what_was_long_ago_no_more_is_kept_than_so_many_rooms(shared: Shared) -> None:
    a = await shared.node("a", limits=replace(STEADY, news_kept=3))
    marks, fences = [(await a.news(None)).mark], {}
    for room in ["r0", "r1", "r2", "r3", "r4", "r5"]:
        fences[room] = await a.create(room, numbered(1, 1), b"")
        marks.append((await a.news(None)).mark)
    await a.forget("r5", fences["r5"])
    for mark in marks[:3]:
        with pytest.raises(TooLongAgo):
            await a.news(mark)
    told = await a.news(marks[3])  # of when r3 was about to be made
    assert [head.room for head in told.heads] == ["r3", "r4"]
    assert told.gone == ("r5",)
    assert {head.room for head in await a.heads()} == fences.keys() - {"r5"}


async def test_a_mark_of_what_a_failover_has_lost_is_of_too_long_ago(shared: Shared) -> None:
    a = await shared.node("a")
    await a.create("r", numbered(1, 1), b"")
    lost = (await a.news(None)).mark
    shared.direct.decr("ticks")
    with pytest.raises(TooLongAgo):
        await a.news(lost)
    assert (await a.news(None)).mark < lost


async def test_a_node_has_another_name_each_time_it_is_started(shared: Shared) -> None:
    a = await shared.node("a")
    await a.close()
    again = await shared.node("a")
    assert a.node != again.node
    assert await again.alive() == {again.node}


async def test_alive_is_who_has_a_lease(shared: Shared) -> None:
    a, b = await shared.node("a"), await shared.node("b")
    assert await a.alive() == await b.alive() == {a.node, b.node}
    shared.loses_lease("b")
    assert await a.alive() == await b.alive() == {a.node}
    await a.close()
    assert await b.alive() == set()
