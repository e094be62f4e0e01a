"""All rooms of a server: known, listed, read back after a restart."""

import asyncio
from typing import Any

import pytest

from saleroom_protocol.errors import Reason
from saleroom_server.owner.head import Head
from saleroom_server.owner.surroundings import OwnerLimits
from saleroom_server.rooms.commands import Caller, Close, Refusal, Start
from tests.owner.lives import finished, over, restarted
from tests.support.hand_clock import quiet
from tests.support.nodes import PEOPLE, Node, entries_of


async def test_every_unfinished_room_is_back_after_a_restart(node: Node) -> None:
    waiting, running = (await node.makes()).room, await node.starts()
    again = await restarted(node)
    await again.opens()
    assert {room: again.hall.summary(room).status for room in (waiting, running)} == {
        waiting: "waiting",
        running: "running",
    }, "known before they are loaded"
    assert again.actor(running).room is None
    await again.clock.passes(100)
    assert again.room(waiting).standing.status == "waiting"
    assert again.room(running).standing.status == "running"
    await again.clock.passes(46_000)
    assert [*entries_of(again.store.kept, running)][-1] == "expired"
    await again.closes()


async def test_a_head_that_cannot_be_read_is_made_anew_from_the_journal(node: Node) -> None:
    running, other = await node.starts(), await node.starts()
    node.store.kept.rooms[running].head = b"\xff"
    again = await restarted(node)
    await again.opens()
    assert again.hall.summary(running).status == "running"
    assert again.hall.summary(other).status == "running"
    await again.clock.passes(100)
    assert again.room(running).standing.status == "running"
    await again.closes()


async def test_a_journal_that_cannot_be_read_is_told_once_however_often_it_is_wanted(
    node: Node, caplog: pytest.LogCaptureFixture
) -> None:
    made = await node.makes()
    node.store.kept.rooms[made.room].entries[0] = b"\xc1"
    actor = node.actor(made.room)
    actor._holding.drop()
    for _ in range(3):
        with pytest.raises(Refusal):
            await actor.loaded()
    assert caplog.messages == ["journal_unreadable"]


async def test_a_room_of_which_nothing_can_be_read_keeps_no_other_from_coming_back(
    node: Node, caplog: pytest.LogCaptureFixture
) -> None:
    lost, other = await node.starts(), await node.starts()
    node.store.kept.rooms[lost].head = b"\xff"
    node.store.kept.rooms[lost].entries[0] = b"\xff"
    again = await restarted(node)
    await again.opens()
    assert again.hall.actor(lost) is None
    (left_out,) = (one for one in caplog.records if one.message == "room_left_out")
    assert vars(left_out)["room"] == lost
    await again.clock.passes(100)
    assert again.room(other).standing.status == "running"
    await again.closes()


async def test_a_room_somebody_asks_for_waits_for_no_other() -> None:
    node = await Node(owner=OwnerLimits(load_pause_ms=1_000)).opens()
    rooms = [(await node.makes()).room for _ in range(10)]
    again = await restarted(node)
    await again.opens()
    socket = again.greeted(PEOPLE[0])
    request = socket.joins(rooms[-1])
    await quiet()
    assert socket.answer(request)["type"] == "joined"
    assert again.actor(rooms[-2]).room is None
    await again.clock.passes(10_000)
    assert all(again.actor(room).room is not None for room in rooms)
    await again.closes()


async def test_rooms_are_given_up_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    node = await Node(owner=OwnerLimits(released_at_once=2)).opens()
    rooms = {(await node.makes()).room for _ in range(5)}
    asked, go_on = [], asyncio.Event()

    async def release(room: str, fence: int) -> None:
        asked.append(room)
        await go_on.wait()

    await node.hall.close()
    monkeypatch.setattr(node.store, "release", release)
    releasing = asyncio.create_task(node.hall.release())
    await quiet()
    assert len(asked) == 2
    go_on.set()
    await releasing
    assert {*asked} == rooms


async def test_a_room_that_is_being_loaded_holds_up_no_end(node: Node) -> None:
    await node.makes()
    again = await restarted(node)
    again.store.down = False
    await again.opens()
    await again.closes()
    assert again.clock.alarms == []


async def test_rooms_a_failing_store_kept_back_come_later(node: Node) -> None:
    running = await node.starts()
    again = await restarted(node)
    await again.opens()
    again.store.down = True
    await again.clock.passes(20_000)
    assert again.actor(running).room is None
    again.store.down = False
    await again.clock.passes(16_000)
    assert again.room(running).standing.status == "running"
    await again.closes()


