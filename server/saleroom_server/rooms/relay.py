"""What spectators of one node see of a room that another node owns.

The owner sends a node what is public, once for all of its spectators (`Share`, then `Parts`). From
that the node shows the room to whoever comes, late or back, and the owner need not be asked again.
"""

from collections import deque
from collections.abc import Collection
from typing import Any

import msgspec
from msgspec.structs import replace

from saleroom_protocol.canonical import check
from saleroom_protocol.document import OVER
from saleroom_protocol.errors import Reason
from saleroom_protocol.messages import Said
from saleroom_protocol.patch import apply
from saleroom_server.rooms.chat import told_after
from saleroom_server.rooms.commands import (
    Effect,
    Group,
    Join,
    Publish,
    Refusal,
    Share,
    Tell,
)
from saleroom_server.rooms.feed import Feed
from saleroom_server.rooms.limits import RoomLimits
from saleroom_server.rooms.updates import Parts, Ring
from saleroom_server.rooms.views import Viewer


class Relay(Feed):
    """A room as it is for spectators, kept up by what its owner tells.

    Attributes:
        told: how many spectators of this node the owner knows of.
    """

    def __init__(self, room: str, share: Share, limits: RoomLimits, told: int) -> None:
        ring = Ring(0, limits.ring_updates, limits.ring_bytes)
        super().__init__(room, share.load, share.seq, share.at, ring)
        self._limits, self.told = limits, told
        self._seen: dict[str, Any] = msgspec.msgpack.decode(share.document)
        self._over_at = share.over_at
        self._checked = False  # whether some socket here has asked for checks
        self._said = deque(share.said, maxlen=limits.said_kept)
        for parts in share.ring:
            self._ring.add(parts.kept())

    def join(self, command: Join, here: int, now: int) -> list[Effect]:
        """Let a spectator follow.

        Args:
            command: as who asks, and from where on.
            here: how many spectators follow the room at this node besides.
            now: server milliseconds.

        Raises:
            Refusal: `full`.
        """
        elsewhere = max(0, self._seen["spectators"] - self.told)
        if elsewhere + here >= self._limits.spectators:
            raise Refusal(Reason.FULL, retry_after_ms=self._limits.spectators_ms)
        self._checked |= command.checks
        group = (None, command.subprotocol, command.checks)
        effects = self.start(command.session, group, command.asked, now)
        said = told_after(self._said, self.heard(None, command.asked))
        return effects + [Tell(command.session, message) for message in said]

    def take(self, parts: Parts, groups: Collection[Group]) -> Publish:
        """Move on by an update, and tell the spectators of this node, who are in some groups."""
        patch = {name: msgspec.msgpack.decode(part) for name, part in parts.face.items()}
        self._seen = apply(self._seen, patch)
        self._moves_on(parts.seq, parts.at)
        self._checked |= any(checks for _, _, checks in groups)
        if self._checked:
            parts = replace(parts, checks={None: check(self._seen)})
        frames = self._framed(parts, groups)
        self._ring.add(parts.kept())
        return Publish(frames)

    def hear(self, said: Said) -> None:
        """Keep what was said, for those who come later."""
        self._said.append(said)

    def _document(self, viewer: Viewer) -> dict[str, Any]:
        return self._seen

    def _is_over(self) -> bool:
        return self._seen["status"] in OVER
