"""What every store promises about the heads of rooms, and about rooms that have ended."""

import asyncio

import pytest

from saleroom_server.store.interface import Archived, Fenced, Store
from tests.store.conformance import Place, heads, journal, numbered

EVERY_BYTE = bytes(range(256))

# Heads.


async def test_heads_come_in_the_order_the_rooms_were_made(place: Place, store: Store) -> None:
    fences = {room: await store.create(room, numbered(1, 1), b"new") for room in "zmaq"}
    await store.append("m", fences["m"], 2, numbered(2, 2), b"changed")
    await store.append("q", fences["q"], 2, numbered(2, 2))
    await store.acquire("a")
    listed = [("z", b"new"), ("m", b"changed"), ("a", b"new"), ("q", b"new")]
    assert [(head.room, head.body) for head in await store.heads()] == listed
    store = await place.open()
    await store.create("b", numbered(1, 1), b"new")
    listed.append(("b", b"new"))
    assert [(head.room, head.body) for head in await store.heads()] == listed


async def test_of_two_heads_given_at_once_the_later_stays(store: Store) -> None:
    fence = await store.create("r", numbered(1, 1), b"")
    asked = [store.append("r", fence, n, numbered(n, n), b"%d" % n) for n in range(2, 9)]
    await asyncio.gather(*asked)
    assert await heads(store) == {"r": b"8"}


async def test_a_head_can_change_without_an_entry(store: Store) -> None:
    fence = await store.create("r", numbered(1, 1), b"before")
    await store.append("r", fence, 2, [], b"after")
    assert await heads(store) == {"r": b"after"}
    assert await journal(store, "r") == (b"1",)


# Archiving and forgetting.


async def test_an_archived_record_is_kept_beside_the_journal(place: Place, store: Store) -> None:
    record = EVERY_BYTE * 2_000
    fence = await store.create("r", numbered(1, 1), b"running")
    assert await store.archived("r") is None
    await store.archive("r", fence, b"over", record)
    assert await heads(store) == {"r": b"running"}
    await store.append("r", fence, 2, numbered(2, 2))
    store = await place.open()
    assert await store.archived("r") == Archived(b"over", record)
    assert await journal(store, "r") == (b"1", b"2")


async def test_archiving_again_changes_nothing(store: Store) -> None:
    fence = await store.create("r", numbered(1, 1), b"")
    await store.archive("r", fence, b"over", b"record")
    await store.archive("r", fence, b"another", b"another record")
    assert await store.archived("r") == Archived(b"over", b"record")


async def test_a_forgotten_room_is_gone_but_for_its_record(place: Place, store: Store) -> None:
    fence = await store.create("r", numbered(1, 3), b"")
    await store.create("other", numbered(1, 1), b"")
    await store.archive("r", fence, b"over", b"record")
    await store.forget("r", fence)

    async def assert_gone() -> None:
        assert await store.acquire("r") is None
        assert await heads(store) == {"other": b""}
        assert await store.archived("r") == Archived(b"over", b"record")
        with pytest.raises(Fenced):
            await store.append("r", fence, 4, numbered(4, 4))
        with pytest.raises(Fenced):
            await store.archive("r", fence, b"", b"")
        with pytest.raises(Fenced):
            await store.forget("r", fence)

    await assert_gone()
    store = await place.open()
    await assert_gone()


async def test_appends_waiting_when_a_room_is_forgotten_leave_nothing_behind(
    store: Store,
) -> None:
    fence = await store.create("r", numbered(1, 1), b"")
    appended = store.append("r", fence, 2, numbered(2, 2), b"head")
    await asyncio.gather(appended, store.forget("r", fence))
    again = await store.create("r", numbered(1, 1), b"again")
    assert await heads(store) == {"r": b"again"}
    await store.append("r", again, 2, [b"another"])
    assert await journal(store, "r") == (b"1", b"another")
