"""Whether a node of several can take on work: it must hear the others too."""

from collections.abc import AsyncIterator

import pytest

from saleroom_server.app import Service, service
from saleroom_server.http.readiness import DOES_NOT_HEAR, DOES_NOT_WRITE
from saleroom_server.settings import Settings
from tests.support.hand_clock import HandClock
from tests.support.memory_bus import Lines
from tests.support.shared_store import Shared, SharedMemoryStore

ME = "a:1"
SETTINGS = Settings()


class One:
    """A node, and what it rests on."""

    def __init__(self) -> None:
        self.lines, self.clock = Lines(), HandClock()
        self.store = SharedMemoryStore(Shared(), ME, self.clock.now)
        self.service: Service

    async def opens(self) -> "One":
        bus = self.lines.bus(ME)
        self.service = await service(SETTINGS, self.store, self.clock, bus)
        await self.service.open()
        return self

    async def why_not(self) -> str:
        """Ask why it is not ready, when the last finding counts no more."""
        await self.clock.passes(SETTINGS.probe_kept_ms)
        return await self.service.lobby.readiness.why_not()


@pytest.fixture
async def one() -> AsyncIterator[One]:
    made = await One().opens()
    yield made
    await made.service.close()


async def test_a_node_that_hears_itself_and_whose_store_writes_is_ready(one: One) -> None:
    assert not await one.why_not()


async def test_a_node_that_is_cut_off_is_not_ready_until_news_travel_again(one: One) -> None:
    one.lines.cut(ME)
    assert await one.why_not() == DOES_NOT_HEAR
    one.lines.joins(ME)
    assert not await one.why_not()


async def test_nor_is_one_whose_store_fails_though_news_travel(one: One) -> None:
    one.store.down = True
    assert await one.why_not() == DOES_NOT_WRITE
    one.store.down = False
    assert not await one.why_not()
