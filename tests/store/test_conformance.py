"""What every store promises about rooms: how they are made, written and taken over."""

import asyncio
from asyncio import Future

import pytest

from saleroom_server.store.interface import (
    Fenced,
    OutOfOrder,
    RoomExists,
    Store,
)
from tests.store.conformance import Place, answer, heads, journal, numbered

EVERY_BYTE = bytes(range(256))


# Making rooms.


async def test_a_room_begins_with_the_entries_it_was_made_with(store: Store) -> None:
    await store.create("r", numbered(1, 2), b"head")
    assert await journal(store, "r") == (b"1", b"2")
    assert await heads(store) == {"r": b"head"}


async def test_an_id_is_taken_once(store: Store) -> None:
    fence = await store.create("r", numbered(1, 1), b"first")
    with pytest.raises(RoomExists):
        await store.create("r", numbered(1, 3), b"second", answer())
    assert await heads(store) == {"r": b"first"}
    assert await store.recall("p1", "key", 0) is None
    await store.append("r", fence, 2, numbered(2, 2))
    assert await journal(store, "r") == (b"1", b"2")


async def test_of_several_who_make_the_same_room_at_once_one_does(store: Store) -> None:
    made = await asyncio.gather(
        *(store.create("r", [b"%d" % number], b"") for number in range(9)), return_exceptions=True
    )
    assert sum(isinstance(result, RoomExists) for result in made) == 8
    (winner,) = (number for number, result in enumerate(made) if isinstance(result, int))
    assert await journal(store, "r") == (b"%d" % winner,)


async def test_the_id_of_an_archived_room_stays_taken(place: Place, store: Store) -> None:
    fence = await store.create("r", numbered(1, 1), b"")
    await store.archive("r", fence, b"", b"record")
    with pytest.raises(RoomExists):
        await store.create("r", numbered(1, 1), b"")
    await store.forget("r", fence)
    with pytest.raises(RoomExists):
        await store.create("r", numbered(1, 1), b"")
    store = await place.open()
    with pytest.raises(RoomExists):
        await store.create("r", numbered(1, 1), b"")
    assert await store.heads() == []


async def test_owners_of_a_room_that_was_forgotten_never_own_another_of_its_id(
    place: Place, store: Store
) -> None:
    first = await store.create("r", numbered(1, 1), b"")
    owned = await store.acquire("r")
    assert owned is not None
    await store.forget("r", owned.fence)
    store = await place.open()
    again = await store.create("r", numbered(1, 1), b"")
    assert first < owned.fence < again
    for old in (first, owned.fence):
        with pytest.raises(Fenced):
            await store.append("r", old, 2, numbered(2, 2))
    assert await journal(store, "r") == (b"1",)


# Appending.


async def test_entries_are_kept_in_order_and_to_the_byte(store: Store) -> None:
    fence = await store.create("r", [b""], b"")
    await store.append("r", fence, 2, [EVERY_BYTE])
    await store.append("r", fence, 3, [b"\x00", EVERY_BYTE * 1_000, b"last"])
    assert await journal(store, "r") == (b"", EVERY_BYTE, b"\x00", EVERY_BYTE * 1_000, b"last")


async def test_an_append_is_a_future(store: Store) -> None:
    fence = await store.create("r", numbered(1, 1), b"")
    asked = store.append("r", fence, 2, numbered(2, 2))
    assert isinstance(asked, Future)
    assert not asked.done()
    assert await asked is None  # type: ignore[func-returns-value]


async def test_appends_of_one_room_need_not_wait_for_each_other(store: Store) -> None:
    fence = await store.create("r", numbered(1, 1), b"")
    await asyncio.gather(*(store.append("r", fence, n, numbered(n, n)) for n in range(2, 40)))
    assert await journal(store, "r") == tuple(numbered(1, 39))


async def test_what_was_given_to_an_append_may_change_afterwards(store: Store) -> None:
    fence = await store.create("r", numbered(1, 1), b"")
    entries = numbered(2, 3)
    asked = store.append("r", fence, 2, entries)
    entries.clear()
    await asked
    assert await journal(store, "r") == (b"1", b"2", b"3")


