"""What nodes tell each other. Between nodes of one release only; no client ever sees it.

It is written as MessagePack. A message that cannot be read is of another release, and counts as one
that was lost.
"""

from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from saleroom_protocol.errors import Reason
from saleroom_protocol.messages import Accepted
from saleroom_server.owner.elsewhere import Errand
from saleroom_server.rooms.commands import Effect
from saleroom_server.rooms.seating import Seated
from saleroom_server.store import interface as stores


class Do(Struct, frozen=True, tag="do"):
    """Carry out an errand."""

    errand: Errand


class Known(Struct, frozen=True, tag="known"):
    """There is a new room, of ours; `number` is an errand's."""

    number: int
    room: str
    head: bytes


class Nothing(Struct, frozen=True, tag="nothing"):
    """The answer of what answers nothing."""


class Refused(Struct, frozen=True, tag="refused"):
    """The answer of what was not done."""

    reason: Reason
    facts: dict[str, Any]


class Before(Struct, frozen=True, tag="before"):
    """The answer of what was done before, with the same key: as it was given then."""

    answer: stores.Answer


class NotHere(Struct, frozen=True, tag="not_here"):
    """The room is not ours."""


Answer: TypeAlias = Accepted | Seated | Nothing | Before | Refused | NotHere


class Done(Struct, frozen=True, tag="done"):
    """An errand is answered."""

    number: int
    answer: Answer


class Told(Struct, frozen=True, tag="told"):
    """What a room of ours tells the sockets of the receiving node."""

    room: str
    effects: tuple[Effect, ...]


class GaveUp(Struct, frozen=True, tag="gave_up"):
    """A room is no longer ours."""

    room: str


class LookOn(Struct, frozen=True, tag="look_on"):
    """So many look on here at a room of the receiving node; `seq` is the last it has told of it."""

    room: str
    spectators: int
    seq: int


Body: TypeAlias = Do | Known | Done | Told | GaveUp | LookOn


class Message(Struct, frozen=True, array_like=True):
    """What one node has to tell another.

    Attributes:
        sender: a node.
        number: counts the messages of that node to the receiving one. One without a body is a
            beat: it has the number of the last one that had any.
        bodies: in order.
    """

    sender: str
    number: int
    bodies: tuple[Body, ...]


encode = msgspec.msgpack.Encoder().encode
_decoder = msgspec.msgpack.Decoder(Message)


def decode(body: bytes) -> Message:
    """Read a message.

    Raises:
        msgspec.DecodeError: it is none of this release.
    """
    return _decoder.decode(body)
