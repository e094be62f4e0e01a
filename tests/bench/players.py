"""Players that do anything they may, thinner than any client: no document, no patch merged."""

from collections.abc import Callable
from random import Random
from time import perf_counter
from typing import Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from saleroom_protocol.games.forms import Form, fill
from tests.bench.stock import Table
from tests.bench.wires import PONG, Waiter, Wire, joined, message


class _Window(Struct):
    number: int | UnsetType = UNSET


class Shown(Struct):
    """As much of a document, or of a patch to one, as it takes to answer."""

    window: _Window | UnsetType | None = UNSET
    legal: list[Raw] | UnsetType | None = UNSET


class Told(Struct):
    """As much of a message."""

    type: str
    document: Shown | UnsetType = UNSET
    patch: Shown | UnsetType = UNSET


PATIENCE = 120.0  # seconds for all acts of a round

_told = msgspec.msgpack.Decoder(Told)
_entry = msgspec.msgpack.Decoder(dict[str, Any])


class Hand:
    """What one player may do, as far as has been told.

    Attributes:
        window: the one to be answered.
        legal: what may be done; none: nothing, at present.
    """

    def __init__(self) -> None:
        self.window = 0
        self.legal: list[Raw] | None = None

    def see(self, told: Told) -> None:
        """Learn from a view or an update."""
        shown = told.patch or told.document
        if shown is UNSET:
            return
        if shown.window and shown.window.number is not UNSET:
            self.window = shown.window.number
        if shown.legal is not UNSET:
            self.legal = shown.legal

    def act(self, luck: Random, **fields: str) -> bytes:
        """Return the frame of anything that may be done, given the act's other fields."""
        assert self.legal, "who may do nothing is not asked"
        entry = _entry.decode(luck.choice(self.legal))
        action = fill(Form.read(entry), luck.choice) if "choose" in entry else entry
        return message("act", **fields, window=self.window, action=action)


class Player:
    """One socket: it knows what it may do now, if anything, and whether it waits for an answer."""

    def __init__(self, seated: "Seated", room: str, wire: Wire) -> None:
        self._seated, self._room, self.wire = seated, room, wire
        self._hand = Hand()
        self._asked_at: float | None = None
        self._acts = 0

    def take(self) -> None:
        """Read what the server tells."""
        for payload in self.wire.payloads():
            told = _told.decode(payload)
            if told.type in ("update", "view"):
                self._hand.see(told)
            elif told.type in ("accepted", "refused"):
                self._be_answered(told.type == "accepted")
            elif told.type == "ping":
                self.wire.socket.sendall(PONG)
        if not self._hand.legal:
            self._seated.ready.pop(self, None)
        elif self._asked_at is None:
            self._seated.ready[self] = None

    def act(self, at: float) -> None:
        """Do anything that may be done; the answer is awaited from `at` on."""
        del self._seated.ready[self]
        self._asked_at, self._acts = at, self._acts + 1
        fields = {"id": f"a{self._acts}", "room": self._room}
        self.wire.socket.sendall(self._hand.act(self._seated.luck, **fields))

    def _be_answered(self, accepted: bool) -> None:
        assert self._asked_at is not None, "nothing is answered that was not asked"
        taken, self._asked_at = perf_counter() - self._asked_at, None
        if accepted:  # or else it came too late
            self._seated.taken.append(taken)


class Seated:
    """All players of some tables, and a spectator at each.

    Attributes:
        ready: players who are asked and have not answered, who was asked first before the others.
        taken: seconds from each act to its receipt.
    """

    def __init__(self, url: str, tables: list[Table], luck: Random) -> None:
        self.luck = luck
        self.ready: dict[Player, None] = {}
        self.taken: list[float] = []
        self._waiter = Waiter()
        self._wires: list[Wire] = []
        for table in tables:
            for wire in joined(url, table.room, [*table.tokens, None]):
                self._waiter.add(wire.socket, Player(self, table.room, wire).take)
                self._wires.append(wire)
        self._waiter.settle()  # until every view is read

    def act_at_once(self, acts: int) -> float:
        """Let everybody act as soon as asked, until so many are accepted; return the seconds."""
        begun, until = perf_counter(), len(self.taken) + acts
        while len(self.taken) < until:
            for player in list(self.ready):
                player.act(perf_counter())
            self._look(begun)
        return perf_counter() - begun

    def act_in_time(
        self, acts: int, per_second: float, meanwhile: Callable[[], None] = lambda: None
    ) -> float:
        """Let somebody act so many times a second, whether answers come or not.

        What is late is late for the player too: an act is awaited from when it was due. What is to
        be done `meanwhile` is done again and again.
        """
        begun = due = perf_counter()
        for _ in range(acts):
            due += 1 / per_second
            while due > perf_counter() or not self.ready:
                self._look(begun)
                meanwhile()
            self.act(due)
        seconds = perf_counter() - begun
        self._waiter.settle()  # until the last answers are there
        return seconds

    def act(self, at: float) -> None:
        """Let the one act who has been asked longest."""
        next(iter(self.ready)).act(at)

    def look(self) -> None:
        """Read what the server tells."""
        self._waiter.look()

    def _look(self, begun: float) -> None:
        self._waiter.look()
        assert perf_counter() - begun < PATIENCE, "somebody is asked as long as games go on"

    def close(self) -> None:
        """Hang up."""
        self._waiter.close()
        for wire in self._wires:
            wire.socket.close()
