"""Players who come back: when their line breaks or they are told to, and through another node.

What has no receipt is sent again with its old id, as PROTOCOL.md has it ("Receipts"). In each room
one act at a time is on its way, so that none comes too late: whatever is refused is a fault.
"""

import heapq
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from random import Random
from secrets import token_hex
from socket import socket
from time import perf_counter
from typing import TypeAlias

import msgspec
from msgspec import Struct, field

from tests.bench.players import Hand, Told
from tests.bench.stock import Table
from tests.bench.wires import (
    JOIN,
    PONG,
    READ_BYTES,
    Waiter,
    Wire,
    connected,
    greeting,
    joining,
    upgrade,
    upgraded,
)

PAUSE = 0.05  # seconds, before another node is tried
PATIENCE = 60.0  # seconds for whatever is waited for

Later: TypeAlias = tuple[float, int, Callable[[], None]]


class _Facts(Struct):
    retry_after_ms: int = 0


class _Told(Told):
    """As much of a message as it takes to come back."""

    id: str = ""
    reason: str = ""
    retry_after_ms: int = 0
    facts: _Facts = field(default_factory=_Facts)


_told = msgspec.msgpack.Decoder(_Told)


class Act(Struct):
    """Something somebody does.

    Attributes:
        id: the same, however often it is sent.
        frame: what is sent.
        sent_at: for the first time.
        sent: how often.
        accepted_at: 0 until then.
        refused: for good.
    """

    id: str
    frame: bytes
    sent_at: float
    sent: int = 0
    accepted_at: float = 0.0
    refused: bool = False

    @property
    def is_answered(self) -> bool:
        """Whether no more is to be expected."""
        return self.refused or self.accepted_at > 0

    @property
    def seconds(self) -> float:
        """How long it took from the first sending to the receipt."""
        return self.accepted_at - self.sent_at


class Game:
    """One room as its players know it.

    Attributes:
        room: its id.
        players: by seat.
        act: the one that is on its way.
        accepted: all that were.
    """

    def __init__(self, regulars: "Regulars", table: Table, nodes: Sequence[int]) -> None:
        self.room = table.room
        self.players = [
            Regular(regulars, self, token, node)
            for token, node in zip(table.tokens, nodes, strict=True)
        ]
        self.act: Act | None = None
        self.accepted: list[Act] = []

    @property
    def asked(self) -> "Regular | None":
        """Somebody who may act now; None: nobody may, or one has and waits for the receipt."""
        if self.act is not None:
            return None
        return next((player for player in self.players if player.hand.legal), None)


class Regular:
    """One player: where, and what is to be done there.

    Attributes:
        node: the one whose socket it has, or tries to get.
        hand: what it may do; nothing while it is away.
        joined_at: when a join was answered last.
        viewed_at: when a view came last.
    """

    def __init__(self, regulars: "Regulars", game: Game, token: str, node: int) -> None:
        self._regulars, self._game, self._token, self.node = regulars, game, token, node
        self.hand = Hand()
        self.joined_at = self.viewed_at = 0.0
        self._act: Act | None = None
        self._socket: socket | None = None
        self._head = b""  # of the answer to the upgrade, as far as it has come
        self._wire: Wire | None = None

    def come(self) -> None:
        """Open a socket; what follows is told when it is open."""
        url = self._regulars.urls[self.node]
        try:
            (opened,) = connected(url, 1)
        except OSError:
            self._go_elsewhere()
            return
        self._socket, self._head = opened, b""
        self._regulars.waiter.add(opened, self._take)
        self._write(upgrade(url))

    def act(self, at: float) -> Act:
        """Do anything that may be done."""
        id_ = self._regulars.next_id()
        frame = self.hand.act(self._regulars.luck, id=id_, room=self._game.room)
        self._act = self._game.act = act = Act(id_, frame, at)
        self._send()
        return act

    def _send(self) -> None:
        if self._act is not None and self._wire is not None:
            self._act.sent += 1
            self._write(self._act.frame)

    def _write(self, frame: bytes) -> None:
        assert self._socket is not None, "who is here has a socket"
        with suppress(OSError):  # it will be read that the line is broken
            self._socket.sendall(frame)

    def _take(self) -> None:
        try:
            if self._wire is None:
                self._open()
            else:
                self._read(self._wire)
        except OSError:
            self._leave()
            self._go_elsewhere()

    def _open(self) -> None:
        assert self._socket is not None, "something has been read from it"
        got = self._socket.recv(READ_BYTES)
        if not got:
            raise ConnectionResetError
        self._head += got
        self._wire = upgraded(self._socket, self._head)
        if self._wire is not None:
            self._write(greeting(self._game.room, self._token))
            self._send()

    def _read(self, wire: Wire) -> None:
        for payload in wire.payloads():
            told = _told.decode(payload)
            if told.type == "closing":
                self._leave()
                self._go_elsewhere(told.retry_after_ms / 1000)
                return
            self._hear(told)

    def _hear(self, told: _Told) -> None:
        match told.type:
            case "view":
                self.hand, self.viewed_at = Hand(), perf_counter()
                self.hand.see(told)
            case "update":
                self.hand.see(told)
            case "joined":
                self.joined_at = perf_counter()
            case "accepted":
                self._be_accepted(told.id)
            case "refused":
                self._be_refused(told)
            case "left":
                self._regulars.refused[f"left: {told.reason}"] += 1
            case "ping":
                self._write(PONG)

    def _be_accepted(self, id_: str) -> None:
        if self._act is not None and id_ == self._act.id:  # what is sent twice is answered twice
            self._act.accepted_at = perf_counter()
            self._game.accepted.append(self._act)
            self._act = self._game.act = None

    def _be_refused(self, told: _Told) -> None:
        act = self._act if self._act is not None and told.id == self._act.id else None
        if wait_ms := told.facts.retry_after_ms:
            self._regulars.put_off += 1
            self._regulars.later(wait_ms / 1000, self._join if told.id == JOIN else self._send)
        elif act is not None and told.reason == "not_joined":
            pass  # the join before it was put off: both will be sent again
        else:
            self._regulars.refused[told.reason] += 1
            if act is not None:
                act.refused = True
                self._act = self._game.act = None

    def _join(self) -> None:
        if self._wire is not None:
            self._write(joining(self._game.room, self._token))
            self._send()

    def _leave(self) -> None:
        assert self._socket is not None, "who leaves was there"
        self._regulars.waiter.remove(self._socket)
        self._socket.close()
        self._socket = self._wire = None
        self.hand = Hand()

    def _go_elsewhere(self, wait: float = PAUSE) -> None:
        nodes = len(self._regulars.urls)
        self.node = (self.node + self._regulars.luck.randrange(1, nodes)) % nodes
        self._regulars.later(wait, self.come)

    def hang_up(self) -> None:
        """Be gone for good."""
        if self._socket is not None:
            self._leave()


