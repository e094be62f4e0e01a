"""A room with a hand-moved clock, its journal, and every socket that follows it.

`HandRoom` does what the owner of a room does: decide, append, commit, carry out the effects, ring.
Its sockets (`followers.Follower`) check everything they are sent as a stranger's client would.
"""

from collections.abc import Callable, Sequence
from itertools import count
from random import Random
from typing import Any

import pytest
from msgspec import UNSET, Raw

from saleroom_protocol import messages
from saleroom_protocol.codec import MSGPACK, Encoder
from saleroom_protocol.errors import Reason
from saleroom_protocol.games import record
from saleroom_protocol.messages import Accepted, ResumeCursor
from saleroom_rules.games import GAMES
from saleroom_server.rooms import commands
from saleroom_server.rooms.commands import Broadcast, Caller, Decision, Effect, Refusal
from saleroom_server.rooms.journal import Journalled, decode, encode, record_of
from saleroom_server.rooms.limits import RoomLimits
from saleroom_server.rooms.loading import seq_after_load
from saleroom_server.rooms.room import Room, Thought
from saleroom_server.rooms.standing import Standing, found
from saleroom_server.rooms.views import Viewer
from tests.support.followers import As, Follower, told
from tests.support.founding import (
    BEGINNING,
    LEVELS,
    PEOPLE,
    ROOM,
    assert_same,
    founding_of,
    picked,
    think,
)
from tests.support.replaying import load

STANDARD = RoomLimits(anytime_ms=0)  # a hand-moved clock may stand still for many actions
OPENING = ("codec", "checks", "home")  # what is settled before a socket joins


