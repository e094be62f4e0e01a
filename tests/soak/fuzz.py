"""`python -m tests.soak fuzz`: hostile frames by the million, and whatever bytes at a real port.

What is read is read or refused as documented; a socket gives each request one answer or is closed
with a documented code; no frame takes more than a bounded time or memory; and whoever sits at the
same table notices nothing. The same seed sends the same frames. A frame that breaks a promise is
printed as hex, with what it takes to send it again.
"""

import argparse
import asyncio
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from time import monotonic, thread_time_ns
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from saleroom_protocol.codec import JSON, MSGPACK, Codec, Unacceptable
from saleroom_protocol.errors import CloseCode, ProtocolViolation, Reason
from saleroom_protocol.http import HouseBot, Mute, NewPlayer, NewRoom, TakeSeat
from saleroom_protocol.limits import Limits
from saleroom_protocol.messages import Act, ClientPong
from saleroom_rules.games import GAMES
from saleroom_server.http.answering import Nothing
from saleroom_server.http.lobby import decoded
from saleroom_server.owner import founding, house
from saleroom_server.rooms.commands import Caller, Refusal
from tests.soak import raw_bytes
from tests.soak.hostile import Hostile
from tests.support.games import TOY
from tests.support.hand_clock import quiet
from tests.support.logged import complaints
from tests.support.nodes import PEOPLE, Node
from tests.support.sockets import ANSWERS, Socket, plain_entry

LIMITS = Limits()
CODECS = (MSGPACK, JSON)
BODIES: list[Any] = [NewPlayer, NewRoom, TakeSeat, HouseBot, Mute, Nothing]

# What one frame may cost: generous, for a machine that is busy with other things too.
SLOWEST_MS = 250
MEMORY, MEMORY_A_BYTE = 256 * 1024, 128  # bytes at the most, and for each byte of the frame

LOT = 500  # frames, then another table, or the memory is measured anew
TRACED = 20  # every so manieth lot is read with its memory traced, which takes much longer
CIVIL = 80  # at a gateway, lest hardly any socket live long enough to follow a room
STRANGERS = ["player", "spectator", "anonymous", "not joined", "nobody", "greeting"]


class Broken(Exception):
    """A promise that was broken, and the frame that did it."""

    def __init__(self, frame: bytes, codec: Codec) -> None:
        super().__init__(f"{codec.subprotocol}, frame {frame.hex() or 'empty'}")


class Costs:
    """The dearest frames so far."""

    def __init__(self) -> None:
        self.slowest, self.slowest_frame = 0, b""  # nanoseconds of CPU
        self.largest = 0.0  # share of what a frame may take of the memory

    def took(self, nanoseconds: int, frame: bytes) -> None:
        if nanoseconds > self.slowest:
            self.slowest, self.slowest_frame = nanoseconds, frame
        assert nanoseconds <= SLOWEST_MS * 1_000_000, f"{nanoseconds / 1e6} ms"

    def held(self, size: int, frame: bytes) -> None:
        share = size / (MEMORY + MEMORY_A_BYTE * len(frame))
        self.largest = max(self.largest, share)
        assert share <= 1, f"{size} bytes of memory"

    def __str__(self) -> str:
        return (
            f"slowest {self.slowest / 1e6:.2f} ms of CPU ({len(self.slowest_frame)} bytes, "
            f"{self.slowest_frame[:16].hex()}…), most memory {self.largest:.0%} of what is allowed"
        )


def arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be set."""
    parser.add_argument("--frames", type=int, default=1_000_000, help="in all, of every kind")
    parser.add_argument("--port-seconds", type=int, default=60, help="bytes at a real port")
    parser.add_argument("--seed", type=int, default=1)


def run(chosen: argparse.Namespace) -> int:
    """Fuzz and report."""
    parts: dict[str, tuple[Callable[[Random, int], str], float]] = {
        "read": (reading, 0.5),
        "asked of the lobby": (asking, 0.1),
        "at a gateway": (connecting, 0.4),
    }
    for name, (part, share) in parts.items():
        begun, frames = monotonic(), int(chosen.frames * share)
        try:
            told = part(Random(f"{chosen.seed} {name}"), frames)
        except Broken as broken:
            print(f"{name}, seed {chosen.seed}: {broken}: {broken.__cause__!r}")
            return 1
        print(f"{name}: {frames} frames, {monotonic() - begun:.0f} s; {told}", flush=True)
    if chosen.port_seconds:
        print("at a port:", raw_bytes.attack(chosen.port_seconds, Random(chosen.seed)))
    return 0


# Reading


def reading(luck: Random, frames: int) -> str:
    """Read frames, and the actions in them; return what it cost.

    Raises:
        Broken: something undocumented happened.
    """
    costs, came = Costs(), Counter[str]()
    for number, frame, codec in _frames(luck, frames):
        _trace(number)
        try:
            came[_measured(partial(_read, codec, frame), frame, costs)] += 1
        except Exception as error:
            raise Broken(frame, codec) from error
    tracemalloc.stop()
    return f"{costs}; " + _told(came)


def asking(luck: Random, frames: int) -> str:
    """Read bodies as the lobby does; return what it cost.

    Raises:
        Broken: something undocumented happened.
    """
    costs, came = Costs(), Counter[str]()
    hostile = Hostile(luck, JSON, [""])
    for number in range(frames):
        _trace(number)
        wanted = luck.choice(BODIES)
        body = hostile.body(wanted.__struct_fields__)
        try:
            came[_measured(partial(_ask, wanted, body), body, costs)] += 1
        except Exception as error:
            raise Broken(body, JSON) from error
    tracemalloc.stop()
    return f"{costs}; " + _told(came)


def _frames(luck: Random, frames: int) -> Iterator[tuple[int, bytes, Codec]]:
    writers = [(codec, Hostile(luck, codec, ["raaaaaaaaaaaa", "r", ""])) for codec in CODECS]
    for number in range(frames):
        codec, writer = writers[number % 2]
        yield number, writer.frame(), codec


def _read(codec: Codec, frame: bytes) -> str:
    """Read a frame as a connection does; return what came of it."""
    try:
        message = codec.read_request(frame, LIMITS)
        if isinstance(message, Act):
            codec.read_action(message.action, Any)
    except ProtocolViolation as violation:
        return violation.code.name.lower()
    except Unacceptable:
        return "malformed"
    return type(message).__name__


def _ask(wanted: Any, body: bytes) -> str:
    try:
        asked = decoded(body, wanted, LIMITS)
        if isinstance(asked, NewRoom):
            founding.found_room(asked, Caller("p" + "a" * 16, "A"), house.levels(), 1)
    except Refusal as refusal:
        return str(refusal.reason)
    return str(wanted.__name__)


def _trace(number: int) -> None:
    """Have the memory traced for some lots of frames."""
    if not number % LOT:
        if number // LOT % TRACED:
            tracemalloc.stop()
        else:
            tracemalloc.start()


def _measured(read: Callable[[], str], frame: bytes, costs: Costs) -> str:
    if tracemalloc.is_tracing():
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        came = read()
        costs.held(tracemalloc.get_traced_memory()[1] - before, frame)
    else:
        begun = thread_time_ns()
        came = read()
        costs.took(thread_time_ns() - begun, frame)
    return came


def _told(came: Counter[str]) -> str:
    return ", ".join(f"{what} {count}" for what, count in came.most_common())


# Connecting


class Table:
    """A game, its two other players and a spectator; and a stranger who sends what he likes.

    He holds a seat too. What he does by the rules is his right.
    """

    def __init__(self, luck: Random, costs: Costs, came: Counter[str]) -> None:
        self._luck, self._costs, self._came = luck, costs, came
        self.node = Node()
        self.room = ""
        self._expected = 0  # answers on the socket that is open

    async def opens(self) -> None:
        await self.node.opens()
        self.room = await self.node.starts(game="toy", options={"short": True}, pace="untimed")
        hidden = await self.node.makes(PEOPLE[4], visibility="private")
        self.rooms = [self.room] * 4 + [hidden.room, "raaaaaaaaaaaa", ""]
        self._players = [self.node.joined(self.room, caller) for caller in PEOPLE[1:3]]
        self._watcher = self.node.joined(self.room, as_="spectator")

    def comes(self, codec: Codec) -> Socket:
        """Let the stranger open a socket, as one of those he may be."""
        kind = self._luck.choice(STRANGERS)
        socket, self._expected = self.node.socket(codec), 0
        socket.stray = True
        if kind != "greeting":
            self._expected += 1  # a welcome
            known = {"player": PEOPLE[0], "not joined": PEOPLE[0], "spectator": PEOPLE[5]}
            socket.greets(known.get(kind), checks=self._luck.random() < 0.5)
        if kind in ("player", "spectator", "anonymous"):
            socket.joins(self.room, "player" if kind == "player" else "spectator")
            self._expected += 1
        self._hostile = Hostile(self._luck, codec, self.rooms, civility=CIVIL)
        return socket

    async def suffers(self, socket: Socket, frame: bytes) -> None:
        """Let the stranger send a frame; check that it was answered, or the socket closed."""
        begun = thread_time_ns()
        socket.sends(frame)
        await quiet()
        self._costs.took(thread_time_ns() - begun, frame)
        self._expected += not _asks_nothing(socket.codec, frame)
        told = socket.told(*ANSWERS)
        if socket.closed is None:
            assert len(told) == self._expected, "one answer a request"
            self._came.update(answer["type"] for answer in told)
        else:
            assert socket.closed in {*CloseCode}
            assert socket.last["type"] in ("error", "closing", "left")
            self._came[str(socket.closed)] += 1
        for refused in socket.told("refused"):
            assert refused["reason"] in {*Reason} - {Reason.INTERNAL_ERROR}
        socket.forgets()
        self._expected = 0

    def frame(self) -> bytes:
        return self._hostile.frame()

    async def goes_on(self) -> None:
        """Let the others answer if they are asked, and time pass."""
        for player in self._players:
            await self._answers(player)
        await self.node.clock.passes(self._luck.choice([0, 10, 100]))
        self.node.sweeps()

    async def ends(self) -> None:
        """Check that nobody else was disturbed, and play the game to its end."""
        players = [*self._players, self.node.joined(self.room, PEOPLE[0])]
        for _ in range(60):
            if self._watcher.document(self.room)["status"] == "finished":
                break
            for player in players:
                await self._answers(player)
            await self.node.clock.passes(6_000)  # a seat that has resigned answers by itself
            for player in [*players, self._watcher]:
                player.says(type="pong")
        else:
            raise AssertionError("the game cannot be played to its end")
        for other in [*players, self._watcher]:
            assert (other.closed, other.unanswered) == (None, 0)
            assert other.followed(self.room).seq == self.node.room(self.room).seq
        await self.node.closes()

    async def _answers(self, player: Socket) -> None:
        document = player.document(self.room)
        if document.get("legal"):
            player.acts(self.room, plain_entry(document["legal"], self._luck))
            await quiet()


def connecting(luck: Random, frames: int) -> str:
    """Send frames to a gateway; return what it cost.

    Raises:
        Broken: a promise was broken.
    """
    costs, came = Costs(), Counter[str]()
    drawn = SimpleNamespace(token_bytes=luck.randbytes)  # ids of rooms stand in frames
    with patch.dict(GAMES, toy=TOY), patch.object(founding, "secrets", drawn):
        for done in range(0, frames, LOT):
            asyncio.run(_one_table(luck, min(LOT, frames - done), costs, came))
    return f"{costs}; " + _told(came)


async def _one_table(luck: Random, frames: int, costs: Costs, came: Counter[str]) -> None:
    table, codec, frame = Table(luck, costs, came), luck.choice(CODECS), b""
    with complaints() as complained:
        try:
            await table.opens()
            socket = table.comes(codec)
            for number in range(frames):
                if socket.closed is not None or luck.random() < 0.01:
                    socket.drops()
                    codec = luck.choice(CODECS)
                    socket = table.comes(codec)
                frame = table.frame()
                await table.suffers(socket, frame)
                assert not complained, complained
                if not number % 10:
                    await table.goes_on()
            socket.drops()
            await table.ends()
            assert asyncio.all_tasks() == {asyncio.current_task()}
        except Exception as error:
            raise Broken(frame, codec) from error


def _asks_nothing(codec: Codec, frame: bytes) -> bool:
    try:
        return isinstance(codec.read_request(frame, LIMITS), ClientPong)
    except ProtocolViolation:
        return False
