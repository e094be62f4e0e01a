"""However calls fall into groups, a store answers as the one in memory does.

The same calls are asked of both: of the one in memory each by itself, of the other all that stand
between two pauses at once. All count tokens alike, so a call can name one nobody was given yet.
"""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saleroom_server.store.interface import Owned, Store, StoreError
from tests.store.conformance import PLACES, answer
from tests.support.memory_store import MemoryStore

Call = Callable[[Store], Awaitable[object]]

ROOMS, KEYS = st.sampled_from(["a", "b"]), st.sampled_from(["k", "l"])
TOKENS, ENTRIES = st.integers(1, 5), st.integers(1, 4)
BODIES = st.lists(st.binary(max_size=3), max_size=3)
HEADS = st.binary(max_size=3)
ANSWERS = st.builds(lambda key, body: answer(body, key=key), KEYS, HEADS)


def create(room: str, bodies: list[bytes], head: bytes) -> Call:
    return lambda store: store.create(room, bodies, head)


def acquire(room: str) -> Call:
    return lambda store: store.acquire(room)


def append(room: str, fence: int, first: int, bodies: list[bytes], head: bytes) -> Call:
    return lambda store: store.append(room, fence, first, bodies, head or None, answer(head))


def forget(room: str, fence: int) -> Call:
    return lambda store: store.forget(room, fence)


def secret(name: str, offered: bytes) -> Call:
    return lambda store: store.secret(name, offered)


CALLS: st.SearchStrategy[Call] = st.one_of(
    st.builds(create, ROOMS, BODIES, HEADS),
    st.builds(acquire, ROOMS),
    st.builds(append, ROOMS, TOKENS, ENTRIES, BODIES, HEADS),
    st.builds(append, ROOMS, TOKENS, ENTRIES, BODIES, HEADS),
    st.builds(forget, ROOMS, TOKENS),
    st.builds(secret, KEYS, HEADS),
    st.builds(lambda given: lambda store: store.remember(given), ANSWERS),
)
GROUPS = st.lists(st.lists(CALLS, min_size=1, max_size=8), max_size=6)


async def told(call: Call, store: Store) -> object:
    """Return what a call returns, or the kind of its refusal."""
    try:
        return await call(store)
    except StoreError as refusal:
        return type(refusal)


def alike(got: object, expected: object) -> bool:
    """Tell whether a result is right, or of a room that was forgotten before it was read."""
    return got == expected or (got is None and isinstance(expected, Owned))


async def seen(store: Store) -> list[object]:
    """Return all a store shows."""
    return [
        await store.heads(),
        *[await store.recall("p1", key, 0) for key in "kl"],
        *[await store.acquire(room) for room in "ab"],
    ]


@pytest.mark.parametrize("kind", ["sqlite", "valkey", "redis"])
@settings(max_examples=30)
@given(groups=GROUPS)
def test_a_store_answers_as_memory_does(kind: str, groups: list[list[Call]]) -> None:
    async def compare(directory: Path) -> None:
        memory, open_store = MemoryStore(), PLACES[kind](directory)
        store = await open_store()
        for group in groups:
            expected = [await told(call, memory) for call in group]
            got = await asyncio.gather(*(told(call, store) for call in group))
            assert all(map(alike, got, expected))
        assert await seen(store) == await seen(memory)
        await store.close()
        store = await open_store()
        assert await seen(store) == await seen(memory)
        await store.close()

    with tempfile.TemporaryDirectory() as directory:
        asyncio.run(compare(Path(directory)))
