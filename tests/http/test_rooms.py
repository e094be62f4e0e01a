"""PROTOCOL.md, "HTTP": rooms are made, shown, started."""

from typing import Any

import pytest

from saleroom_protocol.errors import Reason
from saleroom_server.owner.surroundings import OwnerLimits
from saleroom_server.settings import Settings
from tests.http.served import Guest, Served, refused, told

PLAIN = {"game": "kunstmarkt", "seats": 3}


async def test_only_game_and_seats_are_needed(served: Served, ada: Guest) -> None:
    made = told(await served.post("/v1/rooms", PLAIN, by=ada), 201)
    assert made["seats"] == {"0": {"name": "Ada", "kind": "person", "connected": False}}
    assert (made["seat"], made["host"], made["status"]) == (0, ada.player, "waiting")
    assert (made["options"], made["pace"]) == ({"hidden_cash": False}, "standard")
    assert (made["visibility"], made["spectators"]) == ("public", 0)
    assert made["created_at"] == served.clock.now()


async def test_the_summary_is_what_the_creator_was_told_but_for_the_secrets(
    served: Served, ada: Guest
) -> None:
    made = await served.room(ada, pace="quick", options={"hidden_cash": True})
    for secret in ("invite", "watch", "seat"):
        del made[secret]
    assert await served.summary(made["room"]) == made


async def test_a_creator_may_stay_standing(served: Served, ada: Guest) -> None:
    made = await served.room(ada, take_seat=False)
    assert (made["seats"], made["host"]) == ({}, ada.player)
    assert "seat" not in made


async def test_bots_sit_where_they_are_told_or_else_lowest(served: Served, ada: Guest) -> None:
    bots = [{"level": "easy", "seat": 2}, {"level": "steady"}]
    made = await served.room(ada, seats=4, bots=bots)
    assert {seat: sitter["kind"] for seat, sitter in made["seats"].items()} == {
        "0": "person",
        "1": "house",
        "2": "house",
    }
    assert made["seats"]["2"] == {"name": "Easy bot 2", "kind": "house", "connected": True}


async def test_a_full_room_starts_by_itself_after_a_while(served: Served, ada: Guest) -> None:
    made = await served.room(ada, bots=[{"level": "easy"}] * 2)
    await served.clock.passes(1_999)
    assert await served.status(made["room"]) == "waiting"
    await served.clock.passes(1)
    assert await served.status(made["room"]) == "running"


async def test_without_autostart_it_waits_for_the_host(served: Served, ada: Guest) -> None:
    room = (await served.room(ada, bots=[{"level": "easy"}] * 2, autostart=False))["room"]
    await served.clock.passes(60_000)
    assert await served.status(room) == "waiting"
    assert told(await served.post(f"/v1/rooms/{room}/start", by=ada), 202) == {}
    assert await served.status(room) == "running"


async def test_a_room_starts_with_every_seat_taken_only_and_only_once(
    served: Served, ada: Guest
) -> None:
    room = (await served.room(ada, bots=[{"level": "easy"}]))["room"]
    start = f"/v1/rooms/{room}/start"
    refused(await served.post(start, by=ada), Reason.WRONG_STATUS, status="waiting")
    told(await served.post(f"/v1/rooms/{room}/bots", {"level": "easy"}, by=ada), 201)
    told(await served.post(start, by=ada), 202)
    refused(await served.post(start, by=ada), Reason.WRONG_STATUS, status="running")
    refused(await served.post(start, {"now": True}, by=ada), Reason.UNKNOWN_FIELD, field="now")


async def test_entropy_is_contributed_by_the_creators_seat(served: Served, ada: Guest) -> None:
    made = await served.room(ada, entropy="00" * 16)
    assert (await served.standing(made["room"])).contributions == {"0": "00" * 16}


