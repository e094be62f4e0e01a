"""A followed room: joining, reading, chat, leaving, being sent away."""

import asyncio
from collections.abc import Sequence

import pytest
from msgspec import UNSET, structs

from saleroom_client import Connection, OutOfStep, Refused, RoomLeft, connect
from saleroom_client.mirror import PATIENCE
from saleroom_client.requests import REPEATS
from saleroom_client.room import UNREAD
from saleroom_protocol.messages import (
    Act,
    Join,
    Leave,
    Left,
    Said,
    Say,
    ServerMessage,
    Update,
    View,
)
from tests.support.scripted_stream import (
    ROOM,
    TOKEN,
    Cut,
    House,
    Instant,
    Table,
    Written,
    at,
    serving,
)


def to(house: House, instant: Instant | None = None) -> Connection:
    """Return a connection to a scripted server, in a world where waiting takes no time."""
    return connect(house.url, TOKEN, checks=True, outside=(instant or Instant()).outside())


async def test_a_room_is_joined_once_its_document_is_there() -> None:
    house = House()
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        assert room.document == house.table.document
        assert (room.room, room.as_, room.seat) == (ROOM, "player", 0)
        assert room.server == house.url
        assert not room.ended
        assert room.latest.whole


async def test_a_join_that_is_refused_raises() -> None:
    house = House()
    async with serving(house), to(house) as connection:
        with pytest.raises(Refused) as caught:
            await connection.join("rbbbbbbbbbbbb")
        assert caught.value.reason == "unknown_room"
        await connection.join(ROOM)


async def test_a_join_is_repeated_while_the_trouble_may_pass() -> None:
    house, instant = House(), Instant()
    wait = {"retry_after_ms": 3000}
    house.refusals[Join] = [("busy", {}), ("unavailable", {}), ("rate_limited", wait)]
    async with serving(house), to(house, instant) as connection:
        await connection.join(ROOM)
    assert instant.slept == [0.25, 0.5, 3.0]
    assert len({join.id for join in house.of(Join)}) == 4


async def test_what_still_comes_does_not_shorten_the_pause_before_a_join() -> None:
    house, instant = House(), Instant()
    pausing, over = asyncio.Event(), asyncio.Event()

    async def sleep(seconds: float) -> None:
        pausing.set()
        await over.wait()

    async with (
        serving(house),
        connect(house.url, TOKEN, outside=instant.outside(sleep=sleep)) as connection,
    ):
        room = await connection.join(ROOM)
        house.refusals[Join] = [("busy", {})]
        house.table.presence()
        await house.tell(house.table.presence())  # a gap, and the join after it is refused
        await pausing.wait()
        await house.tell(house.table.presence(), house.table.presence())
        await room.say("Still there.")
        assert len(house.of(Join)) == 2
        over.set()
        assert [(await anext(room)).seq for _ in range(5)] == [10, 11, 12, 13, 14]
    assert len(house.of(Join)) == 3


async def test_a_join_that_stays_refused_is_given_up() -> None:
    house = House()
    house.refusals[Join] = [("busy", {})] * (REPEATS + 1)
    async with serving(house), to(house) as connection:
        with pytest.raises(Refused, match="busy"):
            await connection.join(ROOM)
        await connection.join(ROOM)


async def test_a_refused_resume_ends_the_iteration() -> None:
    house = House()
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        await anext(room)
        house.refusals[Join] = [("not_seated", {})]
        await house.tell(Cut())
        with pytest.raises(Refused) as caught:
            await anext(room)
        assert caught.value.reason == "not_seated"
        with pytest.raises(Refused):
            await room.act({"do": "count", "by": 1})


async def test_one_connection_follows_a_room_once() -> None:
    house = House()
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        with pytest.raises(ValueError, match="followed already"):
            await connection.join(ROOM)
        await room.leave()
        await connection.join(ROOM)


async def test_iterating_ends_with_the_result_and_stays_ended() -> None:
    house = House()
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        await room.act({"do": "resign"})
        updates = [update async for update in room]
        assert [update.seq for update in updates] == [10, 11]
        assert updates[-1].events == ({"event": "resigned"}, {"event": "finished"})
        assert room.ended
        assert [update async for update in room] == []


