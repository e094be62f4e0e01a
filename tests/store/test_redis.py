"""What a store in Redis does besides what every store promises."""

import asyncio

from msgspec.structs import replace

from saleroom_server.store import redis_keys as keys
from tests.store.conformance import answer, heads, journal, numbered
from tests.store.nodes import STEADY, Shared, shared, until

__all__ = ["shared"]


async def test_journals_and_heads_are_read_page_by_page(shared: Shared) -> None:
    store = await shared.node("a", limits=replace(STEADY, page=10))
    for number in range(21):
        await store.create(f"r{number}", numbered(1, number), b"%d" % number)
    for number in (0, 1, 9, 10, 11, 20):
        assert await journal(store, f"r{number}") == tuple(numbered(1, number))
    assert await heads(store) == {f"r{number}": b"%d" % number for number in range(21)}
    await store.forget("r12", 13)
    assert len(await store.heads()) == 20


async def test_a_page_of_rooms_that_are_forgotten_while_it_is_read_is_left_out(
    shared: Shared,
) -> None:
    store = await shared.node("a", limits=replace(STEADY, page=2))
    for number in range(5):
        await store.create(f"r{number}", [], b"%d" % number)
    shared.direct.delete(keys.head("r1"), keys.head("r2"))
    assert list(await heads(store)) == ["r0", "r3", "r4"]


async def test_a_journal_that_is_gone_by_the_time_it_is_read_is_none(shared: Shared) -> None:
    store = await shared.node("a")
    await store.create("r", numbered(1, 3), b"")
    shared.direct.delete(keys.log("r"))
    assert await store.acquire("r") is None


async def test_more_calls_at_once_than_one_round_trip_takes_are_all_carried_out(
    shared: Shared,
) -> None:
    store = await shared.node("a", limits=replace(STEADY, batch_calls=7))
    rooms = [f"r{number}" for number in range(30)]
    fences = [await store.create(room, [bytes(1_000)], b"") for room in rooms]
    await asyncio.gather(
        *(
            store.append(room, fence, entry, [b"%d" % entry * 1_000], b"%d" % entry)
            for entry in range(2, 40)
            for room, fence in zip(rooms, fences, strict=True)
        )
    )
    assert set((await heads(store)).values()) == {b"39"}
    whole = (bytes(1_000), *(b"%d" % entry * 1_000 for entry in range(2, 40)))
    assert await journal(store, "r29") == whole


async def test_a_thousand_large_entries_are_one_append(shared: Shared) -> None:
    store = await shared.node("a")
    fence = await store.create("r", [], b"")
    entries = [b"%d" % n + bytes(10_000) for n in range(1_000)]
    await store.append("r", fence, 1, entries)
    assert await journal(store, "r") == tuple(entries)


async def test_an_answer_is_gone_when_its_time_is_over_by_the_clock_of_redis(
    shared: Shared,
) -> None:
    store = await shared.node("a")
    seconds, microseconds = shared.direct.time()
    soon = seconds * 1000 + microseconds // 1000 + 150
    await store.remember(answer(b"short", until=soon))
    fence = await store.create("r", [], b"", answer(b"never", until=0))
    await store.append("r", fence, 1, [], None, answer(b"over", until=-7))
    assert await store.recall("p1", "key", 0) == answer(b"short", until=soon)
    await until(lambda: not shared.direct.exists(keys.answer("p1", "key")))
    await store.append("r", fence, 1, [], None, answer(b"next"))
    assert await store.recall("p1", "key", 0) == answer(b"next")


def test_no_two_answers_share_a_key() -> None:
    assert keys.answer("p:1", "k") != keys.answer("p", "1:k")
    assert keys.answer("1:p", "k") != keys.answer("1", "p:k")


async def test_nothing_is_left_of_a_room_that_is_forgotten(shared: Shared) -> None:
    store = await shared.node("a")
    before = set(shared.direct.keys())
    fence = await store.create("r", numbered(1, 3), b"head")
    await store.append("r", fence, 4, numbered(4, 9), b"later")
    await store.forget("r", fence)
    assert set(shared.direct.keys()) - before == {b"tokens", b"ticks", b"news"}
    assert shared.direct.zrange("news", 0, -1) == [b"r"], "the last of it: that it is gone"
