"""The rooms of other nodes that spectators of this one look on at.

The first spectator has the owner share the room with this node; all others, late or back, are
served from the relay. How many they are is told the owner now and then; when nobody looks on any
more it is told that too, and the relay is let go.
"""

from collections.abc import Iterable, Iterator, Sequence

from saleroom_protocol.errors import Reason
from saleroom_protocol.messages import Left, Said
from saleroom_server.cluster.messages import LookOn
from saleroom_server.gateway.gateway import Gateway
from saleroom_server.owner.elsewhere import Sees
from saleroom_server.rooms.commands import (
    Broadcast,
    Effect,
    Exit,
    Gone,
    Join,
    Leave,
    Member,
    Publish,
    Refresh,
    Refusal,
    Remark,
    Session,
    Share,
    Tell,
    Unshare,
)
from saleroom_server.rooms.limits import RoomLimits
from saleroom_server.rooms.relay import Relay
from saleroom_server.rooms.updates import Parts


class Relays:
    """All relays of a node, by room."""

    def __init__(self, gateway: Gateway, sees: Sees, limits: RoomLimits) -> None:
        self._gateway, self._sees, self._limits = gateway, sees, limits
        self._relays: dict[str, Relay] = {}

    def __len__(self) -> int:
        """Count them."""
        return len(self._relays)

    def get(self, room: str) -> Relay | None:
        """Return a room's relay, if the room is shared with this node."""
        return self._relays.get(room)

    def drop(self, room: str) -> None:
        """Forget a relay: the room's owner is another now, or something of it was lost."""
        self._relays.pop(room, None)

    # Spectators

    def looks_on(self, room: str, session: Session) -> bool:
        """Whether a socket follows a room as a spectator."""
        group = self._gateway.group(room, session)
        return group is not None and group[0] is None

    def serves(self, room: str, remark: Remark) -> bool:
        """Whether a remark is a spectator's, and can be carried out here."""
        relay = self._relays.get(room)
        if relay is None:
            return False
        if isinstance(remark, Join):
            group = self._gateway.group(room, remark.session)
            looks_on = remark.asked.as_ == "spectator" and (group is None or group[0] is None)
            return looks_on and not relay.is_behind(remark.asked)
        return isinstance(remark, Leave | Gone | Refresh) and self.looks_on(room, remark.session)

    def serve(self, room: str, remark: Remark, now: int) -> list[Effect]:
        """Return what a remark leads to that can be carried out here.

        Raises:
            Refusal: `unknown_room`, `full`.
        """
        relay = self._relays[room]
        match remark:
            case Join():
                return self._join(room, relay, remark, now)
            case Refresh(session):
                group = self._gateway.group(room, session)
                assert group is not None, "it looks on"
                return relay.refresh(session, group)
            case Leave(session) | Gone(session):
                return [Exit(session)]
            case _:
                raise AssertionError("that is for the owner")

    def _join(self, room: str, relay: Relay, join: Join, now: int) -> list[Effect]:
        if not self._sees(room, join.caller, join.asked.watch or ""):
            raise Refusal(Reason.UNKNOWN_ROOM)
        here = self._gateway.spectators(room) - self.looks_on(room, join.session)
        return relay.join(join, here, now)

    # What owners tell

    def told(self, room: str, effects: Sequence[Effect]) -> int | None:
        """Carry out what the owner of a room tells.

        Returns:
            The `seq` of an update that spectators could not be shown without a relay; None if all
            were.
        """
        declined = None
        for effect in effects:
            match effect:
                case Share():
                    self._share(room, effect)
                case Publish(frames, shared):
                    self._gateway.deliver(room, (Publish(frames),))
                    if shared is not None and not self._shows(room, shared):
                        declined = shared.seq
                case Unshare():
                    self.drop(room)
                    self._let_go(room, effect.left, self._watchers(room))
                case _:
                    self._hear(room, effect)
                    self._gateway.deliver(room, (effect,))
        return declined

    def counted(self) -> Iterator[LookOn]:
        """Yield how many look on at rooms whose owners do not know it yet.

        A room at which nobody does is relayed no longer.
        """
        for room, relay in [*self._relays.items()]:
            here = self._gateway.spectators(room)
            if not here:
                self.drop(room)
            if here != relay.told or not here:
                relay.told = here
                yield LookOn(room, here, relay.seq)

    def dismiss(self, room: str) -> None:
        """Let everybody go who follows a room that is no more: what its owner told was lost."""
        self.drop(room)
        self._let_go(room, "closed", self._gateway.members(room))

    def _share(self, room: str, share: Share) -> None:
        told = self._gateway.spectators(room)
        self._relays[room] = relay = Relay(room, share, self._limits, told)
        for group in self._gateway.watched(room):
            self._gateway.renew(room, group, relay.view(group))

    def _let_go(self, room: str, left: str, members: Iterable[Member]) -> None:
        for member in members:
            told = Tell(member.session, Left(room=room, reason=left))
            self._gateway.deliver(room, (Exit(member.session), told))

    def _shows(self, room: str, parts: Parts) -> bool:
        relay = self._relays.get(room)
        if relay is None or parts.seq != relay.seq + 1:
            self.drop(room)
            return False
        self._gateway.deliver(room, (relay.take(parts, self._gateway.watched(room)),))
        return True

    def _watchers(self, room: str) -> list[Member]:
        return [member for member in self._gateway.members(room) if member.group[0] is None]

    def _hear(self, room: str, effect: Effect) -> None:
        relay = self._relays.get(room)
        match effect:
            case Broadcast(None, Said() as said) if relay is not None:
                relay.hear(said)
