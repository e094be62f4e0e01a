"""Decide, append, commit, tell: in this order, always; and what may happen meanwhile."""

from typing import Any

from saleroom_server.owner.surroundings import OwnerLimits
from saleroom_server.rooms.commands import AddBot, GiveUpSeat, TakeSeat
from tests.support.hand_clock import quiet
from tests.support.memory_store import Fault
from tests.support.nodes import PEOPLE, Node, Table, entries_of
from tests.support.sockets import Socket


def counts(*sockets: Socket) -> list[int]:
    return [len(socket.messages) for socket in sockets]


async def test_while_an_append_is_held_nobody_is_told_anything(node: Node) -> None:
    table = await node.plays()
    watcher = node.joined(table.room, as_="spectator")
    node.store.hold()
    before = counts(*table.sockets, watcher)
    acting, request = table.acts()
    await quiet()
    assert node.store.held == 1
    assert counts(*table.sockets, watcher) == before
    node.store.let_go()
    await quiet()
    assert acting.answer(request)["type"] == "accepted"
    assert watcher.since(before[3]) == ["update"]


async def test_the_update_comes_before_the_receipt_and_the_receipt_names_it(node: Node) -> None:
    table = await node.plays()
    before = len(table.asked.messages)
    acting, _ = table.acts()
    await quiet()
    update, accepted = acting.messages[before:]
    assert (update["type"], accepted["type"]) == ("update", "accepted")
    assert accepted["seq"] == update["seq"]


async def test_no_second_command_is_decided_while_an_append_is_held(node: Node) -> None:
    table = await node.plays()
    node.store.hold()
    acting, first = table.acts()
    second = acting.acts(table.room, request="second")
    await quiet()
    assert node.store.held == 1
    assert not acting.is_answered(second)
    node.store.let_go()
    await quiet()
    assert acting.answer(first)["type"] == "accepted"
    assert acting.refusal(second)[0] == "window_closed"


async def test_who_joins_while_an_append_is_held_sees_the_present_and_then_what_comes(
    node: Node,
) -> None:
    table = await node.plays()
    seq = table.sockets[0].followed(table.room).seq
    node.store.hold()
    table.acts()
    await quiet()
    late = node.joined(table.room, as_="spectator")
    assert late.followed(table.room).seq == seq
    node.store.let_go()
    await quiet()
    assert late.followed(table.room).seq == seq + 1
    assert late.document(table.room)["window"] == table.window


async def test_talk_goes_on_while_an_append_is_held(node: Node) -> None:
    table = await node.plays()
    node.store.hold()
    acting, _ = table.acts()
    other = next(socket for socket in table.sockets if socket is not acting)
    said = other.asks("say", room=table.room, to="table", text="Well?")
    assert other.answer(said)["type"] == "accepted"
    assert acting.last["text"] == "Well?"
    node.store.let_go()
    await quiet()


async def test_a_join_behind_an_act_of_the_same_socket_is_served_behind_it(node: Node) -> None:
    table = await node.plays()
    node.store.hold()
    acting, request = table.acts()
    again = acting.joins(table.room)
    await quiet()
    assert not acting.is_answered(again)
    node.store.let_go()
    await quiet()
    ids = [message["id"] for message in acting.messages if "id" in message]
    assert ids[-2:] == [request, again]
    assert acting.followed(table.room).seq == node.room(table.room).seq


async def test_an_act_behind_a_join_of_the_same_socket_is_decided_behind_it(node: Node) -> None:
    table = await node.plays()
    window, legal = table.window, table.asked.document(table.room)["legal"]
    seat = table.asked_seat
    again = Node(await node.crashes(), node.clock)
    await again.hall.open()
    socket = again.greeted(PEOPLE[seat])
    joined = socket.joins(table.room)
    acted = socket.asks("act", room=table.room, window=window["number"], action=legal[0])
    left = socket.asks("leave", room=table.room)
    await quiet()
    kinds = [message["type"] for message in socket.messages[1:]]
    assert kinds == ["joined", "view", "update", "update", "accepted", "accepted"]
    assert [socket.answer(one)["id"] for one in (joined, acted, left)] == [joined, acted, left]
    assert socket.events(table.room)[0] == "clock_restarted"
    await again.closes()


async def test_a_leave_behind_an_act_is_carried_out_behind_it(node: Node) -> None:
    table = await node.plays()
    node.store.hold()
    acting, request = table.acts()
    left = acting.asks("leave", room=table.room)
    node.store.let_go()
    await quiet()
    assert [message.get("id") for message in acting.messages[-2:]] == [request, left]
    assert acting.messages[-3]["type"] == "update"
    before = len(acting.messages)
    await table_goes_on(table, acting)
    assert len(acting.messages) == before


