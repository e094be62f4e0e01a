"""What the viewers of a room are sent by its owner. PROTOCOL.md, "Order"."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Raw

from saleroom_protocol import messages
from saleroom_protocol.canonical import check
from saleroom_protocol.document import OVER
from saleroom_protocol.games.common import Event
from saleroom_protocol.messages import Said
from saleroom_rules.contract import AnyRules
from saleroom_server.rooms.audience import Audience
from saleroom_server.rooms.commands import (
    Deliver,
    Effect,
    Enter,
    Exit,
    Group,
    Publish,
    Session,
    Share,
)
from saleroom_server.rooms.feed import Feed
from saleroom_server.rooms.limits import RoomLimits
from saleroom_server.rooms.scene import Scene, changed
from saleroom_server.rooms.updates import Ring, parts_of
from saleroom_server.rooms.views import Viewer


class Stream(Feed):
    """One room's stream of updates, from the moment the room was loaded.

    Attributes:
        scene: what the documents show after the last update.
        audience: who gets it.
    """

    def __init__(
        self,
        rules: AnyRules,
        room: str,
        scene: Scene,
        limits: RoomLimits,
        *,
        load: str,
        seq: int,
        at: int,
    ) -> None:
        ring = Ring(len(scene.sight.own), limits.ring_updates, limits.ring_bytes)
        super().__init__(room, load, seq, at, ring)
        self._rules, self.scene = rules, scene
        self.audience = Audience()
        self._note_the_end()

    def start(self, session: Session, group: Group, asked: messages.Join, now: int) -> list[Effect]:
        """See `Feed.start`."""
        effects = super().start(session, group, asked, now)
        self.audience.enter(session, group)
        return effects

    def adopt(self, session: Session, group: Group) -> list[Effect]:
        """Let a socket that followed before the room was loaded anew go on, with a view."""
        self.audience.enter(session, group)
        return [Deliver(session, self.view(group)), Enter(session, group)]

    def stop(self, session: Session) -> list[Effect]:
        """Let a socket follow no longer."""
        self.audience.exit(session)
        return [Exit(session)]

    def share(self, home: int, spectators: int, said: Sequence[Said]) -> Share:
        """Let a node have what its spectators are to see, now and from now on."""
        self.audience.share(home, spectators, self.seq)
        return Share(
            home=home,
            load=self._load,
            seq=self.seq,
            at=self._at,
            document=Raw(msgspec.msgpack.encode(self._document(None))),
            over_at=self._over_at,
            ring=tuple(parts.public() for parts in self._ring),
            said=tuple(said),
        )

    def publish(self, scene: Scene, events: Sequence[Event], at: int) -> Publish:
        """Move on to the next moment, and tell everybody who follows."""
        change = changed(self.scene, scene)
        self.scene = scene
        self._moves_on(self.seq + 1, at)
        checks = {viewer: check(scene.document(viewer)) for viewer in self.audience.checked}
        parts = parts_of(self._rules, events, change, self.seq, at, checks)
        frames = self._framed(parts, self.audience.groups())
        shared = parts.public() if self.audience.homes else None
        self._ring.add(parts)  # last: it may keep less of it than is sent now
        return Publish(frames, shared)

    def _document(self, viewer: Viewer) -> dict[str, Any]:
        return self.scene.document(viewer)

    def _is_over(self) -> bool:
        return self.scene.front.status in OVER