async def test_a_finished_room_is_shown_and_done() -> None:
    house = House()
    async with serving(house):
        async with to(house) as connection:
            await (await connection.join(ROOM)).act({"do": "resign"})
        async with to(house) as connection:
            room = await connection.join(ROOM)
            assert [update.document["status"] async for update in room] == ["finished"]


async def test_a_slow_reader_gets_the_newest_state_as_a_whole() -> None:
    house = House()
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        updates = [house.table.presence() for _ in range(UNREAD + 20)]
        await house.tell(*updates)
        await room.say("Done?")
        read = [await anext(room) for _ in range(21)]
    assert read[0].whole
    assert read[0].events == ()
    assert read[0].document == house.table.states[read[0].seq]
    assert read[-1].seq == house.table.seq
    assert [update.seq for update in read] == list(range(read[0].seq, house.table.seq + 1))


async def test_an_act_answers_the_open_window_unless_it_needs_none() -> None:
    house = House()
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        await room.act({"do": "count", "by": 1})
        await room.act({"do": "count", "by": 3}, window=2)
        with pytest.raises(Refused) as caught:
            await room.act({"do": "count", "by": 1}, window=None)
        assert caught.value.reason == "window_needed"
        await room.act({"do": "resign"})
        with pytest.raises(Refused) as over:
            await room.act({"do": "count", "by": 1})
        assert over.value.reason == "game_over"
    assert [act.window for act in house.of(Act)] == [1, 2, UNSET, UNSET, UNSET]


async def test_what_is_said_is_heard_once_whatever_happens_to_the_line() -> None:
    heard: list[Said] = []
    house = House()
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM, heard=heard.append)
        await room.say("Grüezi!")
        await house.tell(house.table.said[0])
        await room.say("Are you there?", to=2)
        await house.tell(Cut())
        await room.say("I am.", to="spectators")
    assert [said.text for said in heard] == ["Grüezi!", "Are you there?", "I am."]
    assert [say.to for say in house.of(Say)] == ["table", 2, "spectators"]
    assert [join.said_after for join in house.of(Join)] == [UNSET, 2]


async def test_chat_that_counts_anew_is_heard_all_the_same() -> None:
    heard: list[Said] = []
    house = House()
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM, heard=heard.append)
        for text in "abc":
            await room.say(text)
        house.table.said.clear()
        await house.tell(house.table.load())
        await room.say("d")
    assert [(said.number, said.text) for said in heard] == [(1, "a"), (2, "b"), (3, "c"), (1, "d")]


async def test_what_is_said_after_a_load_is_heard_though_the_line_broke_before_it() -> None:
    heard: list[Said] = []
    house = House()
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM, heard=heard.append)
        await room.say("before")
        house.table.said.clear()
        await house.tell(house.table.load())
        house.script = lambda index, message: [Cut()] if house.sockets == 1 else [message]
        await room.say("after")
    assert [(said.number, said.text) for said in heard] == [(1, "before"), (1, "after")]
    assert [join.said_after for join in house.of(Join)] == [UNSET, UNSET]


@pytest.mark.parametrize("reason", ["replaced", "kicked", "closed", "a_later_word"])
async def test_a_room_left_before_its_game_raises(reason: str) -> None:
    house = House()
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        await house.tell(house.table.presence(), Left(room=ROOM, reason=reason))
        assert [(await anext(room)).seq, (await anext(room)).seq] == [10, 11]
        with pytest.raises(RoomLeft) as caught:
            await anext(room)
        assert (caught.value.room, caught.value.reason) == (ROOM, reason)
        with pytest.raises(RoomLeft):
            await room.say("Still here!")
        await connection.join(ROOM)
    assert house.sockets == 1


async def test_a_room_that_was_replaced_does_not_come_back_with_the_next_socket() -> None:
    house = House()
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        await house.tell(Left(room=ROOM, reason="replaced"), Cut())
        await anext(room)
        with pytest.raises(RoomLeft):
            await anext(room)
        with pytest.raises(Refused):
            await connection.join("rbbbbbbbbbbbb")
    assert [join.room for join in house.of(Join)] == [ROOM, "rbbbbbbbbbbbb"]


