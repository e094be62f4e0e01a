"""A room of a toy game as the server's side of the protocol, and a server of such rooms.

The game: seat 0 is asked again and again to count on, until it has counted often enough. Every
frame the server is about to write passes through a script, which may lose it, double it, change
it, cut the line or close it.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from saleroom_client import Outside
from saleroom_protocol.codec import MSGPACK
from saleroom_protocol.limits import Limits
from saleroom_protocol.messages import (
    Accepted,
    Act,
    ClientMessage,
    ClientPing,
    ClientPong,
    Closing,
    Cursor,
    Error,
    Hello,
    Join,
    Joined,
    Leave,
    Refused,
    Said,
    Say,
    ServerMessage,
    Speaker,
    Update,
    View,
    Welcome,
)
from saleroom_protocol.patch import diff
from tests.support.witness import check

ROOM = "raaaaaaaaaaaa"
TOKEN = "t0ken"
LIMITS = Limits()

Plain: TypeAlias = dict[str, Any]


class Table:
    """One room as the server keeps it: every state there was, and what was accepted."""

    def __init__(self, room: str = ROOM, asks: int = 4) -> None:
        self.room, self.asks, self.epoch = room, asks, "e1"
        self.seq = 10
        self.document = self._asking({"room": room, "game": "toy", "edition": 1, "count": 0}, 1)
        self.states = {self.seq: self.document}
        self.updates: list[Update] = []
        self.receipts: dict[str, tuple[object, Accepted]] = {}
        self.said: list[Said] = []
        self.effects: Counter[str] = Counter()

    # What the server says of its own accord

    def step(self, change: Callable[[Plain], Any], *events: str) -> Update:
        """Do one command: change the document; return the update."""
        document = deepcopy(self.document)
        change(document)
        self.seq += 1
        update = Update(
            room=self.room,
            epoch=self.epoch,
            seq=self.seq,
            at=self.seq,
            patch=diff(self.document, document),
            events=tuple({"event": event} for event in events),
            check=check(document),
        )
        self.document, self.states[self.seq] = document, document
        self.updates.append(update)
        return update

    def presence(self) -> Update:
        """Do a command that has nothing to do with the game."""
        return self.step(lambda document: document.update(spectators=self.seq), "presence")

    def load(self) -> View:
        """Load the room anew: another epoch, nothing at hand to resume from."""
        self.epoch = f"e{int(self.epoch[1:]) + 1}"
        self.updates.clear()
        return self.view()

    def view(self) -> View:
        """Return the whole document."""
        document = deepcopy(self.document)
        return View(
            room=self.room,
            epoch=self.epoch,
            seq=self.seq,
            at=self.seq,
            document=document,
            check=check(document),
        )

    # What it answers

    def join(self, join: Join) -> list[ServerMessage]:
        """Answer a join: from the cursor on if that is at hand."""
        cursor = join.cursor
        resumed = (
            cursor is not UNSET
            and cursor.epoch == self.epoch
            and self.seq - len(self.updates) <= cursor.seq <= self.seq
        )
        head = Cursor(epoch=self.epoch, seq=self.seq)
        joined = Joined(
            id=join.id, room=self.room, viewer=0, cursor=head, resumed=resumed, now=self.seq
        )
        after = 0 if join.said_after is UNSET else join.said_after
        said = [said for said in self.said if said.number > after]
        if cursor is not UNSET and resumed:
            return [joined, *said, *(one for one in self.updates if one.seq > cursor.seq)]
        return [joined, *said, self.view()]

    def act(self, act: Act) -> list[ServerMessage]:
        """Answer an act, exactly once."""
        content = (act.window, bytes(act.action))
        if act.id in self.receipts:
            known, receipt = self.receipts[act.id]
            return [receipt if known == content else refused(act, "id_reused")]
        if "result" in self.document:
            return [refused(act, "game_over")]
        action = msgspec.msgpack.decode(act.action)
        if act.window is UNSET and action != {"do": "resign"}:
            return [refused(act, "window_needed")]
        if act.window is not UNSET and act.window != self.document["window"]["number"]:
            return [refused(act, "window_closed")]
        self.effects[act.id] += 1
        updates = self.take(action)
        receipt = Accepted(id=act.id, seq=updates[0].seq)
        self.receipts[act.id] = content, receipt
        return [*updates, receipt]

    def take(self, action: Plain) -> list[Update]:
        """Take an action; return the updates that follow, the first being its own."""
        if action == {"do": "resign"}:
            return [self.step(self.end, "resigned", "finished")]
        return [self.step(lambda document: self._count(document, action["by"]), "counted")]

    def say(self, say: Say) -> list[ServerMessage]:
        """Answer a say, exactly once."""
        if say.id in self.receipts:
            return [self.receipts[say.id][1]]
        self.effects[say.id] += 1
        number = len(self.said) + 1
        said = Said(
            room=self.room,
            number=number,
            from_=Speaker(seat=0),
            to=say.to,
            text=say.text,
            at=number,
        )
        self.said.append(said)
        self.receipts[say.id] = say.text, Accepted(id=say.id)
        return [said, Accepted(id=say.id)]

    def _count(self, document: Plain, by: int) -> None:
        document["count"] += by
        number = document["window"]["number"]
        if number == self.asks:
            self.end(document)
        else:
            self._asking(document, number + 1)

    def _asking(self, document: Plain, number: int) -> Plain:
        window = {"number": number, "kind": "turn", "seats": [0], "answered": [], "facts": {}}
        choose = {"by": {"one_of": [2, 3]}}
        legal = [{"do": "count", "by": 1}, {"do": "count", "choose": choose}]
        you = {"seat": 0, "anytime": [{"do": "resign"}]}
        document |= {"status": "running", "window": window, "legal": legal, "you": you}
        return document

    def end(self, document: Plain) -> None:
        """Change the document to that of a finished game."""
        document |= {"status": "finished", "result": {"reason": "counted", "places": {"0": 1}}}
        del document["window"], document["legal"]


def refused(request: Any, reason: str, **facts: Any) -> Refused:
    """Return a refusal of a request."""
    return Refused(id=request.id, reason=reason, facts=facts, message="Scripted.")


def welcome() -> Welcome:
    """Return what every socket is greeted with."""
    return Welcome(
        player="paaaaaaaaaaaaaaaa",
        name="Bot 0",
        protocol=1,
        server="scripted/1",
        now=1_000_000,
        features=(),
        heartbeat_ms=20_000,
        silence_ms=45_000,
        limits=LIMITS,
    )


# A server of such rooms


class Cut:
    """In a script: the line breaks here, without a close frame."""


@dataclass(frozen=True)
class Close:
    """In a script: the socket is closed here, with this code."""

    code: int


Written: TypeAlias = Any  # a message, Cut, Close
Script: TypeAlias = Callable[[int, ServerMessage], Sequence[Written]]


def straight(index: int, message: ServerMessage) -> Sequence[Written]:
    """Write every message as it is."""
    return [message]


def at(place: int, *written: Written) -> Script:
    """Write something else in place of the message with this number, counted over all sockets."""
    return lambda index, message: written if index == place else [message]


@dataclass
class House:
    """A server: its rooms, what was sent to it, and what is to go wrong.

    Attributes:
        refusals: reasons to refuse with, and facts, by type of request, first to last.
        tokens: those it takes.
        received: every message, in order, over all sockets.
        sockets: how many there have been.
    """

    tables: list[Table] = field(default_factory=lambda: [Table()])
    script: Script = straight
    refusals: defaultdict[type, list[tuple[str, Plain]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    tokens: tuple[str, ...] = (TOKEN,)
    received: list[ClientMessage] = field(default_factory=list)
    sockets: int = 0
    written: int = 0
    url: str = ""
    news: asyncio.Event = field(default_factory=asyncio.Event)
    open: set[ServerConnection] = field(default_factory=set)

    @property
    def table(self) -> Table:
        return self.tables[0]

    def of(self, kind: type) -> list[Any]:
        """Return what was received of one type."""
        return [message for message in self.received if isinstance(message, kind)]

    async def gets(self, kind: type) -> None:
        """Wait until a message of this type has been received."""
        while not self.of(kind):
            self.news.clear()
            await self.news.wait()

    async def serve(self, socket: ServerConnection) -> None:
        """Serve one socket."""
        self.sockets += 1
        self.open.add(socket)
        joined: set[str] = set()
        try:
            async for frame in socket:
                assert isinstance(frame, bytes)
                message = MSGPACK.read_request(frame, LIMITS)
                assert not isinstance(message, Refused), message
                self.received.append(message)
                self.news.set()
                for reply in self._answer(message, joined):
                    if not await self.write(socket, reply):
                        return
        except ConnectionClosed:
            pass
        finally:
            self.open.discard(socket)

    async def tell(self, *messages: Written) -> None:
        """Write something of the server's own accord to every socket."""
        for socket in list(self.open):
            for message in messages:
                await self.write(socket, message)

    async def write(self, socket: ServerConnection, message: Written) -> bool:
        """Write a message, or what the script makes of it; return whether the socket is open."""
        index, self.written = self.written, self.written + 1
        for item in self.script(index, message):
            if isinstance(item, Cut):
                socket.transport.abort()
                await socket.wait_closed()
                return False
            if isinstance(item, Close):
                await socket.close(item.code)
                return False
            await socket.send(item if isinstance(item, bytes) else MSGPACK.encode(item))
        return True

    def _answer(self, message: ClientMessage, joined: set[str]) -> Iterator[Written]:
        if self.refusals[type(message)]:
            reason, facts = self.refusals[type(message)].pop(0)
            yield refused(message, reason, **facts)
            return
        match message:
            case Hello():
                yield from self._greet(message)
            case ClientPing() | ClientPong():
                pass
            case Join() | Leave() | Act() | Say():
                yield from self._request(message, joined)

    def _greet(self, hello: Hello) -> Iterator[Written]:
        if hello.token is UNSET or hello.token in self.tokens:
            yield welcome()
        else:
            yield Error(reason="bad_token", message="The token is too old.")
            yield Close(4000)

    def _request(self, message: Join | Leave | Act | Say, joined: set[str]) -> Iterator[Written]:
        tables = {table.room: table for table in self.tables}
        table = tables.get(message.room)
        if table is None:
            yield refused(message, "unknown_room")
        elif isinstance(message, Join):
            joined.add(message.room)
            yield from table.join(message)
        elif message.room not in joined:
            yield refused(message, "not_joined")
        elif isinstance(message, Leave):
            joined.discard(message.room)
            yield Accepted(id=message.id)
        else:
            yield from table.act(message) if isinstance(message, Act) else table.say(message)


@asynccontextmanager
async def serving(house: House) -> AsyncIterator[House]:
    """Serve on a port of the loopback for as long as it takes, but never for ever."""
    subprotocol = Subprotocol(MSGPACK.subprotocol)
    async with (
        asyncio.timeout(20),
        serve(house.serve, "127.0.0.1", 0, subprotocols=[subprotocol]) as server,
    ):
        port = next(iter(server.sockets)).getsockname()[1]
        house.url = f"http://127.0.0.1:{port}"
        yield house


@dataclass
class Instant:
    """A world in which waiting takes no time but is written down."""

    slept: list[float] = field(default_factory=list)
    now: float = 0.0

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def outside(self, **parts: Any) -> Outside:
        """Return it as the SDK takes it; the dice always show a half."""
        world = {"sleep": self.sleep, "clock": lambda: self.now, "random": lambda: 0.5}
        return Outside(**world | parts)


def closing(reason: str, retry_after_ms: int) -> Closing:
    """Return the announcement of a close."""
    return Closing(reason=reason, retry_after_ms=retry_after_ms)
