"""A POST with an Idempotency-Key is carried out once, whichever node is asked and whoever dies."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from saleroom_server.settings import Settings
from tests.http.served import Guest, Served, told
from tests.support.hand_clock import HandClock
from tests.support.memory_bus import Lines
from tests.support.nodes import entries_of
from tests.support.shared_store import Shared, SharedMemoryStore

EASY = {"level": "easy"}


class Pair:
    """Two nodes that answer HTTP: `a` makes the rooms, and may die."""

    a: Served
    b: Served
    ada: Guest

    def __init__(self) -> None:
        self.lines, self.shared, self.clock = Lines(), Shared(), HandClock()

    async def opens(self) -> "Pair":
        self.a, self.b = await self._starts("a"), await self._starts("b")
        self.ada = await self.a.guest("Ada")
        return self

    async def _starts(self, name: str) -> Served:
        served = Served(Settings(), self.shared.kept, self.clock)
        store = SharedMemoryStore(self.shared, name, self.clock.now)
        await served.start(store, self.lines.bus(name))
        return served

    async def makes(self) -> str:
        """Make a room at `a`, and wait until `b` may be asked."""
        making = asyncio.ensure_future(self.a.room(self.ada))
        await self.clock.passes(0)
        room: str = (await making)["room"]
        return room

    def kills(self) -> None:
        self.lines.drops("a")
        self.shared.alive.discard("a")

    def bots(self, room: str) -> int:
        return [*entries_of(self.shared.kept, room)].count("bot_added")

    async def closes(self) -> None:
        for served in (self.a, self.b):
            await served.close()


def slow(ask: Callable[..., Awaitable[Any]], clock: HandClock) -> Callable[..., Awaitable[Any]]:
    """Return what asks the same, and has the answer a little later."""

    async def asked(*about: Any) -> Any:
        answer = await ask(*about)
        await clock.sleep(10)
        return answer

    return asked


@pytest.fixture
async def pair() -> AsyncIterator[Pair]:
    made = await Pair().opens()
    yield made
    await made.closes()


async def test_it_may_come_again_at_another_node(pair: Pair) -> None:
    room = await pair.makes()
    for served in (pair.a, pair.b, pair.b):
        asked = served.post(f"/v1/rooms/{room}/bots", EASY, by=pair.ada, key="k")
        assert told(await asked, 201) == {"seat": 1}
    assert pair.bots(room) == 1


async def test_asked_for_at_two_nodes_at_once_it_is_done_once(pair: Pair) -> None:
    room = await pair.makes()
    path = f"/v1/rooms/{room}/bots"
    asked = [
        asyncio.ensure_future(served.post(path, EASY, by=pair.ada, key="k"))
        for served in (pair.b, pair.a, pair.b)
    ]
    await pair.clock.passes(0)
    assert [told(await each, 201) for each in asked] == [{"seat": 1}] * 3
    assert pair.bots(room) == 1


async def test_of_a_room_that_is_asked_for_at_two_nodes_at_once_there_is_one(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    for served in (pair.a, pair.b):
        monkeypatch.setattr(served._on, "recall", slow(served._on.recall, pair.clock))
    asked = [
        asyncio.ensure_future(
            served.post("/v1/rooms", {"game": "kunstmarkt", "seats": 3}, by=pair.ada, key="k")
        )
        for served in (pair.a, pair.b)
    ]
    await pair.clock.passes(2_000)
    first, second = [told(await each, 201) for each in asked]
    assert first == second
    assert [*pair.shared.kept.rooms] == [first["room"]]
    for served in (pair.a, pair.b):
        assert [*served.service.hall.rooms()] == [first["room"]]


async def test_a_key_that_is_given_to_another_request_meanwhile_is_refused(pair: Pair) -> None:
    room = await pair.makes()
    path = f"/v1/rooms/{room}/bots"
    pair.lines.loses("a")
    late = asyncio.ensure_future(pair.b.post(path, {"level": "steady"}, by=pair.ada, key="k"))
    await pair.clock.passes(0)
    told(await pair.a.post(path, EASY, by=pair.ada, key="k"), 201)
    await pair.clock.passes(1_000)
    assert told(await late, 409)["reason"] == "id_reused"
    assert pair.bots(room) == 1


@pytest.mark.parametrize("lost", ["a", "b"])
async def test_it_is_answered_though_the_owner_died_before_or_behind_it(
    pair: Pair, lost: str
) -> None:
    room = await pair.makes()
    pair.lines.loses(lost)  # what is asked, or the answer
    asked = asyncio.ensure_future(pair.b.post(f"/v1/rooms/{room}/bots", EASY, by=pair.ada, key="k"))
    await pair.clock.passes(0)
    assert pair.bots(room) == (lost == "b")
    pair.kills()
    await pair.clock.passes(3_000)
    first = await asked
    again = await pair.b.post(f"/v1/rooms/{room}/bots", EASY, by=pair.ada, key="k")
    assert told(first, 201) == told(again, 201) == {"seat": 1}
    assert first.headers == again.headers
    assert pair.bots(room) == 1
