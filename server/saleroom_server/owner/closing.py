"""A room ended for good by the operator, whatever has become of its game; it keeps its record.

That is for rooms that have failed. So no rules are asked, and none can fail once more.
"""

from collections.abc import Sequence

import msgspec
from msgspec import UNSET

from saleroom_protocol.games import record
from saleroom_server.owner.head import head_of
from saleroom_server.rooms.journal import Journalled, decode, encode, record_of
from saleroom_server.rooms.loading import seq_after_load
from saleroom_server.rooms.standing import Standing, follow, found
from saleroom_server.store.interface import Owned, Store

REASON = "by_operator"


class CannotClose(Exception):
    """Why a room is left as it is."""


async def close_for_good(store: Store, room: str, owned: Owned, now: int) -> None:
    """Close a room, keep its record, and delete its journal. Doing it again finishes it.

    Args:
        store: where it is.
        room: its id.
        owned: what taking it over has brought.
        now: server milliseconds.

    Raises:
        CannotClose: nothing of it can be read, or its game has ended by itself.
        Fenced: somebody has taken it over meanwhile; ask again.
        Unavailable: the store failed.
    """
    if await store.archived(room) is None:
        entries = _read(owned.entries)
        standing = _followed(entries)
        if not standing.is_over:
            entries, standing = _closed(entries, standing, now)
            await store.append(room, owned.fence, standing.entry, [encode(entries[-1])])
        await _archive(store, owned.fence, entries, standing)
    await store.forget(room, owned.fence)


async def _archive(
    store: Store, fence: int, entries: Sequence[Journalled], standing: Standing
) -> None:
    if standing.outcome is UNSET:
        raise CannotClose("its game has ended by itself: whoever serves it keeps its record")
    founding = standing.founding
    kept = record_of(founding, standing.contributions, entries, standing.outcome)
    await store.archive(founding.room, fence, msgspec.msgpack.encode(head_of(standing)), kept)


def _read(bodies: Sequence[bytes]) -> list[Journalled]:
    try:
        entries = [decode(body) for body in bodies]
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise CannotClose("its journal cannot be read, so there would be no record") from None
    if not entries or entries[0].founding is UNSET:
        raise CannotClose("its journal does not begin with its founding")
    return entries


def _followed(entries: Sequence[Journalled]) -> Standing:
    founding = entries[0].founding
    assert founding is not UNSET, "it was looked at"
    standing = found(founding, entries[0])
    for journalled in entries[1:]:
        standing = follow(standing, journalled)
    return standing


def _closed(
    entries: Sequence[Journalled], standing: Standing, now: int
) -> tuple[list[Journalled], Standing]:
    seq = seq_after_load(standing, 0, now)
    entry = record.Closed(entry=standing.entry + 1, seq=seq, at=now, reason=REASON)
    journalled = Journalled(entry=entry)
    return [*entries, journalled], follow(standing, journalled)
