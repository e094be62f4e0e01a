"""Attacks with connections: half requests, floods of them, and responses nobody reads."""

import asyncio
from contextlib import suppress

from tests.soak.attacks.attacker import Attack, Attacker
from tests.soak.raw_bytes import Bytes, send

GET = b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Length: 4000\r\n\r\n"
UPGRADE = (
    b"GET /v1/play HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: saleroom.v1.json\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)
HELD_S = 13.0  # longer than a request may take


async def slow_heads(attacker: Attacker) -> None:
    """A head that comes byte by byte, on many lines."""
    await _drip(attacker, b"GET /v1/rooms HTTP/1.1\r\n")


async def slow_bodies(attacker: Attacker) -> None:
    """A body that comes byte by byte."""
    await _drip(attacker, POST)


async def slow_handshakes(attacker: Attacker) -> None:
    """Half an upgrade; or a whole one, and then no hello."""
    await _drip(attacker, attacker.luck.choice([UPGRADE, UPGRADE + b"\r\n"]), b"\x81")


async def idle(attacker: Attacker) -> None:
    """Very many lines on which nothing comes."""
    lines = [(await attacker.line())[0] for _ in range(1_000)]
    await attacker.hangs_on(lines, HELD_S)


async def unread_downloads(attacker: Attacker) -> None:
    """Large responses, asked for again and again, which nobody reads."""
    large = attacker.luck.choice(
        [b"/v1/openapi.json", b"/v1/games/vernissage/editions/1/catalogue", b"/v1/rooms?limit=200"]
    )
    lines = [(await attacker.line(*[GET % large] * 12, small=True))[0] for _ in range(150)]
    await attacker.hangs_on(lines, HELD_S)


async def pipelines(attacker: Attacker) -> None:
    """Thousands of requests on one line, in one piece."""
    path = attacker.luck.choice([b"/v1/rooms", b"/healthz", b"/v1/games", b"/nowhere"])
    lines = [(await attacker.line((GET % path) * 2_000))[0] for _ in range(20)]
    await attacker.hangs_on(lines, 3)


async def large_heads(attacker: Attacker) -> None:
    """Heads without end, and with very many headers."""
    begin = b"GET /v1/rooms HTTP/1.1\r\nHost: x\r\n"
    odd = [b"X: " + b"x" * 1_000_000, b"X: y\r\n" * 20_000, b"Cookie: " + b"\xff" * 40_000]
    odd += [b"Content-Length: " + b"9" * 30_000, b"Transfer-Encoding: chunked\r\n" * 90]
    lines = [(await attacker.line(begin, attacker.luck.choice(odd)))[0] for _ in range(50)]
    await attacker.hangs_on(lines, 3)


async def odd_bytes(attacker: Attacker) -> None:
    """Whatever `raw_bytes` knows: broken HTTP, frames that are none, floods of pieces and pings."""
    rude = Bytes(attacker.luck)
    for _ in range(20):
        reader, writer = await attacker.line()
        kind = attacker.luck.choice(rude.kinds)
        with suppress(OSError):
            await send(reader, writer, kind(), attacker.luck)
        attacker.count(kind.__name__)


async def cuts(attacker: Attacker) -> None:
    """Lines that break anywhere."""
    whole = attacker.luck.choice(
        [UPGRADE + b"\r\n", POST + b"{" * 4_000, GET % b"/v1/openapi.json"]
    )
    for _ in range(200):
        _, writer = await attacker.line(whole[: attacker.luck.randrange(len(whole) + 1)])
        await asyncio.sleep(attacker.luck.choice([0, 0, 0.01, 0.05]))
        writer.transport.abort()
    attacker.count("cut", 200)


async def unread_streams(attacker: Attacker) -> None:
    """Readers of events who do not read, of a room in which much happens."""
    path = f"/v1/rooms/{await attacker.lively()}/stream".encode()
    lines = [(await attacker.line(GET % path, small=True))[0] for _ in range(200)]
    await attacker.hangs_on(lines, HELD_S)


async def ghosts(attacker: Attacker) -> None:
    """Readers of events who ask for something else behind it, and are gone."""
    path = f"/v1/rooms/{await attacker.lively()}/stream".encode()
    for _ in range(100):
        reader, writer = await attacker.line(GET % path)
        await reader.readline()
        writer.write(GET % b"/v1/games")
        await asyncio.sleep(attacker.luck.choice([0, 0.01]))
        writer.transport.abort()
    attacker.count("gone", 100)


async def _drip(attacker: Attacker, begin: bytes, byte: bytes = b"x") -> None:
    lines = [await attacker.line(begin) for _ in range(200)]
    for _ in range(int(HELD_S)):
        for _, writer in lines:
            writer.write(byte)
        await asyncio.sleep(1)
    await attacker.hangs_on([reader for reader, _ in lines], 0)


ATTACKS: list[Attack] = [
    slow_heads,
    slow_bodies,
    slow_handshakes,
    idle,
    unread_downloads,
    pipelines,
    large_heads,
    odd_bytes,
    cuts,
    unread_streams,
    ghosts,
]
