"""One room's document, kept in step with its stream; no socket, no clock, no chance.

PROTOCOL.md, "Order, patches, resume". A mirror is in one of three standings:

    APART      it does not follow the stream and must join (again)
    ASKED      a join was sent and not answered
    FOLLOWING  the next update is the one after its own

Whoever owns a mirror feeds it what it reads, in order, and after each message sends a join with
`cursor` whenever `needs_join`, telling so with `asked`. What the mirror returns is what is new to
see: each state once, never one with a hole before it, never one whose check does not fit.

A frame of the stream proves more than `joined` does: with it the mirror follows, whether or not
`joined` was read. Frames that do not fit while a join is under way are of the stream before it.
"""

from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeAlias

from msgspec import UNSET, UnsetType

from saleroom_client.errors import OutOfStep
from saleroom_protocol import messages
from saleroom_protocol.canonical import check
from saleroom_protocol.messages import ResumeCursor, View
from saleroom_protocol.patch import apply

PATIENCE = 5  # joins in a row, because something did not fit, before giving up
Plain: TypeAlias = dict[str, Any]  # a map as it comes from the wire; only read it


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """A state of a room, and how it came about.

    Attributes:
        seq: its number in the room's stream.
        at: the server's time, milliseconds since 1970 UTC.
        events: what happened, in order; PROTOCOL.md, "The document", and the game's section.
        document: what the viewer sees after it.
        whole: true if the document was sent whole: states before it may have been missed.
    """

    seq: int
    at: int
    events: tuple[Plain, ...]
    document: Plain
    whole: bool


class Standing(Enum):
    """How a mirror stands to its stream; see the module."""

    APART = auto()
    ASKED = auto()
    FOLLOWING = auto()


class Mirror:
    """The newest state of one room that follows without a gap from what was sent.

    Attributes:
        room: which.
        latest: that state; with an empty document until the first view.
    """

    def __init__(self, room: str) -> None:
        self.room = room
        self.latest = Update(seq=0, at=0, events=(), document={}, whole=True)
        self._epoch = ""
        self._trusted = False  # whether the server may be told to go on from `latest`
        self._standing = Standing.APART
        self._strays = 0

    @property
    def epoch(self) -> str:
        """The epoch of `latest`; empty before the first view."""
        return self._epoch

    @property
    def needs_join(self) -> bool:
        """Whether a join must be sent now."""
        return self._standing is Standing.APART

    @property
    def cursor(self) -> ResumeCursor | UnsetType:
        """Where the next join is to resume; unset to ask for a view."""
        return ResumeCursor(epoch=self._epoch, seq=self.latest.seq) if self._trusted else UNSET

    def asked(self) -> None:
        """Note that a join was sent."""
        self._standing = Standing.ASKED

    def cut(self) -> None:
        """Note that nothing more comes, as when the socket is gone."""
        self._standing = Standing.APART

    def joined(self) -> None:
        """Note that the join was answered: what follows fits, or something is missing."""
        self._standing = Standing.FOLLOWING

    def reached(self, seq: int) -> None:
        """Note that every update up to `seq` has been written: a receipt says so.

        Raises:
            OutOfStep: joining anew has been tried often enough.
        """
        if seq > self.latest.seq:
            self._stray()

    def view(self, message: View) -> Update | None:
        """Take a whole document; return it unless it is what was known.

        Raises:
            OutOfStep: joining anew has been tried often enough.
        """
        if message.epoch == self._epoch and message.seq < self.latest.seq:
            return None  # a leftover: within an epoch the newer state stays the newer one
        if not _fits(message.document, message.check):
            self._distrust()
            return None
        self._epoch = message.epoch
        return self._show(message, message.document, ())

    def update(self, message: messages.Update) -> Update | None:
        """Take a patch; return the state it leads to, if it is the next one.

        Raises:
            OutOfStep: joining anew has been tried often enough.
        """
        known = self._trusted and message.epoch == self._epoch
        if known and message.seq <= self.latest.seq:
            return None
        if not known or message.seq > self.latest.seq + 1:
            self._stray()
            return None
        patch = {} if message.patch is UNSET else message.patch
        document = apply(self.latest.document, patch)
        if not _fits(document, message.check):
            self._distrust()
            return None
        return self._show(message, document, () if message.events is UNSET else message.events)

    def _show(
        self, message: View | messages.Update, document: Plain, events: tuple[Plain, ...]
    ) -> Update | None:
        self._standing, self._trusted, self._strays = Standing.FOLLOWING, True, 0
        if message.seq == self.latest.seq and document == self.latest.document:
            return None
        whole = isinstance(message, View)
        self.latest = Update(
            seq=message.seq, at=message.at, events=events, document=document, whole=whole
        )
        return self.latest

    def _distrust(self) -> None:
        """The server's document is another one: ask for all of it, not for what comes next."""
        self._trusted = False
        self._standing = Standing.FOLLOWING  # also if a join is under way: it had a cursor
        self._stray()

    def _stray(self) -> None:
        """Something is missing: join again, unless that is being done."""
        if self._standing is not Standing.FOLLOWING:
            return
        self._standing = Standing.APART
        self._strays += 1
        if self._strays > PATIENCE:
            raise OutOfStep(self.room)


def _fits(document: Plain, expected: int | UnsetType) -> bool:
    return expected is UNSET or check(document) == expected
