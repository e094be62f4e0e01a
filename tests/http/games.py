"""Rooms that have ended, in a store to be copied: the games are played once."""

from copy import deepcopy
from typing import Any

from msgspec import Struct

from tests.http.served import Guest, Served
from tests.support.memory_store import Kept

BOTS = [{"level": "easy"}] * 3


class Over(Struct, frozen=True):
    """What a server has stored, and whose rooms these are.

    Attributes:
        public: finished.
        closed: public too, never started.
        private: begun and given up; `watch` is its secret, `ada` has made it, `bob` sat in it.
    """

    kept: Kept
    now: int
    ada: Guest
    bob: Guest
    public: str
    private: str
    watch: str
    closed: str


_made: list[Over] = []


async def over() -> Over:
    """Return the rooms that have ended, made the first time."""
    if not _made:
        _made.append(await _play())
    return _made[0]


async def _play() -> Over:
    served = await Served.open()
    ada, bob = await served.guests(2)
    public = await served.room(ada, take_seat=False, bots=BOTS)
    private = await _private(served, ada, bob)
    closed = await served.room(ada, take_seat=False)
    await served.plays_out(public["room"])
    await served.clock.passes(33 * 60_000)
    await served.close()
    return Over(
        deepcopy(served.kept),
        served.clock.now(),
        ada,
        bob,
        public["room"],
        private["room"],
        private["watch"],
        closed["room"],
    )


async def _private(served: Served, ada: Guest, bob: Guest) -> Any:
    """Make a private room that waits for somebody who never comes to play."""
    room = await served.room(ada, visibility="private", take_seat=False, bots=BOTS[:2])
    await served.sits(bob, room["room"], invite=room["invite"])
    return room
