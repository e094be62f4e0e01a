"""People who play on whatever happens to the nodes, and a hand that lets things happen.

Everything is drawn by one generator and moves by one clock, so a run can be had again.
"""

from collections.abc import Callable
from random import Random
from typing import Any

from saleroom_server.rooms.commands import Caller
from saleroom_server.rooms.journal import decode
from tests.support.clusters import Cluster
from tests.support.nodes import PEOPLE
from tests.support.sockets import Socket, plain_entry

NAMES = "abc"


class Person:
    """Somebody at one table: comes back whenever the line breaks, and repeats what has no receipt.

    Attributes:
        accepted: the ids of all that was accepted.
    """

    def __init__(self, cluster: Cluster, room: str, caller: Caller | None, luck: Random) -> None:
        self._cluster, self._room, self._caller, self._luck = cluster, room, caller, luck
        self._socket: Socket | None = None
        self._at = ""
        self._joining = ""
        self._pending: dict[str, Any] | None = None  # an act that has no receipt
        self._acts = 0
        self.accepted: list[str] = []

    @property
    def document(self) -> dict[str, Any]:
        """The room as it is seen here; empty before it was."""
        socket = self._socket
        if socket is None or self._room not in socket.rooms or not socket.messages:
            return {}
        return socket.rooms[self._room].document

    def goes_on(self) -> None:
        """Do the next thing there is to do."""
        if self._socket is None or self._is_broken(self._socket):
            self._comes_back()
        elif not self._has_joined(self._socket):
            return
        elif self._pending is not None:
            self._waits(self._socket)
        elif self._caller is not None and self.document.get("legal"):
            self._acts_anew(self._socket)

    def _is_broken(self, socket: Socket) -> bool:
        return socket.closed is not None or self._at not in self._cluster.nodes

    def _comes_back(self) -> None:
        former, self._at = self._socket, self._luck.choice([*self._cluster.nodes])
        node = self._cluster[self._at]
        self._socket = socket = node.greeted(self._caller, checks=True)
        cursor = None
        if former is not None and self._room in former.rooms and former.messages:
            cursor = socket.goes_on(self._room, former)
        as_ = "spectator" if self._caller is None else "player"
        self._joining = socket.asks("join", room=self._room, as_=as_, cursor=cursor)

    def _has_joined(self, socket: Socket) -> bool:
        if not socket.is_answered(self._joining):
            return False
        if socket.answer(self._joining)["type"] == "refused":
            reason, _ = socket.refusal(self._joining)
            assert reason in ("unavailable", "busy"), reason
            self._joining = socket.repeats(self._joining)
            return False
        return True

    def _acts_anew(self, socket: Socket) -> None:
        self._acts += 1
        document = self.document
        self._pending = {
            "request": f"act-{self._acts}",
            "room": self._room,
            "window": document["window"]["number"],
            "action": plain_entry(document["legal"], self._luck),
        }
        socket.asks("act", **self._pending)

    def _waits(self, socket: Socket) -> None:
        assert self._pending is not None
        request = self._pending["request"]
        if request not in socket._sent:
            socket.asks("act", **self._pending)
        elif socket.is_answered(request):
            self._reads(socket, request)

    def _reads(self, socket: Socket, request: str) -> None:
        if socket.answer(request)["type"] == "accepted":
            self.accepted.append(request)
            self._pending = None
            return
        reason, _ = socket.refusal(request)
        if reason in ("unavailable", "busy", "not_joined"):
            socket.repeats(request)
        else:
            assert reason in ("window_closed", "game_over", "illegal_action", "paused"), reason
            self._pending = None


class Chaos:
    """A cluster at which games are played while nodes and lines fail."""

    def __init__(self, cluster: Cluster, luck: Random) -> None:
        self._cluster, self._luck = cluster, luck
        self._cut: set[str] = set()
        self.people: dict[str, list[Person]] = {}

    async def begins(self, rooms: int) -> None:
        """Begin games of three and a spectator each."""
        for _ in range(rooms):
            owner = self._cluster[self._luck.choice([*self._cluster.nodes])]
            room = await owner.starts(pace="quick")
            table = [*PEOPLE[:3], None]
            self.people[room] = [Person(self._cluster, room, one, self._luck) for one in table]

    async def goes_on(self, steps: int) -> None:
        """Let people play, and things happen."""
        happenings: list[Callable[[], Any]] = [
            *(self._loses, self._cuts, self._heals, self._kills, self._starts, self._ends),
            *(self._takes_for_dead, self._breaks),
        ]
        for _ in range(steps):
            if self._luck.random() < 0.15:
                await self._luck.choice(happenings)()
            await self._everybody(self._luck.choice((0, 0, 10, 100, 700)))

    async def ends(self) -> None:
        """Let everything work again, and all games be played to their end."""
        await self._heals()
        while len(self._cluster.nodes) < len(NAMES):
            await self._starts()
        for _ in range(3_000):
            await self._everybody(200)
            if all(self._is_over(room) for room in self.people):
                return
        raise AssertionError("some game does not end")

    def check(self) -> None:
        """What was accepted stands in the journals once, and nothing else was."""
        for room, people in self.people.items():
            kept = self._cluster.shared.kept
            written = [decode(body) for body in kept.rooms[room].entries]
            acted = [(each.sent.player, each.sent.id) for each in written if each.sent]
            assert len(acted) == len({*acted}), "nothing is done twice"
            for person, caller in zip(people, PEOPLE[:3], strict=False):
                known = {id_ for player, id_ in acted if player == caller.player}
                assert {*person.accepted} <= known, "nothing that was accepted is lost"

    def _is_over(self, room: str) -> bool:
        return all(person.document.get("status") == "finished" for person in self.people[room])

    async def _everybody(self, ms: int) -> None:
        for people in self.people.values():
            for person in people:
                person.goes_on()
        await self._cluster.clock.passes(ms)

    # What happens

    async def _loses(self) -> None:
        name = self._luck.choice([*self._cluster.nodes])
        self._cluster.lines.loses(self._cluster.ids[name], self._luck.randint(1, 5))

    async def _cuts(self) -> None:
        whole = [name for name in self._cluster.nodes if name not in self._cut]
        if whole:
            name = self._luck.choice(whole)
            self._cut.add(name)
            await self._cluster.cuts(name)

    async def _heals(self) -> None:
        for name in sorted(self._cut):
            self._cluster[name].store.down = False
            await self._cluster.joins(name)
        self._cut.clear()

    async def _kills(self) -> None:
        if len(self._cluster.nodes) > 1:
            name = self._luck.choice([*self._cluster.nodes])
            await self._cluster.kills(name)
            self._cut.discard(name)

    async def _ends(self) -> None:
        if len(self._cluster.nodes) > 1:
            name = self._luck.choice([*self._cluster.nodes])
            await self._cluster.stops(name)
            self._cut.discard(name)

    async def _starts(self) -> None:
        for name in NAMES:
            if name not in self._cluster.nodes:
                await self._cluster.starts(name)
                return

    async def _takes_for_dead(self) -> None:
        """Part a node from the others and from the store for so long that it is taken for dead."""
        if len(self._cluster.nodes) == 1 or self._cut:
            return
        await self._cuts()
        for name in self._cut:
            self._cluster[name].store.down = True
        for _ in range(15):
            await self._everybody(100)
        self._cluster.shared.alive -= {self._cluster.ids[name] for name in self._cut}

    async def _breaks(self) -> None:
        """Break somebody's socket."""
        person = self._luck.choice(self._luck.choice([*self.people.values()]))
        if person._socket is not None and not person._is_broken(person._socket):
            person._socket.drops()
            person._at = ""
