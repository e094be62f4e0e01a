"""Frames nobody should send: valid ones spoilt, noise, and what a format allows but nobody means.

All is drawn from one `Random`, so the same seed writes the same frames.
"""

import json
import struct
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import msgpack

from saleroom_protocol.codec import Codec

LARGE = 20_000  # bytes: beyond what a message may have
WORDS = ["", "table", "spectators", "player", "spectator", "é🎨", "x" * 64, "x" * 65, "\u0000"]
NUMBERS = [0, 1, 2, -1, 9, 10, 255, 2**31, 2**53 - 1, 2**53, 2**63 - 1, 2**64 - 1, -(2**63)]
ACTIONS = [{"do": "insist"}, {"do": "bid", "cards": []}, {"do": "say", "value": 1}, {"do": 5}]
ACTIONS += [{"do": "place", "spaces": {"a": 1, "b": 2}}, {"do": "come_back"}, {"do": "resign"}, {}]
FIELDS: dict[str, list[Any]] = {  # of bodies
    "name": ["Ada"],
    "kind": ["person", "bot"],
    "game": ["kunstmarkt", "vernissage", "chess"],
    "seats": [3, 4, 5],
    "options": [{}],
    "pace": ["quick"],
    "visibility": ["private"],
    "take_seat": [False],
    "autostart": [True],
    "invite": ["secret"],
    "bots": [[{"level": "easy", "seat": 1}]],
    "entropy": ["00" * 16],
    "seat": [1],
    "level": ["easy"],
    "player": ["p" + "a" * 16],
    "muted": [True],
}
TYPES = ["join", "leave", "act", "say", "ping", "pong", "hello", "view", "hola"]
WEIGHTS = [30, 30, 30, 30, 30, 30, 4, 1, 1]


