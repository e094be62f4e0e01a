"""Which nodes live: each keeps a lease in Redis alive, as long as it is alive itself.

A lease only says when it is worth while to take a dead node's rooms over. That two of them never
write the same room is the tokens' doing, whatever the leases say.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Self

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from saleroom_server.logs import logger
from saleroom_server.store import redis_keys as keys
from saleroom_server.store.interface import StoreError, Unavailable
from saleroom_server.store.redis_limits import RedisLimits
from saleroom_server.store.redis_place import Place
from saleroom_server.store.redis_scripts import JOIN, plain
from saleroom_server.store.redis_wire import Wire

log = logger("cluster")


class Node(Struct, frozen=True):
    """A node that lives.

    Attributes:
        name: its own, among those of one service.
        incarnation: of all that ever had the name, this one.
        address: where it wants to be found.
        arrival: rises from one that comes to the next.
        since: when it came, in Redis' milliseconds.
        draining: whether it ends because an operator has asked it to.
    """

    name: str
    incarnation: str
    address: str
    arrival: int
    since: int
    draining: bool = False

    @property
    def owner(self) -> str:
        """Return what it is called as the owner of a room."""
        return f"{self.name}:{self.incarnation}"


class RedisInUse(StoreError):
    """Another node of the same name uses the Redis.

    Attributes:
        node: the other one.
    """

    def __init__(self, place: Place, node: Node) -> None:
        super().__init__(
            f"{place} is in use by node {node.name} at {node.address or 'an unknown address'}: "
            "stop it, or give this one another name"
        )
        self.node = node


class Lease:
    """The lease of this node, renewed until `drop`. Made by `take`.

    With each renewal it is looked whether an operator wants the node to end.

    Attributes:
        node: as the others see it.
        owner: what its rooms know it by.
    """

    def __init__(self, wire: Wire, limits: RedisLimits, value: bytes) -> None:
        """Use `take` instead."""
        self._wire, self._limits, self._value = wire, limits, value
        self.node = _node(value)
        self.owner = self.node.owner
        self._end: Callable[[], None] | None = None
        self._task = asyncio.create_task(self._keep())

    @classmethod
    async def take(
        cls, wire: Wire, limits: RedisLimits, name: str, incarnation: str, address: str
    ) -> Self:
        """Let the others know of this node.

        Raises:
            Unavailable: Redis failed.
        """
        joining = JOIN(
            [keys.lease(f"{name}:{incarnation}"), keys.NODES, keys.ARRIVALS],
            *(name, incarnation, address, limits.lease_ms),
        )
        return cls(wire, limits, await wire.ask(joining, bytes))

    def when_drained(self, end: Callable[[], None]) -> None:
        """See `SharedStore`."""
        self._end = end

    async def drop(self) -> None:
        """Let the others know at once that this node is gone; else they will notice."""
        self._task.cancel()
        await asyncio.wait([self._task])
        if self._wire.works:
            with suppress(Unavailable):
                await self._wire.ask(plain("DEL", keys.lease(self.owner)), _nothing)

    async def _keep(self) -> None:
        while True:
            await asyncio.sleep(self._limits.renew_ms / 1000)
            try:
                await self._renew()
            except Unavailable:
                pass  # whoever writes will tell
            except Exception:  # a fault of ours: without this the node would be taken for dead
                log.exception("lease_fault")

    async def _renew(self) -> None:
        lease = plain("SET", keys.lease(self.owner), self._value, "PX", self._limits.lease_ms)
        listed = plain("SADD", keys.NODES, self.owner)
        drained = plain("EXISTS", keys.drain(self.owner))
        asked, *_ = await asyncio.gather(
            self._wire.ask(drained, bool),
            *(self._wire.ask(words, _nothing) for words in (lease, listed)),
        )
        if asked and self._end is not None:
            self._drain(self._end)

    def _drain(self, end: Callable[[], None]) -> None:
        log.info("node_drained", node=self.owner)
        self._end = None
        self.node = replace(self.node, draining=True)
        self._value = msgspec.json.encode(self.node)
        end()


async def living(wire: Wire) -> list[Node]:
    """Return the nodes that live, the longest there first; strike those off that do not.

    Raises:
        Unavailable: Redis failed.
    """
    owners: list[bytes] = await wire.ask(plain("SMEMBERS", keys.NODES), list)
    if not owners:
        return []
    leases = [keys.lease(owner.decode()) for owner in owners]
    found: list[bytes | None] = await wire.ask(plain("MGET", *leases), list)
    dead = [owner for owner, value in zip(owners, found, strict=True) if value is None]
    if dead:
        await wire.ask(plain("SREM", keys.NODES, *dead), _nothing)
    nodes = [_node(value) for value in found if value is not None]
    return sorted(nodes, key=lambda node: node.arrival)


async def shorten(wire: Wire, owner: str, most_ms: int) -> int:
    """Let a lease end in so many ms at most, unless it is renewed; return in how many it does.

    Raises:
        Unavailable: Redis failed.
    """
    lease = keys.lease(owner)
    await wire.ask(plain("PEXPIRE", lease, most_ms, "LT"), _nothing)
    left_ms = await wire.ask(plain("PTTL", lease), int)
    return max(left_ms, 0) + 1  # it is there still in the last of these


async def make_way(wire: Wire, place: Place, limits: RedisLimits, mine: Node) -> None:
    """See to it that this node may stay: the first of its name.

    One that has just died is waited for, as its lease outlives it.

    Raises:
        RedisInUse: another one was first, and lives.
        Unavailable: Redis failed.
    """
    if await _rival(wire, mine) is not None:
        await asyncio.sleep(limits.lease_ms / 1000)
        if (rival := await _rival(wire, mine)) is not None:
            raise RedisInUse(place, rival)


async def _rival(wire: Wire, mine: Node) -> Node | None:
    """Return the first of that name if it came earlier; those who came later will find this one."""
    of_that_name = (node for node in await living(wire) if node.name == mine.name)
    first = next(of_that_name, mine)
    return None if first == mine else first


def _node(lease: bytes) -> Node:
    return msgspec.json.decode(lease, type=Node)


def _nothing(answer: object) -> None:
    """What is answered says nothing."""
