"""Short lives of rooms: made, joined, left, abandoned, resigned, played, watched by passers-by.

A life is a generator that goes on when its turn comes; what it yields is the time it wants to sleep
until, so that many lives pass through one server at once.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import count
from random import Random
from typing import Any, TypeAlias

from saleroom_rules.games import GAMES
from saleroom_server.rooms.standing import Standing
from tests.http.served import Guest
from tests.soak.recount import Recount
from tests.soak.world import World
from tests.support.memory_store import Fault
from tests.support.sockets import Socket, plain_entry

Life: TypeAlias = AsyncIterator[int]

MINUTE_MS = 60_000
BREATH_MS = 15_000  # between two signs of life of a client
BOTS = [{"level": "easy"}]


class Visitor:
    """Somebody who has, or had, a socket that follows a room: as a player, or looking on."""

    def __init__(self, guest: Guest | None, plays: bool) -> None:
        self.guest, self.plays = guest, plays
        self.socket: Socket | None = None
        self.before: Socket | None = None  # the last one there was


class Rough:
    """One room, the people around it, and what befalls them.

    Attributes:
        world: the server.
        room: its id, once it is made.
        luck: decides what happens.
    """

    def __init__(self, world: World, luck: Random, recount: Recount) -> None:
        self.world, self.luck, self.recount = world, luck, recount
        self.room = ""
        self.players: list[Visitor] = []
        self.lookers: list[Visitor] = []
        self._sockets: list[Socket] = []
        self._made: Any = None
        self._requests = count(1)

    # The lobby

    async def made(self, seats: int = 3, sitting: int = 3, **fields: Any) -> None:
        """Make a room, and let people sit down."""
        served = self.world.served
        self.players = [Visitor(await served.guest(), True) for _ in range(sitting)]
        private = self.luck.random() < 0.3
        asked: dict[str, Any] = {"game": "toy", "options": {"short": True}, "autostart": False}
        asked |= {"seats": seats, "visibility": "private" if private else "public"} | fields
        self._made = await served.room(self._host, **asked)
        self.room = self._made["room"]
        for player in self.players[1:]:
            await served.sits(self.guest_of(player), self.room, invite=self._made["invite"])

    async def post(self, what: str, by: Guest, body: Any = None) -> int:
        """Ask the lobby for something to be done in the room; return the status."""
        key = f"key-{self.luck.randrange(10**9)}" if self.luck.random() < 0.3 else None
        path = f"/v1/rooms/{self.room}/{what}"
        response = await self.world.served.post(path, body or {}, by=by, key=key)
        if key is not None:
            again = await self.world.served.post(path, body or {}, by=by, key=key)
            if response.status_code < 400:
                assert again.content == response.content, "the same answer for the same key"
        return response.status_code

    async def starts(self) -> None:
        assert await self.post("start", self._host) == 202

    @property
    def status(self) -> str:
        return self.world.status(self.room)

    async def kept(self) -> bytes:
        """Return the room's record."""
        path = f"/v1/rooms/{self.room}/record"
        response = await self.world.served.get(path, by=self._host)
        assert response.status_code == 200, response.text
        return response.content

    @property
    def _host(self) -> Guest:
        return self.guest_of(self.players[0])

    def guest_of(self, visitor: Visitor) -> Guest:
        assert visitor.guest is not None
        return visitor.guest

    # Sockets

    async def comes(self, visitor: Visitor) -> None:
        """Open a socket and follow the room: anew, or from where the last one was."""
        before = visitor.before
        text, checks = self.luck.random() < 0.3, self.luck.random() < 0.5
        socket = self.world.socket(visitor.guest, text=text, checks=checks)
        self._sockets.append(socket)
        cursor = None
        if before is not None and self.luck.random() < 0.8:
            if self.luck.random() < 0.8:  # else what was sent last is lost
                assert before.messages
            if self.room in before.rooms:
                cursor = socket.goes_on(self.room, before)
        watch = None if visitor.plays else self._made["watch"]
        as_: Any = "player" if visitor.plays else "spectator"
        socket.joins(self.room, as_, cursor=cursor, watch=watch)
        await self.world.clock.quiet()
        visitor.socket = visitor.before = socket

    def goes(self, visitor: Visitor) -> None:
        """Break the connection."""
        if visitor.socket is not None:
            visitor.socket.drops()
            visitor.socket = None

    def half_opens(self) -> None:
        """Open a socket that never says anything, or only hello."""
        if self.luck.random() < 0.5:
            self._sockets.append(self.world.socket(None, text=False, checks=False))
        else:
            self._sockets.append(Socket(self.world, self._sockets[0].codec))

    async def all_come(self) -> None:
        for player in self.players:
            await self.comes(player)

    def breathe(self) -> None:
        """Give a sign of life on every socket of people who are there."""
        for visitor in self.visitors:
            if visitor.socket is not None and visitor.socket.closed is None:
                visitor.socket.says(type="pong")

    @property
    def visitors(self) -> list[Visitor]:
        return [*self.players, *self.lookers]

    @property
    def present(self) -> list[Visitor]:
        """Who has a socket that follows the room."""
        return [
            one
            for one in self.visitors
            if (socket := one.socket) is not None
            and socket.closed is None
            and self.room in socket.connection.rooms
        ]

    def ends(self, record: bytes) -> None:
        """Count what came of it; whoever is left goes away."""
        for visitor in self.present:
            assert visitor.socket is not None
            assert not visitor.socket.unanswered
        for visitor in self.visitors:
            self.goes(visitor)
        for socket in self._sockets:
            socket.drops()
            self.recount.socket(socket)
        actor = self.world.served.service.hall.actor(self.room)
        assert actor is not None
        assert actor.room is not None, "its record was read"
        self.recount.room(record, actor.room.standing, _open_window(actor.room.standing))

    def _new_id(self, kind: str) -> str:
        """Return an id for a request that no other one of this room has."""
        return f"{kind}-{next(self._requests)}"

    # Incidents

    async def resigns(self, player: Visitor) -> None:
        """Let a player give up, who comes first if need be."""
        if player not in self.present:
            await self.comes(player)
        assert player.socket is not None
        player.socket.asks("act", self._new_id("act"), room=self.room, action={"do": "resign"})
        await self.world.clock.quiet()

    async def happens(self) -> None:
        """Let one thing happen."""
        incidents: list[tuple[int, Callable[[], Awaitable[None]]]] = [
            (12, self._acts),
            (1, self._acts_in_vain),
            (2, self._is_cut),
            (2, self._comes_back),
            (1, self._displaces),
            (1, self._looks_on),
            (1, self._vanishes),
            (1, self._says),
            (1, self._leaves),
            (1, self._meets_a_fault),
            (1, self._asks_the_lobby),
        ]
        weights, doing = zip(*incidents, strict=True)
        await self.luck.choices(doing, weights)[0]()
        await self.world.clock.quiet()

    async def _acts(self) -> None:
        for visitor in self.present:
            socket = visitor.socket
            assert socket is not None
            if self.room not in socket.rooms:
                continue  # its join waits for the store
            legal = socket.document(self.room).get("legal")
            if legal:
                action = plain_entry(legal, self.luck)
                request = socket.acts(self.room, action, self._new_id("act"))
                if self.luck.random() < 0.2:
                    socket.repeats(request)
                if self.luck.random() < 0.1:
                    self.goes(visitor)  # before it hears what came of it
                return

    async def _acts_in_vain(self) -> None:
        for visitor in self.present:
            socket = visitor.socket
            assert socket is not None
            window = self.luck.choice([1, 2, 999])
            action = self.luck.choice([{"do": "insist"}, {"do": "bid", "cards": []}, {"do": 5}])
            request = self._new_id("act")
            socket.asks("act", request, room=self.room, window=window, action=action)

    async def _is_cut(self) -> None:
        if self.present:
            self.goes(self.luck.choice(self.present))

    async def _comes_back(self) -> None:
        missing = [one for one in self.visitors if one not in self.present]
        if missing:
            visitor = self.luck.choice(missing)
            self.goes(visitor)
            await self.comes(visitor)

    async def _displaces(self) -> None:
        visitor = self.luck.choice(self.players)
        older = visitor.socket
        await self.comes(visitor)
        if older is not None and self.luck.random() < 0.5:
            older.drops()

    async def _looks_on(self) -> None:
        looker = Visitor(await self.world.served.guest("Eve"), False)
        looker = self.luck.choice([looker, Visitor(None, False)])
        self.lookers.append(looker)
        await self.comes(looker)

    async def _vanishes(self) -> None:
        for looker in self.lookers:
            self.goes(looker)

    async def _says(self) -> None:
        speakers = [one for one in self.present if one.guest is not None]
        if not speakers:
            return
        speaker = self.luck.choice(speakers)
        assert speaker.socket is not None
        to = self.luck.choice(["table", "spectators", 0, 2])
        fields = {"room": self.room, "to": to, "text": "Grüezi!"}
        request = speaker.socket.asks("say", self._new_id("say"), **fields)
        if self.luck.random() < 0.2:
            speaker.socket.repeats(request)
        if self.luck.random() < 0.5:
            muted = {"player": self.guest_of(speaker).player, "muted": self.luck.random() < 0.5}
            await self.post("mutes", self._host, muted)

    async def _leaves(self) -> None:
        if self.present:
            visitor = self.luck.choice(self.present)
            assert visitor.socket is not None
            visitor.socket.asks("leave", room=self.room)

    async def _meets_a_fault(self) -> None:
        if self.luck.random() < 0.3:
            self.world.store.fault = self.luck.choice([*Fault])

    async def _asks_the_lobby(self) -> None:
        served = self.world.served
        await served.get("/v1/rooms?limit=2")
        await self.post(self.luck.choice(["seats", "bots", "start"]), self._host)
        self.half_opens()


