"""A watched store: what it does is counted, its troubles are told once, and so is their end."""

import logging
from typing import Any

import pytest
from msgspec import Struct

from saleroom_server.metrics import Metrics
from saleroom_server.store.interface import Fenced, OutOfOrder, RoomExists, Unavailable
from saleroom_server.store.watched import WatchedStore
from tests.store.conformance import answer, numbered
from tests.support.hand_clock import HandClock
from tests.support.memory_store import Fault, MemoryStore
from tests.support.samples import samples

TOLD_MS = 4_000


class Watched(Struct):
    """A store with a room of one entry, and what watches it."""

    store: WatchedStore
    under: MemoryStore
    clock: HandClock
    metrics: Metrics
    fence: int

    async def fails(self) -> None:
        """Fail to write once."""
        self.under.fail(Fault.NOT_WRITTEN)
        with pytest.raises(Unavailable):
            await self.store.append("r", self.fence, 2, numbered(2, 2))

    def count(self, name: str, **labels: str) -> float:
        return samples(self.metrics.registry).value(name, **labels)


@pytest.fixture
async def watched(caplog: pytest.LogCaptureFixture) -> Watched:
    caplog.set_level(logging.INFO, "saleroom")
    clock, metrics = HandClock(), Metrics()
    under = MemoryStore(clock=clock.now)
    store = WatchedStore(under, metrics, clock, told_ms=TOLD_MS)
    fence = await store.create("r", numbered(1, 1), b"")
    return Watched(store, under, clock, metrics, fence)


async def test_appends_are_timed_and_failures_are_not(watched: Watched) -> None:
    await watched.store.append("r", watched.fence, 2, numbered(2, 2))
    assert watched.count("append_seconds_count") == 1
    assert 0 < watched.count("append_seconds_sum") < 5
    await watched.fails()
    assert watched.count("append_seconds_count") == 1
    assert watched.count("store_failures_total", reason="unavailable") == 1


async def test_an_append_nobody_waits_for_any_more_counts_for_nothing(watched: Watched) -> None:
    watched.under.hold()
    future = watched.store.append("r", watched.fence, 2, numbered(2, 2))
    future.cancel()
    watched.under.let_go()
    await watched.store.probe()
    assert watched.count("append_seconds_count") == 0
    assert watched.count("store_failures_total") == 0


async def test_every_refusal_of_a_store_is_counted_by_its_kind(watched: Watched) -> None:
    store, fence = watched.store, watched.fence
    with pytest.raises(RoomExists):
        await store.create("r", numbered(1, 1), b"")
    with pytest.raises(Fenced):
        await store.append("r", fence + 1, 2, numbered(2, 2))
    with pytest.raises(OutOfOrder):
        await store.append("r", fence, 7, numbered(7, 7))
    watched.under.down = True
    for call in (store.heads(), store.recall("p", "k", 0), store.remember(answer()), store.probe()):
        with pytest.raises(Unavailable):
            await call
    counted = {
        reason: watched.count("store_failures_total", reason=reason)
        for reason in ("room_exists", "fenced", "out_of_order", "unavailable")
    }
    assert counted == {"room_exists": 1, "fenced": 1, "out_of_order": 1, "unavailable": 4}


async def test_what_only_a_caller_did_wrong_is_no_trouble(
    watched: Watched, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(Fenced):
        await watched.store.append("r", watched.fence + 1, 2, numbered(2, 2))
    assert caplog.messages == []


async def test_trouble_is_told_once_and_its_end_with_how_long_it_was(
    watched: Watched, caplog: pytest.LogCaptureFixture
) -> None:
    watched.under.down = True
    for _ in range(20):
        with pytest.raises(Unavailable):
            await watched.store.probe()
        await watched.clock.passes(1_000)
    assert caplog.messages == ["store_failed"]
    watched.under.down = False
    for _ in range(3):
        await watched.store.probe()
    failed, works = caplog.records
    assert (failed.levelname, vars(failed)["problem"]) == ("WARNING", "down")
    assert (works.message, vars(works)["ms"]) == ("store_works_again", 20_000)


async def test_that_it_can_be_read_does_not_end_the_trouble(
    watched: Watched, caplog: pytest.LogCaptureFixture
) -> None:
    await watched.fails()
    await watched.store.heads()
    await watched.store.archived("r")
    await watched.store.recall("p", "k", 0)
    assert caplog.messages == ["store_failed"]


async def test_a_store_that_fails_every_other_time_does_not_fill_the_log(
    watched: Watched, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(50):
        await watched.fails()
        await watched.store.probe()
        await watched.clock.passes(TOLD_MS // 10)
    assert caplog.messages == ["store_failed", "store_works_again"] * 5


@pytest.mark.parametrize(
    ("cause", "told"), [(KeyError("p07"), "KeyError"), (None, "the directory is gone")]
)
async def test_what_a_cause_says_of_itself_is_not_told(
    watched: Watched, caplog: pytest.LogCaptureFixture, cause: Any, told: str
) -> None:
    async def fails() -> None:
        raise Unavailable("the directory is gone" if cause is None else "p07") from cause

    watched.under.probe = fails  # type: ignore[method-assign]
    with pytest.raises(Unavailable):
        await watched.store.probe()
    assert [vars(record)["problem"] for record in caplog.records] == [told]
