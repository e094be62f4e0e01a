"""From where on a viewer is sent what happens in a room: one view, then updates without gap.

PROTOCOL.md, "Order". The owner of a room has such a feed for all viewers (`stream.py`), a node
whose spectators look on at a room of another node has one for them (`relay.py`).
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from msgspec import UNSET, UnsetType

from saleroom_protocol import messages
from saleroom_protocol.canonical import check
from saleroom_protocol.messages import Cursor, Joined, Left, View
from saleroom_protocol.sse import ENCODERS, SSE
from saleroom_server.rooms.commands import Deliver, Effect, Enter, Exit, Group, Session, Tell
from saleroom_server.rooms.updates import Parts, Ring
from saleroom_server.rooms.views import Viewer


class Feed(ABC):
    """What those are sent who follow a room, from the moment the room was loaded.

    Attributes:
        seq: of the last update.
    """

    def __init__(self, room: str, load: str, seq: int, at: int, ring: Ring) -> None:
        self._room, self._load, self._ring = room, load, ring
        self.seq, self._at = seq, at
        self._views: dict[Group, bytes] = {}  # of this moment
        self._over_at: int | None = None  # by this update everybody knows that it is over

    @abstractmethod
    def _document(self, viewer: Viewer) -> dict[str, Any]:
        """Return what a viewer sees after the last update."""

    @abstractmethod
    def _is_over(self) -> bool:
        """Whether that says that the room is over."""

    def epoch(self, viewer: Viewer) -> str:
        """Return the viewer's epoch: new with every load, and no two viewers' are the same."""
        return f"{self._load}-{'s' if viewer is None else viewer}"

    def has_told_the_end(self, viewer: Viewer, cursor: Cursor) -> bool:
        """Whether the room is over, and somebody who has come so far knows."""
        if self._over_at is None or cursor.epoch != self.epoch(viewer):
            return False
        return self._over_at <= cursor.seq <= self.seq

    def is_behind(self, asked: messages.Join) -> bool:
        """Whether somebody has seen more than this: at another node, which heard of it first."""
        return asked.cursor is not UNSET and asked.cursor.seq > self.seq

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
        if missed is None:
            frames = [self.view(group)]
        else:
            frames = [self._frame(parts, group) for parts in missed]
        delivered = [Deliver(session, frame) for frame in frames]
        return [Tell(session, joined), *delivered, Enter(session, group)]

    def refresh(self, session: Session, group: Group) -> list[Effect]:
        """Let a socket go on from a view of this moment; what it was not sent yet, it never is."""
        return [Exit(session), Deliver(session, self.view(group)), Enter(session, group)]

    def view(self, group: Group) -> bytes:
        """Return a view of this moment; many may come at once, so it is kept until the next."""
        if group not in self._views:
            viewer, name, checks = group
            document = self._document(viewer)
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

    def heard(self, viewer: Viewer, asked: messages.Join) -> int | UnsetType:
        """Return the last saying heard, unless the cursor shows that it is of another epoch's."""
        former = asked.cursor is not UNSET and asked.cursor.epoch != self.epoch(viewer)
        return UNSET if former else asked.said_after

    def _moves_on(self, seq: int, at: int) -> None:
        """Take note that the document is that of the next moment."""
        self.seq, self._at = seq, at
        self._views.clear()
        self._note_the_end()

    def _note_the_end(self) -> None:
        if self._over_at is None and self._is_over():
            self._over_at = self.seq

    def _framed(self, parts: Parts, groups: Iterable[Group]) -> tuple[tuple[Group, bytes], ...]:
        return tuple((group, self._frame(parts, group)) for group in groups)

    def _missed(self, asked: messages.Join, group: Group) -> list[Parts] | None:
        """Return the updates after a cursor; None if it is none of this feed's, or too old."""
        viewer, _, checks = group
        if asked.cursor is UNSET or asked.cursor.epoch != self.epoch(viewer):
            return None
        return self._ring.after(asked.cursor.seq, self.seq, viewer, checks)

    def _frame(self, parts: Parts, group: Group) -> bytes:
        viewer, name, checks = group
        frame = parts.frame(self._room, self.epoch(viewer), viewer, ENCODERS[name], checks)
        return frame + self._end(group) if parts.seq == self._over_at else frame

    def _end(self, group: Group) -> bytes:
        """Return what ends a stream of events with the room; a socket may go on following it."""
        if group[1] != SSE.subprotocol:
            return b""
        return SSE.encode(Left(room=self._room, reason="closed"))
