"""Readers of events: spectators who only listen. PROTOCOL.md, "Server-sent events"."""

import json

import pytest

from saleroom_protocol.codec import JSON
from saleroom_protocol.errors import Reason
from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.rooms.commands import Close, Refusal
from saleroom_server.rooms.limits import RoomLimits
from tests.support.hand_clock import quiet
from tests.support.listeners import listening
from tests.support.memory_store import Fault
from tests.support.nodes import PEOPLE, Node

LIMITS = GatewayLimits()


async def test_a_reader_is_sent_a_view_and_then_every_update(node: Node) -> None:
    table = await node.plays()
    listener = await listening(node, table.room)
    await table.moves(3)
    assert listener.kinds == ["view", "update", "update", "update"]
    assert listener.room.seq == node.room(table.room).seq
    assert listener.document == node.room(table.room)._stream.scene.document(None)
    assert listener.closed is None


async def test_its_data_are_the_very_bytes_of_a_spectators_socket(node: Node) -> None:
    table = await node.plays()
    socket = node.greeted(None, JSON)
    socket.joins(table.room, "spectator")
    listener = await listening(node, table.room)
    await table.moves(4)
    await node.clock.passes(5_000)
    data = [event.data.encode() for event in listener.source.events]
    assert data == socket.frames[2:]
    assert len(data) == 5


async def test_all_readers_of_a_room_are_sent_the_same_bytes_made_once(node: Node) -> None:
    table = await node.plays()
    listeners = [await listening(node, table.room) for _ in range(3)]
    await table.moves(2)
    await node.clock.passes(5_000)
    one, *others = [listener.frames for listener in listeners]
    for other in others:
        assert other == one
        assert all(mine is theirs for mine, theirs in zip(one[1:], other[1:], strict=True))


async def test_a_reader_counts_as_a_spectator_until_it_has_gone(node: Node) -> None:
    table = await node.plays()
    listener = await listening(node, table.room)
    await node.clock.passes(5_000)
    assert listener.document["spectators"] == 1
    assert node.room(table.room).summary().spectators == 1
    listener.drops()
    await quiet()
    assert node.room(table.room).summary().spectators == 0
    await table.moves()
    assert listener.kinds[-1] == "update", "what came before it went"
    assert not listener.is_served


async def test_nothing_is_left_of_readers_who_have_gone_however_they_went(node: Node) -> None:
    table = await node.plays()
    sockets, groups = len(node.gateway), dict(node.gateway._crowds._rooms[table.room])
    listeners = [await listening(node, table.room) for _ in range(6)]
    listeners[0].drops()
    listeners[1].takes.clear()  # in the middle of being sent something
    await table.moves()
    for listener in listeners:
        listener.drops()
    await quiet()
    assert len(node.gateway) == sockets
    assert node.gateway._crowds._rooms[table.room] == groups
    assert not any(listener.is_served for listener in listeners)


# Coming back


async def test_the_last_id_resumes_exactly_behind_it(node: Node) -> None:
    table = await node.plays()
    first = await listening(node, table.room)
    await table.moves(2)
    first.drops()
    await table.moves(3)
    again = await listening(node, table.room, after=first)
    assert again.kinds == ["update"] * 3
    assert again.messages[0]["seq"] == first.room.seq + 1
    await table.moves()
    assert again.kinds == ["update"] * 4


async def test_who_has_missed_nothing_is_sent_nothing(node: Node) -> None:
    table = await node.plays()
    first = await listening(node, table.room)
    again = await listening(node, table.room, after=first)
    assert again.kinds == []
    assert again.frames == [b"retry: 3000\n\n"], "so that the head gets through at once"


@pytest.mark.parametrize(
    "strange", ["x.5", "{epoch}.999999", "{epoch}", "{epoch}.", "{epoch}.-1", ".5", "5", "é.1", "."]
)
async def test_an_unknown_id_is_answered_with_a_view(node: Node, strange: str) -> None:
    table = await node.plays()
    epoch = (await listening(node, table.room)).room.epoch
    again = await listening(node, table.room, after=strange.format(epoch=epoch))
    assert again.kinds == ["view"]


