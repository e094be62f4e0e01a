"""Golden games: a record for each number of seats, each option, with contributions and draws."""

from functools import cache
from random import Random
from typing import Any

import msgspec

from saleroom_protocol.games.record import Header
from saleroom_rules.games import GAMES
from saleroom_rules.playout import Turn, at_random, deal, describe, play, write_record
from saleroom_rules.record import read
from saleroom_rules.replay import with_draws
from tests.support.games import turned

CREATED_AT = 1_790_000_000_000


def header(game: str, seats: int, options: dict[str, Any], luck: int) -> Header:
    """Describe one golden game; `luck` names it."""
    rules = GAMES[game]
    secret = luck.to_bytes(32, "big")
    return describe(
        rules,
        seats,
        secret,
        room="rgolden" + "abcdefghijklmnopqrstuvwxyz234567"[luck] + "aaaaa",
        created_at=CREATED_AT,
        options=msgspec.convert(options, rules.options),
        pace="standard",
        contributions={"0": "00112233445566778899aabbccddeeff", str(seats - 1): "ff" * 32},
    )


def chosen(game: str, luck: int) -> dict[str, Any]:
    """Return the options of a golden game: all switches turned where `luck` is odd."""
    return turned(GAMES[game]) if luck % 2 else {}


@cache
def played(game: str, seats: int, luck: int) -> tuple[Header, tuple[Turn, ...]]:
    """Play one golden game."""
    described = header(game, seats, chosen(game, luck), luck)
    turns = play(GAMES[game], deal(described), seats, at_random(Random(luck).choice))
    return described, tuple(turns)


def golden_games() -> list[tuple[str, int, int]]:
    """List the golden games: game, seats, luck."""
    return [(key, seats, seats) for key, rules in GAMES.items() for seats in rules.seats]


def files() -> dict[str, bytes]:
    """Return seeds/records/ by name; the largest table's also with its draws."""
    made: dict[str, bytes] = {}
    for game, seats, luck in golden_games():
        described, turns = played(game, seats, luck)
        made[f"{game}-{seats}.jsonl"] = write_record(described, turns)
    for game, rules in GAMES.items():
        plain = made[f"{game}-{rules.seats[-1]}.jsonl"]
        made[f"{game}-{rules.seats[-1]}-draws.jsonl"] = with_draws(read(plain))
    return made
