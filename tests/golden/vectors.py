"""Wire vectors for clients in any language: messages, canonical form, merge patches, draws."""

from typing import Any

import msgpack
import msgspec

from saleroom_protocol.canonical import canonical, check
from saleroom_protocol.codec import MSGPACK
from saleroom_protocol.limits import Limits
from saleroom_protocol.messages import Refused
from saleroom_protocol.patch import apply
from saleroom_rules.rng import Rng, commitment, game_seed

NOW = 1_790_000_000_000
ROOM = "rab2cd3ef4gh5"
PLAYER = "pab2cd3ef4gh5ij6k"
CURSOR = {"epoch": "e7k", "seq": 41}

CLIENT: dict[str, dict[str, Any]] = {
    "hello": {"type": "hello", "token": "t0ken", "client": "sketch/1.0", "checks": True},
    "hello, anonymous": {"type": "hello", "client": "sketch/1.0"},
    "join as a player": {"type": "join", "id": "j1", "room": ROOM, "as": "player"},
    "join from a cursor": {
        "type": "join",
        "id": "j2",
        "room": ROOM,
        "as": "player",
        "cursor": CURSOR,
        "said_after": 7,
    },
    "join a private room as a spectator": {
        "type": "join",
        "id": "j3",
        "room": ROOM,
        "as": "spectator",
        "watch": "w4tch",
    },
    "leave": {"type": "leave", "id": "l1", "room": ROOM},
    "act": {
        "type": "act",
        "id": "a1",
        "room": ROOM,
        "window": 17,
        "action": {"do": "buy", "picture": "p07", "discard": "p31"},
    },
    "act at any time": {"type": "act", "id": "a2", "room": ROOM, "action": {"do": "resign"}},
    "say to the table": {"type": "say", "id": "s1", "room": ROOM, "to": "table", "text": "Grüezi!"},
    "say to a seat": {"type": "say", "id": "s2", "room": ROOM, "to": 2, "text": "Deal?"},
    "ping": {"type": "ping", "id": "q1"},
    "pong": {"type": "pong"},
}

SERVER: dict[str, dict[str, Any]] = {
    "welcome": {
        "type": "welcome",
        "player": PLAYER,
        "name": "Ada",
        "protocol": 1,
        "server": "saleroom/0.1.0",
        "now": NOW,
        "features": [],
        "heartbeat_ms": 20_000,
        "silence_ms": 45_000,
        "limits": msgspec.to_builtins(Limits()),
    },
    "joined": {
        "type": "joined",
        "id": "j1",
        "room": ROOM,
        "viewer": 2,
        "cursor": CURSOR,
        "resumed": False,
        "now": NOW,
    },
    "joined as a spectator": {
        "type": "joined",
        "id": "j3",
        "room": ROOM,
        "cursor": CURSOR,
        "resumed": True,
        "now": NOW,
    },
    "view": {
        "type": "view",
        "room": ROOM,
        "epoch": "e7k",
        "seq": 3,
        "at": NOW,
        "document": {"room": ROOM, "table": {}, "seats": {}},
        "check": check({"room": ROOM, "table": {}, "seats": {}}),
    },
    "update": {
        "type": "update",
        "room": ROOM,
        "epoch": "e7k",
        "seq": 4,
        "at": NOW,
        "patch": {"table": {"stock": 27}, "legal": None},
        "events": [{"event": "passed", "seat": 1}],
        "check": 305419896,
    },
    "update that shows nothing": {
        "type": "update",
        "room": ROOM,
        "epoch": "e7k",
        "seq": 5,
        "at": NOW,
    },
    "accepted": {"type": "accepted", "id": "a1", "seq": 42},
    "accepted without seq": {"type": "accepted", "id": "l1"},
    "refused": {
        "type": "refused",
        "id": "a3",
        "reason": "window_closed",
        "facts": {"window": 17, "open": 18, "closed_by": "answer"},
        "message": "That window is not open.",
    },
    "said by a seat": {
        "type": "said",
        "room": ROOM,
        "number": 8,
        "from": {"seat": 0},
        "to": "table",
        "text": "Guten Tag!",
        "at": NOW,
    },
    "said by a spectator": {
        "type": "said",
        "room": ROOM,
        "number": 9,
        "from": {"name": "Bo"},
        "to": "spectators",
        "text": "🖼",
        "at": NOW,
    },
    "left": {"type": "left", "room": ROOM, "reason": "replaced"},
    "ping": {"type": "ping", "now": NOW},
    "pong": {"type": "pong", "id": "q1", "now": NOW},
    "closing": {"type": "closing", "reason": "restart", "retry_after_ms": 5200},
    "error": {"type": "error", "reason": "protocol_violation", "message": "not readable"},
}

