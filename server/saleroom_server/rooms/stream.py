"""What the viewers of a room are sent: one view, then updates without gap. PROTOCOL.md, "Order"."""

from collections.abc import Sequence

from msgspec import UNSET

from saleroom_protocol import messages
from saleroom_protocol.canonical import check
from saleroom_protocol.document import OVER
from saleroom_protocol.games.common import Event
from saleroom_protocol.messages import Cursor, Joined, Left, View
from saleroom_protocol.sse import ENCODERS, SSE
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
    Tell,
)
from saleroom_server.rooms.limits import RoomLimits
from saleroom_server.rooms.scene import Scene, changed
from saleroom_server.rooms.updates import Parts, Ring, parts_of
from saleroom_server.rooms.views import Viewer


class Stream:
    """One room's stream of updates, from the moment the room was loaded.

    Attributes:
        seq: of the last update; the scene is what the documents show after it.
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
        self._rules, self._room, self._load = rules, room, load
        self.seq, self.scene, self._at = seq, scene, at
        self.audience = Audience()
        self._ring = Ring(len(scene.sight.own), limits.ring_updates, limits.ring_bytes)
        self._views: dict[Group, bytes] = {}  # of this moment
        self._over_at: int | None = None  # by this update everybody knows that it is over
        self._note_the_end()

    def epoch(self, viewer: Viewer) -> str:
        """Return the viewer's epoch: new with every load, and no two viewers' are the same."""
        return f"{self._load}-{'s' if viewer is None else viewer}"

    def has_told_the_end(self, viewer: Viewer, cursor: Cursor) -> bool:
        """Whether the room is over, and somebody who has come so far knows."""
        if self._over_at is None or cursor.epoch != self.epoch(viewer):
            return False
        return self._over_at <= cursor.seq <= self.seq

    def start(self, session: Session, group: Group, asked: messages.Join, now: int) -> list[Effect]:
        """Let a socket follow from its cursor on if that can be, else from a view on."""
        viewer = group[0]
        missed = self._missed(asked, group)
        joined = Joined(
            id=asked.id,
            room=self._room,
            viewer=UNSET if viewer is None else viewer,
            cursor=Cursor(epoch=self.epoch(viewer), seq=self.seq),
            resumed=missed is not None,
            now=now,
        )
        frames = [self._view(group)] if missed is None else self._frames(missed, group)
        self.audience.enter(session, group)
        delivered = [Deliver(session, frame) for frame in frames]
        return [Tell(session, joined), *delivered, Enter(session, group)]

    def adopt(self, session: Session, group: Group) -> list[Effect]:
        """Let a socket that followed before the room was loaded anew go on, with a view."""
        self.audience.enter(session, group)
        return [Deliver(session, self._view(group)), Enter(session, group)]

    def refresh(self, session: Session) -> list[Effect]:
        """Let a socket go on from a view of this moment; what it was not sent yet, it never is."""
        group = self.audience.group(session)
        return [Exit(session), Deliver(session, self._view(group)), Enter(session, group)]

    def stop(self, session: Session) -> list[Effect]:
        """Let a socket follow no longer."""
        self.audience.exit(session)
        return [Exit(session)]

    def publish(self, scene: Scene, events: Sequence[Event], at: int) -> Publish:
        """Move on to the next moment, and tell everybody who follows."""
        change = changed(self.scene, scene)
        self.scene, self.seq, self._at = scene, self.seq + 1, at
        self._note_the_end()
        self._views.clear()
        checks = {viewer: check(scene.document(viewer)) for viewer in self.audience.checked}
        parts = parts_of(self._rules, events, change, self.seq, at, checks)
        groups = self.audience.groups()
        published = Publish(tuple((group, self._frame(parts, group)) for group in groups))
        self._ring.add(parts)  # last: it may keep less of it than is sent now
        return published

    def _missed(self, asked: messages.Join, group: Group) -> list[Parts] | None:
        """Return the updates after a cursor; None if it is none of this stream's, or too old."""
        viewer, _, checks = group
        if asked.cursor is UNSET or asked.cursor.epoch != self.epoch(viewer):
            return None
        return self._ring.after(asked.cursor.seq, self.seq, viewer, checks)

    def _frames(self, missed: list[Parts], group: Group) -> list[bytes]:
        return [self._frame(parts, group) for parts in missed]

    def _frame(self, parts: Parts, group: Group) -> bytes:
        viewer, name, checks = group
        frame = parts.frame(self._room, self.epoch(viewer), viewer, ENCODERS[name], checks)
        return frame + self._end(group) if parts.seq == self._over_at else frame

    def _view(self, group: Group) -> bytes:
        """Return a view of this moment; many may come at once, so it is kept until the next."""
        if group not in self._views:
            viewer, name, checks = group
            document = self.scene.document(viewer)
            view = View(
                room=self._room,
                epoch=self.epoch(viewer),
                seq=self.seq,
                at=self._at,
                document=document,
                check=check(document) if checks else UNSET,
            )
            frame = ENCODERS[name].encode(view)
            self._views[group] = frame if self._over_at is None else frame + self._end(group)
        return self._views[group]

    def _end(self, group: Group) -> bytes:
        """Return what ends a stream of events with the room; a socket may go on following it."""
        if group[1] != SSE.subprotocol:
            return b""
        return SSE.encode(Left(room=self._room, reason="closed"))

    def _note_the_end(self) -> None:
        if self._over_at is None and self.scene.front.status in OVER:
            self._over_at = self.seq
