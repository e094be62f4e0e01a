"""Several sockets and several rooms: who gets what, who takes whose place, and the end."""

import asyncio
from random import Random

import pytest

from saleroom_protocol.codec import JSON, MSGPACK
from saleroom_protocol.errors import CloseCode, Reason
from saleroom_server.allowance import full
from saleroom_server.gateway.gateway import Gateway
from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.metrics import Metrics
from saleroom_server.rooms.commands import Refusal
from tests.support.hand_clock import quiet
from tests.support.nodes import PEOPLE, Node
from tests.support.sockets import As


async def test_the_newer_socket_takes_the_seat_and_the_older_one_is_closed(node: Node) -> None:
    table = await node.plays()
    older, newer = table.sockets[0], node.joined(table.room, PEOPLE[0])
    assert older.last == {"type": "left", "room": table.room, "reason": "replaced"}
    assert older.closed == CloseCode.REPLACED
    assert newer.closed is None
    await node.clock.passes(5_000)
    assert table.sockets[1].document(table.room)["seats"]["0"]["connected"]
    assert "presence" not in newer.events(table.room)


async def test_a_replaced_socket_that_follows_another_room_stays_open(node: Node) -> None:
    table, other = await node.plays(), await node.makes()
    older = table.sockets[0]
    older.joins(other.room)
    node.joined(table.room, PEOPLE[0])
    assert older.last["reason"] == "replaced"
    assert older.closed is None
    node.joined(other.room, PEOPLE[0])
    assert older.closed == CloseCode.REPLACED


async def test_a_refused_join_does_not_keep_a_replaced_socket_open(node: Node) -> None:
    table, other = await node.plays(), await node.makes(PEOPLE[4])
    older = table.sockets[0]
    older.joins(other.room, "player")
    older.joins("raaaaaaaaaaaa", "spectator")
    assert [refusal["reason"] for refusal in older.told("refused")] == [
        "not_seated",
        "unknown_room",
    ]
    node.joined(table.room, PEOPLE[0])
    assert older.closed == CloseCode.REPLACED


async def test_joining_again_on_the_same_socket_displaces_nobody(node: Node) -> None:
    table = await node.plays()
    socket = table.sockets[0]
    ways: list[As] = ["player", "spectator", "player"]
    for as_ in ways:
        assert socket.answer(socket.joins(table.room, as_))["type"] == "joined"
    assert socket.told("left") == []
    assert socket.closed is None
    await table.moves(2)
    assert len(node.gateway._crowds.groups(table.room)) == 3, "each socket is in one group"


async def test_a_player_who_also_watches_is_in_two_minds_and_not_replaced(node: Node) -> None:
    table = await node.plays()
    node.joined(table.room, PEOPLE[0], "spectator")
    assert table.sockets[0].closed is None


async def test_many_rooms_on_one_socket_never_cross(node: Node) -> None:
    rooms = [await node.starts(game=game) for game in ("kunstmarkt", "toy") * 4]
    sockets = [node.greeted(caller, checks=True) for caller in PEOPLE[:3]]
    for socket in sockets:
        for room in rooms:
            socket.joins(room)
    luck, acts = Random(3), 0
    await node.clock.passes(0)
    while acts < 200:
        socket, room = luck.choice(sockets), luck.choice(rooms)
        if "legal" in socket.document(room):
            request = socket.acts(room)
            await quiet()
            assert socket.answer(request)["type"] == "accepted"
        acts += 1
    for seat, socket in enumerate(sockets):
        for room in rooms:
            assert socket.document(room)["room"] == room
            assert socket.document(room)["you"]["seat"] == seat
            assert socket.followed(room).seq == node.room(room).seq
        assert socket.unanswered == 0


async def test_json_and_messagepack_are_the_same_messages(node: Node) -> None:
    table = await node.plays()
    binary = node.joined(table.room, PEOPLE[5], "spectator", MSGPACK)
    text = node.joined(table.room, PEOPLE[6], "spectator", JSON)
    await table.moves(5)
    table.sockets[0].asks("say", room=table.room, to="table", text="“Grüezi”")
    assert binary.messages[2:] == text.messages[2:]
    assert len(binary.messages) >= 8


async def test_everybody_of_a_room_gets_the_same_news(node: Node) -> None:
    table = await node.plays()
    watchers = [node.joined(table.room, as_="spectator") for _ in range(5)]
    watchers[2].drops()
    await table.moves(4)
    updates = [watcher.frames[3:] for watcher in watchers]
    assert updates[0] == updates[1] == updates[3] == updates[4]
    assert updates[2] == []


