"""Spectators at a node that does not own the room, served from what the owner shares."""

from itertools import count
from typing import Any

from saleroom_protocol import messages
from saleroom_protocol.codec import MSGPACK, Encoder
from saleroom_protocol.messages import ResumeCursor, Said
from saleroom_server.cluster.messages import Message, Told, decode, encode
from saleroom_server.rooms import commands
from saleroom_server.rooms.commands import Caller, Effect
from saleroom_server.rooms.limits import RoomLimits
from saleroom_server.rooms.relay import Relay
from tests.support.followers import Follower, told
from tests.support.founding import ANYBODY, ROOM
from tests.support.rooms import HandRoom


class Away:
    """A node at which people look on at a `HandRoom`.

    Attributes:
        relay: as long as the room is shared with the node.
        left: why its spectators were let go.
    """

    def __init__(self, hand: HandRoom, home: int = 1, limits: RoomLimits | None = None) -> None:
        self.hand, self.home, self._limits = hand, home, limits or RoomLimits()
        self.followers: dict[int, Follower] = {}
        self.relay: Relay | None = None
        self.left = ""
        self._ids = count(1)
        hand.aways[home] = self._hears
        hand.remarks(commands.Watch(home, 0))

    @property
    def live(self) -> list[Follower]:
        """The sockets that look on."""
        return [one for one in self.followers.values() if one.live]

    def joins(self, codec: Encoder = MSGPACK, checks: bool = True, **fields: Any) -> Follower:
        """Open a socket and let it look on."""
        follower = Follower(len(self.followers) + 1, ANYBODY, "spectator", codec, checks)
        self.followers[follower.session] = follower
        return self.rejoins(follower, **fields)

    def rejoins(self, follower: Follower, **fields: Any) -> Follower:
        """Let a socket join, perhaps again."""
        self._carry_out(self._relay.join(self.joining(follower, **fields), len(self.live), 0))
        follower.has_come_to(self.hand.room.seq, self.hand.document())
        return follower

    def resumes(self, follower: Follower, **fields: Any) -> Follower:
        """Let a socket join again from where it has come to."""
        return self.rejoins(follower, cursor=ResumeCursor(**follower.cursor), **fields)

    def joining(self, follower: Follower, **fields: Any) -> commands.Join:
        """Return the command a socket's `join` is."""
        follower.expects = f"away-{next(self._ids)}"
        asked = messages.Join(id=follower.expects, room=ROOM, as_="spectator", **fields)
        name = follower.codec.subprotocol
        return commands.Join(follower.session, follower.caller, asked, name, follower.checks)

    def refreshes(self, follower: Follower) -> None:
        """Show a socket the present view."""
        follower.skips()
        assert follower.group is not None
        self._carry_out(self._relay.refresh(follower.session, follower.group))

    def counts(self) -> None:
        """Tell the owner how many look on."""
        self.hand.remarks(commands.Watching(self.home, len(self.live), self._relay.seq))

    def says(self, caller: Caller, text: str) -> None:
        """Let somebody who looks on speak, as the owner is told of it."""
        asked = messages.Say(id="say", room=ROOM, to="spectators", text=text)
        session = self.home << commands.HOME_BITS | 1
        self.hand.followers[session] = Follower(session, caller, "spectator", MSGPACK, False)
        self.hand.followers[session].expects = "say"
        self.hand.remarks(commands.Say(session, caller, asked, looks_on=True))

    @property
    def _relay(self) -> Relay:
        assert self.relay is not None, "the room is shared"
        return self.relay

    def _hears(self, effect: Effect) -> None:
        message = decode(encode(Message("a:1", 1, (Told(ROOM, (effect,)),))))
        (body,) = message.bodies
        assert isinstance(body, Told)
        match body.effects[0]:
            case commands.Share() as share:
                self.relay = Relay(ROOM, share, self._limits, len(self.live))
                for follower in self.live:
                    assert follower.group is not None
                    follower.news, follower._promised = True, self.relay.epoch(None)
                    follower.receive(self.relay.view(follower.group))
            case commands.Unshare(_, left):
                self.relay, self.left = None, left
            case commands.Publish(_, shared) if shared is not None and self.relay is not None:
                groups = {one.group for one in self.live if one.group is not None}
                self._carry_out([self.relay.take(shared, groups)])
            case commands.Broadcast(None, Said() as said) if self.relay is not None:
                self.relay.hear(said)

    def _carry_out(self, effects: list[Effect]) -> None:
        for effect in effects:
            if not told(self.followers, effect):
                assert isinstance(effect, commands.Publish)
                self._publish(dict(effect.frames))

    def _publish(self, frames: dict[commands.Group, bytes]) -> None:
        for follower in self.live:
            assert follower.group is not None
            follower.receive(frames[follower.group])
            follower.has_come_to(self.hand.room.seq, self.hand.document())
