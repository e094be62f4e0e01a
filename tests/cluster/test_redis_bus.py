"""The bus on real servers that are killed, frozen and cut off."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from redis.asyncio import Redis

from saleroom_server.cluster.bus_limits import BusLimits
from saleroom_server.cluster.redis_bus import RedisBus
from saleroom_server.cluster.stamps import Stamps
from saleroom_server.store.interface import Unavailable
from tests.support.cut_wire import CutWire
from tests.support.logged import complaints
from tests.support.redis_servers import KINDS, RedisServer

PATIENCE = 20  # seconds
LIMITS = BusLimits(retry_ms=10, retry_most_ms=100, probe_ms=10_000)
HASTY = BusLimits(
    retry_ms=10, retry_most_ms=100, answer_ms=400, ping_ms=100, silence_ms=400, probe_ms=1_000
)
CONNECTIONS = (
    """EVAL "return tonumber(redis.call('INFO', 'clients'):match('connected_clients:(%d+)'))" 0"""
)


class Ear:
    """A node, what it hears, and who did not hear it; `None` is a doubt."""

    def __init__(self, bus: RedisBus) -> None:
        self.bus = bus
        self.heard: list[bytes | None] = []
        self.unheard: list[str] = []
        self._came = asyncio.Event()
        bus.listen(self._hears, lambda: self._hears(None), self._is_unheard)

    def _is_unheard(self, node: str) -> None:
        self.unheard.append(node)
        self._came.set()

    def _hears(self, what: bytes | None) -> None:
        self.heard.append(what)
        self._came.set()

    async def until(self, there: Callable[[list[bytes | None]], bool]) -> None:
        """Wait until something has been heard."""
        async with asyncio.timeout(PATIENCE):
            while not there(self.heard):
                self._came.clear()
                await self._came.wait()

    async def doubts(self) -> list[bytes | None]:
        """Wait for a doubt; return what there was until then, and forget it."""
        await self.until(lambda heard: None in heard)
        heard, self.heard[:] = self.heard[:], []
        return heard


@asynccontextmanager
async def joined(url: str, node: str, limits: BusLimits = LIMITS) -> AsyncIterator[Ear]:
    bus = await RedisBus.open(url, node, limits)
    try:
        yield Ear(bus)
    finally:
        await bus.close()


@pytest.fixture(params=KINDS)
def either(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path, request.param) as server:
        yield server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    with RedisServer(tmp_path) as server:
        yield server


async def hears(ear: Ear, sender: Ear, node: str, body: bytes = b"now") -> None:
    """See that something that is sent is heard, and nothing else."""
    sender.bus.send(node, body)
    await ear.until(lambda heard: body in heard)
    assert [*filter(None, ear.heard)] == [body]
    ear.heard.clear()


async def test_what_reaches_nobody_is_told_to_who_sent_it(either: RedisServer) -> None:
    async with joined(either.url, "a") as a:
        async with joined(either.url, "b") as b:
            await hears(b, a, "b")
            assert not a.unheard
        a.bus.send("b", b"anybody?")
        await a.until(lambda _: a.unheard == ["b"])


async def test_ten_thousand_messages_arrive_in_order_both_ways(either: RedisServer) -> None:
    async with joined(either.url, "a") as a, joined(either.url, "b") as b:
        sent = [b"%d" % number for number in range(10_000)]
        for body in sent:
            a.bus.send("b", body)
        for body in sent[:1_000]:
            b.bus.send("a", body)
        await b.until(lambda heard: len(heard) >= 10_000)
        await a.until(lambda heard: len(heard) >= 1_000)
        assert b.heard == sent
        assert a.heard == sent[:1_000]


async def test_a_server_that_was_killed_leaves_doubt_and_news_travel_again(
    either: RedisServer,
) -> None:
    async with joined(either.url, "a") as a, joined(either.url, "b") as b:
        await hears(b, a, "b")
        either.kill()
        either.start()
        for ear in (a, b):
            await ear.doubts()
            await ear.bus.probe()
        await hears(b, a, "b")
        await hears(a, b, "a")


async def test_a_server_that_is_frozen_is_noticed_and_leaves_doubt(either: RedisServer) -> None:
    async with joined(either.url, "a", HASTY) as a, joined(either.url, "b", LIMITS) as b:
        either.freeze()
        with pytest.raises(Unavailable):
            await a.bus.probe()
        either.thaw()
        await a.doubts()
        await a.bus.probe()
        await hears(a, b, "a")
        assert b.heard == [], "whoever is more patient has missed nothing"


async def test_of_what_is_sent_meanwhile_some_may_be_lost_but_nothing_comes_twice_or_late(
    server: RedisServer,
) -> None:
    async with joined(server.url, "a", HASTY) as a, joined(server.url, "b") as b:
        server.freeze()
        for number in range(300):
            a.bus.send("b", b"%03d" % number)
            if number == 100:
                with pytest.raises(Unavailable):
                    await a.bus.probe()
        server.thaw()
        a.bus.send("b", b"end")
        await b.until(lambda heard: b"end" in heard)
        heard = [body for body in b.heard if body is not None]
        assert heard == sorted({*heard})


async def test_a_line_that_is_cut_loses_nothing_without_doubt(either: RedisServer) -> None:
    async with (
        CutWire(either.path) as wire,
        joined(either.url, "a") as a,
        joined(wire.url, "b") as b,
    ):
        heard = []
        for number in range(1, 2_001):
            a.bus.send("b", b"%d" % number)
            if number % 20 == 0:
                await asyncio.sleep(0)
            if number % 400 == 200:
                wire.cut()
            if number % 400 == 0:
                heard += await b.doubts()
        a.bus.send("b", b"2001")
        await b.until(lambda heard: b"2001" in heard)
        heard += b.heard
    numbers = [None if body is None else int(body) for body in heard]
    for before, after in pairwise(numbers):
        assert before is None or after in (None, before + 1)
    assert [*filter(None, numbers)] == sorted({*filter(None, numbers)})
    assert numbers.count(None) == 5


async def test_what_was_sent_and_not_confirmed_is_not_sent_again(server: RedisServer) -> None:
    async with (
        CutWire(server.path) as wire,
        joined(server.url, "b") as b,
        joined(wire.url, "a", HASTY) as a,
    ):
        wire.freeze("back")
        await hears(b, a, "b", b"sent")
        with pytest.raises(Unavailable):
            await a.bus.probe()
        wire.thaw()
        await a.doubts()
        await a.bus.probe()
        await hears(b, a, "b", b"next")


async def test_what_was_overtaken_on_its_way_is_not_heard(server: RedisServer) -> None:
    stamps = Stamps(1)
    async with joined(server.url, "a") as a, Redis.from_url(server.url) as other:
        early, late = stamps.stamp(b"early"), stamps.stamp(b"late")
        for message in (late, early, late):
            assert await other.publish("n:a", message) == 1
        await a.bus.probe()
        assert a.heard == [b"late"]


async def test_a_subscription_that_is_renewed_silently_leaves_doubt(server: RedisServer) -> None:
    async with joined(server.url, "a") as a, joined(server.url, "b") as b:
        assert server.ask("CLIENT KILL TYPE pubsub") == ":2"
        await a.doubts()
        await b.doubts()
        await hears(a, b, "a")


async def test_what_waits_too_long_is_lost_the_oldest_first(server: RedisServer) -> None:
    few = BusLimits(retry_ms=10, retry_most_ms=100, waiting_messages=100, group_messages=1)
    async with joined(server.url, "a", few) as a, joined(server.url, "b") as b:
        for number in range(1_000):
            a.bus.send("b", b"%03d" % number)
        await b.until(lambda heard: b"999" in heard)
        assert b.heard == [b"%03d" % number for number in range(900, 1_000)]


async def test_others_have_their_turn_while_much_comes(server: RedisServer) -> None:
    turns = []

    async def watch(ear: Ear) -> None:
        while True:
            turns.append(len(ear.heard))
            await asyncio.sleep(0)

    async with joined(server.url, "a") as a, joined(server.url, "b") as b:
        watching = asyncio.create_task(watch(b))
        for _ in range(2_000):
            a.bus.send("b", b"news")
        await b.until(lambda heard: len(heard) == 2_000)
        watching.cancel()
    steps = [after - before for before, after in pairwise(turns)]
    assert 0 < max(steps) <= LIMITS.messages_per_turn


async def test_a_fault_of_who_listens_is_logged_and_the_next_message_is_taken(
    server: RedisServer,
) -> None:
    class Faulty(Ear):
        def _hears(self, what: bytes | None) -> None:
            super()._hears(what)
            raise KeyError("p07")

    async with joined(server.url, "a") as a:
        faulty = Faulty(a.bus)
        with complaints() as found:
            a.bus.send("a", b"1")
            await faulty.until(lambda heard: heard == [b"1"])
            assert server.ask("CLIENT KILL TYPE pubsub") == ":1"
            await faulty.doubts()
        assert [line.partition("\n")[0] for line in found] == ["bus_fault"] * 2
        again = Ear(a.bus)
        await hears(again, again, "a")


async def test_what_is_sent_before_anybody_listens_and_what_is_none_of_ours_is_let_be(
    server: RedisServer,
) -> None:
    bus = await RedisBus.open(server.url, "a", LIMITS)
    bus.send("a", b"early")
    await bus.probe()
    ear = Ear(bus)
    assert server.ask("PUBLISH n:a strange") == ":1"
    await hears(ear, ear, "a")
    await bus.close()


async def test_at_the_end_what_waits_is_sent_and_nothing_is_left(server: RedisServer) -> None:
    before = asyncio.all_tasks()
    async with joined(server.url, "b") as b:
        async with joined(server.url, "a") as a:
            for number in range(1_000):
                a.bus.send("b", b"%d" % number)
        a.bus.send("b", b"late")
        await b.until(lambda heard: len(heard) == 1_000)
        await b.bus.probe()
        assert b.heard == [b"%d" % number for number in range(1_000)]
    assert asyncio.all_tasks() == before
    until = time.monotonic() + PATIENCE
    while (connections := server.ask(CONNECTIONS)) != ":1" and time.monotonic() < until:
        pass
    assert connections == ":1", "that of who asks"


async def test_without_a_server_no_node_opens_and_the_end_does_not_wait_for_one(
    server: RedisServer,
) -> None:
    before = asyncio.all_tasks()
    async with joined(server.url, "a", BusLimits(probe_ms=10_000, flush_ms=50)) as a:
        server.kill()
        a.bus.send("a", b"lost")
        with pytest.raises(Unavailable):
            await RedisBus.open(server.url, "b", BusLimits(probe_ms=50, flush_ms=50))
    assert asyncio.all_tasks() == before


@pytest.mark.parametrize(
    "url",
    [
        "redis://:pass/w0rd@127.0.0.1",
        "redis://:w0rd@127.0.0.1:w0rd",
        "http://:w0rd@127.0.0.1",
        "unix:///nowhere?socket_timeout=w0rd",
        "w0rd",
    ],
)
async def test_a_url_that_is_none_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ValueError, match="redis://, rediss:// or unix://") as refused:
        await RedisBus.open(url, "a", LIMITS)
    assert "w0rd" not in str(refused.value)
    assert refused.value.__suppress_context__


async def test_a_password_is_told_to_redis_only(
    server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    assert server.ask("ACL SETUSER saleroom on >w0rd +@all allchannels") == "+OK"
    url = server.url.replace("unix://", "unix://saleroom:w0rd@")
    async with joined(url, "a") as a:
        await hears(a, a, "a", b"a hand")
        server.kill()
        with pytest.raises(Unavailable) as refused:
            await RedisBus.open(url, "b", BusLimits(probe_ms=50, flush_ms=50))
        said = [str(refused.value), repr(a.bus), caplog.text]
    assert "bus_failed" in caplog.text
    assert not [text for text in said if "w0rd" in text or "a hand" in text]
