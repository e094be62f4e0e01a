"""Records as games: replayed, verified, told as one viewer heard them, with their draws."""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from saleroom_protocol.games.common import Event, Seat
from saleroom_protocol.games.record import (
    Acted,
    AnyEntry,
    Closed,
    Contributed,
    Drawn,
    Expired,
    Finished,
    Header,
    OutcomeLine,
    Resigned,
    SeatLeft,
    Started,
)
from saleroom_rules.contract import AnyRules, IllegalAction, Step
from saleroom_rules.games import GAMES
from saleroom_rules.record import Record, RecordError, outcome_line, read, write
from saleroom_rules.rng import Draw, Rng, TracingRng, seed_of

RESERVED = ("come_back",)  # anytime actions of the room; a game knows nothing of them


class Played(Struct, frozen=True):
    """One entry and what the game made of it."""

    line: int  # in the record
    entry: AnyEntry
    steps: tuple[Step[Any, Any], ...]  # one per action applied; the set-up for `started`


def verify(data: bytes) -> Record:
    """Check everything a record claims: form, digest, seeds, every action, and the outcome.

    Draws are checked too if the record has them.

    Raises:
        RecordError: the first thing that is not so.
    """
    record = read(data)
    for _ in replay(record):
        pass
    drawn = any(isinstance(line, Drawn) for line in record.lines)
    if drawn and read(with_draws(record)).lines != record.lines:
        raise RecordError("the draws are not those of this game")
    return record


def replay(record: Record, make_rng: Callable[[bytes], Rng] = Rng) -> Iterator[Played]:
    """Play a record again, entry by entry.

    Raises:
        RecordError: at the first entry that does not fit the game as it stands.
    """
    game = _Replay(record.header, make_rng)
    expected = 0
    for line, entry in enumerate(record.lines, 2):
        if isinstance(entry, Drawn):
            continue
        expected += 1
        if entry.entry != expected:
            raise RecordError(f"entry {entry.entry} where {expected} belongs", line)
        try:
            yield Played(line, entry, tuple(game.take(entry)))
        except RecordError as error:
            raise RecordError(error.problem, line) from error
    if record.closing.outcome != game.outcome:
        raise RecordError("the closing line claims another outcome", len(record.lines) + 2)


def tell(record: Record, viewer: Seat | None) -> Iterator[tuple[AnyEntry, tuple[Event, ...]]]:
    """Yield each entry with the events a seat, or a spectator (None), heard.

    Raises:
        RecordError: as `replay`, or there is no such seat.
    """
    if viewer is not None and not 0 <= viewer < record.header.seats:
        raise RecordError(f"no seat {viewer}: seats are 0 to {record.header.seats - 1}")
    rules = rules_of(record.header)
    for played in replay(record):
        events = (event for step in played.steps for event in step.events)
        heard = (rules.tell(event, viewer) for event in events)
        yield played.entry, tuple(event for event in heard if event is not None)


def with_draws(record: Record) -> bytes:
    """Return the record with a line for every draw, after the entry that made it.

    Raises:
        RecordError: as `replay`.
    """
    trace: list[Draw] = []
    lines: list[AnyEntry | Drawn] = []
    for played in replay(record, lambda seed: TracingRng(seed, trace=trace)):
        lines.append(played.entry)
        lines.extend(Drawn(draw.domain, draw.n, draw.bound, draw.value) for draw in trace)
        trace.clear()
    return write(record.header, lines, record.closing.outcome)


def rules_of(header: Header) -> AnyRules:
    """Return the rules a record was played by.

    Raises:
        RecordError: this version has no such game, edition or number of seats.
    """
    rules = GAMES.get(header.game)
    if rules is None:
        raise RecordError(f"unknown game {header.game!r}", 1)
    if header.edition != rules.edition:
        raise RecordError(f"edition {header.edition} of {header.game} is not at hand", 1)
    if header.seats not in rules.seats:
        raise RecordError(f"{header.game} is not played with {header.seats} seats", 1)
    return rules


