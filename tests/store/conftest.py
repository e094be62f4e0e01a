"""Every test of conformance runs once for each store; none leaves a thread behind."""

import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from saleroom_server.store.interface import Store
from tests.store.conformance import PLACES, Place


@pytest.fixture(params=PLACES)
async def place(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Place]:
    made = Place(PLACES[request.param](tmp_path))
    yield made
    await made.close()


@pytest.fixture
async def store(place: Place) -> Store:
    return await place.open()


@pytest.fixture(autouse=True)
def no_thread_is_left_behind() -> Iterator[None]:
    yield
    assert [each.name for each in threading.enumerate() if each.name.startswith("saleroom")] == []
