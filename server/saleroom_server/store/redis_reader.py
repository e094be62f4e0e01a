"""What is read: over a connection of its own, so that no append waits for it.

A journal or a list of rooms is read page by page, and others have their turn between two pages.
"""

import zlib
from collections.abc import AsyncIterator, Sequence
from typing import Any

import msgspec

from saleroom_server.store import redis_keys as keys
from saleroom_server.store.interface import Answer, Archived, Head
from saleroom_server.store.redis_scripts import plain
from saleroom_server.store.redis_wire import Wire
from saleroom_server.store.shared import News, TooLongAgo


class Reader:
    """What there is, as it is read. Every method may raise `Unavailable`."""

    def __init__(self, wire: Wire, page: int) -> None:
        self._wire, self._page = wire, page

    async def journal(self, room: str, last: int) -> tuple[bytes, ...] | None:
        """Return the entries up to `last`; None if the journal has been deleted since.

        If only some of it is gone, that is for whoever replays it to notice.
        """
        bodies: list[bytes] = []
        while len(bodies) < last:
            first, final = len(bodies) + 1, min(len(bodies) + self._page, last)
            found = await self._wire.ask(plain("XRANGE", keys.log(room), first, final), _bodies)
            if not found:
                break
            bodies += found
        return tuple(bodies) if bodies or not last else None

    async def rooms(self) -> AsyncIterator[list[str]]:
        """Yield the rooms that have a journal, in the order they were made, page by page."""
        after = b"-inf"
        while listed := await self._wire.ask(_rooms(after, self._page), list):
            after = b"(" + listed[-1]
            yield [room.decode() for room in listed[::2]]

    async def heads(self) -> list[Head]:
        """As `Store.heads`. One that is forgotten meanwhile may be there or not."""
        return [head async for rooms in self.rooms() for head in await self.heads_of(rooms)]

    async def heads_of(self, rooms: Sequence[str]) -> list[Head]:
        """Return the heads of some rooms, in their order, without those that are gone."""
        if not rooms:
            return []
        found = await self._wire.ask(plain("MGET", *map(keys.head, rooms)), list)
        pairs = zip(rooms, found, strict=True)
        return [Head(room, body) for room, body in pairs if body is not None]

    async def news(self, mark: int | None) -> News:
        """As `SharedStore.news`."""
        tick: int = await self._wire.ask(plain("GET", keys.TICKS), _count)
        if mark is None or mark == tick:
            return News(tick, (), ())
        asked = plain(*("ZRANGE", keys.NEWS, f"({mark}", tick, "BYSCORE"))
        names = [room.decode() for room in await self._wire.ask(asked, list)]
        trimmed: int = await self._wire.ask(plain("GET", keys.TRIMMED), _count)
        if mark < trimmed or mark > tick:  # it has forgotten: so many, or by a failover
            raise TooLongAgo
        heads = await self.heads_of(names)
        there = {head.room for head in heads}
        return News(tick, tuple(heads), tuple(name for name in names if name not in there))

    async def archived(self, room: str) -> Archived | None:
        """As `Store.archived`."""
        asked = plain("HMGET", keys.record(room), "head", "packed")
        head, packed = await self._wire.ask(asked, tuple)
        return None if packed is None else Archived(head, zlib.decompress(packed))

    async def recall(self, player: str, key: str, now: int) -> Answer | None:
        """As `Store.recall`."""
        found = await self._wire.ask(plain("GET", keys.answer(player, key)), _answer)
        return None if found is None or found.until <= now else found


def _rooms(after: bytes, page: int) -> Any:
    return plain(*("ZRANGE", keys.ROOMS, after, "+inf", "BYSCORE", "LIMIT", 0, page, "WITHSCORES"))


def _count(answer: bytes | None) -> int:
    return int(answer or 0)


def _bodies(answer: list[Any]) -> list[bytes]:
    return [fields[1] for _, fields in answer]


def _answer(answer: bytes | None) -> Answer | None:
    return None if answer is None else msgspec.msgpack.decode(answer, type=Answer)