async def test_a_seats_own_cursor_is_a_foreign_one(node: Node) -> None:
    table = await node.plays()
    seen = table.sockets[0].followed(table.room)
    assert (await listening(node, table.room, after=f"{seen.epoch}.{seen.seq}")).kinds == ["view"]


async def test_when_the_room_is_loaded_anew_a_view_of_the_new_epoch_comes(node: Node) -> None:
    table = await node.plays()
    listener = await listening(node, table.room)
    before = listener.room.epoch
    node.store.fail(Fault.NOT_WRITTEN)
    table.acts()
    await quiet()
    await node.clock.passes(node.limits.retry_ms)
    assert listener.kinds[:3] == ["view", "view", "update"]
    assert listener.room.epoch != before
    again = await listening(node, table.room, after=f"{before}.{listener.room.seq}")
    assert again.kinds == ["view"]


# The end


async def test_the_end_follows_upon_the_update_in_which_the_room_is_over(node: Node) -> None:
    table = await node.plays()
    listener = await listening(node, table.room)
    await node.actor(table.room).ask(Close("enough"))
    await quiet()
    assert listener.kinds == ["view", "update", "end"]
    assert listener.document["status"] == "closed"
    end = listener.source.events[-1]
    assert json.loads(end.data) == {"type": "left", "room": table.room, "reason": "closed"}
    assert end.id == f"{listener.room.epoch}.{listener.room.seq}", "it has none of its own"
    assert listener.ended
    assert not listener.is_served
    assert node.room(table.room).summary().spectators == 0


async def test_who_comes_when_the_room_is_over_is_shown_it_and_sent_away(node: Node) -> None:
    table = await node.plays()
    early = await listening(node, table.room)
    await table.moves()
    early.drops()
    await node.actor(table.room).ask(Close("enough"))
    for after, kinds in (("", ["view", "end"]), (early, ["update", "end"])):
        late = await listening(node, table.room, after=after)
        assert late.kinds == kinds
        assert late.ended
    assert len(node.gateway) == 3


async def test_a_room_that_failed_has_ended_too(node: Node) -> None:
    table = await node.plays()
    listener = await listening(node, table.room)
    node.gateway.deliver(table.room, node.room(table.room).fail(node.clock.now()))
    await quiet()
    assert listener.kinds == ["view", "update", "end"]
    assert listener.document["status"] == "failed"


async def test_a_room_that_is_put_away_lets_its_readers_go(node: Node) -> None:
    made = await node.makes()
    listener = await listening(node, made.room)
    node.gateway.deliver(made.room, node.room(made.room).dismiss())
    await quiet()
    assert listener.kinds == ["view", "end"]
    assert listener.ended


async def test_when_the_server_ends_readers_are_told_when_to_come_back(node: Node) -> None:
    table = await node.plays()
    listeners = [await listening(node, table.room) for _ in range(20)]
    node.gateway.drain()
    await quiet()
    waits = [listener.source.retry_ms or 0 for listener in listeners]
    assert max(waits) <= LIMITS.closing_spread_ms
    assert max(waits) - min(waits) > LIMITS.closing_spread_ms // 2
    assert all(listener.ended for listener in listeners)
    assert {*listeners[0].kinds} == {"view"}, "the room has not ended"
    with pytest.raises(Refusal) as refused:
        await listening(node, table.room)
    assert refused.value.reason is Reason.FULL


# Bounds


async def test_a_comment_comes_now_and_then_and_is_no_event(node: Node) -> None:
    table = await node.plays()
    listener = await listening(node, table.room)
    for number in range(3):
        await node.clock.passes(LIMITS.comment_ms - 1)
        node.sweeps()
        assert listener.source.comments == number
        await node.clock.passes(1)
        node.sweeps()
        await quiet()
        assert listener.source.comments == number + 1


