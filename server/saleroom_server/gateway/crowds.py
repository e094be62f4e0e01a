"""Who follows what, and how a frame reaches all of them without holding up anybody else.

Theory of operation
-------------------
The sockets of one group of one room are a *crowd*: they are sent the same bytes. A crowd of players
is small and is sent everything at once. Spectators may be ten thousand, and so many writes in one
turn of the loop would stall every other room. So all crowds of spectators together are sent to so
many sockets a turn; what is more waits, in order, and crowds that wait take turns.

A socket's stay in a crowd is a `Member`. What waits names the members it is meant for: whoever
comes later is not sent what their view holds already, and whoever has left is sent nothing.

A spectator who does not read is *behind*: such a member is sent nothing more until everything is
read, and then a view, which replaces all that was missed (PROTOCOL.md, "view"). Players never are:
they act on what they see, so whoever of them is too slow is closed, and resumes. If it is this
program that does not keep up, so that too much waits for a crowd, all of it falls behind.
"""

from collections import deque

from saleroom_server.clock import Clock
from saleroom_server.gateway.follower import Follower
from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.gateway.outlet import Packet
from saleroom_server.metrics import Metrics
from saleroom_server.rooms.commands import Group, Session
from saleroom_server.turns import Turn


class Member:
    """One socket's stay in a crowd.

    Attributes:
        present: false once it has left, or has come anew.
        suspended: whether it is sent nothing until it comes anew: something may have been lost.
        behind_since: server milliseconds; None while it keeps up.
    """

    __slots__ = ("behind_since", "follower", "present", "room", "session", "suspended")

    def __init__(self, room: str, session: Session, follower: Follower) -> None:
        self.room, self.session, self.follower = room, session, follower
        self.present, self.suspended = True, False
        self.behind_since: int | None = None


class _Sending:
    """A packet on its way to a crowd, and how far it has come."""

    __slots__ = ("members", "packet", "sent")

    def __init__(self, packet: Packet, members: list[Member]) -> None:
        self.packet, self.members = packet, members
        self.sent = 0

    def part(self, most: int) -> list[Member]:
        """Return the next members."""
        part = self.members[self.sent : self.sent + most]
        self.sent += len(part)
        return part

    @property
    def is_done(self) -> bool:
        """Whether nobody is left."""
        return self.sent == len(self.members)


class _Crowd:
    """The sockets of one group of one room, and what they are yet to be sent."""

    __slots__ = ("members", "waiting")

    def __init__(self) -> None:
        self.members: dict[Session, Member] = {}
        self.waiting: deque[_Sending] = deque()


class Crowds:
    """All crowds of a node, by room and group."""

    def __init__(self, clock: Clock, limits: GatewayLimits, metrics: Metrics) -> None:
        self._clock, self._limits, self._skipped = clock, limits, metrics.spectators_behind
        self._rooms: dict[str, dict[Group, _Crowd]] = {}
        self._behind: dict[Member, None] = {}  # who fell behind first
        self._queue: deque[_Crowd] = deque()  # those with something waiting
        self._turn = Turn(limits.sockets_per_turn, self._go_on)

    def groups(self, room: str) -> list[Group]:
        """List the groups of a room that have a socket."""
        return [*self._rooms.get(room, ())]

    def rooms(self) -> list[str]:
        """List the rooms that are followed."""
        return [*self._rooms]

    def members(self, room: str) -> list[tuple[Group, Member]]:
        """List who follows a room, each with the group."""
        crowds = self._rooms.get(room, {}).items()
        return [(group, member) for group, crowd in crowds for member in crowd.members.values()]

    def group(self, room: str, session: Session) -> Group | None:
        """Return as part of which group a socket follows a room; None if it does not."""
        for group, crowd in self._rooms.get(room, {}).items():
            if session in crowd.members:
                return group
        return None

    def spectators(self, room: str) -> int:
        """Count who looks on at a room."""
        crowds = self._rooms.get(room, {}).items()
        return sum(len(crowd.members) for (viewer, _, _), crowd in crowds if viewer is None)

    def enter(self, room: str, group: Group, session: Session, follower: Follower) -> None:
        """Let a socket have what its group is sent from now on."""
        self.exit(room, session)
        crowd = self._rooms.setdefault(room, {}).setdefault(group, _Crowd())
        crowd.members[session] = Member(room, session, follower)

    def exit(self, room: str, session: Session) -> None:
        """Let a socket be sent nothing more of a room."""
        groups = self._rooms.get(room, {})
        for group, crowd in list(groups.items()):
            member = crowd.members.pop(session, None)
            if member is not None:
                member.present = False
                self._behind.pop(member, None)
            if not crowd.members:
                del groups[group]
        if not groups:
            self._rooms.pop(room, None)

    def renew(self, room: str, group: Group, packet: Packet) -> None:
        """Let a group go on from a packet that says it all, also those who were suspended."""
        crowd = self._rooms.get(room, {}).get(group)
        if crowd is None:
            return
        for session, member in [*crowd.members.items()]:
            self.enter(room, group, session, member.follower)
        self.send(room, group, packet)

    def send(self, room: str, group: Group, packet: Packet) -> None:
        """Send a packet to a group: to players at once, to many spectators a part a turn."""
        crowd = self._rooms.get(room, {}).get(group)
        if crowd is None:
            return
        members = [*crowd.members.values()]
        if group[0] is not None:
            for member in members:
                if not member.suspended:
                    member.follower.send(packet)
            return
        if not crowd.waiting:
            self._queue.append(crowd)
        crowd.waiting.append(_Sending(packet, members))
        if len(crowd.waiting) > self._limits.waiting_packets:
            self._give_up(crowd)
        self._go_on()

    def behind(self) -> list[Member]:
        """List the members who are behind, the longest first."""
        return [*self._behind]

    def _go_on(self) -> None:
        """Send what waits, as far as this turn of the loop goes."""
        while self._queue and self._turn.left:
            crowd = self._queue.popleft()
            self._send_part(crowd)
            if crowd.waiting:
                self._queue.append(crowd)

    def _send_part(self, crowd: _Crowd) -> None:
        if not crowd.waiting:
            return
        sending = crowd.waiting[0]
        part = sending.part(self._turn.left)
        self._turn.take(len(part))
        for member in part:
            if member.present and not member.suspended and member.behind_since is None:
                self._offer(member, sending.packet)
        if sending.is_done:
            crowd.waiting.popleft()

    def _offer(self, member: Member, packet: Packet) -> None:
        if member.follower.backlog() <= self._limits.behind_bytes:
            member.follower.send(packet)
        else:
            self._falls_behind(member)

    def _give_up(self, crowd: _Crowd) -> None:
        """Send nothing of what waits: a view will say it all."""
        crowd.waiting.clear()
        for member in crowd.members.values():
            self._falls_behind(member)

    def _falls_behind(self, member: Member) -> None:
        if member.behind_since is None:
            member.behind_since = self._clock.now()
            self._behind[member] = None
            self._skipped.inc()
