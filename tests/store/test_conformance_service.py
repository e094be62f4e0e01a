"""What every store promises about the rest: answers, secrets, whether it works, its end."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from saleroom_server.store.interface import Answer, Archived, Store, Unavailable
from tests.store.conformance import FAR, LONG_AGO, Place, answer, heads, journal, numbered

# Answers.


async def test_an_answer_is_recalled_whole(place: Place, store: Store) -> None:
    given = Answer("p1", "key", b"\x00digest", 409, b'{"why":"busy"}', FAR)
    assert await store.recall("p1", "key", 0) is None
    await store.remember(given)
    assert await store.recall("p1", "key", 0) == given
    store = await place.open()
    assert await store.recall("p1", "key", 0) == given


async def test_a_key_is_its_players_own(store: Store) -> None:
    await store.remember(answer(b"one", player="p1"))
    await store.remember(answer(b"two", player="p2"))
    assert await store.recall("p1", "key", 0) == answer(b"one", player="p1")
    assert await store.recall("p2", "key", 0) == answer(b"two", player="p2")
    assert await store.recall("p1", "another", 0) is None


async def test_the_first_answer_stays(place: Place, store: Store) -> None:
    await store.remember(answer(b"first"))
    await store.remember(answer(b"second"))
    fence = await store.create("r", numbered(1, 1), b"", answer(b"third"))
    await store.append("r", fence, 2, numbered(2, 2), b"head", answer(b"fourth"))
    assert await store.recall("p1", "key", 0) == answer(b"first")
    store = await place.open()
    await store.remember(answer(b"fifth"))
    assert await store.recall("p1", "key", 0) == answer(b"first")
    assert await heads(store) == {"r": b"head"}
    assert await journal(store, "r") == (b"1", b"2")


async def test_of_answers_given_at_once_one_stays_for_good(store: Store) -> None:
    await asyncio.gather(*(store.remember(answer(b"%d" % number)) for number in range(9)))
    recalled = await store.recall("p1", "key", 0)
    assert recalled is not None
    await store.remember(answer(b"late"))
    assert await store.recall("p1", "key", 0) == recalled


async def test_an_answer_is_recalled_until_its_time_is_over(store: Store) -> None:
    await store.remember(answer(until=FAR))
    assert await store.recall("p1", "key", FAR - 1) == answer(until=FAR)
    assert await store.recall("p1", "key", FAR) is None
    assert await store.recall("p1", "key", FAR + 1) is None


async def test_an_answer_whose_time_is_over_makes_way_for_another(store: Store) -> None:
    await store.remember(answer(b"old", until=LONG_AGO))
    await store.remember(answer(b"new"))
    assert await store.recall("p1", "key", 2) == answer(b"new")


async def test_a_room_is_made_together_with_the_answer_to_who_asked(
    place: Place, store: Store
) -> None:
    await store.create("r", numbered(1, 1), b"", answer())
    store = await place.open()
    assert await store.recall("p1", "key", 0) == answer()


# Secrets.


async def test_the_first_to_ask_brings_the_secret(place: Place, store: Store) -> None:
    assert await store.secret("tokens", b"first") == b"first"
    assert await store.secret("tokens", b"second") == b"first"
    assert await store.secret("invites", b"third") == b"third"
    store = await place.open()
    assert await store.secret("tokens", b"fourth") == b"first"


async def test_all_who_ask_for_a_secret_at_once_get_the_same(store: Store) -> None:
    offered = [b"secret %d" % number for number in range(20)]
    got = await asyncio.gather(*(store.secret("tokens", secret) for secret in offered))
    assert len(set(got)) == 1
    assert got[0] in offered


# Whether it works, and the end.


async def test_a_store_that_works_can_be_probed_again_and_again(store: Store) -> None:
    for _ in range(3):
        await store.probe()
    assert await store.heads() == []


CALLS: dict[str, Callable[[Store], Awaitable[object]]] = {
    "create": lambda store: store.create("r", numbered(1, 1), b""),
    "acquire": lambda store: store.acquire("r"),
    "release": lambda store: store.release("r", 1),
    "append": lambda store: store.append("r", 1, 1, numbered(1, 1)),
    "archive": lambda store: store.archive("r", 1, b"", b""),
    "forget": lambda store: store.forget("r", 1),
    "heads": lambda store: store.heads(),
    "archived": lambda store: store.archived("r"),
    "remember": lambda store: store.remember(answer()),
    "recall": lambda store: store.recall("p1", "key", 0),
    "secret": lambda store: store.secret("tokens", b"secret"),
    "probe": lambda store: store.probe(),
}


def test_every_call_is_tried_on_a_closed_store() -> None:
    assert CALLS.keys() == Store.__abstractmethods__ - {"close"}


@pytest.mark.parametrize("call", CALLS)
async def test_a_closed_store_is_unavailable(store: Store, call: str) -> None:
    await store.close()
    with pytest.raises(Unavailable):
        await CALLS[call](store)


async def test_closing_again_is_no_fault(store: Store) -> None:
    await asyncio.gather(store.close(), store.close())
    await store.close()


async def test_a_store_that_closes_finishes_what_was_asked_for(place: Place, store: Store) -> None:
    fence = await store.create("r", numbered(1, 1), b"")
    ended = await store.create("ended", numbered(1, 1), b"")
    await store.create("taken", numbered(1, 3), b"")
    appends = [store.append("r", fence, n, numbered(n, n), b"%d" % n) for n in range(2, 30)]
    archiving = asyncio.create_task(store.archive("ended", ended, b"over", b"record" * 100_000))
    taking = asyncio.create_task(store.acquire("taken"))
    remembering = asyncio.create_task(store.remember(answer()))
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(archiving, remembering, *appends)
    owned = await taking
    assert owned is not None
    assert owned.entries == (b"1", b"2", b"3")
    store = await place.open()
    assert await heads(store) == {"r": b"29", "ended": b"", "taken": b""}
    assert await store.archived("ended") == Archived(b"over", b"record" * 100_000)
    assert await store.recall("p1", "key", 0) == answer()
    assert await journal(store, "r") == tuple(numbered(1, 29))
