"""What happened on a server, counted from outside: what sockets were told, what records say."""

from collections import Counter

from msgspec import UNSET

from saleroom_protocol.games.record import Acted, Expired, Resigned
from saleroom_rules.record import read
from saleroom_server.rooms.standing import Standing
from tests.support.samples import Samples
from tests.support.sockets import Message, Socket

NOTHING = ("rooms", "rooms_loaded", "spectators", "sockets", "room_failures_total")


class Recount:
    """Counts to be compared with what a server counts of itself.

    Attributes:
        accepted: acts in the records, resigning among them.
        refused: acts, by reason.
        windows: by `answered`, `default`: what closed them; and acts that were `refused_late`.
        joins: by role.
        resumes: joins with a cursor, by `ring` or `view`.
        closed: sockets, by the code the server closed them with, or `client`.
        rooms: by why they ended.
        unheard: acts and joins whose answer nobody read, the line having broken.
    """

    def __init__(self) -> None:
        self.accepted = 0
        self.refused: Counter[str] = Counter()
        self.windows: Counter[str] = Counter()
        self.joins: Counter[str] = Counter()
        self.resumes: Counter[str] = Counter()
        self.closed: Counter[str] = Counter()
        self.rooms: Counter[str] = Counter()
        self.unheard: Counter[str] = Counter()

    def socket(self, socket: Socket) -> None:
        """Count what a socket was told in its life, which is over."""
        self.closed[str(int(socket.closed)) if socket.closed is not None else "client"] += 1
        for told in socket.messages:
            if told["type"] == "joined":
                self._joined(socket.request(told["id"]), told["resumed"])
            elif told["type"] == "refused" and socket.request(told["id"])["type"] == "act":
                self.refused[told["reason"]] += 1
                late = told["facts"].get("closed_by", "never") != "never"
                self.windows["refused_late"] += late
        self.unheard.update(request["type"] for request in socket.open_requests)

    def room(self, data: bytes, standing: Standing, open_window: int | None) -> None:
        """Count what the record of a room that has ended tells.

        Args:
            data: the record.
            standing: the room's last.
            open_window: the number of the window that was open when it was closed.
        """
        self.rooms[standing.outcome.reason if standing.outcome is not UNSET else "?"] += 1
        lines = read(data).lines
        answers = [line for line in lines if isinstance(line, Acted | Expired)]
        self.accepted += sum(isinstance(line, Resigned) for line in lines)
        self.accepted += sum(isinstance(line, Acted) and line.by == "person" for line in answers)
        windows = {answer.window: answer for answer in answers if answer.window is not UNSET}
        for number, last in windows.items():
            if number != open_window:
                self.windows["default" if isinstance(last, Expired) else "answered"] += 1

    def _joined(self, join: Message, resumed: bool) -> None:
        self.joins[join["as"]] += 1
        if "cursor" in join:
            self.resumes["ring" if resumed else "view"] += 1

    def differences(self, told: Samples) -> list[str]:
        """Compare with what the server counted; return what is not the same.

        What nobody heard the answer to may have been refused, or granted, or not.
        """
        acts, joins = self.unheard["act"], self.unheard["join"]
        counted: list[tuple[str, dict[str, str], int, int]] = [
            ("acts_accepted_total", {}, self.accepted, 0),
            *((name, {}, 0, 0) for name in NOTHING),
        ]
        for name, label, counts, unheard in (
            ("acts_refused_total", "reason", self.refused, acts),
            ("windows_total", "outcome", self.windows, acts),
            ("joins_total", "role", self.joins, joins),
            ("resumes_total", "kind", self.resumes, joins),
            ("sockets_closed_total", "code", self.closed, 0),
        ):
            for value in counts.keys() | told.labels(name, label):
                exact = value in ("answered", "default")  # as records have it, heard or not
                counted.append((name, {label: value}, counts[value], 0 if exact else unheard))
        return [
            f"{name} {labels or ''}: {told.value(name, **labels):.0f}, but there were {count}"
            for name, labels, count, unheard in counted
            if not 0 <= told.value(name, **labels) - count <= unheard
        ]

    def __str__(self) -> str:
        counters = {name: counts for name, counts in vars(self).items() if name != "accepted"}
        return f"acts accepted {self.accepted}; " + "; ".join(
            f"{name}: " + ", ".join(f"{key} {count}" for key, count in counter.most_common())
            for name, counter in counters.items()
        )