async def test_an_act_without_receipt_in_a_room_that_is_left_raises() -> None:
    house = House(script=lambda i, m: [Left(room=ROOM, reason="kicked")] if i == 3 else [m])
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        with pytest.raises(RoomLeft):
            await room.act({"do": "count", "by": 1})


async def test_a_room_left_after_its_game_just_ends() -> None:
    house = House()
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        await room.act({"do": "resign"})
        await house.tell(Left(room=ROOM, reason="closed"))
        assert [update.seq async for update in room] == [10, 11]


async def test_another_seat_is_joined_again() -> None:
    house = House()
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        await house.tell(Left(room=ROOM, reason="seat_changed"))
        await room.act({"do": "count", "by": 1})
    assert len(house.of(Join)) == 2


async def test_leaving_ends_the_iteration_and_keeps_the_line() -> None:
    house = House()
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        await room.leave()
        await room.leave()
        await house.tell(house.table.presence())
        assert [update.seq async for update in room] == [10]
        with pytest.raises(RoomLeft) as caught:
            await room.act({"do": "count", "by": 1})
        assert caught.value.reason == "left"
    assert len(house.of(Leave)) == 1


async def test_leaving_works_without_a_line_too() -> None:
    house, instant = House(), Instant()
    gone, back = asyncio.Event(), asyncio.Event()

    async def sleep(seconds: float) -> None:
        gone.set()
        await back.wait()

    async with serving(house):
        outside = instant.outside(sleep=sleep)
        async with connect(house.url, TOKEN, outside=outside) as connection:
            room = await connection.join(ROOM)
            await anext(room)
            reading = asyncio.create_task(anext(room, None))
            await house.tell(Cut())
            await gone.wait()
            await room.leave()
            assert await reading is None
            back.set()
            with pytest.raises(Refused):
                await connection.join("rbbbbbbbbbbbb")
    assert [join.room for join in house.of(Join)] == [ROOM, "rbbbbbbbbbbbb"]


async def test_a_cancelled_join_leaves_the_room() -> None:
    house = House(script=lambda i, m: [] if isinstance(m, View) else [m])
    async with serving(house), to(house) as connection:
        joining = asyncio.create_task(connection.join(ROOM))
        await house.gets(Join)
        joining.cancel()
        with pytest.raises(asyncio.CancelledError):
            await joining
        house.script = lambda i, m: [m]
        await connection.join(ROOM)
    assert [type(message) for message in house.received[1:4]] == [Join, Leave, Join]


async def test_a_lost_update_is_asked_for_before_anything_newer_is_shown() -> None:
    house = House(script=at(3, *()))
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        await room.act({"do": "count", "by": 1})  # its receipt tells what is missing
        assert [(await anext(room)).seq, (await anext(room)).seq] == [10, 11]
        assert room.document == house.table.document
    cursors = [join.cursor for join in house.of(Join)]
    assert len(cursors) == 2
    assert cursors[1].seq == 10


def falsified(message: ServerMessage) -> ServerMessage:
    """Return the message with a check that does not fit."""
    return structs.replace(message, check=1) if isinstance(message, Update | View) else message


async def test_a_check_that_does_not_fit_is_answered_by_a_view() -> None:
    house = House(script=lambda i, m: [falsified(m)] if i == 3 else [m])
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        await room.act({"do": "count", "by": 1})
        await anext(room)
        update = await anext(room)
        assert (update.seq, update.whole) == (11, True)
    assert [join.cursor for join in house.of(Join)] == [UNSET, UNSET]


async def test_a_stream_that_never_fits_is_given_up_and_left() -> None:
    house = House(script=lambda i, m: [falsified(m)])
    async with serving(house), to(house) as connection:
        with pytest.raises(OutOfStep):
            await connection.join(ROOM)
        await house.gets(Leave)


async def test_receipts_alone_can_show_that_a_stream_never_fits() -> None:
    def script(index: int, message: ServerMessage) -> Sequence[Written]:
        return [] if isinstance(message, Update) else [message]

    house = House(tables=[Table(asks=PATIENCE + 2)], script=script)
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        assert (await anext(room)).seq == 10
        for number in range(1, PATIENCE + 2):
            await room.act({"do": "count", "by": 1}, window=number)
        with pytest.raises(OutOfStep):
            await anext(room)
    assert room.latest.seq == 10