def _open_window(standing: Standing) -> int | None:
    """Return the number of the window that was open when the room was closed."""
    if standing.status == "finished" or standing.state is None:
        return None
    window = GAMES[standing.founding.game].window(standing.state)
    return None if window is None else window.number


async def played(rough: Rough) -> Life:
    """Play to the end, whatever happens meanwhile; then somebody comes late."""
    await rough.made()
    await rough.all_come()
    await rough.starts()
    while rough.status != "finished":
        await rough.happens()
        if not any(player in rough.present for player in rough.players):
            await rough.comes(rough.luck.choice(rough.players))
        rough.breathe()
        yield rough.world.clock.now() + rough.luck.randrange(1_000)
    late = Visitor(None, False)
    rough.lookers.append(late)
    await rough.comes(late)
    rough.ends(await rough.kept())


async def unfilled(rough: Rough) -> Life:
    """Some sit down, some get up or are sent away; nobody ever starts it."""
    seats = rough.luck.choice([3, 4, 5])
    await rough.made(seats, 2, game="kunstmarkt", options={})
    for player in rough.players:
        await rough.comes(player)
        rough.half_opens()
        yield rough.world.clock.now() + rough.luck.randrange(3_000)
    by = rough.guest_of(rough.luck.choice(rough.players))
    await rough.world.served.delete(f"/v1/rooms/{rough.room}/seats/1", by=by)
    await rough.post("bots", rough.guest_of(rough.players[0]), {"level": "easy"})
    yield rough.world.clock.now() + 31 * MINUTE_MS
    assert rough.status == "closed"
    rough.ends(await rough.kept())


