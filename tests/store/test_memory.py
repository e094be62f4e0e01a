"""What the store in memory does when a test tells it to."""

import asyncio

import pytest

from saleroom_server.store.interface import Fenced, Unavailable
from saleroom_server.store.shared import TooLongAgo
from tests.store.conformance import answer, heads, journal, numbered
from tests.support.memory_store import Fault, Kept, MemoryStore
from tests.support.shared_store import Shared, SharedMemoryStore


async def test_a_held_append_has_done_nothing_until_it_is_released() -> None:
    store = MemoryStore()
    fence = await store.create("r", numbered(1, 1), b"before")
    store.hold()
    asked = [
        store.append("r", fence, 2, numbered(2, 2), b"after", answer()),
        store.append("r", fence, 3, numbered(3, 3)),
    ]
    await asyncio.sleep(0)
    assert store.held == 2
    assert not any(future.done() for future in asked)
    assert await heads(store) == {"r": b"before"}
    assert await store.recall("p1", "key", 0) is None
    store.let_go()
    await asyncio.gather(*asked)
    await store.append("r", fence, 4, numbered(4, 4))
    assert (store.held, store.appends) == (0, 3)
    assert await journal(store, "r") == (b"1", b"2", b"3", b"4")


async def test_an_append_held_while_the_room_is_taken_over_is_fenced() -> None:
    store = MemoryStore()
    fence = await store.create("r", numbered(1, 1), b"")
    store.hold()
    held = store.append("r", fence, 2, numbered(2, 2))
    assert await journal(store, "r") == (b"1",)
    store.let_go()
    with pytest.raises(Fenced):
        await held


@pytest.mark.parametrize(
    ("fault", "entries"), [(Fault.NOT_WRITTEN, (b"1",)), (Fault.WRITTEN, (b"1", b"2"))]
)
async def test_the_next_append_fails_before_or_after_it_took_effect(
    fault: Fault, entries: tuple[bytes, ...]
) -> None:
    store = MemoryStore()
    fence = await store.create("r", numbered(1, 1), b"")
    store.fail(fault)
    with pytest.raises(Unavailable):
        await store.append("r", fence, 2, numbered(2, 2))
    owned = await store.acquire("r")
    assert owned is not None
    assert owned.entries == entries
    await store.append("r", owned.fence, len(entries) + 1, [b"next"])
    assert store.appends == 2


async def test_a_store_that_is_down_does_nothing_until_it_is_up_again() -> None:
    store = MemoryStore()
    fence = await store.create("r", numbered(1, 1), b"")
    store.down = True
    with pytest.raises(Unavailable):
        await store.append("r", fence, 2, numbered(2, 2))
    with pytest.raises(Unavailable):
        await store.probe()
    store.down = False
    await store.append("r", fence, 2, numbered(2, 2))


async def test_what_is_held_when_a_store_closes_is_written() -> None:
    kept = Kept()
    store = MemoryStore(kept)
    fence = await store.create("r", numbered(1, 1), b"")
    store.hold()
    held = store.append("r", fence, 2, numbered(2, 2))
    await store.close()
    await held
    assert await journal(MemoryStore(kept), "r") == (b"1", b"2")


async def test_the_clock_says_which_answers_may_give_way() -> None:
    now = 99
    store = MemoryStore(clock=lambda: now)
    await store.remember(answer(b"first", until=100))
    await store.remember(answer(b"second"))
    assert await store.recall("p1", "key", 99) == answer(b"first", until=100)
    now = 100
    await store.remember(answer(b"third"))
    assert await store.recall("p1", "key", 100) == answer(b"third")


def test_a_node_that_is_asked_to_end_is_told_once_whenever_it_listens() -> None:
    store, ended = SharedMemoryStore(Shared(), "a", lambda: 0), []
    store.when_drained(lambda: ended.append("first"))
    assert ended == []
    store.drains()
    assert ended == ["first"]
    store.when_drained(lambda: ended.append("later"))
    assert ended == ["first", "later"]


async def test_news_that_are_known_no_more_are_not_left_out_silently() -> None:
    shared = Shared()
    store = SharedMemoryStore(shared, "a", lambda: 0)
    start = (await store.news(None)).mark
    await store.create("r", numbered(1, 1), b"head")
    shared.trimmed = 1
    with pytest.raises(TooLongAgo):
        await store.news(start)
    assert (await store.news(start + 1)).heads == ()
    with pytest.raises(TooLongAgo):
        await store.news(start + 2)
