"""Frames to messages and back, for both subprotocols. PROTOCOL.md, "Frames".

Reading a client's frame has three steps: bounds, before anything is built; the message, all but
the action in it; the action, once the room and so the game is known.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from msgspec import Raw, Struct

from saleroom_protocol.bounds import OutOfBounds, scan_json, scan_msgpack
from saleroom_protocol.errors import CloseCode, ProtocolViolation, Reason
from saleroom_protocol.limits import Limits
from saleroom_protocol.messages import ClientMessage, Id, Refused, ServerMessage

ValueT = TypeVar("ValueT")


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


class Codec:
    """One subprotocol: its name, its encoder, and its way of reading.

    Attributes:
        subprotocol: what stands in Sec-WebSocket-Protocol.
        text: whether its frames are text frames.
    """

    def __init__(
        self,
        subprotocol: str,
        text: bool,
        encode: Callable[[Any], bytes],
        decoder: Callable[[Any], Any],
        scan: Callable[[bytes, Limits], None],
    ) -> None:
        self.subprotocol = subprotocol
        self.text = text
        self.encode = encode
        self._decoder = decoder
        self._scan = scan
        self._request = decoder(ClientMessage)
        self._asked = decoder(_Asked)
        self._told = decoder(ServerMessage)

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

    def read_action(self, action: Raw, action_type: type[ValueT]) -> ValueT:
        """Read the action of an `act`, whose frame has passed `read_request`.

        Raises:
            Unacceptable: it is not an action of this game.
        """
        decoded: ValueT = self._read(action, self._decoder(action_type))
        return decoded

    def read_told(self, frame: bytes) -> ServerMessage:
        """Read a server's frame.

        Raises:
            ProtocolViolation: it is not a message this version knows.
        """
        try:
            message: ServerMessage = self._read(frame, self._told)
        except Unacceptable as problem:
            raise ProtocolViolation(CloseCode.PROTOCOL_VIOLATION, problem.message) from problem
        return message

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
            raise _unacceptable(str(error)) from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise ProtocolViolation(CloseCode.PROTOCOL_VIOLATION, "not readable") from error


def _unacceptable(text: str) -> Unacceptable:
    """Turn msgspec's "… - at `$.cursor.seq`" into reason, field and message."""
    problem, _, place = text.partition(" - at `$")
    path = place.rstrip("`").lstrip(".")
    if problem.startswith("Object contains unknown field"):
        name = problem.split("`")[1]
        return Unacceptable(Reason.UNKNOWN_FIELD, f"{path}.{name}".lstrip("."), problem)
    if problem.startswith("Object missing required field"):
        name = problem.split("`")[1]
        return Unacceptable(Reason.MALFORMED, f"{path}.{name}".lstrip("."), problem)
    return Unacceptable(Reason.MALFORMED, path, problem)


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
