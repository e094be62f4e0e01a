"""A node without a network: hall and gateway as they are, a clock moved by hand."""

import asyncio
from collections.abc import Iterator
from random import Random
from typing import Any, cast

from msgspec import UNSET

from saleroom_protocol.codec import MSGPACK, Codec
from saleroom_protocol.http import NewRoom, NewRoomInfo
from saleroom_protocol.limits import Limits
from saleroom_server.cluster.bus import Bus
from saleroom_server.cluster.peer_limits import PeerLimits
from saleroom_server.cluster.peers import Peers
from saleroom_server.gateway.gateway import Gateway
from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.metrics import Metrics
from saleroom_server.owner import house
from saleroom_server.owner.actor import Actor
from saleroom_server.owner.advisers import AdviceLimits, Advising, ProcessAdvisers
from saleroom_server.owner.elsewhere import Alone
from saleroom_server.owner.hall import Hall
from saleroom_server.owner.surroundings import OwnerLimits, Surroundings
from saleroom_server.rooms.commands import Caller, Start, TakeSeat
from saleroom_server.rooms.journal import decode
from saleroom_server.rooms.limits import RoomLimits
from saleroom_server.rooms.room import Room, Thought
from saleroom_server.store.watched import WatchedStore
from saleroom_server.tokens import Tokens
from tests.support.hand_clock import HandClock, quiet
from tests.support.memory_store import Kept, MemoryStore
from tests.support.shared_store import SharedMemoryStore
from tests.support.sockets import As, Message, Socket

PEOPLE = [Caller(f"p{letter * 16}", f"Person {letter}", "person") for letter in "abcdefgh"]
KEY = b"a key that signs what tests need"
DAY_MS = 24 * 3_600_000

AT_ANY_TIME = RoomLimits(anytime_ms=0)  # a hand-moved clock may stand still for many actions


