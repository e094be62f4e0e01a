"""What the journal says of a room, as a frozen value, and how one entry changes it.

A room that decides something works out the entry and `evolve`s; a room that is loaded `evolve`s
over its journal. There is no second way, so what is played and what is replayed cannot differ.
Nothing here knows sockets, presence, deadlines or chat: those are not in the journal.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from saleroom_protocol.document import (
    OVER,
    Away,
    Back,
    Closed,
    Contributed,
    Expired,
    Finished,
    Kind,
    Paused,
    Resigned,
    Result,
    Resumed,
    SeatLeft,
    SeatTaken,
    Started,
    Status,
)
from saleroom_protocol.games import record
from saleroom_protocol.games.common import Event, Seat
from saleroom_protocol.games.record import AnyEntry, OutcomeLine
from saleroom_protocol.limits import REMEMBERED_IDS
from saleroom_rules.contract import AnyRules, Hidden, Window
from saleroom_rules.record import encode_line, outcome_line
from saleroom_rules.rng import Rng, seed_of
from saleroom_rules.typed import typed
from saleroom_server.rooms.journal import Founding, Journalled

MISSED_MEANS_AWAY = 2  # expiries in a row
COME_BACK = {"do": "come_back"}


class Sitter(Struct, frozen=True, gc=False):
    """Who sits in a seat."""

    player: str
    name: str
    kind: Kind
    level: str = ""  # of a house bot


class Unasked(Struct, frozen=True, gc=False):
    """What a seat did in the game without being asked: how often, and when last."""

    count: int = 0
    at: int = 0  # server milliseconds


class Receipt(Struct, frozen=True, gc=False):
    """An act that was accepted, to be answered alike when it comes again."""

    content: bytes
    seq: int


class Standing(Hidden, frozen=True, kw_only=True):
    """Everything a room must never lose."""

    founding: Founding
    entry: int = 0  # the number of the last
    seq: int = 0  # of the last entry
    status: Status = "waiting"
    sitters: dict[Seat, Sitter] = field(default_factory=dict)  # who has sat longest comes first
    contributions: dict[str, str] = field(default_factory=dict)
    creator_left: bool = False  # the creator gave up their seat
    state: Any = None  # the game's; None while waiting
    missed: tuple[int, ...] = ()  # by seat: windows in a row that ran out
    spent: str = ""  # the last budget that ran out
    unasked: dict[Seat, Unasked] = field(default_factory=dict)
    resigned: frozenset[Seat] = frozenset()
    expired: frozenset[int] = frozenset()  # windows that ran out
    # By player, then by id; the oldest first.
    receipts: dict[str, dict[str, Receipt]] = field(default_factory=dict)
    lines: tuple[bytes, ...] = ()  # of the record, while its header can still change
    hasher: Any = None  # of the record so far, from the start on; never changed in place
    outcome: OutcomeLine | UnsetType = UNSET
    digest: str | UnsetType = UNSET

    @property
    def room(self) -> str:
        """The room's id."""
        return self.founding.room

    @property
    def is_full(self) -> bool:
        """Whether every seat is taken."""
        return len(self.sitters) == self.founding.seats

    @property
    def has_people(self) -> bool:
        """Whether a token-holder sits here: a room of house bots alone waits for nobody."""
        return any(sitter.kind != "house" for sitter in self.sitters.values())

    @property
    def is_over(self) -> bool:
        """Whether nothing can happen any more."""
        return self.status in OVER

    @property
    def host(self) -> str:
        """The creator, else the token-holder who has sat longest (PROTOCOL.md, "HTTP")."""
        creator = self.founding.creator
        if creator and not self.creator_left:
            return creator
        holders = (sitter.player for sitter in self.sitters.values() if sitter.kind != "house")
        return next(holders, creator)

    @property
    def result(self) -> Result | UnsetType:
        """How it ended, as the document has it."""
        if self.outcome is UNSET:
            return UNSET
        told = self.outcome
        return Result(
            reason=told.reason, scores=told.scores, places=told.places, digest=self.digest
        )

    def seat_of(self, player: str | None) -> Seat | None:
        """Return the seat a player holds."""
        held = (seat for seat, sitter in self.sitters.items() if sitter.player == player)
        return next(held, None)

    def is_away(self, seat: Seat) -> bool:
        """Whether a seat is not waited for: it missed two windows in a row, or has resigned."""
        return seat in self.resigned or self.has_drifted(seat)

    def has_drifted(self, seat: Seat) -> bool:
        """Whether a seat missed two windows in a row and has not come back."""
        return bool(self.missed) and self.missed[seat] >= MISSED_MEANS_AWAY

    def free_seats(self) -> list[Seat]:
        """List the seats nobody sits in."""
        return [seat for seat in range(self.founding.seats) if seat not in self.sitters]