async def table_goes_on(table: Table, without: Socket) -> None:
    """Let the window run out."""
    await table.node.clock.passes(60_000)
    assert any(socket.events(table.room)[-1:] for socket in table.sockets if socket is not without)


async def test_a_socket_that_closes_behind_its_waiting_join_leaves_no_ghost(node: Node) -> None:
    table = await node.plays()
    node.store.hold()
    acting, _ = table.acts()
    acting.joins(table.room)
    acting.drops()
    node.store.let_go()
    await quiet()
    room = node.room(table.room)
    assert len(room._stream.audience.members()) == 2
    assert acting.connection.session not in room._following
    await node.clock.passes(2_000)
    assert not room.summary().seats[str(table.sockets.index(acting))].connected


async def test_a_socket_that_closes_between_a_refused_and_a_waiting_join_leaves_no_ghost(
    node: Node,
) -> None:
    table = await node.plays()
    table.sockets[0].drops()
    socket = node.greeted(PEOPLE[5])
    node.store.hold()
    socket.asks("act", room=table.room, window=table_window(node, table), action={"do": "pass"})
    refused = socket.joins(table.room, "player")
    await node.clock.passes(2_000)  # the presence of seat 0 flips between the two joins
    waiting = socket.joins(table.room, "spectator")
    socket.drops()
    node.store.let_go()
    await quiet()
    assert socket.unanswered >= 0, (refused, waiting)
    assert node.room(table.room).summary().spectators == 0
    assert (None, "saleroom.v1.msgpack", False) not in node.gateway._crowds.groups(table.room)


def table_window(node: Node, table: Table) -> Any:
    """The number of the open window, whoever looks."""
    return node.room(table.room)._stream.scene.document(None)["window"]["number"]


async def test_a_room_that_enters_a_closed_socket_is_told_that_it_is_gone(node: Node) -> None:
    table = await node.plays()
    watcher = node.joined(table.room, as_="spectator")
    watcher.connection.rooms.clear()  # whatever made it forget
    watcher.drops()
    assert node.room(table.room).summary().spectators == 1
    node.store.fail(Fault.NOT_WRITTEN)
    table.acts()
    await node.clock.passes(500)
    assert node.room(table.room).summary().spectators == 0


async def test_a_full_inbox_is_busy_but_takes_what_comes_from_within() -> None:
    node = await Node(owner=OwnerLimits(inbox=3)).opens()
    table = await node.plays()
    node.store.hold()
    acting, _ = table.acts()
    other = table.sockets[(table.sockets.index(acting) + 1) % 3]
    third = table.sockets[(table.sockets.index(acting) + 2) % 3]
    waiting = [other.acts(table.room, {"do": "pass"}) for _ in range(2)]
    busy = other.acts(table.room, {"do": "pass"})
    assert other.refusal(busy) == ("busy", {"retry_after_ms": 500})
    third.drops()
    await node.clock.passes(2_000)  # a bell: the third is not there any more
    other.drops()
    node.store.let_go()
    await quiet()
    assert not any(other.is_answered(request) for request in waiting), "it is closed"
    assert not acting.document(table.room)["seats"][str(table.sockets.index(third))]["connected"]
    assert other.connection.session not in node.room(table.room)._following
    await node.closes()


async def test_all_commands_of_one_moment_are_decided_in_the_order_they_came(node: Node) -> None:
    table = await node.plays(game="toy")
    requests = [(socket, socket.acts(table.room)) for socket in table.sockets]
    await quiet()
    assert [socket.answer(request)["type"] for socket, request in requests] == ["accepted"] * 3
    seqs = [socket.answer(request)["seq"] for socket, request in requests]
    assert seqs == [seqs[0], seqs[0] + 1, seqs[0] + 2]


async def test_fifty_who_sit_down_at_once_are_a_serial_result(node: Node) -> None:
    made = await node.makes(take_seat=False)
    actor = node.actor(made.room)
    asked = [actor.ask(TakeSeat(PEOPLE[number % 8])) for number in range(50)]
    await quiet()
    answers: list[Any] = [future.exception() or future.result() for future in asked]
    assert [answer.seat for answer in answers[:3]] == [0, 1, 2]
    assert all(answer.new for answer in answers[:3])
    assert not any(getattr(answer, "new", False) for answer in answers[3:])
    assert [*entries_of(node.store.kept, made.room)].count("seat_taken") == 3


async def test_an_answer_nobody_waits_for_any_more_is_dropped(node: Node) -> None:
    made = await node.makes()
    future = node.actor(made.room).ask(AddBot(PEOPLE[0], "easy"))
    future.cancel()
    await quiet()
    assert await node.actor(made.room).ask(GiveUpSeat(PEOPLE[0], 1)) is None