@pytest.mark.parametrize("first", [0, 1, 2, 4, 5])
async def test_an_append_out_of_order_writes_nothing_at_all(store: Store, first: int) -> None:
    fence = await store.create("r", numbered(1, 2), b"before")
    with pytest.raises(OutOfOrder):
        await store.append("r", fence, first, [b"x", b"y"], b"after", answer())
    assert await heads(store) == {"r": b"before"}
    assert await store.recall("p1", "key", 0) is None
    await store.append("r", fence, 3, numbered(3, 3))
    assert await journal(store, "r") == (b"1", b"2", b"3")


async def test_entries_head_and_answer_are_written_together(place: Place, store: Store) -> None:
    fence = await store.create("r", numbered(1, 1), b"before")
    await store.append("r", fence, 2, numbered(2, 4), b"after", answer(b"done"))
    store = await place.open()
    assert await heads(store) == {"r": b"after"}
    assert await store.recall("p1", "key", 0) == answer(b"done")
    assert await journal(store, "r") == tuple(numbered(1, 4))


async def test_one_that_is_refused_does_not_hurt_its_neighbours(store: Store) -> None:
    fences = [await store.create(f"r{n}", numbered(1, 1), b"") for n in range(4)]
    results = await asyncio.gather(
        store.append("r0", fences[0], 2, numbered(2, 2)),
        store.append("r1", fences[1] + 1_000, 2, numbered(2, 2)),
        store.create("r2", [b"x"], b""),
        store.append("r2", fences[2], 3, numbered(3, 3)),
        store.archive("r3", fences[3] + 1_000, b"", b""),
        store.forget("unheard-of", 1),
        store.append("r2", fences[2], 2, numbered(2, 2)),
        store.append("r3", fences[3], 2, numbered(2, 2)),
        return_exceptions=True,
    )
    refused = [type(result) for result in results if result is not None]
    assert refused == [Fenced, RoomExists, OutOfOrder, Fenced, Fenced]
    for room, entries in (("r0", 2), ("r1", 1), ("r2", 2), ("r3", 2)):
        assert await journal(store, room) == tuple(numbered(1, entries))


async def test_two_hundred_rooms_append_at_once(place: Place, store: Store) -> None:
    rooms = [f"room{number}" for number in range(200)]

    async def play(room: str) -> None:
        fence = await store.create(room, [f"{room} 1".encode()], b"1")
        for entry in range(2, 11):
            body = f"{room} {entry}".encode()
            await store.append(room, fence, entry, [body], b"%d" % entry)

    await asyncio.gather(*map(play, rooms))
    store = await place.open()
    assert await heads(store) == dict.fromkeys(rooms, b"10")
    for room in rooms:
        assert await journal(store, room) == tuple(
            f"{room} {entry}".encode() for entry in range(1, 11)
        )


async def test_a_cancelled_append_disturbs_no_other(store: Store) -> None:
    rooms = [f"room{number}" for number in range(30)]
    fences = [await store.create(room, numbered(1, 1), b"") for room in rooms]
    asked = [
        store.append(room, fence, 2, numbered(2, 2))
        for room, fence in zip(rooms, fences, strict=True)
    ]
    for future in asked[::3]:
        future.cancel()
    await asyncio.gather(*(future for future in asked if not future.cancelled()))
    for number, room in enumerate(rooms):
        entries = await journal(store, room)
        assert entries in ((b"1", b"2"), (b"1",))  # cancelled, it may still have taken effect
        assert number % 3 == 0 or len(entries) == 2


async def test_a_call_cancelled_halfway_disturbs_no_other(store: Store) -> None:
    fence = await store.create("r", numbered(1, 1), b"")
    calls = [
        asyncio.create_task(call)
        for call in (
            store.create("other", numbered(1, 1), b""),
            store.acquire("r"),
            store.archive("r", fence, b"", b"record"),
            store.heads(),
            store.secret("name", b"s"),
            store.probe(),
        )
    ]
    await asyncio.sleep(0)
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    owned = await store.acquire("r")
    assert owned is not None
    await store.append("r", owned.fence, 2, numbered(2, 2))
    assert await journal(store, "r") == (b"1", b"2")


# Owners.


async def test_a_room_nobody_made_cannot_be_taken_over(store: Store) -> None:
    assert await store.acquire("unheard-of") is None


