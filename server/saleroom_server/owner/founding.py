"""How a room is made: its options checked, its secrets drawn, its first entries."""

import secrets
from base64 import b32encode
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from saleroom_protocol.codec import unacceptable
from saleroom_protocol.errors import Reason
from saleroom_protocol.games import record
from saleroom_protocol.http import NewRoom
from saleroom_rules.contract import AnyRules
from saleroom_rules.games import GAMES
from saleroom_rules.rng import commitment
from saleroom_server.rooms.commands import AddBot, Caller, Decision, Refusal, TakeSeat
from saleroom_server.rooms.draft import Draft
from saleroom_server.rooms.journal import Founding, Journalled
from saleroom_server.rooms.seating import add_bot, take_seat
from saleroom_server.rooms.standing import found

SEED_BYTES = 32
SECRET_BYTES = 15  # of an invitation: 24 characters


class Founded(Struct, frozen=True):
    """A room that is about to be."""

    rules: AnyRules
    founding: Founding
    decision: Decision


def found_room(asked: NewRoom, caller: Caller, levels: frozenset[str], now: int) -> Founded:
    """Make a room with everybody in it who is there from the start.

    Raises:
        Refusal: `unknown_game`, `malformed`, `bad_options`, `seat_taken`, `room_full`.
    """
    rules = GAMES.get(asked.game)
    if rules is None:
        raise Refusal(Reason.UNKNOWN_GAME, game=asked.game)
    if asked.seats not in rules.seats:
        raise Refusal(Reason.MALFORMED, field="seats")
    if asked.entropy is not UNSET and not asked.take_seat:
        raise Refusal(Reason.MALFORMED, field="entropy")
    founding = _founding(rules, asked, caller, now)
    created = Journalled(
        entry=record.Created(entry=1, seq=1, at=now, player=caller.player or UNSET),
        founding=founding,
    )
    draft = Draft(rules, found(founding, created), 1, now)
    if asked.take_seat:
        take_seat(draft, TakeSeat(caller, entropy=asked.entropy))
    for bot in asked.bots:
        add_bot(draft, AddBot(caller, bot.level, bot.seat), levels)
    decision = draft.decision()
    entries = (created, *decision.entries)
    return Founded(rules, founding, msgspec.structs.replace(decision, entries=entries))


def new_id(letter: str, chars: int) -> str:
    """Return an id that nobody can guess: a letter and so many of [a-z2-7]."""
    drawn = secrets.token_bytes((chars * 5 + 7) // 8)
    return letter + b32encode(drawn).decode().lower()[:chars]


def _founding(rules: AnyRules, asked: NewRoom, caller: Caller, now: int) -> Founding:
    seed = secrets.token_bytes(SEED_BYTES)
    return Founding(
        room=new_id("r", 12),
        game=rules.key,
        edition=rules.edition,
        options=_options(rules, asked.options),
        seats=asked.seats,
        pace=asked.pace or "standard",
        visibility=asked.visibility,
        autostart=asked.autostart,
        creator=caller.player or "",
        server_seed=seed.hex(),
        commitment=commitment(seed).hex(),
        invite=new_id("i", SECRET_BYTES * 8 // 5),
        watch=new_id("w", SECRET_BYTES * 8 // 5),
        created_at=now,
    )


def _options(rules: AnyRules, given: dict[str, Any]) -> dict[str, Any]:
    """Return all of the game's options, defaults filled in."""
    try:
        options = msgspec.convert(given, rules.options)
    except msgspec.ValidationError as error:
        field = ".".join(filter(None, ("options", unacceptable(str(error)).field)))
        raise Refusal(Reason.BAD_OPTIONS, field=field) from error
    plain: dict[str, Any] = msgspec.to_builtins(options)
    return plain