class Hostile:
    """Writes frames of one subprotocol; the more civil, the more of them are right."""

    def __init__(
        self, luck: Random, codec: Codec, rooms: Sequence[str], *, civility: int = 8
    ) -> None:
        self._luck, self._text, self._rooms = luck, codec.text, rooms
        self._civility = civility

    def frame(self) -> bytes:
        """Write a frame."""
        kinds: list[Callable[[], bytes]] = [
            self._valid,
            self._spoilt,
            self._noise,
            self._odd_json if self._text else self._odd_msgpack,
            self._flood,
        ]
        weights = [self._civility, 12, 2, 8, 1]
        return self._luck.choices(kinds, weights)[0]()

    def body(self, names: Sequence[str]) -> bytes:
        """Write the body of a request to the lobby, most of it of these fields."""
        luck = self._luck
        if luck.random() < 0.3:
            return self.frame()
        body = {name: luck.choice(FIELDS[name]) for name in names if luck.random() < 0.8}
        if luck.random() < 0.6:
            odd = [*NUMBERS, *WORDS, None, [], {}, [{"level": "easy"}], {"hidden_cash": True}]
            body[luck.choice([*names, *FIELDS])] = luck.choice(odd)
        return luck.choice([self._encoded(body), self._spoilt(body or {"": 0})])

    # Messages

    def _valid(self) -> bytes:
        return self._encoded(self._message())

    def _message(self) -> dict[str, Any]:
        """Write a message that is right, or nearly."""
        luck = self._luck
        kind = luck.choices(TYPES, WEIGHTS)[0]
        message: dict[str, Any] = {"type": kind, "id": f"i{luck.randrange(50)}"}
        if kind == "hello":
            message = {"type": kind, "client": "rude/1"}
            if luck.random() < 0.5:
                message["token"] = luck.choice(
                    [*WORDS, "a.b", "x" * 2_000, "A" * 60 + "." + "A" * 43]
                )
        if kind == "pong":
            return {"type": kind}
        if kind not in ("ping", "hello"):
            message["room"] = luck.choice(self._rooms)
        if kind == "join":
            message["as"] = luck.choice(["player", "spectator"])
            if luck.random() < 0.3:
                message["cursor"] = {
                    "epoch": luck.choice(["1-0", "1-s", ""]),
                    "seq": luck.choice(NUMBERS),
                }
        elif kind == "act":
            message |= {"action": luck.choice(ACTIONS), "window": luck.randrange(8)}
        elif kind == "say":
            message |= {
                "to": luck.choice(["table", "spectators", 0, 2]),
                "text": luck.choice(WORDS),
            }
        if luck.random() < 0.15:
            message[luck.choice([*message, "more"])] = luck.choice([*NUMBERS, *WORDS, [], {}, None])
        return message

    def _encoded(self, message: Any) -> bytes:
        if self._text:
            return json.dumps(message).encode()
        packed: bytes = msgpack.packb(message)
        return packed

    # Bytes

    def _spoilt(self, message: Any = None) -> bytes:
        luck, frame = self._luck, bytearray(self._encoded(message or self._message()))
        for _ in range(luck.randrange(1, 4)):
            place, until = sorted(luck.randrange(len(frame) + 1) for _ in range(2))
            spoil = luck.randrange(5)
            if spoil == 0 and place < len(frame):
                frame[place] ^= 1 << luck.randrange(8)
            elif spoil == 1:
                del frame[place : place + luck.randrange(1, 4)]
            elif spoil == 2:
                frame[place:place] = luck.randbytes(luck.randrange(1, 5))
            elif spoil == 3:
                frame[place:place] = frame[place:until]
            else:
                del frame[place:]
        return bytes(frame)

    def _noise(self) -> bytes:
        return self._luck.randbytes(self._luck.choice([0, 1, 2, 5, 20, 200]))

    def _flood(self) -> bytes:
        """Write much of the same."""
        pieces = [b"\x91", b"\x81\x01", b"\x81", b"\x00", b"\xc1", b"\xdd\x00\x00\x00\x02", b"\xd6"]
        pieces += [
            b"[",
            b'{"":',
            b"[[],",
            b'"',
            b"\\",
            b" ",
            b"9",
            b"\xff",
            b"\xc3\xa9",
            b"\\u0000",
        ]
        begin = self._luck.choice([b"", b'{"type":"ping","id":"', b"[1", self._valid()[:-1]])
        return begin + self._luck.choice(pieces) * self._luck.choice([10, 300, 3_000, LARGE])

    # What MessagePack allows

    def _odd_msgpack(self) -> bytes:
        """Write a message with values of any kind, its heads true or not."""
        fields = [
            (self._packed(name), self._packed(value)) for name, value in self._message().items()
        ]
        odd = self._luck.randrange(len(fields) + 1)
        key = self._luck.choice([self._packed("action"), self._packed("cursor"), self._odd(3)])
        if odd == len(fields) or self._luck.random() < 0.3:
            fields.append((key, self._odd(4)))
        else:
            fields[odd] = (fields[odd][0], self._odd(4))
        if self._luck.random() < 0.1:
            fields.append(self._luck.choice(fields))  # a key twice
        head = bytes([0x80 + len(fields)])
        if self._luck.random() < 0.05:
            head = b"\xdf" + struct.pack(">I", self._luck.choice([len(fields), 2**32 - 1, 0]))
        return head + b"".join(key + value for key, value in fields)

    def _packed(self, value: Any) -> bytes:
        packed: bytes = msgpack.packb(value)
        return packed

    def _odd(self, depth: int) -> bytes:
        """Write one value."""
        luck = self._luck
        kind = luck.randrange(10 if depth else 7)
        match kind:
            case 0:
                return self._packed(luck.choice(NUMBERS))
            case 1:  # floats: whole ones, none, without end
                return b"\xcb" + struct.pack(
                    ">d", luck.choice([0.5, float("nan"), float("inf"), 1e300])
                )
            case 2:  # strings that are none
                text = luck.choice([b"\xff\xfe", b"\xed\xa0\x80", b"\xc3", b"\x00", b"a" * 40])
                return b"\xd9" + bytes([len(text)]) + text
            case 3:  # extensions: times that are none among them
                length = luck.choice([0, 1, 4, 8, 12, 13])
                code = luck.choice([255, 0, 5])
                return b"\xc7" + bytes([length, code]) + luck.randbytes(length)
            case 4:  # a head alone
                return luck.choice([b"\xdd", b"\xdf", b"\xdb", b"\xc6", b"\xc9"]) + luck.randbytes(
                    4
                )
            case 5:
                return luck.choice(
                    [b"\xc0", b"\xc2", b"\xc3", b"\xc4\x01a", self._packed(luck.choice(WORDS))]
                )
            case 6:
                return bytes([luck.randrange(256)])
            case 7:
                count = luck.randrange(4)
                return bytes([0x90 + count]) + b"".join(self._odd(depth - 1) for _ in range(count))
            case 8:
                count = luck.randrange(4)
                return bytes([0x80 + count]) + b"".join(
                    self._odd(depth - 1) for _ in range(2 * count)
                )
            case _:
                nested = luck.choice([7, 8, 9, 1_000])
                return b"\x91" * nested + self._odd(0)

    # What JSON allows

    def _odd_json(self) -> bytes:
        """Write a message with values of any kind, its text right or not."""
        luck, message = self._luck, self._message()
        odd = luck.choice([*message, "action", "cursor", ""])
        fields = [
            f"{json.dumps(name)}: {json.dumps(value)}".encode() for name, value in message.items()
        ]
        fields.append(json.dumps(odd).encode() + b":" + self._odd_text(4))  # perhaps twice
        luck.shuffle(fields)
        return b"{" + luck.choice([b", ", b",", b" , "]).join(fields) + b"}"

    def _odd_text(self, depth: int) -> bytes:
        luck = self._luck
        plain = [b"1e999", b"-0", b"0.1", b"NaN", b"Infinity", b"9" * 400, b"-" + b"9" * 5_000]
        plain += [b'"\\ud800"', b'"\\u0000"', b'"\xff"', b'"\xed\xa0\x80"', b"tru", b"null", b"1E5"]
        plain += [
            b'"' + b"\\\\" * 500 + b'"',
            b"01",
            b"[" * 9,
            b"[" * 500,
            b'"unended',
            b"\xef\xbb\xbf1",
        ]
        if not depth or luck.random() < 0.6:
            return luck.choice(plain)
        inner = [self._odd_text(depth - 1) for _ in range(luck.randrange(4))]
        if luck.random() < 0.5:
            return b"[" + b",".join(inner) + b"]"
        return b"{" + b",".join(b'"k":' + one for one in inner) + b"}"