@pytest.mark.parametrize(
    ("fields", "reason", "facts"),
    [
        ({"game": "chess"}, Reason.UNKNOWN_GAME, {"game": "chess"}),
        ({"game": ""}, Reason.UNKNOWN_GAME, {"game": ""}),
        ({"game": 1}, Reason.MALFORMED, {"field": "game"}),
        ({"seats": 2}, Reason.MALFORMED, {"field": "seats"}),
        ({"seats": 6}, Reason.MALFORMED, {"field": "seats"}),
        ({"seats": -1}, Reason.MALFORMED, {"field": "seats"}),
        ({"seats": 3.0}, Reason.MALFORMED, {"field": "seats"}),
        ({"seats": "3"}, Reason.MALFORMED, {"field": "seats"}),
        ({"seats": 10**30}, Reason.MALFORMED, {"field": "seats"}),
        ({"pace": "slow"}, Reason.MALFORMED, {"field": "pace"}),
        ({"pace": None}, Reason.MALFORMED, {"field": "pace"}),
        ({"visibility": "secret"}, Reason.MALFORMED, {"field": "visibility"}),
        ({"take_seat": 1}, Reason.MALFORMED, {"field": "take_seat"}),
        ({"autostart": "yes"}, Reason.MALFORMED, {"field": "autostart"}),
        ({"entropy": "00" * 15}, Reason.MALFORMED, {"field": "entropy"}),
        ({"entropy": "00" * 33}, Reason.MALFORMED, {"field": "entropy"}),
        ({"entropy": "AB" * 16}, Reason.MALFORMED, {"field": "entropy"}),
        ({"entropy": "00" * 16 + "\n"}, Reason.MALFORMED, {"field": "entropy"}),
        ({"entropy": "00" * 16, "take_seat": False}, Reason.MALFORMED, {"field": "entropy"}),
        ({"bots": {}}, Reason.MALFORMED, {"field": "bots"}),
        ({"bots": [{"level": "hard"}]}, Reason.MALFORMED, {"field": "bots[0].level"}),
        ({"bots": [{"seat": 1}]}, Reason.MALFORMED, {"field": "bots[0].level"}),
        ({"bots": [{"level": "easy", "seat": 3}]}, Reason.MALFORMED, {"field": "seat"}),
        ({"bots": [{"level": "easy", "seat": 0}]}, Reason.SEAT_TAKEN, {"seat": 0}),
        ({"bots": [{"level": "easy"}] * 3}, Reason.ROOM_FULL, {}),
        ({"options": []}, Reason.MALFORMED, {"field": "options"}),
        ({"options": {"hidden_cash": 1}}, Reason.BAD_OPTIONS, {"field": "options.hidden_cash"}),
        ({"options": {"hidden_cash": None}}, Reason.BAD_OPTIONS, {"field": "options.hidden_cash"}),
        ({"options": {"turbo": True}}, Reason.BAD_OPTIONS, {"field": "options.turbo"}),
        ({"rated": True}, Reason.UNKNOWN_FIELD, {"field": "rated"}),
    ],
)
async def test_what_cannot_be_is_refused_by_its_field(
    served: Served, ada: Guest, fields: dict[str, Any], reason: Reason, facts: dict[str, Any]
) -> None:
    refused(await served.post("/v1/rooms", PLAIN | fields, by=ada), reason, **facts)
    assert told(await served.get("/v1/rooms"), 200) == {"rooms": []}


@pytest.mark.parametrize("field", ["game", "seats"])
async def test_what_is_needed_is_missed_by_name(served: Served, ada: Guest, field: str) -> None:
    body = {name: value for name, value in PLAIN.items() if name != field}
    refused(await served.post("/v1/rooms", body, by=ada), Reason.MALFORMED, field=field)


async def test_a_player_makes_so_many_rooms_at_a_time_and_no_more() -> None:
    served = await Served.open(Settings(owner=OwnerLimits(rooms_per_player=2)))
    ada, bob = await served.guests(2)
    for _ in range(2):
        await served.room(ada)
    response = await served.post("/v1/rooms", PLAIN, by=ada)
    refused(response, Reason.FULL, retry_after_ms=500)
    assert response.headers["retry-after"] == "1"
    await served.room(bob)
    await served.clock.passes(30 * 60_000)  # nobody came: they are closed
    await served.room(ada)
    await served.close()


async def test_a_room_nobody_starts_is_closed_after_half_an_hour(
    served: Served, ada: Guest
) -> None:
    room = (await served.room(ada))["room"]
    await served.clock.passes(30 * 60_000)
    assert await served.status(room) == "closed"
    await served.clock.passes(60 * 60_000)
    served.service.hall.sweep()
    await served.clock.passes(0)
    served.service.hall.sweep()
    refused(await served.get(f"/v1/rooms/{room}"), Reason.UNKNOWN_ROOM)
    assert told(await served.get("/v1/rooms"), 200) == {"rooms": []}


async def test_an_unknown_room_is_unknown_whatever_is_asked_of_it(
    served: Served, ada: Guest
) -> None:
    for room in ("raaaaaaaaaaaa", "r", "%00", "%2e%2e", "*", "ä", "r" * 5_000):
        path = f"/v1/rooms/{room}"
        refused(await served.get(path), Reason.UNKNOWN_ROOM)
        refused(await served.get(f"{path}/record"), Reason.UNKNOWN_ROOM)
        refused(await served.delete(f"{path}/seats/0", by=ada), Reason.UNKNOWN_ROOM)
        for what, body in {"seats": {}, "start": {}, "bots": {"level": "easy"}}.items():
            refused(await served.post(f"{path}/{what}", body, by=ada), Reason.UNKNOWN_ROOM)
