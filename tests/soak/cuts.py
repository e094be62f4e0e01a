"""`python -m tests.soak cuts`: the line breaks at every single step, and the client comes back.

A session is played once undisturbed, which counts its steps: frames that arrive at either end, and
turns of the event loop. Then it is played again for every step, the line breaking there, and for
every frame of the server, that frame getting lost. Each time the client must arrive at what the
server has, have heard every number once, have one receipt for each request, which took effect once;
and when all have gone, nothing may be left of it.
"""

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Iterator
from itertools import product
from time import monotonic
from typing import Any, TypeAlias, get_args
from unittest.mock import patch

import msgpack
from msgspec import UNSET

from saleroom_protocol.codec import MSGPACK
from saleroom_rules.games import GAMES
from tests.support.games import TOY
from tests.support.hand_clock import HandClock
from tests.support.inventory import inventory
from tests.support.lines import Fate, Network, When
from tests.support.nodes import PEOPLE, Node
from tests.support.returning import Client, Stream
from tests.support.sockets import Socket, plain_entry

TRIES = 12  # of the client to come to rest
HOURS_MS = 2 * 3_600_000


class Session:
    """One player at a client that comes back, two others at sockets that never break.

    Attributes:
        said: what was said at each table, in order.
        acts: how often the client has acted, by room.
    """

    def __init__(self, fate: Fate) -> None:
        self.network, self.clock = Network(fate), HandClock()
        self.clock.quiet = self._moves
        self.node = Node(clock=self.clock)
        self.client = Client(self.network, self.node.token(PEOPLE[0]))
        self.others: dict[str, list[Socket]] = {}
        self.said: dict[str, int] = {}
        self.acts: dict[str, int] = {}

    # What happens in it

    async def begins(self) -> str:
        """Begin a game, the other two at their sockets; return the room."""
        room = await self.node.starts(game="toy", options={"short": True}, pace="untimed")
        self.others[room] = [self.node.joined(room, caller) for caller in PEOPLE[1:3]]
        self.said[room] = self.acts[room] = 0
        return room

    async def opens(self) -> None:
        """Let the client open a socket, beside another one if it has one."""
        self.client.opens(self.node.gateway)
        await self.settles()

    async def joins(self, room: str) -> None:
        self.client.joins(room)
        await self.settles()

    def acts_in(self, room: str) -> None:
        """Let the client do the first thing that is listed."""
        document = self.client.streams[room].document
        action, window = plain_entry(document["legal"]), document["window"]["number"]
        self.client.asks("act", room, action=action, window=window)
        self.acts[room] += 1

    def says_in(self, room: str) -> None:
        self.said[room] += 1
        self.client.asks("say", room, to="table", text=f"{room} {self.said[room]}")

    async def leaves(self, room: str) -> None:
        self.client.asks("leave", room)
        await self.settles()

    async def others_act(self, room: str) -> None:
        """Let each of the others answer, if asked; and one of them speak."""
        for socket in self.others[room]:
            if "legal" in socket.document(room):
                socket.acts(room)
                await self.settles()
        self.said[room] += 1
        self.others[room][0].asks("say", room=room, to="table", text=f"{room} {self.said[room]}")
        await self.settles()

    async def restarts(self) -> None:
        """End the server, and start another one on the same store."""
        self.network.bury("late")
        await self.node.closes()
        self.node = Node(self.node.store.kept, self.clock)
        await self.node.opens()
        await self.clock.passes(1_000)
        for room in self.others:
            self.others[room] = [self.node.joined(room, caller) for caller in PEOPLE[1:3]]
            self.said[room] = 0
        for stream in self.client.streams.values():
            stream.views = 0
        await self.settles()

    # How it comes to rest

    async def settles(self) -> None:
        """Let everything happen that does so by itself; the client comes back if it must."""
        for _ in range(TRIES):
            await self.clock.passes(0)
            if self.client.line is None:
                self.client.opens(self.node.gateway)
            elif not self.client.settled:
                self._check_drop()
                self.client.gives_up()
            elif self._behind():
                self._check_drop()
                await self._news()
            else:
                break
        else:
            raise AssertionError("the client does not come to rest")
        self._check_seat()
        self.network.bury("late")

    def _check_drop(self) -> None:
        assert self.network.fate.drop is not UNSET, "it has everything unless a frame was lost"

    async def _moves(self) -> None:
        """Step until nothing moves."""
        loop: Any = asyncio.get_running_loop()
        await asyncio.sleep(0)
        while True:
            lines = [*self.client.former, self.client.line]
            line = next((line for line in lines if line is not None and line.down), None)
            if line is not None:
                self.client.takes(line)
            elif loop._ready:
                self.network.step()
                await asyncio.sleep(0)
            else:
                return

    def _followed(self) -> Iterator[tuple[str, Stream]]:
        """Yield what the client follows at the moment."""
        line = self.client.line
        for room, stream in self.client.streams.items():
            if line is not None and room in line.connection.rooms:
                yield room, stream

    def _behind(self) -> bool:
        return any(stream.seq < self.node.room(room).seq for room, stream in self._followed())

    async def _news(self) -> None:
        """Let something happen in every room: who has missed a frame finds out by the next."""
        lookers = [self.node.joined(room, as_="spectator") for room in self.others]
        await self.clock.passes(5_000)
        for looker in lookers:
            looker.drops()
        await self.clock.passes(5_000)

    def _check_seat(self) -> None:
        assert self.client.line is not None
        for room, stream in self._followed():
            following = self.node.room(room)._following
            seated = following._presence.session(0)
            assert seated == self.client.line.connection.session, "no ghost has the seat"
            scene = self.node.room(room)._stream.scene
            assert stream.document == msgpack.unpackb(MSGPACK.encode(scene.document(0)))

    # How it ends

    async def ends(self) -> None:
        """Check what has come of it; then let all go, and check that nothing is left."""
        if self.network.fate.drop is not UNSET:
            await self.opens()  # so that it hears what it has missed of the talk
        for room, stream in self.client.streams.items():
            assert stream.heard == [*range(1, self.said[room] + 1)], stream.heard
            assert stream.seqs == [*range(stream.seqs[0], stream.seqs[-1] + 1)]
            assert stream.views == 1
            self._check_effects(room)
        self.network.bury("at the end")
        self.client.gives_up()
        for sockets in self.others.values():
            for socket in sockets:
                assert (socket.closed, socket.unanswered) == (None, 0)
                socket.drops()
        await self.clock.passes(HOURS_MS)
        self.node.gateway.sweep()
        self.node.hall.sweep()
        await self.clock.passes(1_000)
        self.node.hall.sweep()
        await self.node.closes()
        assert asyncio.all_tasks() == {asyncio.current_task()}
        assert not self.clock.alarms
        left, nothing = held(self.node), held(await _closed_node())
        assert left == nothing, left - nothing

    def _check_effects(self, room: str) -> None:
        """Check that each act and each saying took effect once."""
        receipts = self.node.room(room).standing.receipts[PEOPLE[0].player or ""]
        assert len(receipts) == self.acts[room]
        assert receipts.keys() <= self.client.receipts.keys()
        for socket in self.others[room]:
            heard = [said["text"] for said in socket.told("said") if said["room"] == room]
            assert heard == [f"{room} {number}" for number in range(1, self.said[room] + 1)]


