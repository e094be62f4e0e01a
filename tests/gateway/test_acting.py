"""`act`: every refusal, and an id that counts once. PROTOCOL.md, "Receipts", "Reasons"."""

from typing import Any

import pytest

from saleroom_protocol.codec import JSON, MSGPACK, Codec
from saleroom_server.rooms.commands import Close
from tests.gateway.refusals import refused
from tests.support.hand_clock import quiet
from tests.support.nodes import PEOPLE, Node, Table
from tests.support.sockets import Socket


async def refused_act(table: Table, socket: Socket, **fields: Any) -> tuple[str, dict[str, Any]]:
    return await refused(socket, "act", room=table.room, **fields)


async def test_an_act_is_refused_with_the_first_reason_there_is(node: Node) -> None:
    table = await node.plays()
    acting, seat = table.asked, table.asked_seat
    other = table.sockets[(seat + 1) % 3]
    number = table.window["number"]
    move = {"do": "draw_customer"}
    assert await refused_act(table, acting, window=99, action=move) == (
        "window_closed",
        {"window": 99, "open": number, "closed_by": "never"},
    )
    assert await refused_act(table, other, window=number, action=move) == (
        "not_your_window",
        {"window": number},
    )
    assert await refused_act(table, acting, action=move) == ("window_needed", {})
    offer = {"do": "offer", "picture": "p01"}
    reason, facts = await refused_act(table, acting, window=number, action=offer)
    assert (reason, facts) == ("illegal_action", {"why": "wrong_window", "open": "turn"})
    assert await refused_act(table, acting, window=number, action={"do": "dance"}) == (
        "malformed",
        {"field": "action.do"},
    )
    assert await refused_act(table, acting, window=number, action={**move, "x": 1}) == (
        "unknown_field",
        {"field": "action.x"},
    )
    for odd in ("text", 5, [], [move], True):
        answer = await refused_act(table, acting, window=number, action=odd)
        assert answer == ("malformed", {"field": "action"})
    await table.moves()
    assert await refused_act(table, acting, window=number, action=move) == (
        "window_closed",
        {"window": number, "open": number + 1, "closed_by": "answer"},
    )


async def test_what_the_room_refuses_comes_before_what_is_wrong_with_the_action(node: Node) -> None:
    table = await node.plays()
    outsider = node.greeted(PEOPLE[0])
    odd = {"window": 1, "action": "no map"}
    assert await refused_act(table, outsider, **odd) == ("not_joined", {})
    await node.actor(table.room).ask(Close("enough"))
    socket = table.sockets[0]
    assert await refused_act(table, socket, **odd) == ("wrong_status", {"status": "closed"})


@pytest.mark.parametrize("codec", [MSGPACK, JSON], ids=["msgpack", "json"])
async def test_an_integer_that_not_every_client_can_read_is_malformed(
    node: Node, codec: Codec
) -> None:
    room = await node.starts(game="vernissage")
    players = [node.joined(room, caller, codec=codec) for caller in PEOPLE[:3]]
    asked = next(socket for socket in players if "legal" in socket.document(room))
    entry = asked.document(room)["legal"][0]
    for value in (2**53, -(2**53), 2**63):
        action = {"do": "place", "kind": entry["kind"], "value": value, "artist": "krach"}
        answer = await refused(asked, "act", room=room, window=1, action=action)
        assert answer == ("malformed", {"field": "action.value"})


async def test_the_same_id_is_the_same_act_and_no_other(node: Node) -> None:
    table = await node.plays()
    acting, request = table.acts()
    await quiet()
    first = acting.answer(request)
    again = acting.repeats(request)
    await quiet()
    assert acting.answer(again) == first
    assert await refused_act(table, acting, request=request, action={"do": "resign"}) == (
        "id_reused",
        {},
    )


async def test_an_answer_is_given_once_where_all_are_asked(node: Node) -> None:
    table = await node.plays(game="toy")
    request = table.sockets[0].acts(table.room)
    await quiet()
    assert table.sockets[0].answer(request)["type"] == "accepted"
    bid = table.sockets[1].document(table.room)["legal"][0]
    number = table.window["number"]
    fields = {"window": number, "action": {"do": bid["do"], "cards": []}}
    assert await refused_act(table, table.sockets[0], **fields) == (
        "already_answered",
        {"window": number},
    )


async def test_spectators_may_watch_and_do_not_play(node: Node) -> None:
    table = await node.plays()
    for caller in (PEOPLE[0], PEOPLE[5], None):
        watcher = node.joined(table.room, caller, "spectator")
        number = table.window["number"]
        answer = await refused_act(table, watcher, window=number, action={"do": "draw_customer"})
        assert answer == ("not_seated", {})
        assert await refused_act(table, watcher, action={"do": "resign"}) == ("not_seated", {})


async def test_before_it_has_begun_there_is_nothing_to_act_in(node: Node) -> None:
    made = await node.makes()
    socket = node.joined(made.room, PEOPLE[0])
    answer = await refused(socket, "act", room=made.room, action={"do": "resign"})
    assert answer == ("wrong_status", {"status": "waiting"})
