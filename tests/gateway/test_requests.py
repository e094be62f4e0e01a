"""Each kind of request, and every refusal with the facts the protocol documents for it."""

from typing import Any

import msgpack
import pytest

from saleroom_protocol.codec import JSON, MSGPACK, Codec
from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.owner.surroundings import OwnerLimits
from saleroom_server.rooms.commands import GiveUpSeat, Mute, TakeSeat
from saleroom_server.rooms.limits import RoomLimits
from tests.gateway.refusals import refused
from tests.support.nodes import PEOPLE, Node

CODECS = pytest.mark.parametrize("codec", [MSGPACK, JSON], ids=["msgpack", "json"])
NOWHERE = "raaaaaaaaaaaa"
NO_TIME = msgpack.ExtType._make((-1, bytes(3)))  # a timestamp has 4, 8 or 12 bytes


# Malformed requests that have an id are answered


@CODECS
@pytest.mark.parametrize(
    ("kind", "fields", "answer"),
    [
        ("join", {"room": "r"}, ("malformed", {"field": "as"})),
        ("join", {"room": "r", "as": "owner"}, ("malformed", {"field": "as"})),
        ("join", {"as": "player"}, ("malformed", {"field": "room"})),
        ("join", {"room": 5, "as": "player"}, ("malformed", {"field": "room"})),
        ("join", {"room": "r", "as": "player", "a": 1}, ("unknown_field", {"field": "a"})),
        (
            "join",
            {"room": "r", "as": "player", "cursor": {"epoch": "e", "seq": -1}},
            ("malformed", {"field": "cursor.seq"}),
        ),
        (
            "join",
            {"room": "r", "as": "player", "cursor": {"epoch": "e", "seq": 1, "x": 1}},
            ("unknown_field", {"field": "cursor.x"}),
        ),
        ("leave", {}, ("malformed", {"field": "room"})),
        ("act", {"room": "r"}, ("malformed", {"field": "action"})),
        ("act", {"room": "r", "action": {}, "window": "1"}, ("malformed", {"field": "window"})),
        ("say", {"room": "r", "to": "table"}, ("malformed", {"field": "text"})),
        ("say", {"room": "r", "to": "table", "text": ""}, ("malformed", {"field": "text"})),
        ("say", {"room": "r", "to": "table", "text": "x" * 501}, ("malformed", {"field": "text"})),
        ("say", {"room": "r", "to": "all", "text": "x"}, ("malformed", {"field": "to"})),
        ("say", {"room": "r", "to": 10, "text": "x"}, ("malformed", {"field": "to"})),
        ("ping", {"x": 1}, ("unknown_field", {"field": "x"})),
        ("sing", {}, ("malformed", {"field": "type"})),
    ],
)
async def test_a_request_that_is_not_what_it_should_be_is_refused_by_field(
    node: Node, codec: Codec, kind: str, fields: dict[str, Any], answer: tuple[str, Any]
) -> None:
    socket = node.greeted(PEOPLE[0], codec)
    assert await refused(socket, kind, **fields) == answer
    assert socket.closed is None


@pytest.mark.parametrize("kind", ["join", "leave", "act", "say"])
async def test_a_room_that_is_not_there_is_unknown(node: Node, kind: str) -> None:
    fields: dict[str, dict[str, Any]] = {
        "join": {"as_": "spectator"},
        "act": {"action": {"do": "pass"}},
        "say": {"to": "table", "text": "Hello?"},
    }
    socket = node.greeted(PEOPLE[0])
    assert await refused(socket, kind, room=NOWHERE, **fields.get(kind, {})) == ("unknown_room", {})
    assert socket.connection.rooms == set()


# Join


@CODECS
async def test_a_player_joins_the_own_seat_and_a_spectator_none(node: Node, codec: Codec) -> None:
    room = await node.starts()
    player = node.joined(room, PEOPLE[1], codec=codec)
    watcher = node.joined(room, PEOPLE[1], "spectator", codec)
    assert player.told("joined")[0]["viewer"] == 1
    assert player.document(room)["you"]["seat"] == 1
    assert "viewer" not in watcher.told("joined")[0]
    assert "you" not in watcher.document(room)
    for socket in (player, watcher):
        joined, view = socket.told("joined")[0], socket.told("view")[0]
        assert joined["cursor"] == {"epoch": view["epoch"], "seq": view["seq"]}
        assert (joined["resumed"], joined["now"]) == (False, node.clock.now())
        assert "check" in view


async def test_checks_come_to_those_who_asked_and_to_nobody_else(node: Node) -> None:
    table = await node.plays()
    plain = node.greeted()
    plain.joins(table.room, "spectator")
    await table.moves()
    assert all("check" in message for message in table.sockets[0].told("view", "update"))
    assert not any("check" in message for message in plain.told("view", "update"))