class Evolved(Struct, frozen=True):
    """A standing, and what happened on the way to it, as everybody at the table may be told."""

    standing: Standing
    events: tuple[Event, ...]


def found(founding: Founding, created: Journalled) -> Standing:
    """Return the standing of a room whose journal holds nothing but `created`."""
    return _written(Standing(founding=founding, missed=(0,) * founding.seats), created)


def evolve(rules: AnyRules, standing: Standing, journalled: Journalled) -> Evolved:
    """Return what an entry leads to.

    Raises:
        IllegalAction: the rules do not allow the action it holds. Nothing has changed.
    """
    evolved = _take(rules, standing, journalled.entry)
    after = _remembering(_written(evolved.standing, journalled), journalled)
    return Evolved(_ended(after), evolved.events)


def follow(standing: Standing, journalled: Journalled) -> Standing:
    """Return what an entry leads to, as far as that can be told without the game's rules.

    For rooms of an edition that is not played any more: they are closed, and keep their record.
    """
    match journalled.entry:
        case record.Started():
            standing = replace(standing, status="running")
        case record.Finished():
            standing = replace(standing, status="finished")
        case record.Acted() | record.Expired():
            pass
        case entry:
            standing = _of_the_room(standing, entry).standing
    return _ended(_written(standing, journalled))


def open_window(rules: AnyRules, standing: Standing) -> Window | None:
    """Return the window that is open; None before the start and after the end."""
    if standing.state is None or standing.is_over:
        return None
    window: Window | None = rules.window(standing.state)
    return window


def _take(rules: AnyRules, standing: Standing, entry: AnyEntry) -> Evolved:
    match entry:
        case record.Acted():
            return _acted(rules, standing, entry)
        case record.Expired():
            return _expired(rules, standing, entry)
        case record.Started():
            return _started(rules, standing)
        case record.Finished():
            return _finished(rules, standing)
        case _:
            return _of_the_room(standing, entry)


def _of_the_room(standing: Standing, entry: AnyEntry) -> Evolved:
    """Take an entry that needs no rules."""
    match entry:
        case record.Resigned(seat=seat):
            resigned = standing.resigned | {seat}
            return Evolved(replace(standing, resigned=resigned), (Resigned(seat=seat),))
        case record.Paused():
            return Evolved(replace(standing, status="paused"), (Paused(),))
        case record.Resumed():
            return Evolved(replace(standing, status="running"), (Resumed(),))
        case record.Closed(reason=reason):
            return _closed(standing, reason)
        case _:
            return _seating(standing, entry)


def _seating(standing: Standing, entry: AnyEntry) -> Evolved:
    match entry:
        case record.SeatTaken(seat=seat, player=player, name=name, kind=kind):
            return _seated(standing, seat, Sitter(player, name, kind))
        case record.BotAdded(seat=seat, level=level):
            name = f"{level.capitalize()} bot {seat}"
            return _seated(standing, seat, Sitter(f"house{seat}", name, "house", level))
        case record.SeatLeft(seat=seat):
            return _left(standing, seat)
        case record.Contributed(seat=seat, entropy=entropy):
            contributions = {**standing.contributions, str(seat): entropy}
            after = replace(standing, contributions=contributions)
            return Evolved(after, (Contributed(seat=seat),))
        case _:
            raise AssertionError(f"{type(entry).__name__} can only be a journal's first entry")


def _seated(standing: Standing, seat: Seat, sitter: Sitter) -> Evolved:
    after = replace(standing, sitters={**standing.sitters, seat: sitter})
    return Evolved(after, (SeatTaken(seat=seat, name=sitter.name, kind=sitter.kind),))


def _left(standing: Standing, seat: Seat) -> Evolved:
    """Free a seat; its contribution goes with it."""
    gone = standing.sitters[seat].player == standing.founding.creator
    after = replace(
        standing,
        sitters={other: kept for other, kept in standing.sitters.items() if other != seat},
        contributions={k: v for k, v in standing.contributions.items() if k != str(seat)},
        creator_left=standing.creator_left or gone,
    )
    return Evolved(after, (SeatLeft(seat=seat),))


def _started(rules: AnyRules, standing: Standing) -> Evolved:
    founding = standing.founding
    _, seed = seed_of(founding.server_seed, founding.room, founding.seats, standing.contributions)
    options = msgspec.convert(founding.options, rules.options)
    step = rules.setup(founding.seats, options, Rng(seed))
    after = replace(standing, state=step.state, status="running")
    return Evolved(after, (Started(), *step.events))


