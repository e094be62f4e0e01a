"""Whether and when to dial again after a socket is lost; no socket. PROTOCOL.md, "Close codes"."""

from saleroom_client.outside import Outside
from saleroom_client.websocket import Broken

LASTING = 5.0  # seconds
WELCOMED = 3  # losses that count at most once the server has let us in: a player's clock runs


class Redial:
    """Counts what went wrong in a row: dials without a welcome, sockets that did not last."""

    def __init__(self, attempts: int, outside: Outside) -> None:
        self._attempts = attempts
        self._outside = outside
        self._dials = 0
        self._losses = 0
        self._began = 0.0

    def dialling(self) -> None:
        """Note that a socket is being opened."""
        self._dials += 1
        self._began = self._outside.clock()

    def welcomed(self) -> None:
        """Note that the server has answered the hello."""
        self._dials = 0
        self._losses = min(self._losses, WELCOMED)

    def pause(self, broken: Broken) -> float:
        """Return the seconds to wait before dialling again.

        A server that welcomes and at once closes must not be dialled at full speed for ever: only
        a socket that has lasted for some seconds lets the pauses begin with the shortest again. But
        where it welcomes, they do not grow beyond a few seconds.

        Raises:
            ConnectionLost, VersionMismatch: it is not to be dialled again.
        """
        if not broken.retry or self._dials >= self._attempts:
            raise broken.final() from broken
        if self._outside.clock() - self._began >= LASTING:
            self._losses = 0
        self._losses += 1
        if broken.wait is not None:
            return broken.wait
        return self._outside.backoff(self._losses - 1)
