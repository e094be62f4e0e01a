"""What one room is to whoever runs the server: lines in the log, and counts.

Of what happens at the table nothing is told but that it happened. Nothing here may raise: a command
that came true would be refused.
"""

from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from saleroom_protocol.document import Status, WindowInfo
from saleroom_protocol.errors import Reason
from saleroom_protocol.messages import Joined
from saleroom_server.logs import logger
from saleroom_server.metrics import Metrics
from saleroom_server.rooms.commands import Act, Command, Decision, Effect, Join, Refusal, Tell
from saleroom_server.rooms.room import Room

log = logger("rooms")

EARLIER = "earlier"  # the kind of a window longer closed than is remembered


class Account:
    """One room among all that are counted.

    Attributes:
        game: what is played.
        status: as which the room is counted; None while it is not.
    """

    def __init__(self, room: str, metrics: Metrics) -> None:
        self._room, self._metrics = room, metrics
        self.game = ""
        self.status: Status | None = None
        self._loaded = False
        self._spectators = 0
        self._window: WindowInfo | UnsetType = UNSET  # before the decision in hand
        self._closed: WindowInfo | UnsetType = UNSET  # the last that was

    # What there is

    def opens(self, game: str, status: Status) -> None:
        """Count the room from now on."""
        self.game, self.status = game, status
        self._metrics.rooms[game, status].inc()

    def becomes(self, status: Status) -> None:
        """Count the room, whoever owns it, under what it has become."""
        if self.status is not None and status != self.status:
            self._metrics.rooms[self.game, self.status].dec()
            self.opens(self.game, status)

    def holds(self, room: Room) -> None:
        """Count the room as one in memory, whatever it has become."""
        if not self._loaded:
            self._loaded = True
            self._metrics.rooms_loaded.inc()
        self._stands(room)
        self.watched(room)

    def drops(self) -> None:
        """Count it no longer as one in memory."""
        if self._loaded:
            self._loaded = False
            self._metrics.rooms_loaded.dec()

    def closes(self) -> None:
        """Count the room no longer, nor who looks on."""
        self.drops()
        self._look_on(0)
        if self.status is not None:
            self._metrics.rooms[self.game, self.status].dec()
            self.status = None

    # What happens

    def decides(self, room: Room) -> None:
        """Take note how things are before a decision."""
        self._window = room.window

    def decided(self, command: Command, decision: Decision, room: Room) -> None:
        """Take note of a decision that has come true."""
        if isinstance(command, Act) and not decision.silent:
            self._metrics.acts_accepted[self.game].inc()
        if decision.answered:
            self._answered("default" if decision.speaker is None else "answered", room.window)
        self._stands(room)

    def refused(self, refusal: Refusal) -> None:
        """Take note of a refusal: somebody may have come too late."""
        if refusal.reason is not Reason.WINDOW_CLOSED or refusal.facts["closed_by"] == "never":
            return
        closed = self._closed
        if closed is not UNSET and closed.number == refusal.facts["window"]:
            kind = closed.kind
        else:
            kind = EARLIER
        self._metrics.windows[self.game, kind, "refused_late"].inc()

    def joined(self, command: Join, effects: Sequence[Effect]) -> None:
        """Take note of a join that was granted."""
        self._metrics.joins[command.asked.as_].inc()
        if command.asked.cursor is not UNSET:
            self._metrics.resumes["ring" if _resumed(effects) else "view"].inc()

    def watched(self, room: Room) -> None:
        """Take note of how many look on."""
        self._look_on(room.spectators)

    def rang(self, late_ms: int) -> None:
        """Take note of a bell."""
        self._metrics.bells_late.observe(late_ms / 1000)

    def _look_on(self, spectators: int) -> None:
        if spectators != self._spectators:
            self._metrics.spectators[self.game].inc(spectators - self._spectators)
            self._spectators = spectators

    def _answered(self, outcome: str, now: WindowInfo | UnsetType) -> None:
        """Count the window if that was the end of it."""
        before = self._window
        if before is not UNSET and (now is UNSET or now.number != before.number):
            self._closed = before
            self._metrics.windows[self.game, before.kind, outcome].inc()

    def _stands(self, room: Room) -> None:
        """Count the room under what it has become, and say so."""
        standing, before = room.standing, self.status
        if before is None or before == standing.status:
            return
        self.becomes(standing.status)
        told = {"room": self._room, "game": self.game, "seats": standing.founding.seats}
        match standing.status:
            case "failed":
                self._metrics.room_failures[self.game].inc()
                log.error("room_failed", **told)
            case "closed":
                reason = "" if standing.outcome is UNSET else standing.outcome.reason
                log.info("room_closed", **told, reason=reason)
            case _ if before == "failed":
                log.info("room_recovered", **told)
            case "running":
                log.info("room_resumed" if before == "paused" else "room_started", **told)
            case status:
                log.info(f"room_{status}", **told)


def _resumed(effects: Sequence[Effect]) -> bool:
    """Tell whether a join was answered with what was missed."""
    return any(
        isinstance(effect, Tell) and isinstance(effect.message, Joined) and effect.message.resumed
        for effect in effects
    )
