"""Nothing is heard twice, and nothing after what was sent later.

A connection that is given up may have sent something all the same. It can still arrive when the
next connection has long sent more: a frozen server wakes up, and reads both. So whatever is sent
has a stamp, the sender's and a number that rises; whoever hears a lower one than before lets it be.
"""

import struct
from secrets import token_bytes

from msgspec import Struct

# Who, drawn by chance for each life of a node; the number; whether it only tries the way.
_FORM = struct.Struct(">8sQ?")


class Heard(Struct, frozen=True):
    """A message that came in order.

    Attributes:
        probe: it is for the bus itself, which wants to know whether it comes.
        body: what was sent.
    """

    probe: bool
    body: bytes


class Stamps:
    """What one node knows of the order of messages."""

    def __init__(self, senders: int) -> None:
        """Nothing has been sent or heard yet.

        Args:
            senders: of so many it is known what was heard last; then whoever was heard longest ago
                is forgotten.
        """
        self._own, self._sent = token_bytes(8), 0
        self._senders = senders
        self._heard: dict[bytes, int] = {}  # who was heard last, last

    def stamp(self, body: bytes, *, probe: bool = False) -> bytes:
        """Return the next message."""
        self._sent += 1
        return _FORM.pack(self._own, self._sent, probe) + body

    def read(self, message: bytes) -> Heard | None:
        """Return what came; None: it came before or too late, or is none of ours."""
        if len(message) < _FORM.size:
            return None
        sender, number, probe = _FORM.unpack_from(message)
        last = self._heard.pop(sender, 0)
        self._heard[sender] = max(last, number)
        if len(self._heard) > self._senders:
            del self._heard[next(iter(self._heard))]
        return Heard(probe, message[_FORM.size :]) if number > last else None
