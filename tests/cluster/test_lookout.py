"""A node that nobody hears is looked for when it could have said that it lives, and not before."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from saleroom_server.cluster.lookout import Lookout
from saleroom_server.store.interface import Unavailable
from tests.support.clusters import Cluster, plays_across
from tests.support.hand_clock import HandClock
from tests.support.shared_store import HASTE_MS, Shared, SharedMemoryStore


class Watched:
    """Looks for nodes, and remembers when."""

    def __init__(self) -> None:
        self.clock, self.looks = HandClock(), list[int]()
        self.store = SharedMemoryStore(Shared(), "a", self.clock.now)
        self.fault: Exception | None = None
        self.lookout = Lookout(self.store, self.clock, self._look)
        self._begun = self.clock.now()

    async def _look(self) -> None:
        self.looks.append(self.clock.now() - self._begun)
        if self.fault is not None:
            raise self.fault


@pytest.fixture
async def watched() -> AsyncIterator[Watched]:
    made = Watched()
    yield made
    await made.lookout.close()


async def test_however_often_nobody_hears_it_it_is_looked_for_once(watched: Watched) -> None:
    for _ in range(5):
        watched.lookout.unheard("b")
        await watched.clock.passes(HASTE_MS // 5)
    assert watched.looks == [HASTE_MS]


async def test_one_that_is_deaf_for_longer_is_looked_for_again(watched: Watched) -> None:
    for _ in range(2):
        watched.lookout.unheard("b")
        await watched.clock.passes(HASTE_MS)
    assert watched.looks == [HASTE_MS, 2 * HASTE_MS]


async def test_each_is_looked_for_in_its_own_time(watched: Watched) -> None:
    watched.lookout.unheard("b")
    await watched.clock.passes(100)
    watched.lookout.unheard("c")
    await watched.clock.passes(HASTE_MS)
    assert watched.looks == [HASTE_MS, HASTE_MS + 100]


@pytest.mark.parametrize("fault", [Unavailable("away"), ValueError("a fault of ours")])
async def test_a_look_that_fails_is_not_the_last(watched: Watched, fault: Exception) -> None:
    watched.fault = fault
    for _ in range(2):
        watched.lookout.unheard("b")
        await watched.clock.passes(HASTE_MS)
    assert len(watched.looks) == 2


async def test_while_the_store_is_away_nobody_is_looked_for(watched: Watched) -> None:
    watched.store.down = True
    watched.lookout.unheard("b")
    await watched.clock.passes(HASTE_MS)
    assert watched.looks == []


async def test_who_watches_no_more_looks_no_more(watched: Watched) -> None:
    watched.lookout.unheard("b")
    await asyncio.sleep(0)
    await watched.lookout.close()
    await watched.clock.passes(HASTE_MS)
    assert watched.looks == []


async def test_an_act_for_an_owner_that_died_waits_until_that_could_have_spoken() -> None:
    cluster = await Cluster().starts("a", "b")
    table = await plays_across(cluster, "a", "b", "b", "b")
    await cluster.kills("a", unnoticed=True)
    acting = table.asked
    request = acting.acts(table.room)
    await cluster.clock.passes(HASTE_MS - 1)
    assert not acting.is_answered(request)
    await cluster.clock.passes(1)
    assert acting.answer(request)["type"] == "accepted"
    await cluster.closes()
