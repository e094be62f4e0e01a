"""Records as games: replayed, verified, told as one viewer heard them, with their draws."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from saleroom_protocol.games.common import Action, Event, Seat
from saleroom_protocol.games.forms import Form
from saleroom_protocol.games.record import (
    Acted,
    AnyEntry,
    BotAdded,
    Closed,
    Contributed,
    Created,
    Drawn,
    Expired,
    Finished,
    Header,
    OutcomeLine,
    Paused,
    Resigned,
    Resumed,
    SeatLeft,
    SeatTaken,
    Started,
)
from saleroom_rules.contract import AnyRules, IllegalAction, Step, Window, do_of, heard
from saleroom_rules.games import GAMES
from saleroom_rules.record import Record, RecordError, outcome_line, read, write
from saleroom_rules.rng import Draw, Rng, TracingRng, seed_of
from saleroom_rules.typed import typed


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
        yield played.entry, heard(rules, events, viewer)


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
    """A game being replayed: `take` each entry in order, then compare `outcome`.

    A room passes through three stages: seats are taken, the game is played, it has an outcome.
    """

    def __init__(self, header: Header, make_rng: Callable[[bytes], Rng]) -> None:
        self.header, self.rules, self.make_rng = header, rules_of(header), make_rng
        try:
            self.options = msgspec.convert(header.options, self.rules.options)
        except msgspec.ValidationError as error:
            raise RecordError(f"options: {error}") from error
        if msgspec.structs.asdict(self.options) != header.options:
            raise RecordError("options: not all of them, defaults filled in", 1)
        commitment, self.seed = seed_of(
            header.server_seed, header.room, header.seats, header.contributions
        )
        if commitment.hex() != header.commitment:
            raise RecordError("the commitment does not fit the server seed", 1)
        self.state: Any = None
        self.seated: dict[Seat, str] = {}  # with the player; a house bot has none
        self.contributions: dict[str, str] = {}
        self.resigned: set[Seat] = set()
        self.paused = False
        self.outcome: OutcomeLine | None = None
        self.seq = 0

    def take(self, entry: AnyEntry) -> Iterator[Step[Any, Any]]:
        """Apply one entry and yield the steps it makes."""
        self._check_order(entry)
        match entry:
            case Acted():
                yield from self._act(entry)
            case Expired():
                yield from self._expire(entry)
            case Started():
                yield self._start()
            case Resigned(seat=seat):
                _need(seat not in self.resigned, f"seat {seat} resigned twice")
                self.resigned.add(seat)
            case Paused() | Resumed():
                wanted = isinstance(entry, Resumed)
                _need(self.paused == wanted, "paused or resumed twice")
                self.paused = not wanted
            case Closed(reason=reason):
                _need(not self._is_over(), "closed after the game was over")
                self._end(OutcomeLine(reason=reason))
            case Finished():
                self._finish()
            case _:
                self._sit(entry)

    def _check_order(self, entry: AnyEntry) -> None:
        _need(self.outcome is None, "an entry after the end")
        _need(entry.seq >= self.seq, f"seq fell from {self.seq} to {entry.seq}")
        self.seq = entry.seq
        seat = getattr(entry, "seat", 0)
        _need(seat < self.header.seats, f"no seat {seat}")
        _need((entry.entry == 1) == isinstance(entry, Created), "a journal begins with `created`")
        if isinstance(entry, _OF_PLAY):
            _need(self.state is not None, f"{_tag(entry)} before the start")
            _need(not self._is_over(), f"{_tag(entry)} after the game was over")
        elif isinstance(entry, _OF_SEATS):
            _need(self.state is None, f"{_tag(entry)} after the start")

    def _sit(self, entry: AnyEntry) -> None:
        match entry:
            case SeatTaken(seat=seat, player=player):
                _need(player not in self.seated.values(), f"{player} sits there already")
                self._take_seat(seat, player)
            case BotAdded(seat=seat):
                self._take_seat(seat, "")
            case SeatLeft(seat=seat):
                _need(seat in self.seated, f"seat {seat} was free")
                del self.seated[seat]
                self.contributions.pop(str(seat), None)
            case Contributed(seat=seat, entropy=entropy):
                _need(bool(self.seated.get(seat)), f"seat {seat} cannot contribute")
                _need(str(seat) not in self.contributions, f"seat {seat} contributed twice")
                self.contributions[str(seat)] = entropy

    def _take_seat(self, seat: Seat, player: str) -> None:
        _need(seat not in self.seated, f"seat {seat} was taken twice")
        self.seated[seat] = player

    def _start(self) -> Step[Any, Any]:
        _need(len(self.seated) == self.header.seats, "started before every seat was taken")
        self._check_contributions()
        step = self.rules.setup(self.header.seats, self.options, self.make_rng(self.seed))
        self.state = step.state
        return step

    def _act(self, entry: Acted) -> Iterator[Step[Any, Any]]:
        _need(not self.paused, "acted while the room was paused")
        seat, action = entry.seat, entry.action
        if entry.window is UNSET:
            if action != {"do": "come_back"}:
                yield self._apply(seat, action, self.rules.anytime(self.state, seat))
            return
        self._check_window(entry.window)
        yield self._apply(seat, action, self.rules.legal(self.state, seat))

    def _expire(self, entry: Expired) -> Iterator[Step[Any, Any]]:
        _need(not self.paused, "expired while the room was paused")
        owing = self._check_window(entry.window).owing
        if self.header.pace == "untimed":
            _need(self.resigned.issuperset(owing), "expired in a room without a clock")
        for key, action in entry.answers.items():
            seat = int(key)
            window = self._check_window(entry.window)
            _need(seat == window.owing[0], f"seat {seat} answered out of turn")
            yield self._apply(seat, action, self.rules.legal(self.state, seat))
        after = self.rules.window(self.state)
        closed = after is None or after.number != entry.window
        _need(closed, f"window {entry.window} ran out but did not close")

    def _apply(
        self, seat: Seat, action: dict[str, Any], listed: Sequence[Action | Form]
    ) -> Step[Any, Any]:
        """Take an action out of what is listed for the way it was taken: in a window, or not."""
        try:
            decoded = typed(action, self.rules.action_type)
        except msgspec.ValidationError as error:
            raise RecordError(f"action: {error}") from error
        kinds = {do_of(entry) for entry in listed}
        _need(do_of(decoded) in kinds, f"seat {seat} may not {do_of(decoded)} here")
        try:
            step = self.rules.apply(self.state, seat, decoded)
        except IllegalAction as illegal:
            raise RecordError(f"illegal action of seat {seat}: {illegal.why}") from illegal
        self.state = step.state
        return step

    def _check_window(self, number: int) -> Window:
        window: Window | None = self.rules.window(self.state)
        if window is None or window.number != number:
            found = "none" if window is None else window.number
            raise RecordError(f"an answer to window {number} while {found} is open")
        return window

    def _is_over(self) -> bool:
        return self.state is not None and self.rules.window(self.state) is None

    def _finish(self) -> None:
        outcome = self.rules.outcome(self.state) if self._is_over() else None
        if outcome is None:
            raise RecordError("finished before the game was over")
        self._end(outcome_line(outcome.demoting(self.resigned)))

    def _end(self, outcome: OutcomeLine) -> None:
        self._check_contributions()
        self.outcome = outcome

    def _check_contributions(self) -> None:
        given = self.contributions == self.header.contributions
        _need(given, "the header's contributions are not those that were given")


_OF_PLAY = (Acted, Expired, Resigned, Paused, Resumed)
_OF_SEATS = (SeatTaken, BotAdded, SeatLeft, Contributed, Started)


def _tag(entry: AnyEntry) -> str:
    return str(entry.__struct_config__.tag)


def _need(so: bool, problem: str) -> None:
    if not so:
        raise RecordError(problem)
