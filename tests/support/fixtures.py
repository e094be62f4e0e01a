"""Fixtures of more than one folder: a `conftest.py` imports those it wants."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from saleroom_rules.games import GAMES
from tests.support.games import TOY
from tests.support.nodes import Node
from tests.support.short import SHORT


@pytest.fixture(autouse=True, scope="package")
def _short() -> Iterator[None]:
    """The longest game is a short one."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(GAMES, SHORT.key, SHORT)
        yield


@pytest.fixture(autouse=True, scope="package")
def _toy() -> Iterator[None]:
    """The toy may be played."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(GAMES, "toy", TOY)
        yield


@pytest.fixture
async def node() -> AsyncIterator[Node]:
    """A node that must leave nothing running."""
    opened = await Node().opens()
    yield opened
    await opened.closes()
    assert asyncio.all_tasks() == {asyncio.current_task()}