async def test_a_paused_room_is_still_paused_after_a_restart(node: Node) -> None:
    running = await node.starts()
    await node.clock.passes(2 * 60_000)
    assert node.hall.summary(running).status == "paused"
    again = await restarted(node)
    await again.opens()
    assert again.hall.summary(running).status == "paused", "the head says so too"
    await again.clock.passes(1_000)
    assert again.room(running).standing.status == "paused"
    socket = again.joined(running, PEOPLE[0])
    await again.clock.passes(0)
    assert socket.document(running)["status"] == "running"
    await again.closes()


async def test_a_record_is_archived_also_if_the_crash_came_between_the_end_and_that(
    node: Node,
) -> None:
    room = await finished(node)
    assert room in node.store.kept.archive
    node.store.kept.archive.clear()
    again = await restarted(node)
    await again.opens()
    assert again.hall.summary(room).status == "finished", "the head says so too"
    await again.clock.passes(100)
    assert room in again.store.kept.archive
    assert again.actor(room).kept_until is not None
    await again.closes()


async def test_rooms_are_listed_newest_first_and_of_one_age_by_id() -> None:
    node = await Node().opens()
    first = (await node.makes()).room
    await node.clock.passes(1)
    together = {(await node.makes()).room, (await node.makes()).room}
    await node.clock.passes(1)
    last = (await node.makes()).room
    listed = [*node.hall.rooms()]
    assert listed == [last, *sorted(together, reverse=True), first]
    await node.closes()


async def test_a_summary_is_as_fresh_as_the_room(node: Node) -> None:
    made = await node.makes()
    await node.seats(made.room, PEOPLE[1])
    node.joined(made.room, PEOPLE[1])
    await node.clock.passes(0)
    assert node.hall.summary(made.room).seats["1"].connected
    again = await restarted(node)
    await again.opens()
    known = again.hall.summary(made.room)
    assert {seat: one.name for seat, one in known.seats.items()} == {
        "0": "Person a",
        "1": "Person b",
    }
    assert not known.seats["1"].connected
    await again.closes()


async def test_a_private_room_is_seen_by_its_people_and_by_who_has_its_secret(node: Node) -> None:
    made = await node.makes(visibility="private")
    await node.seats(made.room, PEOPLE[1], invite=made.invite)

    def seen_by(hall: Any) -> list[bool]:
        people = (*PEOPLE[:3], Caller())
        return [hall.sees(made.room, caller, "") for caller in people] + [
            hall.sees(made.room, Caller(), secret) for secret in (made.watch, made.invite, "ü")
        ]

    expected = [True, True, False, False, True, False, False]
    assert seen_by(node.hall) == expected
    again = await restarted(node)
    await again.opens()
    assert again.actor(made.room).room is None
    assert seen_by(again.hall) == expected, "loaded or not"
    assert isinstance(again.hall._heads[made.room], Head)
    await again.closes()


async def test_who_sits_in_an_unfinished_room_holds_a_seat(node: Node) -> None:
    room = await node.starts()
    held = [node.hall.holds_seat(caller.player or "") for caller in PEOPLE[:4]]
    assert held == [True, True, True, False]
    again = await restarted(node)
    await again.opens()
    assert again.hall.holds_seat(PEOPLE[1].player or "")
    await again.clock.passes(100)
    assert again.hall.holds_seat(PEOPLE[1].player or "")
    await again.actor(room).ask(Close("enough"))
    assert not again.hall.holds_seat(PEOPLE[1].player or "")
    await again.closes()


async def test_whether_a_room_is_over_is_known_by_reading_it_back(node: Node) -> None:
    ended, going_on = await over(node), await node.starts()
    again = await restarted(node)
    await again.opens()
    assert (await again.loaded(ended)).standing.is_over
    assert not (await again.loaded(going_on)).standing.is_over
    await again.actor(going_on).settled()
    with pytest.raises(Refusal) as caught:
        await again.actor(going_on).ask(Start(PEOPLE[0]))
    assert caught.value.reason is Reason.WRONG_STATUS
    await again.closes()


async def test_a_hall_that_was_never_opened_can_be_closed() -> None:
    node = Node()
    await node.closes()
    assert node.hall.actors() == []
