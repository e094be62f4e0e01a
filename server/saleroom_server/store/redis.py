"""The store of a service of several nodes: Redis 7 or Valkey 8, and newer.

Theory of operation. Every call that changes a room is one script, which Redis runs whole or not at
all and with nothing in between (`redis_scripts`). All that waits goes out together over one
connection (`redis_wire`); what only reads has another (`redis_reader`), and who lives has a third:
a node that reads many rooms back must not seem dead meanwhile. Where things are is in `redis_keys`.

An append counts if its token is the newest and was given to this store. So whoever lost a room and
does not know it yet writes nothing, whatever clocks and leases say. Leases (`redis_lease`) only say
when a room may be taken from its owner: when that is dead. Taking it too early costs a reload, and
nothing else.

What an acknowledgement is worth is Redis' to say: with `appendfsync always` it survives a power cut
there; else the last second may go with the machine (`redis_fit`). With replicas that are waited for
it survives the loss of the machine too (`redis_wire`). Without, one that takes over may hand out a
token again that its master had handed out: so a token counts only together with the node it was
given to. Redis Cluster is not supported: some scripts write keys of several slots.
"""

import asyncio
import zlib
from asyncio import Future, Task
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from secrets import token_hex
from typing import Any, Self

import msgspec

from saleroom_server.store import redis_keys as keys
from saleroom_server.store.calls import Calls, closed
from saleroom_server.store.interface import (
    Answer,
    Archived,
    Fenced,
    Head,
    Held,
    OutOfOrder,
    Owned,
    RoomExists,
)
from saleroom_server.store.redis_fit import check
from saleroom_server.store.redis_lease import Lease, Node, living, make_way, shorten
from saleroom_server.store.redis_limits import NODE, RedisLimits
from saleroom_server.store.redis_place import Place
from saleroom_server.store.redis_reader import Reader
from saleroom_server.store.redis_scripts import (
    ACQUIRE,
    APPEND,
    ARCHIVE,
    CREATE,
    FORGET,
    JOIN,
    RELEASE,
    WRITING,
    Word,
    plain,
)
from saleroom_server.store.redis_wire import Wire
from saleroom_server.store.shared import News, SharedStore


