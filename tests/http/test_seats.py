"""PROTOCOL.md, "HTTP": who sits where, and what the host may do."""

import asyncio
from typing import Any

import pytest

from saleroom_protocol.errors import Reason
from saleroom_server.owner.surroundings import OwnerLimits
from saleroom_server.settings import Settings
from tests.http.served import Guest, Served, refused, told
from tests.support.hand_clock import quiet


@pytest.fixture
async def room(served: Served, ada: Guest) -> str:
    """A public room for four; Ada has made it and sits in seat 0."""
    made: str = (await served.room(ada, seats=4))["room"]
    return made


def _seats(room: str, seat: object = None) -> str:
    return f"/v1/rooms/{room}/seats" + ("" if seat is None else f"/{seat}")


async def test_who_names_no_seat_gets_the_lowest_free(served: Served, room: str) -> None:
    bob, cleo, dora = await served.guests(3)
    assert await served.sits(bob, room, seat=2) == 2
    assert await served.sits(cleo, room) == 1
    assert await served.sits(dora, room) == 3
    assert [*(await served.summary(room))["seats"]] == ["0", "1", "2", "3"]


async def test_who_sits_already_is_told_where(served: Served, room: str, ada: Guest) -> None:
    assert told(await served.post(_seats(room), by=ada), 200) == {"seat": 0}
    assert told(await served.post(_seats(room), {"seat": 3}, by=ada), 200) == {"seat": 0}


async def test_entropy_can_be_given_later_but_not_replaced(
    served: Served, room: str, ada: Guest
) -> None:
    for entropy in ("aa" * 16, "bb" * 32):
        told(await served.post(_seats(room), {"entropy": entropy}, by=ada), 200)
    assert (await served.standing(room)).contributions == {"0": "aa" * 16}


async def test_a_seat_cannot_be_had_twice_nor_when_there_is_none(served: Served, room: str) -> None:
    bob, cleo, dora, eve = await served.guests(4)
    refused(await served.post(_seats(room), {"seat": 0}, by=bob), Reason.SEAT_TAKEN, seat=0)
    refused(await served.post(_seats(room), {"seat": 4}, by=bob), Reason.MALFORMED, field="seat")
    for guest in (bob, cleo, dora):
        await served.sits(guest, room)
    refused(await served.post(_seats(room), by=eve), Reason.ROOM_FULL)
    refused(await served.post(_seats(room), {"seat": 3}, by=eve), Reason.SEAT_TAKEN, seat=3)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"seat": -1}, "seat"),
        ({"seat": 10}, "seat"),
        ({"seat": None}, "seat"),
        ({"seat": "1"}, "seat"),
        ({"seat": 1.0}, "seat"),
        ({"invite": 1}, "invite"),
        ({"invite": "x" * 101}, "invite"),
        ({"entropy": "zz" * 16}, "entropy"),
    ],
)
async def test_a_wrong_field_is_named(
    served: Served, room: str, ada: Guest, body: dict[str, Any], field: str
) -> None:
    refused(await served.post(_seats(room), body, by=ada), Reason.MALFORMED, field=field)


async def test_a_seat_is_given_up_by_its_holder(served: Served, room: str) -> None:
    bob = await served.guest("Bob")
    await served.sits(bob, room)
    response = await served.delete(_seats(room, 1), by=bob)
    assert (response.status_code, response.content) == (204, b"")
    assert [*(await served.summary(room))["seats"]] == ["0"]


async def test_the_host_frees_any_seat_a_free_one_too(
    served: Served, room: str, ada: Guest
) -> None:
    bob = await served.guest("Bob")
    await served.sits(bob, room)
    for seat in (1, 1, 3):
        told(await served.delete(_seats(room, seat), by=ada), 204)
    assert [*(await served.summary(room))["seats"]] == ["0"]


async def test_nobody_else_frees_a_seat(served: Served, room: str) -> None:
    bob, cleo = await served.guests(2)
    await served.sits(bob, room)
    for guest, seat in ((cleo, 1), (bob, 0), (bob, 2)):
        refused(await served.delete(_seats(room, seat), by=guest), Reason.NOT_HOST)


@pytest.mark.parametrize("seat", ["x", "-1", "1.0", "٣", "10", "00", "9" * 5_000, "1x", "%20"])
async def test_a_seat_is_a_number(served: Served, room: str, ada: Guest, seat: str) -> None:
    refused(await served.delete(_seats(room, seat), by=ada), Reason.MALFORMED, field="seat")


async def test_once_the_game_is_on_seats_stay_as_they_are(served: Served, ada: Guest) -> None:
    made = await served.room(ada, bots=[{"level": "easy"}] * 2)
    await served.clock.passes(2_000)
    room, bob = made["room"], await served.guest("Bob")
    path = f"/v1/rooms/{room}"
    running = {"status": "running"}
    refused(await served.post(_seats(room), by=bob), Reason.WRONG_STATUS, **running)
    refused(await served.delete(_seats(room, 0), by=ada), Reason.WRONG_STATUS, **running)
    refused(await served.delete(_seats(room, 1), by=ada), Reason.WRONG_STATUS, **running)
    bot = {"level": "easy"}
    refused(await served.post(f"{path}/bots", bot, by=ada), Reason.WRONG_STATUS, **running)
    assert told(await served.post(_seats(room), by=ada), 200) == {"seat": 0}
    late = {"entropy": "cc" * 16}  # is not taken any more
    assert told(await served.post(_seats(room), late, by=ada), 200) == {"seat": 0}