def held(node: Node) -> Any:
    """Count what a node holds in memory."""
    return inventory({"gateway": node.gateway, "hall": node.hall}, node.clock, node.store)


async def _closed_node() -> Node:
    node = await Node().opens()
    await node.closes()
    return node


# Sessions


async def one_game(session: Session) -> None:
    """Join, act, say, be displaced by one's own second socket, leave, come back, see a restart."""
    room = await session.begins()
    await session.opens()
    await session.joins(room)
    session.acts_in(room)
    session.says_in(room)
    await session.settles()
    await session.others_act(room)
    session.acts_in(room)
    await session.opens()
    await session.others_act(room)
    await session.leaves(room)
    await session.others_act(room)
    await session.joins(room)
    session.acts_in(room)
    await session.restarts()
    session.says_in(room)
    await session.settles()
    await session.others_act(room)
    await session.ends()


async def two_games(session: Session) -> None:
    """Play two games of the same players at once, on one socket."""
    rooms = [await session.begins(), await session.begins()]
    await session.opens()
    for room in rooms:
        session.client.joins(room)
    await session.settles()
    for _ in range(2):
        for room in rooms:
            session.acts_in(room)
            session.says_in(room)
        await session.settles()
        for room in rooms:
            await session.others_act(room)
    await session.ends()


Script: TypeAlias = Callable[[Session], Awaitable[None]]
SESSIONS: dict[str, Script] = {"one game": one_game, "two games at once": two_games}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Say what can be set."""
    parser.add_argument("--every", type=int, default=1, help="only every so manieth step")


def run(chosen: argparse.Namespace) -> int:
    """Cut everywhere and report."""
    failed = 0
    for name, script in SESSIONS.items():
        begun, faults = monotonic(), 0
        steps, frames = play(script, Fate())
        fates = [*all_fates(steps, frames)][:: chosen.every]
        for fate in fates:
            try:
                play(script, fate)
            except Exception as error:
                faults += 1
                print(f"{name}, {fate}: {type(error).__name__}: {error}")
        print(
            f"{name}: {steps} steps, {frames} frames; {len(fates)} sessions in which a line broke "
            f"or a frame was lost, {faults} faults; {monotonic() - begun:.0f} s"
        )
        failed += faults
    return 1 if failed else 0


def all_fates(steps: int, frames: int) -> Iterator[Fate]:
    """Yield everything that can go wrong once in a session of so many steps and frames."""
    for step, noticed in product(range(steps), get_args(When)):
        yield Fate(cut=step, noticed=noticed)
    for frame in range(frames):
        yield Fate(drop=frame)


def play(script: Script, fate: Fate) -> tuple[int, int]:
    """Play a session; return how many steps and frames it had.

    Raises:
        AssertionError: a promise was broken.
    """

    async def playing() -> Session:
        session = Session(fate)
        await session.node.opens()
        await script(session)
        return session

    with patch.dict(GAMES, toy=TOY):
        network = asyncio.run(playing()).network
    return network.steps, network.frames