class _Replay:
    """A game being replayed: `take` each entry in order, then compare `outcome`."""

    def __init__(self, header: Header, make_rng: Callable[[bytes], Rng]) -> None:
        self.header, self.rules, self.make_rng = header, rules_of(header), make_rng
        self.options = _convert(header.options, self.rules.options, "options")
        self.state: Any = None
        self.contributions: dict[str, str] = {}
        self.resigned: set[Seat] = set()
        self.outcome: OutcomeLine | None = None
        self.seq = 0

    def take(self, entry: AnyEntry) -> Iterator[Step[Any, Any]]:
        """Apply one entry and yield the steps it makes."""
        self._check_order(entry)
        match entry:
            case Contributed(seat=seat, entropy=entropy):
                self.contributions[str(seat)] = entropy
            case SeatLeft(seat=seat):
                self.contributions.pop(str(seat), None)
            case Started():
                yield self._start()
            case Acted():
                yield from self._act(entry)
            case Expired():
                yield from self._expire(entry)
            case Resigned(seat=seat):
                self.resigned.add(self._playing(seat))
            case Closed(reason=reason):
                self.outcome = OutcomeLine(reason=reason)
            case Finished():
                self._finish()
            case _:  # who sat where, pauses: nothing the rules know of
                pass

    def _check_order(self, entry: AnyEntry) -> None:
        if self.outcome is not None:
            raise RecordError("an entry after the end")
        if entry.seq < self.seq:
            raise RecordError(f"seq fell from {self.seq} to {entry.seq}")
        self.seq = entry.seq

    def _start(self) -> Step[Any, Any]:
        if self.state is not None:
            raise RecordError("started twice")
        header = self.header
        if self.contributions != header.contributions:
            raise RecordError("the header's contributions are not those that were given")
        commitment, seed = seed_of(
            header.server_seed, header.room, header.seats, header.contributions
        )
        if commitment.hex() != header.commitment:
            raise RecordError("the commitment does not fit the server seed")
        step = self.rules.setup(header.seats, self.options, self.make_rng(seed))
        self.state = step.state
        return step

    def _act(self, entry: Acted) -> Iterator[Step[Any, Any]]:
        self._playing(entry.seat)
        if entry.window is not UNSET:
            self._check_window(entry.window)
        elif entry.action.get("do") in RESERVED:
            return
        yield self._apply(entry.seat, entry.action)

    def _expire(self, entry: Expired) -> Iterator[Step[Any, Any]]:
        for seat, action in sorted(entry.answers.items()):
            self._check_window(entry.window)
            yield self._apply(int(seat), action)
        window = None if self.state is None else self.rules.window(self.state)
        if window is not None and window.number == entry.window:
            raise RecordError(f"window {entry.window} ran out but did not close")

    def _apply(self, seat: Seat, action: dict[str, Any]) -> Step[Any, Any]:
        decoded = _convert(action, self.rules.action_type, "action")
        try:
            step = self.rules.apply(self.state, seat, decoded)
        except IllegalAction as illegal:
            raise RecordError(f"illegal action of seat {seat}: {illegal.why}") from illegal
        self.state = step.state
        return step

    def _check_window(self, number: int) -> None:
        window = None if self.state is None else self.rules.window(self.state)
        if window is None or window.number != number:
            found = "none" if window is None else window.number
            raise RecordError(f"an answer to window {number} while {found} is open")

    def _playing(self, seat: Seat) -> Seat:
        if self.state is None:
            raise RecordError("an action before the start")
        if seat >= self.header.seats:
            raise RecordError(f"no seat {seat}")
        return seat

    def _finish(self) -> None:
        outcome = None if self.state is None else self.rules.outcome(self.state)
        if outcome is None:
            raise RecordError("finished before the game was over")
        self.outcome = outcome_line(outcome.demoting(self.resigned))


def _convert(value: Any, wanted: Any, what: str) -> Any:
    try:
        return msgspec.convert(value, wanted)
    except msgspec.ValidationError as error:
        raise RecordError(f"{what}: {error}") from error
