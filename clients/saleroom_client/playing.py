"""Playing a seat to the end with a strategy."""

import asyncio
import random
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec import UNSET

from saleroom_client.errors import Refused
from saleroom_client.forms import Pick
from saleroom_client.lobby import Lobby
from saleroom_client.mirror import Plain, Update
from saleroom_client.room import Room
from saleroom_protocol.errors import Reason

Strategy: TypeAlias = Callable[[Mapping[str, Any], Mapping[str, Any], Pick], Mapping[str, Any]]

# The answer came too late, or somebody else gave it: no reason to stop.
LATE = frozenset(
    {
        Reason.WINDOW_CLOSED,
        Reason.ALREADY_ANSWERED,
        Reason.NOT_YOUR_WINDOW,
        Reason.GAME_OVER,
        Reason.PAUSED,
    }
)


async def play(
    room: Room,
    strategy: Strategy,
    *,
    catalogue: Mapping[str, Any] | None = None,
    pick: Pick = random.choice,
    pause: float = 0.0,
) -> dict[str, Any]:
    """Answer whatever our seat is asked until the game has ended; return the `result`.

    Where a window stays open after an answer, as in bargaining, it answers again as soon as
    somebody else has changed the situation; not before, or it would talk to itself. PROTOCOL.md,
    "Windows and time".

    Args:
        room: joined as a player; nobody else may iterate over it meanwhile.
        strategy: called on the event loop with the document, the catalogue and `pick`; returns an
            action: an entry of `legal` or a filling of one. It should take equally long whatever
            the hand holds: how fast an answer comes is seen by all.
        catalogue: what every id of the game is; asked of the server if left out.
        pick: picks one of a non-empty sequence: the strategy's chance.
        pause: seconds to wait before each answer, whatever the hand holds.

    Raises:
        Refused: an answer was refused, and not because it came too late.
        RoomLeft, OutOfStep, ConnectionLost, VersionMismatch: the room cannot be followed.
    """
    if catalogue is None:
        game, edition = room.document["game"], room.document["edition"]
        catalogue = await Lobby(room.server).catalogue(game, edition)
    player = _Player(room, strategy, catalogue, pick, pause)
    await player.consider(room.latest)  # the iteration may have passed it already
    async for update in room:
        await player.consider(update)
    result: dict[str, Any] = room.document["result"]
    return result


class _Player:
    """Decides on the newest state only, and once on each situation."""

    def __init__(
        self,
        room: Room,
        strategy: Strategy,
        catalogue: Mapping[str, Any],
        pick: Pick,
        pause: float,
    ) -> None:
        self._room = room
        self._strategy = strategy
        self._catalogue = catalogue
        self._pick = pick
        self._pause = pause
        self._answered = (-1, -1)  # the seq of our last answer, and the window it was for
        self._settled: object = None  # the situation it left in that window

    async def consider(self, update: Update) -> None:
        """Answer the window, if there is one that asks and it is not answered."""
        situation = _situation(update.document)
        if self._answered == (update.seq, _number(update.document)):
            self._settled = situation
        if self._is_newest(update) and update.document.get("legal") and situation != self._settled:
            await asyncio.sleep(self._pause)
            if self._is_newest(update):  # else a later update is considered
                await self._answer(update.document)

    def _is_newest(self, update: Update) -> bool:
        return update.seq >= self._room.latest.seq

    async def _answer(self, document: Plain) -> None:
        action, window = self._strategy(document, self._catalogue, self._pick), _number(document)
        try:
            receipt = await self._room.act(action, window=window)
        except Refused as refused:
            if refused.reason not in LATE:
                raise
        else:
            self._answered = -1 if receipt.seq is UNSET else receipt.seq, window


def _number(document: Plain) -> int:
    number: int = document.get("window", {}).get("number", -1)
    return number


def _situation(document: Plain) -> object:
    """Return what an answer depends on: not the clock, nor who is connected."""
    window = document.get("window", {})
    asked = [window.get(name) for name in ("number", "answered", "facts")]
    return asked, document.get("table"), document.get("legal")