async def test_what_is_told_of_a_room_nobody_follows_reaches_nobody(node: Node) -> None:
    room = await node.starts()
    await node.clock.passes(50_000)
    assert node.gateway._crowds._rooms == {}
    assert node.room(room).seq > 2


# The end


async def test_everybody_is_sent_away_to_come_back_spread_over_a_while(node: Node) -> None:
    table = await node.plays()
    watchers = [node.joined(table.room, as_="spectator", codec=JSON) for _ in range(20)]
    silent = node.socket()
    node.gateway.drain()
    sockets = [*table.sockets, *watchers, silent]
    waits = []
    for socket in sockets:
        assert socket.closed == CloseCode.RESTART
        closing = socket.last
        assert (closing["type"], closing["reason"]) == ("closing", "restart")
        waits.append(closing["retry_after_ms"])
    spread_ms = GatewayLimits().closing_spread_ms
    assert max(waits) <= spread_ms
    assert max(waits) - min(waits) > spread_ms // 2
    with pytest.raises(Refusal, match="full"):
        node.gateway.admit("192.0.2.9")
    assert node.room(table.room).summary().spectators == 0
    for socket in sockets:
        socket.drops()
    assert len(node.gateway) == 0
    assert node.gateway._crowds._rooms == {}


async def test_at_the_end_clients_have_so_long_to_answer_the_close() -> None:
    node = await Node(gateway=GatewayLimits(farewell_ms=300)).opens()
    prompt, _silent = node.socket(), node.socket()
    ending = asyncio.create_task(node.gateway.farewell())
    await node.clock.passes(100)
    prompt.drops()
    await node.clock.passes(199)
    assert not ending.done()
    await node.clock.passes(1)
    assert ending.done()
    await node.closes()


async def test_once_all_have_answered_the_close_the_end_waits_no_longer(node: Node) -> None:
    socket = node.socket()
    ending = asyncio.create_task(node.gateway.farewell())
    await node.clock.passes(100)
    assert not ending.done()
    socket.drops()
    await node.clock.passes(20)
    assert ending.done()


async def test_a_node_takes_so_many_sockets_and_no_more() -> None:
    node = await Node(gateway=GatewayLimits(sockets=2)).opens()
    for _ in range(2):
        node.gateway.admit("192.0.2.1")
        socket = node.socket()
    with pytest.raises(Refusal) as refused:
        node.gateway.admit("192.0.2.1")
    assert refused.value.reason is Reason.FULL
    socket.drops()
    node.gateway.admit("192.0.2.1")
    await node.closes()


async def test_an_address_has_so_many_sockets_and_no_more() -> None:
    node = await Node(gateway=GatewayLimits(sockets_per_address=2)).opens()
    sockets = [node.socket(), node.socket()]
    with pytest.raises(Refusal) as refused:
        node.gateway.admit("192.0.2.1")
    assert refused.value.reason is Reason.RATE_LIMITED
    assert refused.value.facts == {"retry_after_ms": GatewayLimits().closing_spread_ms}
    node.gateway.admit("192.0.2.2")
    for socket in sockets:
        socket.drops()
        socket.drops()
    node.gateway.admit("192.0.2.1")
    assert not node.gateway._addresses, "nothing is kept of an address without sockets"
    await node.closes()


async def test_an_address_opens_so_many_sockets_a_second_however_soon_it_closes_them() -> None:
    node = await Node(gateway=GatewayLimits(opened_per_second=2, opened_at_once=3)).opens()
    for _ in range(3):
        node.gateway.admit("192.0.2.1")
        node.socket().drops()
    with pytest.raises(Refusal) as refused:
        node.gateway.admit("192.0.2.1")
    assert refused.value.facts == {"retry_after_ms": 500}
    node.gateway.admit("192.0.2.2")
    await node.clock.passes(500)
    node.gateway.admit("192.0.2.1")
    await node.closes()


async def test_a_gateway_without_rooms_knows_none(node: Node) -> None:
    alone = Gateway(
        node.clock, node.tokens, node.gateway.limits, GatewayLimits(), Random(1), Metrics()
    )
    assert alone.actor("raaaaaaaaaaaa") is None


def test_an_allowance_fills_up_and_never_over() -> None:
    allowance = full(per_second=3, most=2, now=0)
    assert [allowance.take(0) for _ in range(3)] == [0, 0, 334]
    assert allowance.take(333) == 1
    assert allowance.take(334) == 0
    assert [allowance.take(1_000_000) for _ in range(3)] == [0, 0, 334]