async def abandoned(rough: Rough) -> Life:
    """Begin, and all go away for good; the game waits for them, or goes on by itself."""
    await rough.made(pace=rough.luck.choice(["untimed", "quick"]))
    await rough.all_come()
    await rough.starts()
    for _ in range(rough.luck.randrange(4)):
        await rough.happens()
        yield rough.world.clock.now()
    for player in rough.players:
        rough.goes(player)
    yield rough.world.clock.now() + 40 * MINUTE_MS
    assert rough.status in ("closed", "finished")
    rough.ends(await rough.kept())


async def resigned(rough: Rough) -> Life:
    """All give up, one after the other; the game goes on by itself."""
    await rough.made()
    await rough.all_come()
    await rough.starts()
    for player in rough.players:
        await rough.resigns(player)
        await rough.happens()
        yield rough.world.clock.now() + rough.luck.randrange(5_000)
    while rough.status not in ("finished", "closed"):
        rough.breathe()
        yield rough.world.clock.now() + BREATH_MS
    rough.ends(await rough.kept())


async def slept_through(rough: Rough) -> Life:
    """Nobody answers anything, but all are there."""
    await rough.made(pace=rough.luck.choice(["quick", "standard"]))
    await rough.all_come()
    await rough.starts()
    while rough.status != "finished":
        rough.breathe()
        yield rough.world.clock.now() + BREATH_MS
    rough.ends(await rough.kept())


async def with_bots(rough: Rough) -> Life:
    """House bots play a whole game with somebody who is hardly ever there."""
    game = rough.luck.choice(["kunstmarkt", "vernissage"])
    await rough.made(3, 1, game=game, options={}, bots=BOTS * 2, pace="quick")
    await rough.starts()
    await rough.all_come()
    while rough.status not in ("finished", "closed"):
        rough.breathe()
        yield rough.world.clock.now() + BREATH_MS
    rough.ends(await rough.kept())


# How often each is lived, in a thousand.
LIVES: dict[Callable[[Rough], Life], int] = {
    played: 500,
    unfilled: 150,
    abandoned: 150,
    resigned: 100,
    slept_through: 90,
    with_bots: 10,
}
