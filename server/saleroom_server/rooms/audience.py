"""Who follows a room: each socket is in one group, and a group gets the same bytes."""

from collections import Counter

from saleroom_server.rooms.commands import Group, Session
from saleroom_server.rooms.views import Viewer


class Audience:
    """The sockets that follow one room.

    Attributes:
        spectators: how many of them look on.
        checked: viewers of whom some socket has asked for checks since the room was loaded.
            They are computed for these from then on, so that such a socket can resume.
    """

    def __init__(self) -> None:
        self._members: dict[Session, Group] = {}
        self._sizes: Counter[Group] = Counter()
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

    def groups(self) -> list[Group]:
        """List the groups that have a socket, players first."""
        return sorted(self._sizes, key=lambda group: group[0] is None)

    def members(self) -> list[tuple[Session, Group]]:
        """List the sockets that follow, each with its group."""
        return list(self._members.items())
