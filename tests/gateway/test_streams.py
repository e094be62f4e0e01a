"""Whatever a socket sends: one answer each, or a documented close; and nobody else is disturbed."""

from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from saleroom_protocol.codec import JSON, MSGPACK, Codec
from saleroom_protocol.errors import CloseCode, ProtocolViolation
from saleroom_protocol.limits import Limits
from saleroom_protocol.messages import ClientPong
from tests.support.documents import documents, values
from tests.support.hand_clock import quiet
from tests.support.nodes import PEOPLE, Node
from tests.support.sockets import ANSWERS, Socket

ROOMS = ["the room", "a private room", "raaaaaaaaaaaa", "r", ""]
ACTIONS = st.sampled_from(
    [
        {"do": "draw_customer"},
        {"do": "pass"},
        {"do": "resign"},
        {"do": "come_back"},
        {"do": "buy", "picture": "p01"},
        {"do": "offer", "picture": "p01"},
        {"do": 5},
        {},
    ]
)
LOOSE = {"zz": st.just(None) | values}  # now and then a field too many


def request(kind: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    common = {"type": st.just(kind), "id": st.text("ab", min_size=1, max_size=2)}
    return st.fixed_dictionaries(
        {**common, "room": st.sampled_from(ROOMS), **fields}
    ) | st.fixed_dictionaries({**common, **fields}, optional=LOOSE)


CURSORS = st.fixed_dictionaries({"epoch": st.text(max_size=4), "seq": st.integers(0, 9)})
MESSAGES = st.one_of(
    st.fixed_dictionaries({"type": st.just("ping"), "id": st.text(max_size=3)}),
    st.just({"type": "pong"}),
    request("join", **{"as": st.sampled_from(["player", "spectator"])}),
    request("join", **{"as": st.sampled_from(["spectator", "owner"])}, cursor=CURSORS),
    request("leave"),
    request("act", window=st.integers(0, 3), action=ACTIONS | documents | values),
    request("act", action=ACTIONS),
    request("say", to=st.sampled_from(["table", "spectators", 0, 2, 7]), text=st.text(max_size=5)),
    documents,
)


class Change(msgspec.Struct, frozen=True):
    """What befalls a frame on its way: bytes are cut out, and others put in."""

    place: int
    cut: int
    put: bytes

    def __call__(self, frame: bytes) -> bytes:
        place = self.place % (len(frame) + 1)
        return frame[:place] + self.put + frame[place + self.cut :]


CHANGES = st.builds(Change, st.integers(0, 200), st.integers(0, 3), st.binary(max_size=3))
UNCHANGED = st.just(Change(0, 0, b""))
SENT = st.tuples(MESSAGES, UNCHANGED | UNCHANGED | UNCHANGED | CHANGES) | st.binary(max_size=40)
STREAMS = st.lists(SENT, min_size=1, max_size=25)


def framed(codec: Codec, sent: Any, rooms: dict[str, str]) -> bytes:
    if isinstance(sent, bytes):
        return sent
    message, change = sent
    if message.get("room") in rooms:
        message = {**message, "room": rooms[message["room"]]}
    return bytes(change(codec.encode(message)))


def asks_nothing(codec: Codec, frame: bytes) -> bool:
    try:
        return isinstance(codec.read_request(frame, Limits()), ClientPong)
    except ProtocolViolation:
        return False


def answers(socket: Socket) -> int:
    return len([told for told in socket.told(*ANSWERS) if "id" in told])


@given(STREAMS, st.sampled_from([MSGPACK, JSON]), st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=150)
async def test_every_request_of_a_stream_is_answered_or_ends_it(
    stream: list[Any], codec: Codec, seated: bool, joined: bool, at_once: bool
) -> None:
    node = await Node().opens()
    table, hidden = await node.plays(), await node.makes(PEOPLE[4], visibility="private")
    watcher = node.joined(table.room, as_="spectator")
    stray = node.greeted(PEOPLE[0] if seated else PEOPLE[5], codec)
    stray.stray = True
    if joined:
        stray.joins(table.room, "player" if seated else "spectator")
    rooms = {"the room": table.room, "a private room": hidden.room}
    expected = answers(stray)
    for sent in stream:
        frame = framed(codec, sent, rooms)
        stray.sends(frame)
        expected += not asks_nothing(codec, frame)
        if not at_once:
            await quiet()
        if stray.closed is not None:
            break
        if not at_once:
            assert answers(stray) == expected
    await quiet()
    if stray.closed is None:
        assert answers(stray) == expected
    else:
        assert stray.closed in {*CloseCode}
        assert stray.last["type"] in ("error", "left")
    await assert_undisturbed(node, table.sockets[1:], watcher, table.room)
    await node.closes()


async def assert_undisturbed(node: Node, players: list[Socket], watcher: Socket, room: str) -> None:
    await node.clock.passes(5_000)
    documents = [socket.document(room) for socket in (*players, watcher)]
    assert len({document["window"]["number"] for document in documents}) == 1
    for socket in (*players, watcher):
        assert socket.closed is None
        assert socket.unanswered == 0
        assert socket.followed(room).seq == node.room(room).seq
        pinged = socket.asks("ping")
        assert socket.answer(pinged)["type"] == "pong"
    for socket in players:
        if "legal" in socket.document(room):
            request = socket.acts(room)
            await quiet()
            assert socket.answer(request)["type"] == "accepted"


@given(st.lists(st.binary(max_size=60) | MESSAGES.map(MSGPACK.encode), max_size=4))
async def test_nothing_but_hello_opens_a_socket(frames: list[bytes]) -> None:
    node = Node()
    socket = node.socket()
    for frame in frames:
        socket.sends(frame)
    if frames:
        assert socket.closed == CloseCode.PROTOCOL_VIOLATION
        assert [message["type"] for message in socket.messages] == ["error"]
    await node.closes()
