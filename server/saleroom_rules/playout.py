"""Whole games without a room: a chooser answers every window, and a record comes of it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

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
    Started,
)
from saleroom_rules.contract import AnyRules, Step
from saleroom_rules.record import outcome_line, write
from saleroom_rules.replay import rules_of
from saleroom_rules.rng import Rng, commitment, seed_of

EntryT = TypeVar("EntryT", bound=Entry)
Choose: TypeAlias = Callable[[AnyRules, Any, Seat], Action]


class Turn(Struct, frozen=True):
    """One action of a playout and what it led to."""

    seat: Seat
    window: int
    action: Action
    step: Step[Any, Any]


def at_random(pick: Pick) -> Choose:
    """Return a chooser that picks what to do, then an entry of that kind, then its filling.

    What to do first, since a hand of five pictures to buy would otherwise drown all other moves.
    """

    def choose(rules: AnyRules, state: Any, seat: Seat) -> Action:
        kinds: dict[str, list[Action | Form]] = {}
        for entry in rules.legal(state, seat):
            kinds.setdefault(do_of(entry), []).append(entry)
        return decode(rules, pick(kinds[pick(list(kinds))]), pick)

    return choose


def do_of(entry: Action | Form) -> str:
    """Return the `do` of an entry of `legal`."""
    return entry.do if isinstance(entry, Form) else str(entry.__struct_config__.tag)


def decode(rules: AnyRules, entry: Action | Form, pick: Pick) -> Action:
    """Turn an entry of `legal` into an action, filling a form with what `pick` picks."""
    if isinstance(entry, Form):
        action: Action = msgspec.convert(fill(entry, pick), rules.action_type)
        return action
    return entry


def play(rules: AnyRules, state: Any, choose: Choose) -> Iterator[Turn]:
    """Play on to the end; the first seat that owes an answer is asked first."""
    while (window := rules.window(state)) is not None:
        seat = window.owing[0]
        action = rules.complete(state, seat, choose(rules, state, seat))
        step = rules.apply(state, seat, action)
        yield Turn(seat, window.number, action, step)
        state = step.state


def describe(
    rules: AnyRules,
    seats: int,
    server_seed: bytes,
    *,
    room: str,
    created_at: int,
    options: Any = None,
    contributions: dict[str, str] | None = None,
) -> Header:
    """Return the header of a game without a clock.

    Args:
        rules: the game, in its present edition.
        seats: one of `rules.seats`.
        server_seed: 32 bytes.
        room: the room's id.
        created_at: milliseconds since 1970 UTC.
        options: of `rules.options`; None for the defaults.
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
        pace="untimed",
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
    for seat, entropy in sorted(header.contributions.items()):
        lines.append(entry(Contributed, seat=int(seat), entropy=entropy))
    lines.append(entry(Started))
    for turn in turns:
        action = msgspec.to_builtins(turn.action)
        lines.append(entry(Acted, seat=turn.seat, by="bot", window=turn.window, action=action))
    lines.append(entry(Finished))
    return write(header, lines, outcome_line(outcome))


class _Dated:
    """Makes the entries of a record that no room has numbered and dated."""

    def __init__(self, at: int) -> None:
        self.number, self.at = 0, at

    def __call__(self, entry_type: type[EntryT], **fields: Any) -> EntryT:
        self.number += 1
        number, at = self.number, self.at + 1000 * self.number
        return entry_type(entry=number, seq=number, at=at, **fields)