async def test_a_room_nobody_made_cannot_be_written(store: Store) -> None:
    with pytest.raises(Fenced):
        await store.append("unheard-of", 1, 1, numbered(1, 1))
    with pytest.raises(Fenced):
        await store.archive("unheard-of", 1, b"", b"")
    with pytest.raises(Fenced):
        await store.forget("unheard-of", 1)
    assert await store.acquire("unheard-of") is None
    assert await store.archived("unheard-of") is None


async def test_tokens_rise_with_every_owner(place: Place, store: Store) -> None:
    tokens = [await store.create("r", numbered(1, 1), b"")]
    for _ in range(3):
        for _ in range(2):
            owned = await store.acquire("r")
            assert owned is not None
            tokens.append(owned.fence)
        store = await place.open()
    assert tokens == sorted(set(tokens))


async def test_an_append_with_an_old_token_is_fenced(store: Store) -> None:
    old = await store.create("r", numbered(1, 1), b"before")
    owned = await store.acquire("r")
    assert owned is not None
    for token in (old, owned.fence + 1, 0, -1):
        with pytest.raises(Fenced):
            await store.append("r", token, 2, numbered(2, 3), b"after", answer())
    assert await heads(store) == {"r": b"before"}
    assert await store.recall("p1", "key", 0) is None
    await store.append("r", owned.fence, 2, [b"by the new owner"])
    assert await journal(store, "r") == (b"1", b"by the new owner")


async def test_nothing_is_archived_or_forgotten_with_an_old_token(store: Store) -> None:
    old = await store.create("r", numbered(1, 1), b"")
    await store.acquire("r")
    with pytest.raises(Fenced):
        await store.archive("r", old, b"", b"record")
    with pytest.raises(Fenced):
        await store.forget("r", old)
    assert await store.archived("r") is None
    assert await journal(store, "r") == (b"1",)


async def test_an_append_asked_for_after_a_takeover_was_is_fenced(store: Store) -> None:
    old = await store.create("r", numbered(1, 1), b"")
    takeover = asyncio.create_task(store.acquire("r"))
    await asyncio.sleep(0)
    late = store.append("r", old, 2, numbered(2, 2))
    owned, refused = await asyncio.gather(takeover, late, return_exceptions=True)
    assert isinstance(refused, Fenced)
    assert not isinstance(owned, BaseException)
    assert owned is not None
    assert owned.entries == (b"1",)
    await store.append("r", owned.fence, 2, numbered(2, 2))


async def test_an_append_waiting_at_a_takeover_is_in_the_journal_or_fenced(store: Store) -> None:
    old = await store.create("r", numbered(1, 1), b"")
    waiting = [store.append("r", old, entry, numbered(entry, entry)) for entry in range(2, 20)]
    owned = await store.acquire("r")
    results = await asyncio.gather(*waiting, return_exceptions=True)
    written = sum(result is None for result in results)
    assert owned is not None
    assert owned.entries == tuple(numbered(1, 1 + written))
    assert all(isinstance(result, Fenced) for result in results[written:])
    assert await journal(store, "r") == owned.entries


async def test_of_several_who_take_over_at_once_the_highest_token_owns(store: Store) -> None:
    await store.create("r", numbered(1, 1), b"")
    taken = await asyncio.gather(*(store.acquire("r") for _ in range(8)))
    tokens = [owned.fence for owned in taken if owned is not None]
    assert len(set(tokens)) == 8
    *others, newest = sorted(tokens)
    for token in others:
        with pytest.raises(Fenced):
            await store.append("r", token, 2, numbered(2, 2))
    await store.append("r", newest, 2, numbered(2, 2))


async def test_a_token_is_good_until_the_next_owner_also_after_a_restart(
    place: Place, store: Store
) -> None:
    fence = await store.create("r", numbered(1, 1), b"")
    store = await place.open()
    await store.append("r", fence, 2, numbered(2, 2))
    store = await place.open()
    with pytest.raises(OutOfOrder):
        await store.append("r", fence, 2, numbered(2, 2))
    await store.acquire("r")
    store = await place.open()
    with pytest.raises(Fenced):
        await store.append("r", fence, 3, numbered(3, 3))
