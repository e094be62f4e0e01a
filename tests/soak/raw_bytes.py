"""Whatever bytes at a real server's port, while others play there and must not notice.

Broken HTTP, half a handshake, and WebSocket frames that are none, in floods and in pieces; sent by
clients that hang up, hang on, or never read.
"""

import asyncio
import struct
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import monotonic
from urllib.parse import urlsplit

from websockets.frames import Frame, Opcode

from saleroom_bots.registry import strategy_for
from saleroom_client import Lobby, connect, play
from saleroom_protocol.codec import JSON, MSGPACK
from tests.soak.honest import at_a_table, timed_room
from tests.soak.hostile import Hostile
from tests.soak.seen import MIB, Fallen
from tests.support.servers import ServerProcess, memory_of, ready

ATTACKERS = 16  # at a time
SEATS = 3
RECEIPT_S = 5.0  # an act of somebody else must be answered in that time
GREW_MIB = (
    200  # the server may grow by so much: what is on its way, and what Python keeps for later
)


class Bytes:
    """Writes what an attacker sends, one piece after the other."""

    def __init__(self, luck: Random) -> None:
        self._luck = luck
        self._frames = [Hostile(luck, codec, ["raaaaaaaaaaaa", ""]) for codec in (MSGPACK, JSON)]
        self.kinds: list[Callable[[], list[bytes]]] = [
            self.noise,
            self.broken_http,
            self.half_a_handshake,
            self.broken_frames,
            self.pieces,
            self.pings,
            self.bad_closes,
            self.hostile_messages,
        ]

    def noise(self) -> list[bytes]:
        return [self._luck.randbytes(self._luck.choice([1, 40, 5_000])) for _ in range(3)]

    def broken_http(self) -> list[bytes]:
        post = b"POST /v1/players HTTP/1.1\r\nHost: x\r\n"
        return self._luck.choice(
            [
                [b"GET / HTTP/1.1\r\n" + b"X: " + b"x" * 200_000],
                [b"GET /v1/rooms HTTP/1.1\r\nHost: x\r\n\r\n" * 200],
                [post + b"Content-Length: -1\r\n\r\n{}"],
                [post + b"Content-Length: 99999999999\r\n\r\n", *[b"x" * 10_000] * 20],
                [post + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"],
                [post + b"Transfer-Encoding: chunked\r\n\r\n", *[b"1\r\nx\r\n"] * 500],
                [post + b"Content-Length: 10\r\n\r\n{", b"}"],
                [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
                [b"GET http://[::1 HTTP/1.1\r\nHost: \xff\r\n\r\n"],
                [b"GET /v1/" + b"%" * 3_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n"],
            ]
        )

    def half_a_handshake(self) -> list[bytes]:
        whole = self._handshake()
        return [whole[: self._luck.randrange(len(whole))]]

    def broken_frames(self) -> list[bytes]:
        mask = self._luck.randbytes(4)
        return [
            self._handshake(),
            self._luck.choice(
                [
                    b"\x82\x05hello",  # not masked
                    b"\x83\x80" + mask,  # an opcode that is none
                    b"\xf2\x80" + mask,  # reserved bits
                    b"\x82\xff" + struct.pack(">Q", 2**63) + mask,
                    b"\x82\xff" + struct.pack(">Q", 2**40) + mask + b"x" * 1_000,
                    b"\x89\xfe\x00\xc8" + mask + b"x" * 200,  # a ping that is too long
                    b"\x09\x80" + mask,  # a ping in pieces
                    b"\x80\x80" + mask,  # a piece of nothing
                    self._luck.randbytes(300),
                ]
            ),
        ]

    def pieces(self) -> list[bytes]:
        """One message in very many pieces, which never ends."""
        first = Frame(Opcode.BINARY, b"\x81", fin=False).serialize(mask=True)
        more = Frame(Opcode.CONT, self._luck.choice([b"", b"x"]), fin=False).serialize(mask=True)
        return [self._handshake(), first, *[more * 500] * 40]

    def pings(self) -> list[bytes]:
        ping = Frame(Opcode.PING, b"x" * 125).serialize(mask=True)
        return [self._handshake(), *[ping * 100] * 40]

    def bad_closes(self) -> list[bytes]:
        codes = [b"", b"x", b"\x00\x00", b"\x03\xe7", b"\x03\xed", b"\xff\xff", b"\x03\xe8\xff\xfe"]
        close = Frame(Opcode.CLOSE, self._luck.choice(codes)).serialize(mask=True)
        return [self._handshake(), close * 2, b"\x82\x80\x00\x00\x00\x00"]

    def hostile_messages(self) -> list[bytes]:
        text = self._luck.randrange(2)
        opcode = self._luck.choice([Opcode.BINARY, Opcode.TEXT, (Opcode.BINARY, Opcode.TEXT)[text]])
        hello = (MSGPACK, JSON)[text].encode({"type": "hello", "client": "rude/1"})
        messages = [hello, *(self._frames[text].frame() for _ in range(20))]
        frames = [Frame(opcode, message).serialize(mask=True) for message in messages]
        return [self._handshake(JSON if text else MSGPACK), *frames]

    def _handshake(self, codec: "object" = MSGPACK) -> bytes:
        name = (JSON if codec is JSON else MSGPACK).subprotocol
        more = self._luck.choice(["", "Sec-WebSocket-Extensions: permessage-deflate\r\n"])
        return (
            f"GET /v1/play HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            f"Sec-WebSocket-Key: {'A' * 22}==\r\nSec-WebSocket-Version: 13\r\n{more}"
            f"Sec-WebSocket-Protocol: {name}\r\n\r\n"
        ).encode()


def attack(seconds: float, luck: Random) -> str:
    """Attack a server for some seconds while a table plays; return what came of it.

    Raises:
        Fallen: the others noticed, or the server did not stand up to it.
    """
    with TemporaryDirectory() as folder, ServerProcess(Path(folder) / "data") as server:
        before = memory_of(server.pid)
        sent, receipts = asyncio.run(_attack(server.url, seconds, luck))
        grew = (memory_of(server.pid) - before) / MIB
        if not ready(server.url):
            raise Fallen("it is not ready any more")
        if server.stop() or "Traceback" in server.log():
            raise Fallen(server.log()[-2_000:])
    if grew > GREW_MIB:
        raise Fallen(f"it grew by {grew:.0f} MiB")
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(sent.items()))
    return (
        f"{sent.total()} attackers ({kinds}); meanwhile {len(receipts)} acts of others, the "
        f"slowest answered after {max(receipts) * 1000:.0f} ms; it grew by {grew:.0f} MiB"
    )


async def _attack(url: str, seconds: float, luck: Random) -> tuple[Counter[str], list[float]]:
    sent, receipts = Counter[str](), list[float]()
    until = monotonic() + seconds
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(_games(url, until, receipts))
        for _ in range(ATTACKERS):
            tasks.create_task(_attacker(url, until, Bytes(Random(luck.random())), luck, sent))
    return sent, receipts


async def _attacker(url: str, until: float, rude: Bytes, luck: Random, sent: Counter[str]) -> None:
    port = urlsplit(url).port
    while monotonic() < until:
        kind = luck.choice(rude.kinds)
        with suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            await send(reader, writer, kind(), luck)
        sent[kind.__name__] += 1


async def send(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, pieces: list[bytes], luck: Random
) -> None:
    """Send piece by piece; read or not; then hang on, hang up, or break off."""
    reads = luck.random() < 0.7
    try:
        for piece in pieces:
            writer.write(piece)
            with suppress(TimeoutError):
                await asyncio.wait_for(writer.drain(), 0.2)
        if luck.random() < 0.3:
            writer.write_eof()
        if reads:
            with suppress(TimeoutError):
                await asyncio.wait_for(reader.read(), luck.choice([0.05, 0.5]))
    finally:
        if luck.random() < 0.5:
            writer.transport.abort()
        else:
            writer.close()


# The others


async def _games(url: str, until: float, receipts: list[float]) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(until - monotonic()):
            while True:
                await _game(url, receipts)
    if not receipts:
        raise Fallen("nobody was answered")


async def _game(url: str, receipts: list[float]) -> None:
    lobbies = [Lobby(url) for _ in range(SEATS)]
    room = await at_a_table(lobbies, "kunstmarkt")
    async with asyncio.TaskGroup() as players:
        for lobby in lobbies:
            players.create_task(_player(url, lobby, room, receipts))


async def _player(url: str, lobby: Lobby, name: str, receipts: list[float]) -> None:
    async with connect(url, lobby.token, checks=True, attempts=1) as line:
        room = timed_room(await line.join(name), receipts, RECEIPT_S)
        await play(room, strategy_for("kunstmarkt", "easy"))
