"""The connection over real sockets: it resumes by itself, and what it sent happens once."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec import UNSET

from saleroom_client import (
    Connection,
    ConnectionLost,
    Refused,
    Room,
    SaleroomError,
    VersionMismatch,
    connect,
)
from saleroom_client.redial import LASTING
from saleroom_client.requests import REPEATS
from saleroom_client.websocket import Broken, Socket
from saleroom_protocol.http import Token
from saleroom_protocol.messages import (
    Accepted,
    Act,
    ClientPong,
    Hello,
    Join,
    Say,
    ServerMessage,
    ServerPing,
    ServerPong,
    Update,
)
from tests.support.scripted_stream import (
    ROOM,
    TOKEN,
    Close,
    Cut,
    House,
    Instant,
    Table,
    Written,
    at,
    closing,
    serving,
)
from tests.support.witness import check

WAIT = {"retry_after_ms": 700}
FRAMES = 14  # of an undisturbed game, and some more


def to(house: House, instant: Instant | None = None, **options: Any) -> Connection:
    """Return a connection to a scripted server, in a world where waiting takes no time."""
    usual = {"token": TOKEN, "checks": True, "outside": (instant or Instant()).outside()}
    chosen: dict[str, Any] = usual | options
    return connect(house.url, **chosen)


async def play(room: Room) -> list[int]:
    """Count on whenever asked, and say so; return the numbers of the updates."""
    numbers = []
    async for update in room:
        assert check(update.document) == check(room.document)
        numbers.append(update.seq)
        if "legal" in update.document:
            receipt = await room.act({"do": "count", "by": 2})
            assert receipt.seq == room.latest.seq
            await room.say("Two!")
    return numbers


async def played(house: House, instant: Instant | None = None) -> list[int]:
    async with serving(house), to(house, instant) as connection:
        numbers = await play(await connection.join(ROOM))
    assert house.table.document["count"] == 8
    assert set(house.table.effects.values()) == {1}
    assert sum(house.table.effects.values()) == 8
    return numbers


async def test_a_whole_game_over_one_socket() -> None:
    house = House()
    assert await played(house) == [10, 11, 12, 13, 14]
    assert house.sockets == 1
    assert house.of(Hello) == [Hello(token=TOKEN, client="saleroom-python/1", checks=True)]


def after(place: int) -> Any:
    return lambda index, message: [message, Cut()] if index == place else [message]


@pytest.mark.parametrize("place", range(FRAMES))
async def test_a_game_cut_after_any_message_is_played_to_the_end(place: int) -> None:
    house, instant = House(script=after(place)), Instant()
    assert await played(house, instant) == [10, 11, 12, 13, 14]
    assert house.sockets == 2
    assert instant.slept == [0.25]


@pytest.mark.parametrize("place", range(FRAMES))
async def test_a_game_cut_before_any_message_is_played_to_the_end(place: int) -> None:
    house = House(script=at(place, Cut()))
    assert await played(house) == [10, 11, 12, 13, 14]


@pytest.mark.parametrize("place", range(FRAMES))
async def test_a_game_cut_again_inside_the_resume_is_played_to_the_end(place: int) -> None:
    def script(index: int, message: ServerMessage) -> Sequence[Written]:
        return [message, Cut()] if place <= index <= place + 2 else [message]

    house = House(script=script)
    assert await played(house) == [10, 11, 12, 13, 14]
    assert house.sockets == 4


@pytest.mark.parametrize("place", range(2, FRAMES))
async def test_any_message_may_come_twice(place: int) -> None:
    def script(index: int, message: ServerMessage) -> Sequence[Written]:
        return [message] * (2 if index == place else 1)

    house = House(script=script)
    assert await played(house) == [10, 11, 12, 13, 14]
    assert house.sockets == 1


async def test_what_has_no_receipt_is_sent_again_with_its_id() -> None:
    house = House(script=lambda i, m: [Cut()] if i == 4 and isinstance(m, Accepted) else [m])
    await played(house)
    first, again = house.of(Act)[:2]
    assert first == again
    assert house.table.effects[first.id] == 1


async def test_ids_begin_with_random_characters_of_the_connection() -> None:
    prefixes = set()
    for _ in range(3):
        house = House()
        await played(house)
        ids = [message.id for message in house.received if isinstance(message, Act | Say | Join)]
        assert len(set(ids)) == len(ids)
        assert len({name.partition("-")[0] for name in ids}) == 1
        prefixes.add(ids[0].partition("-")[0])
    assert len(prefixes) == 3


async def test_a_resume_carries_the_cursor_of_the_last_state() -> None:
    house = House(script=at(5, Cut()))
    await played(house)
    cursors = [join.cursor for join in house.of(Join)]
    assert cursors[0] is UNSET
    assert [(cursor.epoch, cursor.seq) for cursor in cursors[1:]] == [("e1", 11)]


async def test_a_room_loaded_anew_meanwhile_goes_on_from_a_view() -> None:
    house = House()
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        await anext(room)
        house.table.load()
        house.table.presence()
        await house.tell(Cut())
        update = await anext(room)
    assert (update.seq, update.whole) == (11, True)


@pytest.mark.parametrize("code", [1001, 1012, 4100, 4101, 4102, 4103, 4199, 1011, 1013])
async def test_a_close_to_come_back_from_is_come_back_from_after_the_time_told(code: int) -> None:
    house, instant = House(script=at(5, closing("restart", 5200), Close(code))), Instant()
    assert await played(house, instant) == [10, 11, 12, 13, 14]
    assert instant.slept == [5.2]


@pytest.mark.parametrize("code", [1000, 1008, 1009, 4000, 4002, 4004, 4099, 3000])
async def test_a_final_close_is_raised_everywhere(code: int) -> None:
    house, instant = House(script=at(4, Close(code))), Instant()
    async with serving(house), to(house, instant) as connection:
        room = await connection.join(ROOM)
        await anext(room)
        with pytest.raises(ConnectionLost) as caught:
            await room.act({"do": "count", "by": 1})
        assert caught.value.code == code
        assert (await anext(room)).seq == 11  # what has been read before is still shown
        for attempt in (anext(room), room.say("?"), connection.join("rbbbbbbbbbbbb")):
            with pytest.raises(ConnectionLost) as again:
                await attempt
            assert again.value.code == code
    assert house.sockets == 1
    assert instant.slept == []


async def test_a_final_close_has_the_name_of_its_code_as_reason() -> None:
    house = House(script=at(0, Close(1008)))
    async with serving(house):
        with pytest.raises(ConnectionLost) as caught:
            await to(house).__aenter__()
    assert (caught.value.reason, caught.value.code) == ("policy", 1008)


@pytest.mark.parametrize(
    "script",
    [
        at(0, Close(4001)),
        at(0, b"\xc1"),
        at(0, {"type": "welcome", "protocol": 2}),
    ],
)
async def test_another_version_is_told_as_such(script: Any) -> None:
    house = House(script=script)
    async with serving(house):
        with pytest.raises(VersionMismatch):
            await to(house).__aenter__()
    assert house.sockets == 1


async def test_messages_of_a_later_version_are_ignored() -> None:
    def script(index: int, message: ServerMessage) -> Sequence[Written]:
        return [{"type": "weather", "room": ROOM}, message]

    assert await played(House(script=script)) == [10, 11, 12, 13, 14]


async def test_pauses_double_up_to_half_a_minute_and_dials_are_given_up_in_the_end() -> None:
    house, instant = House(), Instant()

    async def nobody(url: str) -> Socket:
        raise Broken(1006, "nobody there")

    house.url = "http://localhost"
    connection = to(house, outside=instant.outside(dial=nobody), attempts=10)
    with pytest.raises(ConnectionLost, match="nobody there"):
        await connection.__aenter__()
    assert instant.slept == [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0, 15.0]


async def test_a_server_that_welcomes_and_closes_is_dialled_neither_at_full_speed_nor_late() -> (
    None
):
    def script(index: int, message: ServerMessage) -> Sequence[Written]:
        return [message, Close(4103)] if index < 6 else [message]

    instant = Instant()
    house = House(script=script)
    async with serving(house), to(house, instant) as connection:
        await play(await connection.join(ROOM))
    assert instant.slept[:6] == [0.25, 0.5, 1.0, 2.0, 2.0, 2.0]


async def test_after_a_socket_that_has_lasted_pauses_begin_anew() -> None:
    house, instant = House(), Instant()
    async with serving(house), to(house, instant) as connection:
        room = await connection.join(ROOM)
        for _ in range(2):
            await house.tell(Cut())
            await room.act({"do": "count", "by": 1})
        instant.now += LASTING
        await house.tell(Cut())
        await room.act({"do": "count", "by": 1})
    assert instant.slept == [0.25, 0.5, 0.25]


async def test_unavailable_is_repeated_with_the_same_id() -> None:
    house, instant = House(), Instant()
    house.refusals[Act] = [("unavailable", {}), ("busy", {}), ("unavailable", WAIT)]
    async with serving(house), to(house, instant) as connection:
        room = await connection.join(ROOM)
        receipt = await room.act({"do": "count", "by": 1})
    assert receipt.seq == 11
    acts = house.of(Act)
    assert len(acts) == 4
    assert all(act == acts[0] for act in acts)
    assert instant.slept == [0.25, 0.5, 0.7]
    assert set(house.table.effects.values()) == {1}


async def test_what_stays_unavailable_is_raised_in_the_end() -> None:
    house = House()
    house.refusals[Act] = [("unavailable", {})] * (REPEATS + 1)
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        with pytest.raises(Refused) as caught:
            await room.act({"do": "count", "by": 1})
        assert caught.value.reason == "unavailable"
        await room.act({"do": "count", "by": 1})
    assert len(house.of(Act)) == REPEATS + 2


async def test_a_repeat_waits_no_longer_than_the_next_socket() -> None:
    house, instant = House(), Instant()
    waiting = asyncio.Event()

    async def sleep(seconds: float) -> None:
        if seconds == 0.25 and not waiting.is_set():  # the pause before the repeat
            waiting.set()
            await asyncio.Event().wait()
        await instant.sleep(seconds)

    house.refusals[Act] = [("unavailable", {})]
    async with serving(house), to(house, outside=instant.outside(sleep=sleep)) as connection:
        room = await connection.join(ROOM)
        act = asyncio.create_task(room.act({"do": "count", "by": 1}))
        await waiting.wait()
        await house.tell(Cut())
        await act
    first, again = house.of(Act)
    assert first == again


async def test_any_other_refusal_is_raised_with_reason_and_facts() -> None:
    house = House()
    house.refusals[Act] = [("illegal_action", {"why": "hand_full"})]
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        with pytest.raises(SaleroomError) as caught:
            await room.act({"do": "count", "by": 1})
        await room.act({"do": "count", "by": 1})
    assert isinstance(caught.value, Refused)
    assert (caught.value.reason, caught.value.facts) == ("illegal_action", {"why": "hand_full"})
    assert (caught.value.message, caught.value.status) == ("Scripted.", 0)


async def test_a_token_too_old_is_renewed_once() -> None:
    house, renewals = House(tokens=("fresh",)), 0

    async def renew() -> Token:
        nonlocal renewals
        renewals += 1
        return Token(token="fresh", expires_at=0)

    async with serving(house), to(house, token="old", renew=renew) as connection:
        await play(await connection.join(ROOM))
    assert [hello.token for hello in house.of(Hello)] == ["old", "fresh"]
    assert renewals == 1


async def test_a_renewed_token_that_is_refused_too_is_final() -> None:
    house = House(tokens=())

    async def renew() -> Token:
        return Token(token="fresh", expires_at=0)

    async with serving(house):
        with pytest.raises(ConnectionLost, match="too old") as caught:
            await to(house, renew=renew).__aenter__()
    assert caught.value.reason == "bad_token"
    assert house.sockets == 2


async def test_a_renewal_that_fails_ends_the_connection_with_its_cause() -> None:
    house = House(tokens=())

    async def renew() -> Token:
        raise RuntimeError("no more tokens")

    async with serving(house):
        with pytest.raises(ConnectionLost, match="no more tokens") as caught:
            await to(house, renew=renew).__aenter__()
    assert isinstance(caught.value.__cause__, RuntimeError)


async def test_a_ping_is_answered_and_sets_the_clock() -> None:
    house, instant = House(), Instant()
    async with serving(house), to(house, instant) as connection:
        assert connection.server_time() == 1_000_000
        assert connection.welcome.name == "Bot 0"
        await house.tell(ServerPong(id="?", now=0), ServerPing(now=2_000_000))
        await connection.join(ROOM)  # answered after the pong was read
        assert len(house.of(ClientPong)) == 1
        await house.tell(ServerPing(now=2_000_000))
        with pytest.raises(Refused):
            await connection.join("rbbbbbbbbbbbb")
        instant.now += 1.5
        assert connection.server_time() == 2_001_500


async def test_two_rooms_on_one_socket_never_cross() -> None:
    house = House(tables=[Table(), Table("rbbbbbbbbbbbb", asks=7)], script=after(17))
    async with serving(house), to(house) as connection:
        rooms = [await connection.join(table.room) for table in house.tables]
        numbers = await asyncio.gather(*(play(room) for room in rooms))
    assert numbers == [list(range(10, 15)), list(range(10, 18))]
    for room, table in zip(rooms, house.tables, strict=True):
        assert room.document == table.document
        assert room.document["room"] == table.room


async def test_closing_it_ends_whatever_waits() -> None:
    house = House()
    async with serving(house):
        async with to(house) as connection:
            room = await connection.join(ROOM)
            await anext(room)
            house.refusals[Act] = [("unavailable", {})]
            reading = asyncio.create_task(anext(room))
            await room.say("Good-bye!")
        with pytest.raises(ConnectionLost) as caught:
            await reading
        assert caught.value.reason == "closed"
        with pytest.raises(ConnectionLost):
            await connection.join(ROOM)
        await connection.close()


async def test_a_connection_that_was_never_opened_can_be_closed() -> None:
    await connect("https://example.org").close()


def test_only_servers_have_addresses() -> None:
    with pytest.raises(ValueError, match="not the address of a server"):
        connect("example.org")


async def test_without_a_token_one_may_watch() -> None:
    house = House()
    async with serving(house), to(house, token=None) as connection:
        room = await connection.join(ROOM, "spectator", watch="s3cret")
        assert (await anext(room)).seq == 10
    assert house.of(Hello)[0].token is UNSET
    (join,) = house.of(Join)
    assert (join.as_, join.watch) == ("spectator", "s3cret")


async def test_a_request_larger_than_the_server_takes_is_not_sent() -> None:
    house = House()
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        with pytest.raises(ValueError, match="16384"):
            await room.say("x" * 20_000)
        await room.say("x")


async def test_a_cancelled_act_leaves_nothing_behind() -> None:
    house = House(script=lambda i, m: [] if isinstance(m, Update | Accepted) else [m])
    async with serving(house), to(house) as connection:
        room = await connection.join(ROOM)
        act = asyncio.create_task(room.act({"do": "count", "by": 1}))
        await house.gets(Act)
        act.cancel()
        with pytest.raises(asyncio.CancelledError):
            await act
        house.script = lambda i, m: [m]
        await house.tell(Cut())
        assert [(await anext(room)).seq, (await anext(room)).seq] == [10, 11]
        assert (await room.act({"do": "count", "by": 1})).seq == 12
    assert len(house.of(Act)) == 2