async def test_who_has_no_seat_cannot_join_as_a_player(node: Node) -> None:
    room = await node.starts()
    for socket in (node.greeted(PEOPLE[5]), node.greeted()):
        assert await refused(socket, "join", room=room, as_="player") == ("not_seated", {})
        assert socket.connection.rooms == set()


async def test_a_private_room_is_unknown_to_strangers_and_open_to_its_watchword(node: Node) -> None:
    made = await node.makes(visibility="private")
    stranger = node.greeted(PEOPLE[5])
    for as_ in ("player", "spectator"):
        assert await refused(stranger, "join", room=made.room, as_=as_) == ("unknown_room", {})
    wrong = await refused(stranger, "join", room=made.room, as_="spectator", watch=made.invite)
    assert wrong == ("unknown_room", {})
    action = await refused(stranger, "act", room=made.room, action={"do": "resign"})
    assert action == ("unknown_room", {})
    odd = await refused(stranger, "act", room=made.room, action="no map")
    assert odd == ("unknown_room", {}), "not what only a member could hear"
    said = await refused(stranger, "say", room=made.room, to="spectators", text="Hello?")
    assert said == ("unknown_room", {})
    request = stranger.joins(made.room, "spectator", watch=made.watch)
    assert stranger.answer(request)["type"] == "joined"
    host = node.joined(made.room, PEOPLE[0])
    assert "you" in host.document(made.room)


async def test_nothing_tells_a_private_room_from_one_that_is_not_there() -> None:
    limits = GatewayLimits(rooms_per_socket=1)
    node = await Node(gateway=limits, owner=OwnerLimits(inbox=1)).opens()
    hidden = await node.makes(visibility="private")
    stranger = node.greeted(PEOPLE[5])
    stranger.joins(await node.starts(), "spectator")
    node.store.hold()
    node.actor(hidden.room).submit(TakeSeat(PEOPLE[1], invite=hidden.invite), lambda _: None)
    requests: list[tuple[str, dict[str, Any]]] = [
        ("join", {"as_": "spectator"}),  # this socket follows as many as it may
        ("join", {"as_": "player"}),
        ("leave", {}),
        ("act", {"action": {"do": "resign"}}),  # the inbox is full
        ("act", {"action": "no map"}),
        ("act", {"action": {"do": NO_TIME}}),
        ("say", {"to": "spectators", "text": "Hello?"}),
        ("say", {"to": 2, "text": "Hello?"}),
    ]
    for kind, fields in requests:
        rooms = (hidden.room, NOWHERE)
        answers = [await refused(stranger, kind, room=room, **fields) for room in rooms]
        assert answers == [("unknown_room", {})] * 2, kind
    await node.closes()


async def test_who_does_not_follow_a_room_takes_no_place_in_its_inbox() -> None:
    node = await Node(owner=OwnerLimits(inbox=1)).opens()
    table = await node.plays()
    node.store.hold()
    table.acts()
    outsider = node.greeted(PEOPLE[5])
    for kind, fields in (
        ("act", {"action": {"do": "resign"}}),
        ("say", {"to": "table", "text": "Hello?"}),
        ("leave", {}),
    ):
        answer = await refused(outsider, kind, room=table.room, **fields)
        assert answer == ("not_joined", {}), "it is not even told that the room is busy"
    await node.closes()


async def test_an_action_that_only_looks_like_a_value_is_malformed(node: Node) -> None:
    table = await node.plays()
    for extension, field in ((NO_TIME, "action"), (msgpack.ExtType(5, b"x"), "action.do")):
        answer = await refused(table.asked, "act", room=table.room, action={"do": extension})
        assert answer == ("malformed", {"field": field})


async def test_a_room_has_so_many_spectators_and_no_more() -> None:
    node = await Node(room=RoomLimits(spectators=1)).opens()
    room = await node.starts()
    first, second = node.joined(room, as_="spectator"), node.greeted()
    reason, facts = await refused(second, "join", room=room, as_="spectator")
    assert (reason, [*facts]) == ("full", ["retry_after_ms"])
    assert first.answer(first.joins(room, "spectator"))["type"] == "joined", "it is in already"
    await node.closes()


async def test_a_socket_follows_so_many_rooms_and_no_more() -> None:
    node = await Node(gateway=GatewayLimits(rooms_per_socket=2)).opens()
    rooms = [(await node.makes()).room for _ in range(3)]
    socket = node.greeted(PEOPLE[0])
    for room in rooms[:2]:
        socket.joins(room)
    answer = await refused(socket, "join", room=rooms[2], as_="player")
    assert answer == ("full", {"retry_after_ms": 0})
    assert socket.answer(socket.joins(rooms[1]))["type"] == "joined", "again is none more"
    socket.asks("leave", room=rooms[0])
    assert socket.answer(socket.joins(rooms[2]))["type"] == "joined"
    await node.closes()