class Node:
    """One server without its listening socket."""

    def __init__(
        self,
        kept: Kept | None = None,
        clock: HandClock | None = None,
        *,
        owner: OwnerLimits | None = None,
        room: RoomLimits | None = None,
        gateway: GatewayLimits | None = None,
        limits: Limits | None = None,
        think: Thought = house.think,
        store: SharedMemoryStore | None = None,
        bus: Bus | None = None,
        adviser: Advising | None = None,
        advice: AdviceLimits | None = None,
    ) -> None:
        self.clock = clock or HandClock()
        self.store = store or MemoryStore(kept, self.clock.now)
        self.tokens = Tokens(KEY, DAY_MS)
        self.metrics = Metrics()
        self.advisers = ProcessAdvisers(
            advice or AdviceLimits(processes=0 if adviser is None else 1),
            self.clock,
            self.metrics,
            lambda: cast(Advising, adviser),
        )
        self.gateway = Gateway(
            self.clock,
            self.tokens,
            limits or Limits(),
            gateway or GatewayLimits(),
            Random(7),
            self.metrics,
        )
        self.limits, self.room_limits = owner or OwnerLimits(), room or AT_ANY_TIME
        self.peers = None
        if store is not None and bus is not None:
            self.peers = Peers(store, bus, self.clock, PeerLimits(), self.room_limits, self.metrics)
        self.hall = Hall(
            Surroundings(
                store=WatchedStore(self.store, self.metrics, self.clock, told_ms=10_000),
                clock=self.clock,
                room_limits=self.room_limits,
                limits=self.limits,
                think=think,
                levels=house.levels(),
                deliver=(self.peers or self.gateway).deliver,
                metrics=self.metrics,
                others=self.peers or Alone(),
                advisers=self.advisers,
            )
        )
        self.gateway.serve(self.hall.actor, self.hall.sees)

    async def opens(self) -> "Node":
        if self.peers is not None:
            self.peers.serve(self.hall, self.gateway)
            await self.peers.open()
        await self.hall.open()
        return self

    async def closes(self) -> None:
        self.store.let_go()
        self.gateway.drain()
        closing = asyncio.create_task(self.hall.close())
        await self.clock.passes(self.limits.retry_ms)
        assert closing.done(), "nothing keeps a server from ending"
        await closing
        await self.advisers.close()
        await self.store.close()

    async def crashes(self) -> Kept:
        """Be no more, in the middle of whatever it was; return what is on disk."""
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for actor in self.hall._actors.values():
            actor.stop()
        return self.store.kept

    def sweeps(self) -> None:
        """Look after all sockets, as a server does now and then."""
        for _ in self.gateway.sweep_in_parts():
            pass

    # People and rooms

    def token(self, caller: Caller) -> str:
        return self.tokens.issue(caller, self.clock.now()).token

    def socket(self, codec: Codec = MSGPACK, address: str = "192.0.2.1") -> Socket:
        """Open a socket that has said nothing yet."""
        return Socket(self, codec, address)

    def greeted(
        self,
        caller: Caller | None = None,
        codec: Codec = MSGPACK,
        address: str = "192.0.2.1",
        **fields: Any,
    ) -> Socket:
        """Open a socket, and say hello."""
        socket = self.socket(codec, address)
        socket.greets(caller, **fields)
        return socket

    def joined(
        self,
        room: str,
        caller: Caller | None = None,
        as_: As = "player",
        codec: Codec = MSGPACK,
        **fields: Any,
    ) -> Socket:
        """Open a socket, say hello, and join a room that is in memory."""
        socket = self.greeted(caller, codec, checks=True)
        answer = socket.answer(socket.joins(room, as_, **fields))
        assert answer["type"] == "joined"
        return socket

    def actor(self, room: str) -> Actor:
        actor = self.hall.actor(room)
        assert actor is not None
        return actor

    def room(self, room: str) -> Room:
        loaded = self.actor(room).room
        assert loaded is not None
        return loaded

    async def loaded(self, room: str) -> Room:
        """Return a room, read back first if it is not in memory."""
        room_here = await self.actor(room).loaded()
        assert room_here is not None
        return room_here

    async def makes(self, creator: Caller = PEOPLE[0], **fields: Any) -> NewRoomInfo:
        """Make a room of three, the creator in seat 0."""
        asked = NewRoom(**{"game": "kunstmarkt", "seats": 3, **fields})
        return await self.hall.create(asked, creator, None)

    async def seats(self, room: str, *people: Caller, invite: str | None = None) -> None:
        """Let people sit down, one after the other."""
        for caller in people:
            command = TakeSeat(caller, invite=UNSET if invite is None else invite)
            await self.actor(room).ask(command)

    async def starts(self, **fields: Any) -> str:
        """Make a room of three people in which the game has begun; nobody follows it."""
        made = await self.makes(**fields)
        await self.seats(made.room, *PEOPLE[1:3], invite=made.invite)
        await self.actor(made.room).ask(Start(PEOPLE[0]))
        return made.room

    async def plays(self, **fields: Any) -> "Table":
        """Begin a game of three people, each at a socket."""
        room = await self.starts(**fields)
        table = Table(self, room, [self.joined(room, caller) for caller in PEOPLE[:3]])
        await self.clock.passes(0)
        return table


class Table:
    """A game under way, and the sockets of its players by seat."""

    def __init__(self, node: Node, room: str, sockets: list[Socket]) -> None:
        self.node, self.room, self.sockets = node, room, sockets

    @property
    def document(self) -> Message:
        return self.sockets[0].document(self.room)

    @property
    def window(self) -> Message:
        window: Message = self.document["window"]
        return window

    @property
    def asked(self) -> Socket:
        """The socket of the first seat that owes an answer."""
        return self.sockets[self.asked_seat]

    @property
    def asked_seat(self) -> int:
        """The first seat that owes an answer."""
        window = self.window
        return next(int(seat) for seat in window["seats"] if seat not in window["answered"])

    def acts(self, **fields: Any) -> tuple[Socket, str]:
        """Let whoever is asked answer; return the socket, and the request's id."""
        socket = self.asked
        return socket, socket.acts(self.room, **fields)

    async def moves(self, times: int = 1) -> None:
        """Let the game go on by some answers."""
        for _ in range(times):
            socket, request = self.acts()
            await quiet()
            assert socket.answer(request)["type"] == "accepted"


def entries_of(kept: Kept, room: str) -> Iterator[str]:
    """Yield the types of the entries in a journal."""
    for body in kept.rooms[room].entries:
        yield str(decode(body).entry.__struct_config__.tag)
