"""One socket once it is open: its life, its pace, its faults. PROTOCOL.md, "Frames"."""

from typing import Any

import pytest

from saleroom_protocol.codec import JSON, MSGPACK, Codec
from saleroom_protocol.errors import CloseCode
from saleroom_server.gateway.connection import Connection
from saleroom_server.gateway.limits import GatewayLimits
from tests.support.hand_clock import quiet
from tests.support.nodes import PEOPLE, Node

LIMITS = GatewayLimits()
CODECS = pytest.mark.parametrize("codec", [MSGPACK, JSON], ids=["msgpack", "json"])


@CODECS
async def test_a_ping_is_answered_with_the_servers_time(node: Node, codec: Codec) -> None:
    socket = node.greeted(None, codec)
    await node.clock.passes(1_234)
    request = socket.asks("ping")
    assert socket.answer(request) == {"type": "pong", "id": request, "now": node.clock.now()}


async def test_a_socket_is_pinged_now_and_then_and_any_frame_counts_as_life(node: Node) -> None:
    socket = node.greeted()
    for number in range(1, 10):
        await node.clock.passes(LIMITS.heartbeat_ms - 1)
        node.sweeps()
        assert len(socket.told("ping")) == number - 1
        await node.clock.passes(1)
        node.sweeps()
        assert socket.told("ping")[-1]["now"] == node.clock.now()
        assert len(socket.told("ping")) == number
        socket.says(type="pong")
    assert socket.closed is None
    assert socket.messages[-1]["type"] == "ping", "a pong is not answered"


async def test_a_silent_socket_is_closed_and_its_room_hears_of_it(node: Node) -> None:
    table = await node.plays()
    for _ in range(3):
        await node.clock.passes(15_000)
        for socket in table.sockets[:2]:
            socket.says(type="pong")
        node.sweeps()
    assert [socket.closed for socket in table.sockets] == [None, None, CloseCode.IDLE]
    await node.clock.passes(2_000)
    assert not table.document["seats"]["2"]["connected"]


async def test_a_player_who_does_not_read_is_closed_as_too_slow(node: Node) -> None:
    table = await node.plays()
    slow = table.sockets[2]
    slow.wire.stuck = LIMITS.backlog_bytes
    await table.moves()
    assert not slow.closed
    while table.asked is slow:
        await table.moves()
    slow.wire.stuck += 1
    await table.moves()
    assert slow.closed == CloseCode.TOO_SLOW
    count = len(slow.messages)
    await node.clock.passes(5_000)
    assert len(slow.messages) == count
    assert not table.document["seats"]["2"]["connected"]
    assert [socket.closed for socket in table.sockets[:2]] == [None] * 2


async def test_of_all_that_lies_unread_the_most_is_let_go_until_it_is_bounded() -> None:
    node = await Node(gateway=GatewayLimits(backlogs_bytes=100)).opens()
    sockets = [node.greeted() for _ in range(4)]
    for socket, stuck in zip(sockets, (50, 20, 60, 30), strict=True):
        socket.wire.stuck = stuck
    node.sweeps()
    assert [socket.closed for socket in sockets] == [None, None, CloseCode.TOO_SLOW, None]
    node.sweeps()
    assert [socket.closed for socket in sockets] == [None, None, CloseCode.TOO_SLOW, None]
    sockets[1].wire.stuck = 21
    node.sweeps()
    assert sockets[0].closed == CloseCode.TOO_SLOW
    await node.closes()


async def test_a_socket_that_closes_in_the_middle_of_its_own_join_leaves_no_ghost(
    node: Node,
) -> None:
    table = await node.plays()
    socket = node.greeted()
    socket.wire.stuck = LIMITS.backlog_bytes + 1
    socket.joins(table.room, "spectator")
    assert socket.closed == CloseCode.TOO_SLOW
    assert node.room(table.room).summary().spectators == 0
    assert all(viewer is not None for viewer, _, _ in node.gateway._crowds.groups(table.room))


async def test_a_closed_socket_is_told_nothing_and_closing_it_again_does_nothing(
    node: Node,
) -> None:
    table = await node.plays()
    socket, count = table.sockets[0], len(table.sockets[0].messages)
    socket.connection.close(CloseCode.NORMAL)
    socket.connection.close(CloseCode.GOING_AWAY, 5)
    socket.connection.violate(CloseCode.POLICY, "too late")
    node.gateway.disconnect(socket.connection)
    node.gateway.disconnect(socket.connection)
    await node.clock.passes(60_000)
    node.sweeps()
    assert (socket.closed, len(socket.messages)) == (CloseCode.NORMAL, count)
    assert len(node.gateway) == 2


# Rates


async def test_too_many_requests_are_refused_and_how_long_to_wait_is_told() -> None:
    node = await Node(gateway=GatewayLimits(requests_per_second=10, requests_at_once=3)).opens()
    socket = node.greeted(PEOPLE[0])
    requests = [socket.asks("ping") for _ in range(4)]
    assert [socket.answer(request)["type"] for request in requests] == ["pong"] * 3 + ["refused"]
    assert socket.refusal(requests[3]) == ("rate_limited", {"retry_after_ms": 100})
    await node.clock.passes(99)
    assert socket.refusal(socket.asks("ping")) == ("rate_limited", {"retry_after_ms": 1})
    await node.clock.passes(1)
    assert socket.answer(socket.asks("ping"))["type"] == "pong"
    await node.closes()


