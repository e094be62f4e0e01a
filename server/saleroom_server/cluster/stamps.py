"""Nothing is heard twice, and nothing after what was sent later.

A connection that is given up may have sent something all the same. It can still arrive when the
next connection has long sent more: a frozen server wakes up, and reads both. So whatever is sent
has a stamp, the sender's and a number that rises; whoever hears a lower one than before lets it be.
"""

import struct
from secrets import token_bytes

from msgspec import Struct

_FORM = struct.Struct(">8sQ")  # who: drawn by chance for each life of a node; a number


class Heard(Struct, frozen=True):
    """A message that came in order.

    Attributes:
        own: whether it was sent to oneself.
        number: as its sender counts.
        body: what was sent.
    """

    own: bool
    number: int
    body: bytes


class Stamps:
    """What one node knows of the order of messages.

    Attributes:
        sent: the number of the last one that was sent.
    """

    def __init__(self, senders: int) -> None:
        """Nothing has been heard yet.

        Args:
            senders: of how many others it is known what was heard; then the first is forgotten.
        """
        self.sent = 0
        self._own = token_bytes(8)
        self._senders = senders
        self._heard: dict[bytes, int] = {}  # who was heard last, last

    def stamp(self, body: bytes) -> bytes:
        """Return the next message."""
        self.sent += 1
        return _FORM.pack(self._own, self.sent) + body

    def read(self, message: bytes) -> Heard | None:
        """Return what came; None: it comes again or too late, or is none of ours."""
        if len(message) < _FORM.size:
            return None
        sender, number = _FORM.unpack_from(message)
        last = self._heard.pop(sender, 0)
        self._heard[sender] = max(last, number)
        if len(self._heard) > self._senders:
            del self._heard[next(iter(self._heard))]
        if number <= last:
            return None
        return Heard(sender == self._own, number, message[_FORM.size :])
