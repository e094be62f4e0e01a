"""Whole games without a room: a chooser answers every window, and a record comes of it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from saleroom_protocol.games.common import Action, Seat
from saleroom_protocol.games.forms import Form, Pick, fill
from saleroom_protocol.games.record import (
    Acted,
    AnyEntry,
    Contributed,
    Created,
    Entry,
    Finished,
    Header,
    Pace,
    SeatTaken,
    Started,
)
from saleroom_rules.contract import AnyRules, Step, Window, do_of
from saleroom_rules.record import outcome_line, write
from saleroom_rules.replay import rules_of
from saleroom_rules.rng import Rng, commitment, seed_of
from saleroom_rules.typed import typed

EntryT = TypeVar("EntryT", bound=Entry)
Choose: TypeAlias = Callable[[AnyRules, Any, int, Window], "Move"]  # rules, state, seats


ANYTIME_ODDS = 8  # one in so many moves is one outside the window, where there is any


class Move(Struct, frozen=True):
    """What a chooser lets happen next."""

    seat: Seat
    action: Action
    anytime: bool = False  # it answers no window


class Turn(Struct, frozen=True):
    """One action of a playout and what it led to."""

    seat: Seat
    window: int | UnsetType  # UNSET: outside any window
    action: Action
    step: Step[Any, Any]


def at_random(pick: Pick) -> Choose:
    """Return a chooser that leaves everything to chance.

    Of several seats that owe an answer any may come first. It picks what to do, then an entry of
    that kind, then its filling: a market of five pictures would otherwise drown all other moves.
    """

    def choose(rules: AnyRules, state: Any, seats: int, window: Window) -> Move:
        standing = {seat: rules.anytime(state, seat) for seat in range(seats)}
        free = [seat for seat, listed in standing.items() if listed]
        if free and not pick(range(ANYTIME_ODDS)):
            seat = pick(free)
            return Move(seat, decode(rules, pick(standing[seat]), pick), anytime=True)
        seat = pick(window.owing) if len(window.owing) > 1 else window.owing[0]
        kinds: dict[str, list[Action | Form]] = {}
        for entry in rules.legal(state, seat):
            kinds.setdefault(do_of(entry), []).append(entry)
        return Move(seat, decode(rules, pick(kinds[pick(list(kinds))]), pick))

    return choose


def decode(rules: AnyRules, entry: Action | Form, pick: Pick) -> Action:
    """Turn an entry of `legal` into an action, filling a form with what `pick` picks."""
    if isinstance(entry, Form):
        action: Action = typed(fill(entry, pick), rules.action_type)
        return action
    return entry


def play(rules: AnyRules, state: Any, seats: int, choose: Choose) -> Iterator[Turn]:
    """Play on to the end, one move of the chooser after the other."""
    while (window := rules.window(state)) is not None:
        move = choose(rules, state, seats, window)
        action = rules.complete(state, move.seat, move.action)
        step = rules.apply(state, move.seat, action)
        yield Turn(move.seat, UNSET if move.anytime else window.number, action, step)
        state = step.state


def describe(
    rules: AnyRules,
    seats: int,
    server_seed: bytes,
    *,
    room: str,
    created_at: int,
    options: Any = None,
    pace: Pace = "untimed",
    contributions: dict[str, str] | None = None,
) -> Header:
    """Return the header of a game that no room has played.

    Args:
        rules: the game, in its present edition.
        seats: one of `rules.seats`.
        server_seed: 32 bytes.
        room: the room's id.
        created_at: milliseconds since 1970 UTC.
        options: of `rules.options`; None for the defaults.
        pace: how fast a room would have played it.
        contributions: hex by seat.
    """
    chosen = rules.options() if options is None else options
    return Header(
        format="saleroom-record/1",
        room=room,
        game=rules.key,
        edition=rules.edition,
        options=msgspec.structs.asdict(chosen),
        seats=seats,
        pace=pace,
        commitment=commitment(server_seed).hex(),
        server_seed=server_seed.hex(),
        contributions=contributions or {},
        created_at=created_at,
    )


def deal(header: Header) -> Any:
    """Return the state of the game a header describes, before the first action.

    Raises:
        RecordError: this version has no such game, edition or number of seats.
        msgspec.ValidationError: the game has no such options.
    """
    rules = rules_of(header)
    _, seed = seed_of(header.server_seed, header.room, header.seats, header.contributions)
    options = msgspec.convert(header.options, rules.options)
    return rules.setup(header.seats, options, Rng(seed)).state


def write_record(header: Header, turns: Sequence[Turn]) -> bytes:
    """Return the record of a finished playout, dated a second an entry from `created_at` on."""
    outcome = rules_of(header).outcome(turns[-1].step.state)
    if outcome is None:
        raise ValueError("the game is not over")
    entry = _Dated(header.created_at)
    lines: list[AnyEntry] = [entry(Created)]
    for seat in range(header.seats):
        player = "p" + "abcdefghij"[seat] * 16
        lines.append(entry(SeatTaken, seat=seat, player=player, name=f"Bot {seat}", kind="bot"))
    for key, entropy in sorted(header.contributions.items()):
        lines.append(entry(Contributed, seat=int(key), entropy=entropy))
    lines.append(entry(Started))
    for turn in turns:
        action = msgspec.to_builtins(turn.action)
        lines.append(entry(Acted, seat=turn.seat, by="bot", window=turn.window, action=action))
    # The last action and the end of the game are one command, so one update.
    finished = entry(Finished)
    lines.append(msgspec.structs.replace(finished, seq=finished.seq - 1))
    return write(header, lines, outcome_line(outcome))


class _Dated:
    """Makes the entries of a record that no room has numbered and dated."""

    def __init__(self, at: int) -> None:
        self.number, self.at = 0, at

    def __call__(self, entry_type: type[EntryT], **fields: Any) -> EntryT:
        self.number += 1
        number, at = self.number, self.at + 1000 * self.number
        return entry_type(entry=number, seq=number, at=at, **fields)