async def test_limits_follow_the_player_not_the_socket() -> None:
    node = await Node(gateway=GatewayLimits(requests_per_second=1, requests_at_once=2)).opens()
    first = node.greeted(PEOPLE[0])
    for _ in range(2):
        first.asks("ping")
    first.drops()
    second, other, nobody = node.greeted(PEOPLE[0]), node.greeted(PEOPLE[1]), node.greeted()
    assert second.refusal(second.asks("ping"))[0] == "rate_limited"
    assert other.answer(other.asks("ping"))["type"] == "pong"
    assert nobody.answer(nobody.asks("ping"))["type"] == "pong"
    second.drops()
    await node.clock.passes(8_001)
    node.sweeps()
    assert len(node.gateway.rates) == 0, "forgotten when full again"
    await node.closes()


async def test_who_has_no_token_is_counted_with_all_others_at_the_address() -> None:
    limits = GatewayLimits(anonymous_requests_per_second=1, anonymous_requests_at_once=2)
    node = await Node(gateway=limits).opens()
    for _ in range(2):
        socket = node.greeted()
        assert socket.answer(socket.asks("ping"))["type"] == "pong"
        socket.drops()
    again, player, elsewhere = node.greeted(), node.greeted(PEOPLE[0]), node.greeted(address="::1")
    assert again.refusal(again.asks("ping"))[0] == "rate_limited"
    assert player.answer(player.asks("ping"))["type"] == "pong"
    assert elsewhere.answer(elsewhere.asks("ping"))["type"] == "pong"
    await node.closes()


async def test_what_a_player_says_is_counted_by_itself_on_whatever_socket() -> None:
    node = await Node(gateway=GatewayLimits(says_per_second=1, says_at_once=2)).opens()
    table = await node.plays()
    said = [table.sockets[0].asks("say", room=table.room, to="table", text="hi") for _ in range(2)]
    assert [table.sockets[0].answer(one)["type"] for one in said] == ["accepted"] * 2
    socket = node.joined(table.room, PEOPLE[0])
    refused = socket.asks("say", "again", room=table.room, to="table", text="hi")
    assert socket.refusal(refused) == ("rate_limited", {"retry_after_ms": 1_000})
    other = table.sockets[1].asks("say", room=table.room, to="table", text="hi")
    assert table.sockets[1].answer(other)["type"] == "accepted"
    assert socket.answer(socket.asks("ping"))["type"] == "pong", "other requests are not counted so"
    await node.closes()


async def test_an_act_the_room_waits_for_is_never_limited() -> None:
    node = await Node(gateway=GatewayLimits(requests_per_second=1, requests_at_once=1)).opens()
    table = await node.plays()
    acting = table.asked
    request = acting.acts(table.room)
    await quiet()
    assert acting.answer(request)["type"] == "accepted", "the join has used the allowance up"
    again = acting.repeats(request)
    await quiet()
    assert acting.answer(again)["type"] == "accepted", "nor is a remembered one"
    later = acting.acts(table.room, {"do": "pass"})
    nowhere = acting.asks("act", room="rnowhere", action={"do": "pass"})
    node.actor(table.room)._holding.drop()
    unloaded = acting.acts(table.room, {"do": "pass"})
    for limited in (later, nowhere, unloaded):
        assert acting.refusal(limited)[0] == "rate_limited"
    await node.closes()


async def test_who_goes_on_asking_while_refused_is_sent_away_for_a_while() -> None:
    limits = GatewayLimits(requests_per_second=1, requests_at_once=1, requests_refused=3)
    node = await Node(gateway=limits).opens()
    socket = node.greeted(PEOPLE[0])
    requests = [socket.asks("ping") for _ in range(5)]
    answers = [socket.answer(request)["type"] for request in requests]
    assert answers == ["pong", *["refused"] * 4]
    [closing] = socket.told("closing")
    assert closing["reason"] == "rate_limited"
    assert closing["retry_after_ms"] == 1_000, "then everything may be asked again"
    assert socket.closed is CloseCode.RATE_LIMITED
    await node.closes()


async def test_who_floods_an_open_window_with_what_is_refused_is_sent_away_too() -> None:
    limits = GatewayLimits(requests_per_second=1, requests_at_once=1, requests_refused=3)
    node = await Node(gateway=limits).opens()
    table = await node.plays()
    flooding, number = table.asked, table.window["number"]
    for _ in range(4):
        flooding.acts(table.room, {"do": "pass"}, window=number)
        await quiet()
    reasons = [refused["reason"] for refused in flooding.told("refused")]
    assert reasons == ["illegal_action"] * 4
    assert flooding.closed is CloseCode.RATE_LIMITED
    await node.closes()


async def test_who_repeats_without_end_what_was_accepted_is_sent_away_too() -> None:
    limits = GatewayLimits(requests_per_second=1, requests_at_once=1, requests_refused=3)
    node = await Node(gateway=limits).opens()
    table = await node.plays()
    flooding = table.asked
    request = flooding.acts(table.room)
    await quiet()
    for _ in range(4):
        flooding.repeats(request)
        await quiet()
    assert flooding.told("refused") == []
    assert flooding.closed is CloseCode.RATE_LIMITED
    await node.closes()


async def test_who_is_refused_now_and_then_is_not_sent_away() -> None:
    limits = GatewayLimits(requests_per_second=1, requests_at_once=1, requests_refused=3)
    node = await Node(gateway=limits).opens()
    socket = node.greeted(PEOPLE[0])
    for _ in range(10):
        socket.asks("ping")
        assert socket.refusal(socket.asks("ping"))[0] == "rate_limited"
        await node.clock.passes(1_000)
    assert socket.closed is None
    await node.closes()


async def test_a_fault_of_ours_is_answered_and_the_socket_stays_open(
    node: Node, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    table = await node.plays()
    socket = table.asked

    def raising(*_: Any) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as broken:
        broken.setattr(Connection, "_command", raising)
        request = socket.acts(table.room)
    assert socket.refusal(request) == ("internal_error", {})
    assert "request_fault" in caplog.messages
    await table.moves()