async def test_refused_joins_count_for_nothing() -> None:
    node = await Node(gateway=GatewayLimits(rooms_per_socket=1)).opens()
    rooms = [await node.starts() for _ in range(3)]
    socket = node.greeted(PEOPLE[5])
    for room in rooms:
        assert await refused(socket, "join", room=room, as_="player") == ("not_seated", {})
    assert socket.answer(socket.joins(rooms[0], "spectator"))["type"] == "joined"
    assert await refused(socket, "join", room=rooms[0], as_="player") == ("not_seated", {})
    assert socket.connection.rooms == {rooms[0]}, "it follows as it did"
    await node.closes()


async def test_what_was_missed_comes_after_a_cursor_and_nothing_else(node: Node) -> None:
    table = await node.plays()
    watcher = node.joined(table.room, as_="spectator")
    followed = watcher.followed(table.room)
    cursor = {"epoch": followed.epoch, "seq": followed.seq}
    watcher.drops()
    await table.moves(3)
    later = node.greeted(checks=True)
    later.rooms[table.room] = followed
    later.joins(table.room, "spectator", cursor=cursor)
    assert [message["type"] for message in later.messages[1:]] == ["joined"] + ["update"] * 3
    assert later.told("joined")[0]["resumed"]
    assert later.document(table.room)["window"] == table.window


# Leave


async def test_leaving_ends_delivery_and_nothing_else(node: Node) -> None:
    table = await node.plays()
    socket = table.sockets[0]
    request = socket.asks("leave", room=table.room)
    assert socket.answer(request) == {"type": "accepted", "id": request}
    count = len(socket.messages)
    await node.clock.passes(60_000)
    assert len(socket.messages) == count
    assert node.hall.summary(table.room).seats["0"].name == "Person a"
    assert await refused(socket, "leave", room=table.room) == ("not_joined", {})
    assert socket.answer(socket.joins(table.room))["type"] == "joined"


# Say


async def test_what_is_said_is_heard_and_counted_once(node: Node) -> None:
    table = await node.plays()
    watcher = node.joined(table.room, PEOPLE[5], "spectator", JSON)
    request = table.sockets[1].asks("say", room=table.room, to="table", text="Grüezi 🎨")
    for socket in (*table.sockets, watcher):
        said = socket.told("said")[0]
        assert (said["from"], said["text"], said["number"]) == ({"seat": 1}, "Grüezi 🎨", 1)
    assert [message["type"] for message in table.sockets[1].messages[-2:]] == ["said", "accepted"]
    table.sockets[1].repeats(request)
    assert len(watcher.told("said")) == 1


async def test_a_whisper_is_heard_by_two_and_spectators_hear_spectators(node: Node) -> None:
    table = await node.plays()
    watcher = node.joined(table.room, PEOPLE[5], "spectator")
    table.sockets[1].asks("say", room=table.room, to=2, text="psst")
    watcher.asks("say", room=table.room, to="spectators", text="boring")
    heard = [[said["text"] for said in socket.told("said")] for socket in table.sockets]
    assert heard == [[], ["psst"], ["psst"]]
    assert [said["text"] for said in watcher.told("said")] == ["boring"]
    assert watcher.told("said")[0]["from"] == {"name": "Person f"}


async def test_who_may_not_speak_is_told_why(node: Node) -> None:
    table = await node.plays()
    nobody = node.joined(table.room, as_="spectator")
    fan = node.joined(table.room, PEOPLE[5], "spectator")
    outsider = node.greeted(PEOPLE[6])
    say: dict[str, Any] = {"room": table.room, "to": "spectators", "text": "Hello"}
    assert await refused(nobody, "say", **say) == ("bad_token", {})
    assert await refused(outsider, "say", **say) == ("not_joined", {})
    assert await refused(fan, "say", **say | {"to": "table"}) == ("not_seated", {})
    nobodys = await refused(table.sockets[0], "say", **say | {"to": 7})
    assert nobodys == ("malformed", {"field": "to"})
    await node.actor(table.room).ask(Mute(PEOPLE[0], PEOPLE[5].player or "", True))
    assert await refused(fan, "say", **say) == ("muted", {})
    request = table.sockets[0].asks("say", **say)
    assert await refused(table.sockets[0], "say", request=request, **say | {"text": "x"}) == (
        "id_reused",
        {},
    )


# Seats that change


async def test_who_is_sent_away_is_told_and_hears_no_more(node: Node) -> None:
    made = await node.makes()
    await node.seats(made.room, PEOPLE[1])
    host, guest = node.joined(made.room, PEOPLE[0]), node.joined(made.room, PEOPLE[1])
    await node.actor(made.room).ask(GiveUpSeat(PEOPLE[0], 1))
    assert guest.last == {"type": "left", "room": made.room, "reason": "kicked"}
    await node.actor(made.room).ask(GiveUpSeat(PEOPLE[0], 0))
    assert host.last == {"type": "left", "room": made.room, "reason": "seat_changed"}
    count = len(guest.messages)
    await node.clock.passes(10_000)
    assert len(guest.messages) == count
    assert guest.closed is None, "only a socket that was replaced is closed"
