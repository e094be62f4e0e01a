"""What a client says about itself counts for nothing: who it is, when it is, how things went."""

from typing import Any, get_args

import msgspec
import pytest

from saleroom_protocol.codec import JSON, MSGPACK
from saleroom_protocol.errors import CloseCode
from saleroom_protocol.messages import ClientMessage
from tests.gateway.refusals import refused
from tests.support.hand_clock import quiet
from tests.support.nodes import DAY_MS, PEOPLE, Node

CLAIMS: dict[str, Any] = {
    "player": PEOPLE[0].player,
    "name": PEOPLE[0].name,
    "seat": 0,
    "viewer": 0,
    "host": True,
}


async def test_who_says_hello_is_whose_token_it_is_and_nobody_else(node: Node) -> None:
    table = await node.plays()
    for caller in (None, PEOPLE[5]):
        socket = node.socket()
        welcome = socket.greets(caller, **CLAIMS)
        assert welcome.get("player") == (caller and caller.player)
        assert await refused(socket, "join", room=table.room, as_="player") == ("not_seated", {})


@pytest.mark.parametrize("claim", ["player", "seat", "viewer", "host"])
async def test_no_request_says_for_whom_it_is(node: Node, claim: str) -> None:
    table = await node.plays()
    other = table.sockets[(table.asked_seat + 1) % 3]
    requests: dict[str, dict[str, Any]] = {
        "join": {"as_": "player"},
        "act": {"window": table.window["number"], "action": {"do": "draw_customer"}},
        "say": {"to": "table", "text": "It is me."},
        "leave": {},
    }
    for kind, fields in requests.items():
        answer = await refused(other, kind, room=table.room, **fields, **{claim: CLAIMS[claim]})
        assert answer == ("unknown_field", {"field": claim})


@pytest.mark.parametrize("claim", ["price", "scores", "seed"])
async def test_no_action_says_how_it_turns_out(node: Node, claim: str) -> None:
    table = await node.plays()
    fields = {"window": table.window["number"], "action": {"do": "draw_customer", claim: 1}}
    answer = await refused(table.asked, "act", room=table.room, **fields)
    assert answer == ("unknown_field", {"field": f"action.{claim}"})


# The client's clock


def test_no_request_has_a_field_for_the_time() -> None:
    kinds = get_args(ClientMessage)
    fields = {field.name for kind in kinds for field in msgspec.structs.fields(kind)}
    assert fields == {
        *("id", "client", "token", "checks", "room", "as_", "cursor", "watch", "said_after"),
        *("window", "action", "to", "text"),
    }, "a new field must not let clients say when it is"


@pytest.mark.parametrize("field", ["at", "now"])
async def test_whatever_time_a_client_says_it_is_the_bell_has_rung(node: Node, field: str) -> None:
    table = await node.plays()
    asked, number, closes_at = table.asked, table.window["number"], table.window["closes_at"]
    await node.clock.goes_to(closes_at + 251)
    claimed = {"window": number, "action": {"do": "draw_customer"}, field: closes_at - 1}
    assert await refused(asked, "act", room=table.room, **claimed) == (
        "unknown_field",
        {"field": field},
    )


# Sockets that are nobody's


@pytest.mark.parametrize("codec", [MSGPACK, JSON], ids=["msgpack", "json"])
async def test_a_socket_that_failed_to_say_who_it_is_hears_of_no_room(
    node: Node, codec: Any
) -> None:
    stale = node.token(PEOPLE[0])
    await node.clock.passes(DAY_MS)
    table = await node.plays()
    silent, forged, late = (node.socket(codec) for _ in range(3))
    for socket, token in ((forged, "forged"), (late, stale)):
        socket.says(type="hello", client="tests/1.0", token=token)
        assert socket.closed == CloseCode.BAD_TOKEN
    outsiders = [silent, forged, late]
    for socket in (forged, late):  # it goes on though it was closed
        for as_ in ("player", "spectator"):
            socket.says(type="join", id="j", room=table.room, **{"as": as_})
        socket.says(type="say", id="s", room=table.room, to="table", text="Hello?")
    await table.moves(2)
    table.sockets[0].asks("say", room=table.room, to="table", text="Who is there?")
    await node.clock.passes(3_000)
    told = [[message["type"] for message in socket.messages] for socket in outsiders]
    assert told == [[], ["error"], ["error"]]
    following = {
        session
        for crowd in node.gateway._crowds._rooms[table.room].values()
        for session in crowd.members
    }
    assert following == {socket.connection.session for socket in table.sockets}
    for socket in outsiders:
        socket.drops()
    assert node.gateway._connections.keys() == following


# Two games of the same two


async def test_two_games_of_the_same_people_share_nothing_not_even_ids(node: Node) -> None:
    here, there = await node.plays(), await node.plays()
    for _ in range(6):  # the same ids, the same windows, at the same moment
        requests = [
            (table, *table.acts(request=f"move {table.window['number']}"))
            for table in (here, there)
        ]
        await quiet()
        for table, socket, request in requests:
            receipt = socket.answer(request)
            assert (receipt["type"], receipt["seq"]) == ("accepted", node.room(table.room).seq)
    here.sockets[0].asks("say", "a word", room=here.room, to="table", text="here")
    there.sockets[0].asks("say", "a word", room=there.room, to="table", text="there")
    for table, word in ((here, "here"), (there, "there")):
        for seat, socket in enumerate(table.sockets):
            assert [said["text"] for said in socket.told("said")] == [word]
            assert {told["room"] for told in socket.messages if "room" in told} == {table.room}
            assert socket.document(table.room) == node.room(table.room)._stream.scene.document(seat)
