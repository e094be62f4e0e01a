"""PROTOCOL.md, "HTTP": the same Idempotency-Key of the same player gets the first answer again."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from httpx import Response

from saleroom_protocol.errors import Reason
from saleroom_server.http.limits import LobbyLimits
from saleroom_server.settings import Settings
from saleroom_server.store.sqlite import SqliteStore
from tests.http.served import Guest, Served, refused, told
from tests.support.hand_clock import quiet
from tests.support.memory_store import Fault

DAY = 24 * 3_600_000
PLAIN = {"game": "kunstmarkt", "seats": 3}
EASY = {"level": "easy"}
MUTE = {"player": "p" + "a" * 16, "muted": True}
# What is asked, what of, and the status of the answer.
POSTS: list[tuple[str, Any, int]] = [
    ("/v1/players/me/token", None, 201),
    ("/v1/rooms", PLAIN, 201),
    ("/v1/rooms/{room}/seats", {"seat": 2}, 201),
    ("/v1/rooms/{room}/bots", EASY, 201),
    ("/v1/rooms/{full}/start", None, 202),
    ("/v1/rooms/{room}/mutes", MUTE, 204),
]


class Place:
    """A server with a room that waits for players and one that waits for its host."""

    def __init__(self, served: Served, ada: Guest, room: str, full: str) -> None:
        self.served, self.ada, self.room, self.full = served, ada, room, full

    async def post(
        self, path: str, body: Any = None, key: str | None = "k", **how: Any
    ) -> Response:
        path = path.format(room=self.room, full=self.full)
        return await self.served.post(path, body, key=key, **{"by": self.ada, **how})

    async def entries(self) -> dict[str, int]:
        """Count what the journals hold."""
        return {room: len(journal.entries) for room, journal in self.served.kept.rooms.items()}


@pytest.fixture
async def place(served: Served, ada: Guest) -> Place:
    room = await served.room(ada, take_seat=False)
    full = await served.room(ada, bots=[EASY] * 2, autostart=False)
    return Place(served, ada, room["room"], full["room"])


def _same(first: Response, second: Response) -> bool:
    headers = [sorted(response.headers.multi_items()) for response in (first, second)]
    return (first.status_code, first.content, headers[0]) == (
        second.status_code,
        second.content,
        headers[1],
    )


@pytest.mark.parametrize(("path", "body", "status"), POSTS)
async def test_a_post_with_the_same_key_has_one_effect_and_one_answer(
    place: Place, path: str, body: Any, status: int
) -> None:
    first = await place.post(path, body)
    assert first.status_code == status
    before = await place.entries()
    await place.served.clock.passes(100)
    assert _same(first, await place.post(path, body))
    assert await place.entries() == before


@pytest.mark.parametrize(("path", "body", "status"), POSTS)
async def test_also_when_the_server_was_started_anew(
    place: Place, path: str, body: Any, status: int
) -> None:
    first = await place.post(path, body)
    await place.served.restart()
    before = await place.entries()
    assert _same(first, await place.post(path, body))
    assert await place.entries() == before


@pytest.mark.parametrize(("path", "body", "status"), POSTS)
async def test_also_when_both_come_at_once(place: Place, path: str, body: Any, status: int) -> None:
    first, *others = await asyncio.gather(*(place.post(path, body) for _ in range(5)))
    assert first.status_code == status
    assert all(_same(first, other) for other in others)
    rooms = 3 if path == "/v1/rooms" else 2
    assert len(await place.entries()) == rooms
    assert not place.served.service.lobby.in_hand


@pytest.mark.parametrize(("path", "body", "status"), POSTS)
async def test_the_same_key_for_something_else_is_refused(
    place: Place, path: str, body: Any, status: int
) -> None:
    told(await place.post(path, body), status)
    before = await place.entries()
    for other, content in (
        (path, {"seat": 1}),
        (path, b"null"),
        ("/v1/rooms/{room}/seats", {"seat": 0}),
        ("/v1/rooms", PLAIN | {"seats": 4}),
        ("/v1/rooms/{full}/bots", EASY),
    ):
        refused(await place.post(other, content), Reason.ID_REUSED)
    assert await place.entries() == before


@pytest.mark.parametrize(("path", "body", "status"), POSTS)
async def test_without_a_key_each_is_one_of_its_own(
    place: Place, path: str, body: Any, status: int
) -> None:
    again = {"seats": 200, "start": 409}.get(path.rpartition("/")[2], status)
    for key, expected in ((None, status), ("", again)):
        assert (await place.post(path, body, key=key)).status_code == expected
    assert not place.served.kept.answers


async def test_a_seat_that_is_held_already_is_remembered_as_such(place: Place) -> None:
    told(await place.post("/v1/rooms/{room}/seats", key=None), 201)
    told(await place.post("/v1/rooms/{room}/seats"), 200)
    told(await place.served.delete(f"/v1/rooms/{place.room}/seats/0", by=place.ada), 204)
    assert told(await place.post("/v1/rooms/{room}/seats"), 200) == {"seat": 0}
    assert (await place.served.summary(place.room))["seats"] == {}


async def test_a_key_is_the_players_own(place: Place) -> None:
    bob = await place.served.guest("Bob")
    made = {
        told(await place.post("/v1/rooms", PLAIN, by=guest), 201)["room"]
        for guest in (place.ada, bob, place.ada, bob)
    }
    assert len(made) == 2


async def test_a_key_is_the_players_own_whatever_token_they_show(place: Place) -> None:
    first = await place.post("/v1/rooms", PLAIN)
    await place.served.clock.passes(1_000)
    renewed = told(await place.post("/v1/players/me/token", key=None), 201)["token"]
    again = Guest(place.ada.player, place.ada.name, renewed)
    assert again.token != place.ada.token
    assert _same(first, await place.post("/v1/rooms", PLAIN, by=again))


async def test_a_key_is_good_for_a_day(place: Place) -> None:
    assert LobbyLimits().key_kept_ms == DAY
    first = await place.post("/v1/rooms", PLAIN)
    await place.served.clock.passes(DAY - 1)
    assert _same(first, await place.post("/v1/rooms", PLAIN))
    await place.served.clock.passes(1)
    second = await place.post("/v1/rooms", PLAIN | {"seats": 4})
    assert told(second, 201)["room"] != told(first, 201)["room"]
    assert _same(second, await place.post("/v1/rooms", PLAIN | {"seats": 4}))


async def test_a_key_has_up_to_a_hundred_characters(place: Place) -> None:
    told(await place.post("/v1/rooms", PLAIN, key="x" * 100), 201)
    response = await place.post("/v1/rooms", PLAIN, key="x" * 101)
    refused(response, Reason.MALFORMED, field="idempotency-key")


async def test_a_key_may_have_any_characters(place: Place) -> None:
    for key in ("ÿ", "'; --", "a b", "%00", "\u00a0"):
        first = await place.post("/v1/rooms", PLAIN, key=key)
        assert _same(first, await place.post("/v1/rooms", PLAIN, key=key))


async def test_a_refused_request_may_be_decided_anew(place: Place) -> None:
    seats = "/v1/rooms/{full}/seats"
    bob = await place.served.guest("Bob")
    refused(await place.post(seats, by=bob), Reason.ROOM_FULL)
    refused(await place.post(seats, {"colour": 1}, by=bob), Reason.UNKNOWN_FIELD, field="colour")
    assert not place.served.kept.answers
    told(await place.served.delete(f"/v1/rooms/{place.full}/seats/2", by=place.ada), 204)
    assert told(await place.post(seats, by=bob), 201) == {"seat": 2}


async def test_who_comes_while_the_first_is_refused_is_decided_anew(place: Place) -> None:
    bob = await place.served.guest("Bob")
    seats = "/v1/rooms/{full}/seats"
    for answer in await asyncio.gather(*(place.post(seats, by=bob) for _ in range(3))):
        refused(answer, Reason.ROOM_FULL)


@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize(("path", "body", "status"), [POSTS[place] for place in (2, 3, 4)])
async def test_an_append_of_unknown_outcome_makes_no_second_effect(
    place: Place, path: str, body: Any, status: int, fault: Fault
) -> None:
    before = (await place.entries())[place.room] + (await place.entries())[place.full]
    place.served.store.fail(fault)
    asked = asyncio.ensure_future(place.post(path, body))
    await quiet()
    assert not asked.done()
    await place.served.clock.passes(500)
    first = await asked
    assert first.status_code == status
    assert _same(first, await place.post(path, body))
    after = await place.entries()
    assert after[place.room] + after[place.full] == before + 1


async def test_a_store_that_is_down_leaves_it_open_and_the_key_settles_it(place: Place) -> None:
    place.served.store.down = True
    for path, body, _ in POSTS:
        refused(await place.post(path, body), Reason.UNAVAILABLE, retry_after_ms=1_000)
    place.served.store.down = False
    for path, body, status in POSTS:
        told(await place.post(path, body, key=path), status)


async def test_whoever_does_not_wait_for_the_answer_finds_it_later(place: Place) -> None:
    seats = "/v1/rooms/{room}/seats"
    place.served.store.hold()
    asked = asyncio.ensure_future(place.post(seats))
    await quiet()
    asked.cancel()
    await quiet()
    place.served.store.let_go()
    await quiet()
    assert told(await place.post(seats), 201) == {"seat": 0}


async def test_fifty_repeats_at_once_are_one(place: Place) -> None:
    crowd = await place.served.guests(25)
    asked = [place.post("/v1/rooms/{room}/seats", by=guest) for guest in crowd for _ in range(2)]
    answers = await asyncio.gather(*asked)
    for first, second in zip(answers[::2], answers[1::2], strict=True):
        assert _same(first, second) or first.status_code == second.status_code == 409
    seated = [told(answer, 201)["seat"] for answer in answers if answer.status_code == 201]
    assert seated == [0, 0, 1, 1, 2, 2]


async def test_a_store_on_disk_remembers_too(tmp_path: Path) -> None:
    served = await Served.open()
    await served.close()

    async def start() -> None:
        store = await SqliteStore.open(tmp_path, clock=served.clock.now)
        await served.start(store)

    await start()
    ada = await served.guest()
    first = await served.post("/v1/rooms", PLAIN, by=ada, key="k")
    mute = await served.post(f"/v1/rooms/{told(first, 201)['room']}/mutes", MUTE, by=ada, key="m")
    await served.close()
    await start()
    assert _same(first, await served.post("/v1/rooms", PLAIN, by=ada, key="k"))
    room = told(first, 201)["room"]
    assert _same(mute, await served.post(f"/v1/rooms/{room}/mutes", MUTE, by=ada, key="m"))
    await served.close()


async def test_how_long_a_key_is_kept_is_a_setting() -> None:
    served = await Served.open(Settings(lobby=LobbyLimits(key_kept_ms=10)))
    ada = await served.guest()
    first = told(await served.post("/v1/rooms", PLAIN, by=ada, key="k"), 201)
    await served.clock.passes(10)
    second = told(await served.post("/v1/rooms", PLAIN, by=ada, key="k"), 201)
    assert first["room"] != second["room"]
    await served.close()
