"""A node's lease lives as long as the node, whatever goes wrong."""

import asyncio
from asyncio import Future
from collections.abc import Callable
from typing import Any, cast

import msgspec
import pytest

from saleroom_server.store.interface import Unavailable
from saleroom_server.store.redis_lease import Lease, Node
from saleroom_server.store.redis_limits import RedisLimits
from saleroom_server.store.redis_wire import Wire

NODE = msgspec.json.encode(Node("inn", "k3", "http://inn:8000", arrival=1, since=2))


class Troubled:
    """Goes wrong a few times, and then answers."""

    works = False

    def __init__(self, *troubles: Exception) -> None:
        self._troubles = [*troubles]
        self.renewed = asyncio.Event()

    def ask(self, words: tuple[Any, ...], read: Callable[[Any], Any]) -> "Future[Any]":
        if self._troubles:
            raise self._troubles.pop(0)
        answered: Future[Any] = asyncio.get_running_loop().create_future()
        answered.set_result(read(0))
        self.renewed.set()
        return answered


async def test_it_is_renewed_again_after_redis_was_away_and_after_a_fault_of_ours(
    caplog: pytest.LogCaptureFixture,
) -> None:
    wire = Troubled(Unavailable("no line"), KeyError("p07"))
    lease = Lease(cast(Wire, wire), RedisLimits(renew_ms=1), NODE)
    async with asyncio.timeout(20):
        await wire.renewed.wait()
    await lease.drop()
    assert caplog.messages == ["lease_fault"], "that Redis is away is told where it is noticed"
