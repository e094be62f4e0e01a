"""Who follows a room: each socket is in one group, and a group gets the same bytes."""

from collections import Counter
from collections.abc import Collection

from msgspec import Struct

from saleroom_server.rooms.commands import Group, Session
from saleroom_server.rooms.views import Viewer


class _Shared(Struct, frozen=True, gc=False):
    """A node that has the room relayed."""

    spectators: int  # who look on there
    seq: int  # from this on it was told all


class Audience:
    """The sockets that follow one room.

    Attributes:
        spectators: how many look on, those at other nodes too.
        checked: viewers of whom some socket has asked for checks since the room was loaded.
            They are computed for these from then on, so that such a socket can resume.
    """

    def __init__(self) -> None:
        self._members: dict[Session, Group] = {}
        self._sizes: Counter[Group] = Counter()
        self._shared: dict[int, _Shared] = {}  # by node
        self.spectators = 0
        self.checked: set[Viewer] = set()

    def __contains__(self, session: Session) -> bool:
        """Tell whether a socket follows the room."""
        return session in self._members

    def viewer(self, session: Session) -> Viewer:
        """Return through whose eyes a socket looks.

        Raises:
            KeyError: it does not follow the room.
        """
        return self.group(session)[0]

    def group(self, session: Session) -> Group:
        """Return the group of a socket.

        Raises:
            KeyError: it does not follow the room.
        """
        return self._members[session]

    def enter(self, session: Session, group: Group) -> None:
        """Let a socket follow as part of a group."""
        self._members[session] = group
        self._sizes[group] += 1
        viewer, _, checks = group
        self.spectators += viewer is None
        if checks:
            self.checked.add(viewer)

    def exit(self, session: Session) -> None:
        """Let a socket follow no longer."""
        group = self._members.pop(session)
        self.spectators -= group[0] is None
        self._sizes[group] -= 1
        if not self._sizes[group]:
            del self._sizes[group]

    @property
    def homes(self) -> Collection[int]:
        """The nodes that are told once what all their spectators see."""
        return self._shared.keys()

    def share(self, home: int, spectators: int, seq: int) -> None:
        """Let so many spectators of a node look on, none of whom is known by itself.

        The node is told everything from `seq` on.
        """
        self.unshare(home)
        self.spectators += spectators
        self._shared[home] = _Shared(spectators, seq)

    def recount(self, home: int, spectators: int) -> None:
        """Let another number of spectators look on at a node that is told already."""
        self.share(home, spectators, self.shared_from(home))

    def unshare(self, home: int) -> None:
        """Let a node's spectators look on no longer, if any did."""
        if home in self._shared:
            self.spectators -= self._shared.pop(home).spectators

    def shared_from(self, home: int) -> int:
        """Return from which `seq` on a node was told everything.

        Raises:
            KeyError: it is not told.
        """
        return self._shared[home].seq

    def shared(self) -> list[tuple[int, int]]:
        """List the nodes whose spectators look on, each with their number."""
        return [(home, shared.spectators) for home, shared in self._shared.items()]

    def groups(self) -> list[Group]:
        """List the groups that have a socket, players first."""
        return sorted(self._sizes, key=lambda group: group[0] is None)

    def members(self) -> list[tuple[Session, Group]]:
        """List the sockets that follow, each with its group."""
        return list(self._members.items())
