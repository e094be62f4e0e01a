"""A server for each test, and games that were played to their end once for all of them."""

from collections.abc import AsyncIterator

import pytest

from tests.http.games import Over, over
from tests.http.served import Guest, Served


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """A server with nothing in it."""
    server = await Served.open()
    yield server
    await server.close()


@pytest.fixture
async def ada(served: Served) -> Guest:
    return await served.guest("Ada")


@pytest.fixture
async def bob(served: Served) -> Guest:
    return await served.guest("Bob")


@pytest.fixture
async def ended() -> AsyncIterator[tuple[Served, Over]]:
    """A server that was started anew with rooms in it that have ended."""
    before = await over()
    server = await Served.open(kept=before.kept, now=before.now)
    yield server, before
    await server.close()