async def test_a_seat_given_up_stops_the_start(served: Served, ada: Guest) -> None:
    made = await served.room(ada, bots=[{"level": "easy"}] * 2)
    await served.clock.passes(1_000)
    told(await served.delete(_seats(made["room"], 2), by=ada), 204)
    await served.clock.passes(10_000)
    assert await served.status(made["room"]) == "waiting"


async def test_bots_are_the_hosts_to_add(served: Served, room: str, ada: Guest) -> None:
    path, bob = f"/v1/rooms/{room}/bots", await served.guest("Bob")
    steady = {"level": "steady", "seat": 2}
    assert told(await served.post(path, steady, by=ada), 201) == {"seat": 2}
    assert told(await served.post(path, {"level": "easy"}, by=ada), 201) == {"seat": 1}
    refused(await served.post(path, {"level": "easy"}, by=bob), Reason.NOT_HOST)
    refused(await served.post(path, steady, by=ada), Reason.SEAT_TAKEN, seat=2)
    hard = {"level": "hard"}
    refused(await served.post(path, hard, by=ada), Reason.MALFORMED, field="level")
    refused(await served.post(path, {}, by=ada), Reason.MALFORMED, field="level")
    outside = {"level": "easy", "seat": 4}
    refused(await served.post(path, outside, by=ada), Reason.MALFORMED, field="seat")
    told(await served.post(path, {"level": "easy"}, by=ada), 201)
    refused(await served.post(path, {"level": "easy"}, by=ada), Reason.ROOM_FULL)


async def test_what_the_host_does_nobody_else_may(served: Served, room: str) -> None:
    bob = await served.guest("Bob")
    await served.sits(bob, room)
    mute = {"player": bob.player, "muted": True}
    bodies: dict[str, Any] = {"bots": {"level": "easy"}, "start": {}, "mutes": mute}
    for what, body in bodies.items():
        refused(await served.post(f"/v1/rooms/{room}/{what}", body, by=bob), Reason.NOT_HOST)


async def test_the_host_mutes_and_unmutes(served: Served, room: str, ada: Guest) -> None:
    bob, path = await served.guest("Bob"), f"/v1/rooms/{room}/mutes"
    for muted in (True, True, False, False):
        response = await served.post(path, {"player": bob.player, "muted": muted}, by=ada)
        assert (response.status_code, response.content) == (204, b"")
    wrong: dict[str, Any] = {"player": 7, "muted": True}
    refused(await served.post(path, wrong, by=ada), Reason.MALFORMED, field="player")
    half = {"player": bob.player}
    refused(await served.post(path, half, by=ada), Reason.MALFORMED, field="muted")


async def test_when_the_creator_leaves_whoever_sat_longest_is_host(
    served: Served, room: str, ada: Guest
) -> None:
    bob, cleo = await served.guests(2)
    await served.sits(bob, room, seat=3)
    await served.sits(cleo, room, seat=1)
    told(await served.post(f"/v1/rooms/{room}/bots", {"level": "easy"}, by=ada), 201)
    told(await served.delete(_seats(room, 0), by=ada), 204)
    assert (await served.summary(room))["host"] == bob.player
    refused(await served.delete(_seats(room, 1), by=ada), Reason.NOT_HOST)
    told(await served.delete(_seats(room, 3), by=bob), 204)
    assert (await served.summary(room))["host"] == cleo.player
    told(await served.post(f"/v1/rooms/{room}/bots", {"level": "easy"}, by=cleo), 201)


async def test_fifty_who_come_at_once_are_seated_as_if_one_after_the_other(
    served: Served, ada: Guest
) -> None:
    rooms = [(await served.room(ada, seats=5, autostart=False))["room"] for _ in range(2)]
    crowd = await served.guests(50)
    asked = [served.post(_seats(room), by=guest) for guest in crowd for room in rooms]
    answers = await asyncio.gather(*asked)
    for place in range(2):
        mine = answers[place::2]
        assert [told(answer, 201)["seat"] for answer in mine[:4]] == [1, 2, 3, 4]
        for answer in mine[4:]:
            refused(answer, Reason.ROOM_FULL)
        sitters = (await served.summary(rooms[place]))["seats"].values()
        assert [sitter["name"] for sitter in sitters] == ["Ada", *(g.name for g in crowd[:4])]


async def test_a_room_that_has_too_much_to_do_says_when_to_come_again() -> None:
    served = await Served.open(Settings(owner=OwnerLimits(inbox=1)))
    ada, bob = await served.guests(2)
    room = (await served.room(ada))["room"]
    served.store.hold()
    slow = asyncio.ensure_future(served.post(_seats(room), by=bob))
    await quiet()
    response = await served.post(_seats(room), by=ada)
    refused(response, Reason.BUSY, retry_after_ms=500)
    assert response.headers["retry-after"] == "1"
    served.store.let_go()
    assert told(await slow, 201) == {"seat": 1}
    await served.close()
