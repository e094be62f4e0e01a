"""What happened on a server, counted from outside: what sockets were told, what records say."""

from collections import Counter

from msgspec import UNSET

from saleroom_protocol.games.record import Acted, Expired
from saleroom_rules.record import read
from tests.support.sockets import Socket


class Recount:
    """Counts to be compared with what a server counts of itself.

    Attributes:
        acts: by `accepted`, or the reason of the refusal; a receipt given again counts again.
        windows: answers, by `answered`, `default`, and `late`: refused because it was closed.
        joins: `resumed`, or with a `view`; the refused are not among them.
        closed: sockets the server closed, by code.
        rooms: those that have ended, by why.
    """

    def __init__(self) -> None:
        self.acts: Counter[str] = Counter()
        self.windows: Counter[str] = Counter()
        self.joins: Counter[str] = Counter()
        self.closed: Counter[int] = Counter()
        self.rooms: Counter[str] = Counter()

    def socket(self, socket: Socket) -> None:
        """Count what a socket was told in its life."""
        if socket.closed is not None:
            self.closed[socket.closed] += 1
        for told in socket.messages:
            match told:
                case {"type": "joined"}:
                    self.joins["resumed" if told["resumed"] else "view"] += 1
                case {"type": "accepted"} if "seq" in told:
                    self.acts["accepted"] += 1
                case {"type": "refused"} if told["id"].startswith("act-"):
                    self.acts[told["reason"]] += 1
                    self.windows["late"] += told["reason"] == "window_closed"

    def record(self, data: bytes) -> None:
        """Count what the record of a room that has ended tells."""
        record = read(data)
        self.rooms[record.closing.outcome.reason] += 1
        for entry in record.lines:
            if isinstance(entry, Acted) and entry.window is not UNSET:
                self.windows["answered"] += 1
            elif isinstance(entry, Expired):
                self.windows["default"] += len(entry.answers)

    def __str__(self) -> str:
        return "; ".join(
            f"{name}: " + ", ".join(f"{key} {count}" for key, count in counter.most_common())
            for name, counter in vars(self).items()
        )