class RedisStore(SharedStore):
    """A store shared by the nodes of a service. Made by `open`; to be closed in the same loop."""

    def __init__(
        self,
        writes: Wire,
        reads: Wire,
        lives: Wire,
        lease: Lease,
        limits: RedisLimits,
        opened: AsyncExitStack,
    ) -> None:
        """Use `open` instead."""
        self._writes, self._lives, self._lease = writes, lives, lease
        self._limits, self._opened = limits, opened
        self._reader = Reader(reads, limits.page)
        self._me = lease.owner
        self._calls = Calls()
        self._owned: dict[str, int] = {}  # the newest token of each room, as far as is known
        self._closing: Task[None] | None = None

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        node: str,
        address: str = "",
        incarnation: str = "",
        limits: RedisLimits | None = None,
    ) -> Self:
        """Open the store, as one node of those that share it.

        Args:
            url: of the Redis and the database of it; may hold a password, and is never told.
            node: this node's name among the others: letters, digits and `.`, `_`, `:`, `-`.
            address: where it wants to be found.
            incarnation: of all that ever had the name, this one; drawn unless it is given.
            limits: else the defaults.

        Raises:
            NoRedisUrl: the URL is none.
            ValueError: the name is none.
            Unavailable: Redis cannot be reached.
            UnfitRedis: it is too old, or would lose what it is given.
            RedisInUse: another node of that name lives.
        """
        if not NODE.fullmatch(node):
            raise ValueError(f"a node's name is letters, digits and . _ : -, not {node!r}")
        place, limits = Place(url), limits or RedisLimits()
        opened = AsyncExitStack()
        try:
            await check(place, limits)
            reads = await Wire.open(place, limits, f"{node}:reads")
            opened.push_async_callback(reads.close)
            lives = await Wire.open(place, limits, f"{node}:lives", [JOIN])
            opened.push_async_callback(lives.close)
            writes = await Wire.open(place, limits, node, WRITING)
            opened.push_async_callback(writes.close)
            mine = incarnation or token_hex(8)
            lease = await Lease.take(lives, limits, node, mine, address)
            opened.push_async_callback(lease.drop)
            await make_way(lives, place, limits, lease.node)
        except BaseException:
            await opened.aclose()
            raise
        return cls(writes, reads, lives, lease, limits, opened)

    async def create(
        self, room: str, entries: Sequence[bytes], head: bytes, answer: Answer | None = None
    ) -> int:
        """See `Store.create`."""
        entries = tuple(entries)
        answer_key, *kept = _kept(answer)
        names = keys.record(room), keys.ROOMS, keys.TOKENS, answer_key, keys.NEWS, keys.TICKS
        words = CREATE(
            [*_room(room), *names],
            *(room, self._me, _call(), head, *kept, *entries),
        )

        def read(token: int | None) -> int:
            if token is None:
                raise RoomExists(f"there is, or was, a room {room}")
            self._owned[room] = token
            return token

        with self._calls.call():
            return await self._writes.ask(words, read)

    async def acquire(self, room: str) -> Owned | None:
        """See `Store.acquire`."""
        return await self._acquire(room, by_force=False)

    async def seize(self, room: str) -> Owned | None:
        """Take a room over as `acquire` does, also from an owner that lives; it writes no more."""
        return await self._acquire(room, by_force=True)

    async def _acquire(self, room: str, *, by_force: bool) -> Owned | None:
        settling_s = -(-self._limits.settling_ms // 1000)
        names = keys.meta(room), keys.TOKENS
        words = ACQUIRE(names, self._me, _call(), settling_s, int(by_force))

        def read(answer: Any) -> tuple[int, int] | None:
            if isinstance(answer, bytes):
                raise Held(room, answer.decode())
            if answer is None:
                return None
            token, last = answer
            self._owned[room] = token
            return token, last

        with self._calls.call():
            claim = await self._writes.ask(words, read)
            if claim is None:
                return None
            token, last = claim
            entries = await self._reader.journal(room, last)
        return None if entries is None else Owned(token, entries)

    async def release(self, room: str, fence: int) -> None:
        """See `Store.release`."""
        with self._calls.call():
            await self._release(room, fence)

    def append(
        self,
        room: str,
        fence: int,
        first: int,
        entries: Sequence[bytes],
        head: bytes | None = None,
        answer: Answer | None = None,
    ) -> "Future[None]":
        """See `Store.append`."""
        if self._calls.refused:
            refused: Future[None] = asyncio.get_running_loop().create_future()
            refused.set_exception(closed())
            return refused
        entries = tuple(entries)
        answer_key, *kept = _kept(answer)
        given = (0, b"") if head is None else (1, head)
        names = [*_room(room), answer_key, keys.NEWS, keys.TICKS]
        words = APPEND(names, fence, self._me, first, *given, *kept, *entries)

        def read(outcome: bytes | int) -> None:
            if isinstance(outcome, int):
                raise OutOfOrder(f"entry {first} of room {room} after entry {outcome}")
            self._check(outcome, room, fence)

        return self._writes.ask(words, read)

    async def archive(self, room: str, fence: int, head: bytes, record: bytes) -> None:
        """See `Store.archive`."""
        with self._calls.call():
            packed = await asyncio.to_thread(zlib.compress, record)
            words = ARCHIVE([keys.meta(room), keys.record(room)], fence, self._me, head, packed)
            await self._writes.ask(words, self._checking(room, fence))

    async def forget(self, room: str, fence: int) -> None:
        """See `Store.forget`."""
        names = [*_room(room), keys.ROOMS, keys.NEWS, keys.TICKS, keys.TRIMMED]
        words = FORGET(names, room, fence, self._me, self._limits.news_kept)
        with self._calls.call():
            await self._writes.ask(words, self._checking(room, fence))
            self._lose(room, fence)

    async def heads(self) -> list[Head]:
        """See `Store.heads`."""
        with self._calls.call():
            return await self._reader.heads()

    async def archived(self, room: str) -> Archived | None:
        """See `Store.archived`."""
        with self._calls.call():
            return await self._reader.archived(room)

    async def remember(self, answer: Answer) -> None:
        """See `Store.remember`. The clock is Redis' own."""
        key, till, body = _kept(answer)
        with self._calls.call():
            await self._writes.ask(plain("SET", key, body, "NX", "PXAT", till), _ignore)

    async def recall(self, player: str, key: str, now: int) -> Answer | None:
        """See `Store.recall`."""
        with self._calls.call():
            return await self._reader.recall(player, key, now)

    async def secret(self, name: str, offered: bytes) -> bytes:
        """See `Store.secret`."""
        words = plain("SET", keys.secret(name), offered, "NX", "GET")
        with self._calls.call():
            return await self._writes.ask(words, lambda was: offered if was is None else was)

    async def probe(self) -> None:
        """See `Store.probe`."""
        with self._calls.call():
            await self._writes.ask(plain("INCR", keys.PROBE), _ignore)

    @property
    def node(self) -> str:
        """See `SharedStore`."""
        return self._me

    async def alive(self) -> frozenset[str]:
        """See `SharedStore.alive`."""
        return frozenset(node.owner for node in await self.nodes())

    def when_drained(self, end: Callable[[], None]) -> None:
        """See `SharedStore.when_drained`."""
        self._lease.when_drained(end)

    async def hasten(self, node: str) -> int:
        """See `SharedStore.hasten`. A node that lives renews its lease twice in that time."""
        with self._calls.call():
            return await shorten(self._lives, node, 2 * self._limits.renew_ms)

    async def news(self, mark: int | None) -> News:
        """See `SharedStore.news`."""
        with self._calls.call():
            return await self._reader.news(mark)

    async def nodes(self) -> list[Node]:
        """Return the nodes that live, this one too; the longest there first."""
        with self._calls.call():
            return await living(self._lives)

    async def close(self) -> None:
        """See `Store.close`. The other nodes may take the rooms of this one at once."""
        if self._closing is None:
            self._calls.refused = True
            self._closing = asyncio.create_task(self._close())
        await asyncio.shield(self._closing)  # half closed would be neither

    async def _close(self) -> None:
        await self._calls.ended()
        if self._writes.works:  # else the others will notice that this node is gone
            released = [self._release(*owned) for owned in self._owned.items()]
            await asyncio.gather(*released, return_exceptions=True)
        await self._opened.aclose()

    async def _release(self, room: str, fence: int) -> None:
        self._lose(room, fence)
        await self._writes.ask(RELEASE([keys.meta(room)], fence, self._me), _ignore)

    def _checking(self, room: str, fence: int) -> Callable[[bytes], None]:
        return lambda outcome: self._check(outcome, room, fence)

    def _check(self, outcome: bytes, room: str, fence: int) -> None:
        if outcome == b"FENCED":
            self._lose(room, fence)
            raise Fenced(f"token {fence} of room {room} is not the newest")

    def _lose(self, room: str, fence: int) -> None:
        if self._owned.get(room) == fence:
            del self._owned[room]


def _call() -> str:
    """Name a call that asks for a token, so that it is known again if it is sent again."""
    return token_hex(8)


def _room(room: str) -> list[str]:
    return [keys.meta(room), keys.log(room), keys.head(room)]


def _kept(answer: Answer | None) -> tuple[str, Word, bytes]:
    """Return key, end and body of an answer; no end if there is none."""
    if answer is None:
        return keys.answer("", ""), "", b""
    body = msgspec.msgpack.encode(answer)
    return keys.answer(answer.player, answer.key), max(1, answer.until), body


def _ignore(answer: object) -> None:
    """What is answered says nothing."""