class HandRoom:
    """One room, its journal and its followers; nothing happens but by a method of this."""

    def __init__(
        self,
        game: str = "kunstmarkt",
        *,
        limits: RoomLimits = STANDARD,
        now: int = BEGINNING,
        think: Thought = think,
        standing: Standing | None = None,
        **fields: Any,
    ) -> None:
        self.now, self.loads, self._limits, self._think = now, 1, limits, think
        self.founding = founding_of(game, **fields) if standing is None else standing.founding
        created = record.Created(entry=1, seq=1, at=now, player=self.founding.creator or UNSET)
        self.journal = [Journalled(entry=created, founding=self.founding)]
        self.followers: dict[int, Follower] = {}
        self.aways: dict[int, Callable[[Effect], None]] = {}  # what hears of it at other nodes
        self._ids = count(1)
        self.rules = GAMES[self.founding.game]
        begun = found(self.founding, self.journal[0]) if standing is None else standing
        self.room = self._make(begun, begun.seq)

    def _make(self, standing: Standing, seq: int) -> Room:
        return Room(
            self.rules,
            standing,
            self._limits,
            self._think,
            LEVELS,
            load=str(self.loads),
            seq=seq,
            now=self.now,
        )

    # What can be seen

    @property
    def standing(self) -> Standing:
        return self.room.standing

    @property
    def status(self) -> str:
        return self.standing.status

    @property
    def state(self) -> Any:
        return self.standing.state

    @property
    def entries(self) -> list[str]:
        """The types of the journal's entries."""
        return [str(one.entry.__struct_config__.tag) for one in self.journal]

    def document(self, viewer: Viewer = None) -> Any:
        """Return the document the room holds for a viewer."""
        return self.room._stream.scene.document(viewer)

    @property
    def window(self) -> Any:
        """The open window as everybody sees it."""
        return self.document().get("window")

    @property
    def asked(self) -> list[int]:
        """The seats that owe an answer."""
        return [seat for seat in self.window["seats"] if seat not in self.window["answered"]]

    # Commands

    def does(self, command: commands.Command) -> Decision:
        """Decide, append, commit, tell; the answer comes last."""
        decision = self.decides(command)
        self.commits(decision)
        if isinstance(command, commands.Act):
            assert isinstance(decision.answer, Accepted)
            self.carry_out([commands.Tell(command.session, decision.answer)])
        return decision

    def decides(self, command: commands.Command) -> Decision:
        """Decide alone: nothing may change by it."""
        before, seq = self.room.standing, self.room.seq
        decision = self.room.decide(command, self.now)
        assert (self.room.standing, self.room.seq) == (before, seq)
        assert not (decision.silent and decision.entries)
        return decision

    def commits(self, decision: Decision) -> None:
        """Append what is to be durable, then let it come true."""
        seq = self.room.seq
        self.journal += [decode(encode(one)) for one in decision.entries]
        effects = self.room.commit(decision, self.now)
        assert self.room.seq == seq + (not decision.silent)
        assert self.room.standing is decision.standing
        self.carry_out(effects)

    def refuses(self, command: commands.Command | commands.Remark) -> tuple[Reason, dict[str, Any]]:
        """Expect a refusal that changes nothing; return it, its facts being those documented."""
        before, due = self.room.standing, self.room.due()
        ask: Any = self.remarks if isinstance(command, commands.Remark) else self.decides
        with pytest.raises(Refusal) as caught:
            ask(command)
        reason, facts = caught.value.reason, caught.value.facts
        documented = set(reason.facts)
        if reason is Reason.ILLEGAL_ACTION:
            documented |= facts.keys()
        assert facts.keys() == documented
        assert (self.room.standing, self.room.due()) == (before, due)
        return reason, facts

    def remarks(self, remark: commands.Remark) -> None:
        """Let somebody follow, part, or speak."""
        match remark:
            case commands.Join():
                self.carry_out(self.room.join(remark, self.now))
            case commands.Leave():
                self.carry_out(self.room.leave(remark, self.now))
            case commands.Gone():
                self.carry_out(self.room.gone(remark, self.now))
            case commands.Say():
                self.carry_out(self.room.say(remark, self.now))
            case commands.Refresh():
                self.carry_out(self.room.refresh(remark))
            case commands.Attach():
                self.carry_out(self.room.attach(remark, self.now))
            case commands.Watch():
                self.carry_out(self.room.watch(remark))
            case commands.Watching():
                self.carry_out(self.room.watching(remark))
            case commands.Mute():
                self.room.mute(remark)

    # The lobby

    def seats(self, *people: int, **fields: Any) -> None:
        """Let people take a seat each, in order."""
        for person in people:
            self.does(self.seat(person, **fields))

    def seat(
        self, person: int | Caller, seat: int | None = None, **fields: Any
    ) -> commands.TakeSeat:
        """Return the command that takes a seat."""
        caller = PEOPLE[person] if isinstance(person, int) else person
        return commands.TakeSeat(caller, UNSET if seat is None else seat, **fields)

    def begins(self, *people: int) -> None:
        """Let people sit down and follow, the rest be house bots, and the game begin."""
        self.seats(*people)
        for _ in self.standing.free_seats():
            self.does(commands.AddBot(PEOPLE[0], "easy"))
        for person in people:
            self.joins(person)
        self.waits(0)  # they are seen to be connected
        self.does(commands.Start(PEOPLE[0]))

    # Sockets

    def follower(
        self,
        person: int | Caller,
        as_: As = "player",
        codec: Encoder = MSGPACK,
        checks: bool = True,
        home: int = commands.HERE,
    ) -> Follower:
        """Open a socket that has not joined, at a node."""
        caller = PEOPLE[person] if isinstance(person, int) else person
        session = home << commands.HOME_BITS | len(self.followers) + 1
        follower = Follower(session, caller, as_, codec, checks)
        self.followers[follower.session] = follower
        return follower

    def joins(self, person: int | Caller, as_: As = "player", **fields: Any) -> Follower:
        """Open a socket and let it join."""
        opening = {name: fields.pop(name) for name in OPENING if name in fields}
        return self.rejoins(self.follower(person, as_, **opening), **fields)

    def rejoins(self, follower: Follower, **fields: Any) -> Follower:
        """Let a socket join, perhaps again."""
        self.remarks(self.joining(follower, **fields))
        follower.has_come_to(self.room.seq, self.document(follower.viewer))
        return follower

    def resumes(self, follower: Follower, **fields: Any) -> Follower:
        """Let a socket join again from where it has come to."""
        return self.rejoins(follower, cursor=ResumeCursor(**follower.cursor), **fields)

    def joining(self, follower: Follower, **fields: Any) -> commands.Join:
        """Return the command a socket's `join` is."""
        follower.expects = f"join-{next(self._ids)}"
        asked = messages.Join(id=follower.expects, room=ROOM, as_=follower.as_, **fields)
        subprotocol = follower.codec.subprotocol
        return commands.Join(follower.session, follower.caller, asked, subprotocol, follower.checks)

    def leaves(self, follower: Follower) -> None:
        self.remarks(commands.Leave(follower.session, follower.caller))

    def is_gone(self, follower: Follower) -> None:
        """Close a socket."""
        self.remarks(commands.Gone(follower.session))

    def act(
        self,
        follower: Follower,
        action: dict[str, Any],
        window: int | None = 0,
        request: str | None = None,
    ) -> commands.Act:
        """Return an act: of the open window (0), of that number, or of none (None)."""
        named: Any = UNSET if window is None else window or self.window["number"]
        follower.expects = request or f"act-{next(self._ids)}"
        asked = messages.Act(id=follower.expects, room=ROOM, window=named, action=Raw())
        return commands.act_of(follower.session, follower.caller, asked, action)

    def acts(self, follower: Follower, action: Any, *args: Any) -> Decision:
        return self.does(self.act(follower, action, *args))

    def resigns(self, follower: Follower) -> None:
        self.acts(follower, {"do": "resign"}, None)

    def say(
        self, follower: Follower, to: Any = "table", text: str = "Hello", request: str | None = None
    ) -> commands.Say:
        follower.expects = request or f"say-{next(self._ids)}"
        asked = messages.Say(id=follower.expects, room=ROOM, to=to, text=text)
        return commands.Say(follower.session, follower.caller, asked)

    def says(self, follower: Follower, *args: Any) -> None:
        self.remarks(self.say(follower, *args))

    @property
    def live(self) -> list[Follower]:
        """The sockets that follow."""
        return [one for one in self.followers.values() if one.live]

    def playing(self, seat: int) -> Follower:
        """Return the socket that has a seat's stream."""
        return next(one for one in self.live if one.viewer == seat)

    def moves(self, luck: Random) -> None:
        """Let some seat that is asked, and is followed, answer with something listed."""
        able = [one for one in self.live if "legal" in one.document]
        mover = luck.choice(able)
        self.acts(mover, picked(luck.choice(mover.document["legal"]), luck.choice))

    # The clock

    def rings(self) -> Decision:
        """Ring once, now, whether anything is due or not."""
        return self.does(commands.Ring())

    def to(self, time: int) -> None:
        """Move the clock on, ringing whenever the room wants it."""
        while (due := self.room.due()) is not None and due <= time:
            self.now = max(self.now, due)
            assert not self.rings().silent, "what is due is there to be done"
        self.now = time

    def to_the_next_bell(self) -> Decision:
        """Move the clock to when the room wants to be rung, and ring."""
        due = self.room.due()
        assert due is not None
        self.now = max(self.now, due)
        return self.rings()

    def waits(self, milliseconds: int) -> None:
        self.to(self.now + milliseconds)

    def expires(self) -> None:
        """Let the open window run out."""
        number = self.window["number"]
        self.to(self.window["closes_at"] + 251)
        assert self.window is None or self.window["number"] > number

    # The journal

    def reloads(self) -> None:
        """Crash, and read the journal back; the sockets go on."""
        former, now_known = self.room, self.standing
        self.loads += 1
        loaded = load([encode(one) for one in self.journal])
        assert_same(loaded.standing, now_known)
        seq = seq_after_load(loaded.standing, former.seq, self.now)
        self.room = self._make(loaded.standing, seq)
        for follower in self.followers.values():
            follower.loses_touch()
        self.carry_out(self.room.adopt(former))
        assert not any(follower.news for follower in self.followers.values())
        self.does(commands.Restart())

    def record(self) -> bytes:
        """Return the record of a room that has ended."""
        outcome = self.standing.outcome
        assert outcome is not UNSET
        return record_of(self.founding, self.standing.contributions, self.journal, outcome)

    # Effects

    def carry_out(self, effects: Sequence[Effect]) -> None:
        """Do what an owner does with effects, in order."""
        for effect in effects:
            match effect:
                case commands.Publish(frames, shared):
                    self._publish(dict(frames))
                    assert (shared is not None) == bool(self.aways)
                    self._tell_aways(effect)
                case Broadcast(viewer, message):
                    self._broadcast(viewer, message)
                    self._tell_aways(effect)
                case commands.Share(home) | commands.Unshare(home):
                    self.aways[home](effect)
                case _:
                    assert told(self.followers, effect)

    def _tell_aways(self, effect: Effect) -> None:
        for tell in self.aways.values():
            tell(effect)

    def _publish(self, frames: dict[commands.Group, bytes]) -> None:
        groups = [group for group in frames if group[0] is not None]
        assert list(frames)[: len(groups)] == groups, "players first"
        assert frames.keys() == {one.group for one in self.live}
        for follower in self.live:
            assert follower.group is not None
            follower.receive(frames[follower.group])
            follower.has_come_to(self.room.seq, self.document(follower.viewer))

    def _broadcast(self, viewer: Viewer, message: messages.ServerMessage) -> None:
        for follower in self.live:
            if follower.viewer == viewer:
                follower.hears(message)


def running(game: str, **fields: Any) -> HandRoom:
    """Begin a game of three people who follow it."""
    hand = HandRoom(game, **fields)
    hand.begins(0, 1, 2)
    return hand


def opened(game: str, kind: str, when: Callable[[HandRoom], bool] = lambda hand: True) -> HandRoom:
    """Play on at random until a window of a kind has just been opened, and something holds."""
    for seed in range(50):
        hand, luck = running(game), Random(seed)
        while not hand.standing.is_over:
            if hand.window["kind"] == kind and not hand.window["answered"] and when(hand):
                return hand
            hand.moves(luck)
    raise AssertionError(f"no such window {kind} in fifty games")