class Regulars:
    """All players of some rooms, whatever becomes of the nodes.

    Attributes:
        urls: of the nodes.
        games: their rooms.
        put_off: how often somebody was told to ask again.
        refused: what was refused for good, by reason; and who was sent away from a room.
    """

    def __init__(
        self,
        urls: list[str],
        tables: list[Table],
        nodes: Sequence[int],
        luck: Random,
        *,
        prompt: bool = False,
    ) -> None:
        """Have everybody come.

        Args:
            urls: of the nodes.
            tables: the rooms.
            nodes: by seat, to which one players go first.
            luck: decides what they do.
            prompt: see `Waiter`.
        """
        self.urls, self.luck = urls, luck
        self.put_off, self.refused = 0, Counter[str]()
        self.waiter = Waiter(prompt=prompt)
        self._later: list[Later] = []
        self._run, self._numbers = token_hex(4), count()
        self.games = [Game(self, table, nodes) for table in tables]
        self._turns = deque(self.games)
        for player in self.players:
            player.come()
        self.wait(lambda: all(player.viewed_at for player in self.players))

    @property
    def players(self) -> list[Regular]:
        """All of all rooms."""
        return [player for game in self.games for player in game.players]

    @property
    def accepted(self) -> list[Act]:
        """All that has been accepted in all rooms."""
        return [act for game in self.games for act in game.accepted]

    def next_id(self) -> str:
        """Return an id of an act."""
        return f"{self._run}-{next(self._numbers)}"

    def later(self, wait: float, what: Callable[[], None]) -> None:
        """Do something after so many seconds."""
        heapq.heappush(self._later, (perf_counter() + wait, next(self._numbers), what))

    def look(self) -> None:
        """Do what is due, and read what there is."""
        while self._later and self._later[0][0] <= perf_counter():
            heapq.heappop(self._later)[2]()
        self.waiter.look()

    def wait(self, true: Callable[[], bool]) -> None:
        """Look until something is so."""
        until = perf_counter() + PATIENCE
        while not true():
            self.look()
            assert perf_counter() < until, f"it does not come to be; refused: {dict(self.refused)}"

    def settle(self) -> None:
        """Wait for what is on its way."""
        self.wait(lambda: not any(game.act for game in self.games))

    def act_at_once(self, games: Sequence[Game]) -> list[Act]:
        """Let somebody act in each of some rooms; return what they do."""
        asked = [game.asked for game in games]
        return [player.act(perf_counter()) for player in asked if player is not None]

    def play(self, per_second: float, while_: Callable[[], bool]) -> None:
        """Let somebody act so many times a second, the rooms in turn, while something is so."""
        due = perf_counter()
        while while_():
            self.look()
            if due <= perf_counter():
                due += 1 / per_second
                self._act_somewhere()

    def play_for(self, per_second: float, seconds: float) -> None:
        """Let somebody act so many times a second for a while, until the last receipt is there."""
        until = perf_counter() + seconds
        self.play(per_second, lambda: perf_counter() < until)
        self.settle()

    def _act_somewhere(self) -> None:
        for _ in self.games:
            game = self._turns[0]
            self._turns.rotate(-1)
            if (player := game.asked) is not None:
                player.act(perf_counter())
                return

    def close(self) -> None:
        """Hang up."""
        for player in self.players:
            player.hang_up()
        self.waiter.close()
