"""Frames to messages and back, for both subprotocols. PROTOCOL.md, "Frames".

Reading a client's frame has three steps: bounds, before anything is built; the message, all but
the action in it; the action, once the room and so the game is known.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, get_args

import msgspec
from msgspec import Raw, Struct

from saleroom_protocol.bounds import OutOfBounds, scan_json, scan_msgpack
from saleroom_protocol.errors import CloseCode, ProtocolViolation, Reason
from saleroom_protocol.limits import Limits
from saleroom_protocol.messages import ClientMessage, Id, Refused, ServerMessage

ECHOED_CHARS = 100  # of a client's own words, in a refusal
TOLD_TYPES = frozenset(kind.__struct_config__.tag for kind in get_args(ServerMessage))


class Unacceptable(Exception):
    """A value that could be read but is not what it should be.

    Attributes:
        reason: `malformed` or `unknown_field`.
        field: where, as a dotted path; empty for the whole.
        message: English.
    """

    def __init__(self, reason: Reason, field: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.field = field
        self.message = message

    def refusal(self, request: str) -> Refused:
        """Return the receipt that answers the request of this id."""
        facts = {"field": self.field} if self.field else {}
        return Refused(id=request, reason=self.reason, facts=facts, message=self.message)


class _Asked(Struct):
    """As much of a request as it takes to refuse it."""

    id: Id


class _Typed(Struct):
    """As much of a message as it takes to tell whether this version knows it."""

    type: str


class Encoder:
    """One way of writing messages.

    Attributes:
        subprotocol: its name; of a `Codec`, what stands in Sec-WebSocket-Protocol.
        text: whether what is written is text.
        encode: writes a message.
    """

    def __init__(self, subprotocol: str, text: bool, encode: Callable[[Any], bytes]) -> None:
        self.subprotocol = subprotocol
        self.text = text
        self.encode = encode


class Codec(Encoder):
    """One subprotocol: its name, its encoder, and its way of reading."""

    def __init__(
        self,
        subprotocol: str,
        text: bool,
        encode: Callable[[Any], bytes],
        decoder: Callable[[Any], Any],
        scan: Callable[[bytes, Limits], None],
    ) -> None:
        super().__init__(subprotocol, text, encode)
        self._decoder = cache(decoder)  # one for each game's actions, made when first needed
        self._scan = scan
        self._request = decoder(ClientMessage)
        self._asked = decoder(_Asked)
        self._told = decoder(ServerMessage)
        self._typed = decoder(_Typed)

    def raw(self, value: Any) -> Raw:
        """Encode a part once, to be spliced into several messages."""
        return Raw(self.encode(value))

    def read_request(self, frame: bytes, limits: Limits) -> ClientMessage | Refused:
        """Read a client's frame; return its message, or the refusal it is answered with.

        Raises:
            ProtocolViolation: there is nothing that could be answered.
        """
        try:
            self._scan(frame, limits)
        except OutOfBounds as problem:
            large = len(frame) > limits.client_message_bytes
            code = CloseCode.MESSAGE_TOO_BIG if large else CloseCode.PROTOCOL_VIOLATION
            raise ProtocolViolation(code, str(problem)) from problem
        try:
            message: ClientMessage = self._read(frame, self._request)
        except Unacceptable as problem:
            return problem.refusal(self._id_of(frame, problem))
        return message

    def read_action(self, action: Raw, action_type: Any) -> Any:
        """Read the action of an `act`, whose frame has passed `read_request`.

        Args:
            action: as it stood in the frame.
            action_type: the union of the game's actions.

        Raises:
            Unacceptable: it is not an action of this game.
            ProtocolViolation: it has a string that is not UTF-8.
        """
        return self._read(action, self._decoder(action_type))

    def read_told(self, frame: bytes) -> ServerMessage | None:
        """Read a server's frame; None if it is of a type this version does not know.

        Raises:
            ProtocolViolation: it is not a message.
        """
        try:
            message: ServerMessage = self._read(frame, self._told)
        except Unacceptable as problem:
            if self._is_of_another_type(frame):
                return None
            raise ProtocolViolation(CloseCode.PROTOCOL_VIOLATION, problem.message) from problem
        return message

    def _is_of_another_type(self, frame: bytes) -> bool:
        try:
            typed: _Typed = self._read(frame, self._typed)
        except Unacceptable:
            return False
        return typed.type not in TOLD_TYPES

    def _id_of(self, frame: bytes, problem: Unacceptable) -> str:
        try:
            asked: _Asked = self._read(frame, self._asked)
        except Unacceptable:
            raise ProtocolViolation(CloseCode.PROTOCOL_VIOLATION, problem.message) from problem
        return asked.id

    def _read(self, frame: bytes | Raw, decoder: Any) -> Any:
        try:
            return decoder.decode(frame)
        except msgspec.ValidationError as error:
            raise unacceptable(str(error)) from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ProtocolViolation(CloseCode.PROTOCOL_VIOLATION, "not readable") from error


def unacceptable(text: str) -> Unacceptable:
    """Turn msgspec's "… - at `$.cursor.seq`" into reason, field and message."""
    problem, mark, place = text.rpartition(" - at `$")
    problem, path = (problem, place[:-1].lstrip(".")) if mark else (text, "")
    known = "Object contains unknown field", "Object missing required field"
    if problem.startswith(known):
        name = problem[problem.index("`") + 1 : problem.rindex("`")]
        path = f"{path}.{name}".lstrip(".")
    unknown = problem.startswith(known[0])
    reason = Reason.UNKNOWN_FIELD if unknown else Reason.MALFORMED
    return Unacceptable(reason, path[:ECHOED_CHARS], problem[:ECHOED_CHARS])


MSGPACK = Codec(
    "saleroom.v1.msgpack",
    False,
    msgspec.msgpack.Encoder().encode,
    msgspec.msgpack.Decoder,
    scan_msgpack,
)
JSON = Codec(
    "saleroom.v1.json", True, msgspec.json.Encoder().encode, msgspec.json.Decoder, scan_json
)
CODECS: dict[str, Codec] = {codec.subprotocol: codec for codec in (MSGPACK, JSON)}
