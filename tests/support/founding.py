"""What a room in a test is made with: people, secrets, and house bots that think."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from random import Random
from typing import Any

import msgspec
from msgspec.structs import replace

from saleroom_protocol.games.forms import Form, fill
from saleroom_rules.games import GAMES
from saleroom_server.rooms.commands import Caller
from saleroom_server.rooms.journal import Founding
from saleroom_server.rooms.standing import Standing

ROOM = "raaaaaaaaaaaa"
BEGINNING = 1_790_000_000_000
SERVER_SEED = sha256(b"a secret of the server").hexdigest()
INVITE, WATCH = "only-with-this-invitation", "only-with-this-watchword"
LEVELS = frozenset({"easy", "steady"})
PEOPLE = [Caller(f"p{letter * 16}", f"Person {letter}", "person") for letter in "abcdefghijkl"]
BOT = Caller("p" + "z" * 16, "Robot", "bot")
ANYBODY = Caller()


def picked(entry: dict[str, Any], pick: Callable[[Sequence[Any]], Any]) -> dict[str, Any]:
    """Turn an entry of `legal` into an action."""
    return fill(Form.read(entry), pick) if "choose" in entry else entry


def think(game: str, level: str, document: dict[str, Any]) -> dict[str, Any]:
    """Take an entry of `legal` by the number of the window."""
    pick = Random(document["window"]["number"]).choice
    return picked(pick(document["legal"]), pick)


def founding_of(game: str = "kunstmarkt", **fields: Any) -> Founding:
    """Return what a room is made with; `fields` are those that should be otherwise."""
    rules = GAMES[game]
    seed = fields.get("server_seed", SERVER_SEED)
    given: dict[str, Any] = {
        "room": ROOM,
        "game": game,
        "edition": rules.edition,
        "options": msgspec.structs.asdict(rules.options()),
        "seats": 3,
        "pace": "standard",
        "visibility": "public",
        "autostart": True,
        "creator": PEOPLE[0].player,
        "server_seed": SERVER_SEED,
        "commitment": sha256(bytes.fromhex(seed)).hexdigest(),
        "invite": INVITE,
        "watch": WATCH,
        "created_at": BEGINNING,
    }
    return Founding(**(given | fields))


def assert_same(one: Standing, other: Standing) -> None:
    """Check that two standings are the same in everything."""
    hashes = [s.hasher and s.hasher.hexdigest() for s in (one, other)]
    assert hashes[0] == hashes[1]
    assert replace(one, hasher=None) == replace(other, hasher=None)