async def test_a_reader_who_reads_nothing_is_ended_and_cut_off() -> None:
    node = await Node(gateway=GatewayLimits(backlog_bytes=2_000)).opens()
    table = await node.plays()
    listener = await listening(node, table.room)
    listener.takes.clear()
    for _ in range(30):
        await table.moves()
    assert node.room(table.room).summary().spectators == 0
    served = [listener.is_served]  # it may yet take what it was sent
    listener.drops()  # as the door has it
    await quiet()
    assert [*served, listener.is_served] == [True, False]
    assert len(node.gateway) == 3
    await node.closes()


async def test_behind_its_end_a_reader_is_told_nothing_more(node: Node) -> None:
    table = await node.plays()
    listener = await listening(node, table.room)
    await node.clock.passes(LIMITS.comment_ms)
    listener.takes.clear()
    await node.actor(table.room).ask(Close("enough"))
    node.sweeps()
    node.gateway.drain()
    listener.takes.set()
    await quiet()
    assert listener.kinds[-1] == "end"
    assert (listener.source.comments, listener.source.retry_ms) == (0, LIMITS.retry_ms)


async def test_a_slow_reader_who_takes_the_end_in_time_comes_back_to_a_view() -> None:
    node = await Node(
        gateway=GatewayLimits(backlog_bytes=6_000), room=RoomLimits(ring_updates=2)
    ).opens()
    table = await node.plays()
    listener = await listening(node, table.room)
    listener.takes.clear()
    for _ in range(30):
        await table.moves()
    listener.takes.set()
    await quiet()
    assert listener.ended
    assert set(listener.kinds) == {"view", "update"}, "it is not the room that has ended"
    again = await listening(node, table.room, after=listener)
    await table.moves()
    assert again.kinds == ["view", "update"]
    assert again.document["window"] == table.window
    await node.closes()


async def test_a_reader_counts_as_a_socket() -> None:
    node = await Node(gateway=GatewayLimits(sockets=4)).opens()
    table = await node.plays()
    await listening(node, table.room)
    with pytest.raises(Refusal) as refused:
        await listening(node, table.room)
    assert refused.value.reason is Reason.FULL
    assert refused.value.facts == {"retry_after_ms": LIMITS.closing_spread_ms}
    await node.closes()


async def test_a_room_full_of_spectators_takes_no_reader() -> None:
    node = await Node(room=RoomLimits(spectators=1)).opens()
    table = await node.plays()
    await listening(node, table.room)
    sockets = len(node.gateway)
    with pytest.raises(Refusal) as refused:
        await listening(node, table.room)
    assert refused.value.reason is Reason.FULL
    assert len(node.gateway) == sockets
    await node.closes()


async def test_a_private_room_is_read_with_its_secret_alone(node: Node) -> None:
    made = await node.makes(visibility="private")
    for watch in ("", "guessed", made.invite):
        with pytest.raises(Refusal) as refused:
            await listening(node, made.room, PEOPLE[5], watch=watch)
        assert refused.value.reason is Reason.UNKNOWN_ROOM
    assert len(node.gateway) == 0
    assert (await listening(node, made.room, watch=made.watch)).kinds == ["view"]
    assert (await listening(node, made.room, PEOPLE[0])).kinds == ["view"]


async def test_readers_hear_nobody_talk(node: Node) -> None:
    table = await node.plays()
    table.sockets[0].asks("say", room=table.room, to="table", text="before")
    listener = await listening(node, table.room)
    table.sockets[0].asks("say", room=table.room, to="table", text="behind")
    await quiet()
    assert listener.kinds == ["view"]


async def test_a_room_that_is_not_in_memory_is_read_back_for_its_reader(node: Node) -> None:
    table = await node.plays()
    node.actor(table.room)._holding.drop()
    listener = await listening(node, table.room)
    assert listener.kinds[0] == "view"
    assert listener.room.seq == node.room(table.room).seq