VALUES: dict[str, Any] = {
    **{
        f"integer {number}": number
        for edge in (0, 127, 128, 255, 256, 65_535, 65_536, 2**32 - 1, 2**32, 2**53 - 1)
        for number in (edge,)
    },
    **{
        f"integer {number}": number
        for number in (-1, -32, -33, -128, -129, -32_768, -32_769, -(2**31), -(2**31) - 1)
    },
    "least integer": -(2**53) + 1,
    "true": True,
    "false": False,
    "empty string": "",
    **{f"string of {size} bytes": "x" * size for size in (31, 32, 255, 256)},
    "string whose bytes outnumber its characters": "ü" * 16,
    **{f"list of {size}": [0] * size for size in (0, 15, 16)},
    **{
        f"map of {size}": {f"k{index:02}": index for index in reversed(range(size))}
        for size in (0, 15, 16)
    },
    "keys in byte order": {"b": 1, "a_b": 2, "a": 3, "a1": 4, "10": 5, "9": 6, "_": 7},
    "nested": {"you": {"seat": 0, "hand": ["p01", "p48"]}, "legal": [{"do": "pass"}]},
}

# Original, patch, result: the test cases of RFC 7396, appendix A.
PATCHES: tuple[tuple[Any, Any, Any], ...] = (
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    (["a", "b"], ["c", "d"], ["c", "d"]),
    ({"a": "b"}, ["c"], ["c"]),
    ({"a": "foo"}, None, None),
    ({"a": "foo"}, "bar", "bar"),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
)


def files() -> dict[str, bytes]:
    """Return seeds/messages/ by name."""
    made = {
        "messages.json": _messages(),
        "canonical.json": [
            {
                "name": name,
                "value": value,
                "msgpack": canonical(value).hex(),
                "check": check(value),
            }
            for name, value in VALUES.items()
        ],
        "merge_patch.json": [
            {"original": original, "patch": patch, "result": apply(original, patch)}
            for original, patch, _ in PATCHES
        ],
        "draws.json": _draws(),
    }
    return {
        name: msgspec.json.format(msgspec.json.encode(content)) + b"\n"
        for name, content in made.items()
    }


def _messages() -> list[dict[str, Any]]:
    made = []
    for sender, messages in (("client", CLIENT), ("server", SERVER)):
        for name, message in messages.items():
            frame = encoded(sender, message)
            made.append({"name": name, "from": sender, "message": message, "msgpack": frame.hex()})
    return made


def encoded(sender: str, message: dict[str, Any]) -> bytes:
    """Return a message as the project writes it, having read it from another packer's bytes."""
    packed = msgpack.packb(message)
    if sender == "server":
        return MSGPACK.encode(MSGPACK.read_told(packed))
    request = MSGPACK.read_request(packed, Limits())
    assert not isinstance(request, Refused), request
    return MSGPACK.encode(request)


def _draws() -> dict[str, Any]:
    server_seed = bytes(range(32))
    contributions = [b"", bytes(range(16)), b"\xff" * 32]
    seed = game_seed(server_seed, ROOM, contributions)
    rng = Rng(seed)
    draws = []
    # A bound above 2^63 rejects almost half of all words: `n` then jumps.
    for domain, bound in (
        *(("start", bound) for bound in (3, 4, 5, 1, 2**53)),
        *(("fate", 6) for _ in range(4)),
        *(("coin", 2**63 + 1) for _ in range(6)),
    ):
        value, after = rng.draw(domain, bound)
        words = after.counts[domain] - rng.counts.get(domain, 0)
        n = after.counts[domain] - 1
        draws.append(
            {"domain": domain, "n": n, "bound": str(bound), "value": str(value), "words": words}
        )
        rng = after
    pile, rng = rng.shuffle("pictures", [f"p{place:02}" for place in range(1, 9)])
    die, rng = rng.die("fate")
    return {
        "room": ROOM,
        "server_seed": server_seed.hex(),
        "commitment": commitment(server_seed).hex(),
        "contributions": [share.hex() for share in contributions],
        "game_seed": seed.hex(),
        "draws": draws,
        "shuffle": {"domain": "pictures", "of": sorted(pile), "top_first": list(pile)},
        "die": {"domain": "fate", "n": rng.counts["fate"] - 1, "value": die},
    }
