"""Where the sockets are that follow the rooms of this node, and what each node is to be told."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TypeAlias

from msgspec.structs import replace

from saleroom_server.rooms.commands import (
    HERE,
    HOME_BITS,
    Broadcast,
    Effect,
    Enter,
    Exit,
    Group,
    Publish,
    Session,
    Share,
    Unshare,
    home_of,
)

Parcels: TypeAlias = dict[int, list[Effect]]  # by home

_OWN_NUMBER = (1 << HOME_BITS) - 1


def at_home(session: Session) -> Session:
    """Return a socket's number on its own node."""
    return session & _OWN_NUMBER


def abroad(session: Session, home: int) -> Session:
    """Return a socket's number here, given that on its own node."""
    return home << HOME_BITS | session


class _Followed:
    """The sockets of other nodes that follow one room, and the nodes that share it.

    Of spectators at such a node nothing is known but that there may be some.
    """

    def __init__(self) -> None:
        self.groups: dict[Session, Group] = {}
        self.homes: defaultdict[int, Counter[Group]] = defaultdict(Counter)
        self.shared: set[int] = set()

    @property
    def all_homes(self) -> set[int]:
        """The nodes that are told of the room."""
        return self.shared | self.homes.keys()

    def enter(self, session: Session, group: Group) -> None:
        self.exit(session)
        self.groups[session] = group
        self.homes[home_of(session)][group] += 1

    def exit(self, session: Session) -> None:
        group, home = self.groups.pop(session, None), home_of(session)
        if group is None:
            return
        self.homes[home][group] -= 1
        if not self.homes[home][group]:
            del self.homes[home][group]
        if not self.homes[home]:
            del self.homes[home]


class Interest:
    """All rooms of this node that are followed from elsewhere."""

    def __init__(self) -> None:
        self._rooms: dict[str, _Followed] = {}

    def __len__(self) -> int:
        """Count the rooms."""
        return len(self._rooms)

    def homes(self, room: str) -> list[int]:
        """List the nodes with sockets that follow a room."""
        return [*self._rooms[room].all_homes] if room in self._rooms else []

    def rooms(self, home: int) -> list[str]:
        """List the rooms that are followed from a node."""
        return [room for room, followed in self._rooms.items() if home in followed.all_homes]

    def forget(self, room: str) -> None:
        """Let go of all that follow a room."""
        self._rooms.pop(room, None)

    def sorted(self, room: str, effects: Sequence[Effect]) -> Parcels:
        """Return what each node is to be told, sockets by their own numbers; `HERE` is one.

        What is published is told once to each node that has somebody in the group, however many.
        """
        parcels: Parcels = defaultdict(list)
        for effect in effects:
            match effect:
                case Publish():
                    self._publish(room, effect, parcels)
                case Broadcast():
                    for home in (HERE, *self.homes(room)):
                        parcels[home].append(effect)
                case Share() | Unshare():
                    self._share(room, effect, parcels)
                case _:
                    self._address(room, effect, parcels)
        if room in self._rooms and not self.homes(room):
            del self._rooms[room]
        return parcels

    def _publish(self, room: str, effect: Publish, parcels: Parcels) -> None:
        parcels[HERE].append(Publish(effect.frames))
        for home in self.homes(room):
            followed = self._rooms[room]
            groups = followed.homes.get(home, ())
            wanted = tuple(frame for frame in effect.frames if frame[0] in groups)
            shared = effect.shared if home in followed.shared else None
            parcels[home].append(Publish(wanted, shared))

    def _share(self, room: str, effect: Share | Unshare, parcels: Parcels) -> None:
        followed = self._rooms.setdefault(room, _Followed())
        if isinstance(effect, Share):
            followed.shared.add(effect.home)
            parcels[effect.home].append(effect)
        else:
            followed.shared.discard(effect.home)
            if effect.left:
                parcels[effect.home].append(effect)

    def _address(self, room: str, effect: Effect, parcels: Parcels) -> None:
        assert not isinstance(effect, Publish | Broadcast | Share | Unshare), "these are for many"
        session, home = effect.session, home_of(effect.session)
        if home == HERE:
            parcels[HERE].append(effect)
            return
        if isinstance(effect, Enter):
            self._rooms.setdefault(room, _Followed()).enter(session, effect.group)
        elif isinstance(effect, Exit) and room in self._rooms:
            self._rooms[room].exit(session)
        parcels[home].append(replace(effect, session=at_home(session)))
