"""Who follows a room: sockets come and go, take each other's place, and talk.

None of it changes the standing or takes a `seq`; all of it happens at once.
"""

from msgspec import UNSET

from saleroom_protocol.errors import Reason
from saleroom_protocol.games.common import Seat
from saleroom_protocol.messages import Accepted, Left
from saleroom_server.rooms import seating
from saleroom_server.rooms.chat import Chat
from saleroom_server.rooms.commands import (
    Act,
    Attach,
    Broadcast,
    Effect,
    Join,
    Leave,
    Member,
    Refusal,
    Say,
    Session,
    Tell,
    Unshare,
    Watch,
    Watching,
    home_of,
)
from saleroom_server.rooms.limits import RoomLimits
from saleroom_server.rooms.presence import Presence
from saleroom_server.rooms.standing import Standing
from saleroom_server.rooms.stream import Stream
from saleroom_server.rooms.views import Viewer


class Following:
    """The sockets of one room.

    Attributes:
        alone_since: since when no player has had a socket; None while one has.
    """

    def __init__(
        self,
        room: str,
        stream: Stream,
        presence: Presence,
        chat: Chat,
        limits: RoomLimits,
        now: int,
    ) -> None:
        self._room, self._limits = room, limits
        self._stream, self._presence, self._chat = stream, presence, chat
        self.alone_since: int | None = now

    def __contains__(self, session: Session) -> bool:
        """Tell whether a socket follows the room."""
        return session in self._stream.audience

    def viewer(self, asked: Act | Say) -> Viewer:
        """Return through whose eyes the socket looks that asks; it follows the room."""
        return None if asked.looks_on else self._viewer(asked.session)

    def join(self, standing: Standing, command: Join, now: int) -> list[Effect]:
        """Let a socket follow; see `Room.join`."""
        viewer, since = self._viewer_for(standing, command), command.since or now
        effects = self.part(command.session, now)
        overtaken = viewer is not None and self._presence.since(viewer) > since
        if viewer is not None and not overtaken:
            effects += self._displace(viewer, "replaced", now)
            self._sit(viewer, command.session, since)
        group = (viewer, command.subprotocol, command.checks)
        effects += self._stream.start(command.session, group, command.asked, now)
        if overtaken:  # on its way from another node, by a socket that asked later
            gone = self._stream.stop(command.session)
            return [*effects, *gone, self._left(command.session, "replaced")]
        said = self._chat.since(viewer, self._stream.heard(viewer, command.asked))
        return effects + [Tell(command.session, message) for message in said]

    def part(self, session: Session, now: int) -> list[Effect]:
        """End a socket's stream here, if it had one."""
        if session not in self:
            return []
        viewer = self._viewer(session)
        if viewer is not None:
            self._presence.go(viewer, now)
            if not self._presence.anybody():
                self.alone_since = now
        return self._stream.stop(session)

    def refresh(self, session: Session) -> list[Effect]:
        """Let a socket go on from a view of this moment, if it follows."""
        if session not in self:
            return []
        return self._stream.refresh(session, self._stream.audience.group(session))

    def attach(self, standing: Standing, command: Attach, now: int) -> list[Effect]:
        """Go on with the sockets of a node; see `Room.attach`."""
        effects = self._unshare(command.home)
        kept = {member.session for member in command.members}
        for session, _ in self._stream.audience.members():
            if home_of(session) == command.home and session not in kept:
                effects += self.part(session, now)
        for member in command.members:
            effects += self._attach(standing, member, now)
        return effects

    def _attach(self, standing: Standing, member: Member, now: int) -> list[Effect]:
        session, viewer = member.session, member.group[0]
        if viewer is not None and standing.seat_of(member.player) != viewer:
            return [*self.part(session, now), self._left(session, "seat_changed")]
        if session in self:
            return self.refresh(session)
        effects: list[Effect] = []
        if viewer is not None:
            if self._presence.since(viewer) > member.since:
                return [self._left(session, "replaced")]
            effects += self._displace(viewer, "replaced", now)
            self._sit(viewer, session, member.since)
        return effects + self._stream.adopt(session, member.group)

    def watch(self, command: Watch) -> list[Effect]:
        """Let a node have what its spectators see; see `Room.watch`."""
        said = self._chat.since(None, UNSET)
        return [self._stream.share(command.home, command.spectators, said)]

    def watching(self, command: Watching) -> list[Effect]:
        """Take note of how many look on at a node; see `Room.watching`."""
        home, spectators, audience = command.home, command.spectators, self._stream.audience
        if home not in audience.homes:
            return self.watch(Watch(home, spectators)) if spectators else []
        if spectators:
            audience.recount(home, spectators)
            return []
        # What it was told before the room was shared with it anew is declined in vain.
        return self._unshare(home) if command.seq > audience.shared_from(home) else []

    def _unshare(self, home: int, left: str = "") -> list[Effect]:
        if home not in self._stream.audience.homes:
            return []
        self._stream.audience.unshare(home)
        return [Unshare(home, left)]

    def free(self, seat: Seat, why: str, now: int) -> list[Effect]:
        """Send away who followed from a seat nobody sits in any more."""
        effects = self._displace(seat, why, now)
        self._presence.clear(seat)
        self._chat.clear(seat)
        return effects

    def adopt(self, former: "Following") -> list[Effect]:
        """Take over the sockets that followed the room before it was loaded anew."""
        effects: list[Effect] = []
        for session, group in former._stream.audience.members():
            if group[0] is not None:
                self._sit(group[0], session, former._presence.since(group[0]))
            effects += self._stream.adopt(session, group)
        for home, spectators in former._stream.audience.shared():
            effects += self.watch(Watch(home, spectators))
        return effects

    def dismiss(self) -> list[Effect]:
        """Let every socket go."""
        effects: list[Effect] = []
        for session, _ in self._stream.audience.members():
            effects += [*self._stream.stop(session), self._left(session, "closed")]
        for home, _ in self._stream.audience.shared():
            effects += self._unshare(home, "closed")
        return effects

    def say(self, standing: Standing, command: Say, now: int) -> list[Effect]:
        """Let somebody speak; see `Room.say`."""
        receipt = Tell(command.session, Accepted(id=command.asked.id))
        if self._chat.repeated(command):
            return [receipt]
        self.check_joined(standing, command)
        told = self._chat.say(command, self.viewer(command), standing.sitters.keys(), now)
        return [*(Broadcast(hearer, said) for hearer, said in told.items()), receipt]

    def check_joined(self, standing: Standing, asked: Act | Leave | Say) -> None:
        """Refuse a socket that does not follow; to a stranger a private room is an unknown one.

        Raises:
            Refusal: `not_joined`, `unknown_room`.
        """
        looks_on = not isinstance(asked, Leave) and asked.looks_on
        if asked.session not in self and not looks_on:
            known = seating.sees(standing, asked.caller, "")
            raise Refusal(Reason.NOT_JOINED if known else Reason.UNKNOWN_ROOM)

    def _viewer_for(self, standing: Standing, command: Join) -> Viewer:
        asked, caller = command.asked, command.caller
        watch = asked.watch or ""
        if not seating.sees(standing, caller, watch):
            raise Refusal(Reason.UNKNOWN_ROOM)
        if asked.as_ == "player":
            seat = standing.seat_of(caller.player)
            if seat is None:
                raise Refusal(Reason.NOT_SEATED)
            return seat
        counted = command.session in self and self._viewer(command.session) is None
        if self._stream.audience.spectators - counted >= self._limits.spectators:
            raise Refusal(Reason.FULL, retry_after_ms=self._limits.spectators_ms)
        return None

    def _viewer(self, session: Session) -> Viewer:
        return self._stream.audience.viewer(session)

    def _sit(self, seat: Seat, session: Session, since: int) -> None:
        self._presence.come(seat, session, since)
        self.alone_since = None

    def _displace(self, seat: Seat, why: str, now: int) -> list[Effect]:
        """Take a seat's stream from the socket that had it, and say so."""
        session = self._presence.session(seat)
        if session is None:
            return []
        return [*self.part(session, now), self._left(session, why)]

    def _left(self, session: Session, why: str) -> Tell:
        return Tell(session, Left(room=self._room, reason=why))
