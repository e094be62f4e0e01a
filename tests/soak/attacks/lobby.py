"""Attacks on the lobby: what fills it, what it works hard for, what it should not tell."""

import json
from urllib.parse import quote

from tests.soak.attacks.attacker import LEAK, Attack, Attacker

ODD = ["", "0", "-1", "9" * 500, "\u202e", "é🎨", "1e9", "nan", "../..", "%00", "a" * 3_000, "'--"]
BOTS = [{"level": "steady"}] * 5


async def guests(attacker: Attacker) -> None:
    """Very many guests, with names nobody should have."""
    names = ["x" * 100_000, "\u202e\u2066abc", "\u200d", "🏴" * 20, "a\u0300" * 15, "", "\x00", "A"]
    bodies = [{"name": attacker.luck.choice(names)} for _ in range(600)]
    await attacker.at_once([attacker.asks("POST", "/v1/players", body) for body in bodies])


async def bodies(attacker: Attacker) -> None:
    """Bodies that are none, or too deep, or too large."""
    token = await attacker.guest()
    odd = [b"[" * 9_000, b'{"a":' * 9_000, b'"' + b"x" * 100_000, b"\xff", b"1e999", b"{}" * 5_000]
    odd += [
        json.dumps({"game": "kunstmarkt", "seats": value}).encode() for value in (0, -1, 10**18)
    ]
    odd += [json.dumps({"game": "vernissage", "seats": 4, "options": {"a": {}}}).encode()]
    await attacker.at_once(
        [attacker.asks("POST", "/v1/rooms", attacker.luck.choice(odd), token) for _ in range(150)]
    )


async def house_rooms(attacker: Attacker) -> None:
    """Rooms in which nobody but house bots plays, by the hundred."""
    for _ in range(2):
        token = await attacker.guest()
        body = {"game": attacker.luck.choice(["kunstmarkt", "vernissage"]), "seats": 5}
        body |= {"bots": BOTS, "take_seat": False, "pace": "quick"}
        await attacker.at_once([attacker.asks("POST", "/v1/rooms", body, token) for _ in range(60)])


async def waiting_rooms(attacker: Attacker) -> None:
    """Rooms that never begin."""
    for _ in range(5):
        token = await attacker.guest()
        await attacker.at_once([attacker.room(token, bots=[]) for _ in range(60)])


async def chairs(attacker: Attacker) -> None:
    """Seats that are taken and given up, by players who all want the same."""
    host = await attacker.guest()
    room = (await attacker.room(host, bots=[], autostart=False))["room"]
    tokens = [await attacker.guest() for _ in range(6)]
    for _ in range(15):
        await attacker.at_once(
            [attacker.asks("POST", f"/v1/rooms/{room}/seats", {}, token) for token in tokens]
            + [
                attacker.asks("DELETE", f"/v1/rooms/{room}/seats/{seat}", None, token)
                for seat in range(4)
                for token in [attacker.luck.choice(tokens), host]
            ]
        )


async def keys(attacker: Attacker) -> None:
    """The same Idempotency-Key for everything at once; and a new one for each of very many."""
    token = await attacker.guest()
    odd = [{"game": "kunstmarkt", "seats": seats} for seats in (3, 4, 5)]
    same = [
        attacker.asks("POST", "/v1/rooms", attacker.luck.choice(odd), token, Idempotency_Key="same")
        for _ in range(60)
    ]
    new = [
        attacker.asks("POST", "/v1/players/me/token", {}, token, Idempotency_Key=f"{number:0100}")
        for number in range(600)
    ]
    await attacker.at_once([*same, *new])


async def draws(attacker: Attacker) -> None:
    """Draws to be worked out, of whatever has finished."""
    _, told = await attacker.asks("GET", "/v1/rooms?status=finished&limit=20")
    rooms = [room["room"] for room in (told or {}).get("rooms", [])] or ["raaaaaaaaaaaa"]
    paths = [f"/v1/rooms/{attacker.luck.choice(rooms)}/record?draws=1" for _ in range(80)]
    await attacker.at_once([attacker.asks("GET", path) for path in paths])


async def lists(attacker: Attacker) -> None:
    """Pages nobody needs, from everywhere, of everything."""
    for _ in range(10):
        paths = []
        for _ in range(60):
            name, value = (
                attacker.luck.choice(["limit", "after", "game", "status"]),
                quote(attacker.luck.choice(ODD)),
            )
            paths.append(f"/v1/rooms?{name}={value}&limit=200")
        await attacker.at_once([attacker.asks("GET", path) for path in paths])


async def guesses(attacker: Attacker) -> None:
    """Somebody else's private room: its secrets are guessed, and it must not be there at all."""
    owner, stranger = await attacker.guest(), await attacker.guest()
    made = await attacker.room(owner, visibility="private", bots=[])
    secrets = [made["watch"][:-1], made["invite"][:-1], made["invite"], "", *ODD]
    for _ in range(60):
        guess = quote(attacker.luck.choice(secrets))
        part = attacker.luck.choice(["", "/record", "/stream"])
        path = f"/v1/rooms/{made['room']}{part}?watch={guess}"
        status, _ = await attacker.asks("GET", path, None, attacker.luck.choice(["", stranger]))
        if status < 400 and guess != quote(made["watch"]):
            attacker.count(LEAK)
        body = {"invite": attacker.luck.choice([made["watch"], made["invite"][:-1], "x" * 100])}
        status, _ = await attacker.asks("POST", f"/v1/rooms/{made['room']}/seats", body, stranger)
        if status < 400:
            attacker.count(LEAK)


async def tokens(attacker: Attacker) -> None:
    """Tokens that are forged, cut, or another's in part."""
    mine, other = await attacker.guest(), await attacker.guest()
    head, _, tail = mine.rpartition(".")
    forged = [mine[:-1], mine + "A", f"{head}.{other.rpartition('.')[2]}", tail, "." * 2_000]
    for _ in range(60):
        token = attacker.luck.choice(forged)
        body = {"game": "kunstmarkt", "seats": 3}
        status, _ = await attacker.asks("POST", "/v1/rooms", body, token)
        if status < 400:
            attacker.count(LEAK)


async def cursors(attacker: Attacker) -> None:
    """Streams of events from places there are not."""
    room = await attacker.lively()
    for _ in range(60):
        odd = attacker.luck.choice(
            [*ODD, "e.1", "1.e", f"{'e' * 64}.{2**53}", "e.-1", "e." + "9" * 99]
        )
        last = quote(odd).encode()
        path = f"GET /v1/rooms/{room}/stream HTTP/1.1\r\nHost: x\r\nLast-Event-ID: "
        reader, writer = await attacker.line(path.encode() + last + b"\r\n\r\n")
        attacker.count((await reader.readline()).decode("latin-1").strip())
        writer.transport.abort()


ATTACKS: list[Attack] = [
    guests,
    bodies,
    house_rooms,
    waiting_rooms,
    chairs,
    keys,
    draws,
    lists,
    guesses,
    tokens,
    cursors,
]
