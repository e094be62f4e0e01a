"""What the SDK raises.

* `SaleroomError`
    * `ConnectionLost`: there is no connection any more, and none will be made.
    * `Refused`: the server understood and said no, over WebSocket or HTTP.
    * `VersionMismatch`: the server does not speak version 1 of the protocol.
    * `RoomLeft`: one room's stream has ended before its game; the connection lives on.
    * `OutOfStep`: one room's stream cannot be followed; the connection lives on.

A broken connection that can be made anew raises nothing: it is made anew.
"""

from collections.abc import Mapping
from typing import Any


class SaleroomError(Exception):
    """Anything this package raises on purpose, but for a wrong argument (`ValueError`)."""


class ConnectionLost(SaleroomError):
    """There is no connection, and trying again would not help or has been given up.

    Attributes:
        code: the close code, PROTOCOL.md "Close codes"; None if no socket was closed.
        reason: the code's name, as `bad_token`; else `connection_lost`, or `closed` by oneself.
    """

    def __init__(
        self, message: str, *, reason: str = "connection_lost", code: int | None = None
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.code = code


class Refused(SaleroomError):
    """The server refused a request. PROTOCOL.md, "Reasons".

    Nothing was changed by it, unless the reason is `unavailable`: then nobody knows.

    Attributes:
        reason: a word of the protocol's list, or `http_502` and the like for an answer without one.
        facts: what belongs to the reason, as `why` to `illegal_action`.
        message: English, for developers.
        status: the HTTP status; 0 over WebSocket.
    """

    def __init__(
        self, reason: str, facts: Mapping[str, Any], message: str = "", *, status: int = 0
    ) -> None:
        super().__init__(f"{reason}: {message}" if message else reason)
        self.reason = reason
        self.facts = dict(facts)
        self.message = message
        self.status = status


class VersionMismatch(SaleroomError):
    """The server does not speak version 1, or not in a way this package can read."""


class RoomLeft(SaleroomError):
    """This program no longer follows a room. PROTOCOL.md, `left`.

    Attributes:
        room: which.
        reason: `replaced` (a newer socket of the same player took the stream), `kicked`, `closed`;
            or `left`, by this program itself. More words may come.
    """

    def __init__(self, room: str, reason: str) -> None:
        super().__init__(f"{room}: {reason}")
        self.room = room
        self.reason = reason


class OutOfStep(SaleroomError):
    """A room's stream does not fit together, however often it is joined anew.

    Attributes:
        room: which.
    """

    def __init__(self, room: str) -> None:
        super().__init__(f"{room}: joining again and again has not helped")
        self.room = room