def _acted(rules: AnyRules, standing: Standing, entry: record.Acted) -> Evolved:
    seat = entry.seat
    back = (Back(seat=seat),) if standing.has_drifted(seat) else ()
    standing = replace(standing, missed=_counted(standing.missed, seat, 0))
    if entry.action == COME_BACK:
        return Evolved(standing, back)
    if entry.window is UNSET:
        counted = Unasked(standing.unasked.get(seat, Unasked()).count + 1, entry.at)
        standing = replace(standing, unasked={**standing.unasked, seat: counted})
    evolved = _apply(rules, standing, seat, entry.action)
    return Evolved(evolved.standing, (*back, *evolved.events))


def _expired(rules: AnyRules, standing: Standing, entry: record.Expired) -> Evolved:
    """Take the answers; all who owed one have missed the window, answered for or not."""
    window = open_window(rules, standing)
    owed = () if window is None else window.owing
    events: list[Event] = [Expired(window=entry.window, seats=owed)]
    standing = replace(standing, expired=standing.expired | {entry.window})
    for key, action in entry.answers.items():
        evolved = _apply(rules, standing, int(key), action)
        standing, events = evolved.standing, [*events, *evolved.events]
    missed = _missed(standing, owed, "" if window is None else window.budget)
    return Evolved(missed.standing, (*events, *missed.events))


def _missed(standing: Standing, owed: Iterable[Seat], budget: str) -> Evolved:
    """Count a window that ran out; those of one budget once, the others had no time left."""
    if budget and budget == standing.spent:
        return Evolved(standing, ())
    events: list[Event] = []
    standing = replace(standing, spent=budget or standing.spent)
    for seat in owed:
        missed = standing.missed[seat] + 1
        standing = replace(standing, missed=_counted(standing.missed, seat, missed))
        if missed == MISSED_MEANS_AWAY and seat not in standing.resigned:
            events.append(Away(seat=seat))
    return Evolved(standing, tuple(events))


def _apply(rules: AnyRules, standing: Standing, seat: Seat, action: dict[str, Any]) -> Evolved:
    step = rules.apply(standing.state, seat, typed(action, rules.action_type))
    return Evolved(replace(standing, state=step.state), step.events)


def _closed(standing: Standing, reason: str) -> Evolved:
    after = replace(standing, status="closed", outcome=OutcomeLine(reason=reason))
    return Evolved(after, (Closed(reason=reason),))


def _finished(rules: AnyRules, standing: Standing) -> Evolved:
    outcome = rules.outcome(standing.state)
    if outcome is None:
        raise AssertionError("finished before the game was over")
    ranked = outcome_line(outcome.demoting(standing.resigned))
    return Evolved(replace(standing, status="finished", outcome=ranked), (Finished(),))


def _written(standing: Standing, journalled: Journalled) -> Standing:
    """Count the entry, and let it into the record's digest."""
    entry, line = journalled.entry, encode_line(journalled.entry)
    standing = replace(standing, entry=entry.entry, seq=entry.seq)
    if standing.hasher is not None:
        return replace(standing, hasher=_hashed(standing.hasher, (line,)))
    lines = (*standing.lines, line)
    if standing.status == "waiting":
        return replace(standing, lines=lines)
    # From the start on, or with a room closed before it, the contributions are what they are.
    header = encode_line(standing.founding.header(standing.contributions))
    return replace(standing, lines=(), hasher=_hashed(sha256(), (header, *lines)))


def _hashed(hasher: Any, lines: Iterable[bytes]) -> Any:
    grown = hasher.copy()
    for line in lines:
        grown.update(line)
    return grown


def _ended(standing: Standing) -> Standing:
    if not standing.is_over:
        return standing
    return replace(standing, digest=standing.hasher.hexdigest())


def _remembering(standing: Standing, journalled: Journalled) -> Standing:
    """Keep the receipt of an act, and forget the oldest when there are too many."""
    sent = journalled.sent
    if sent is UNSET:
        return standing
    receipt = Receipt(sent.content, journalled.entry.seq)
    kept = {**standing.receipts.get(sent.player, {}), sent.id: receipt}
    if len(kept) > REMEMBERED_IDS:
        del kept[next(iter(kept))]
    return replace(standing, receipts={**standing.receipts, sent.player: kept})


def _counted(missed: Sequence[int], seat: Seat, count: int) -> tuple[int, ...]:
    return (*missed[:seat], count, *missed[seat + 1 :])
