"""PROTOCOL.md, "HTTP": a private room looks like an unknown one to anybody without its secret."""

from typing import Any

import pytest
from httpx import Response

from saleroom_protocol.errors import Reason
from tests.http.games import Over
from tests.http.served import Guest, Served, refused, told

NOWHERE = "raaaaaaaaaaaa"
BOT = {"level": "easy"}
REQUESTS: list[tuple[str, str, Any]] = [
    ("GET", "", None),
    ("GET", "/stream", None),
    ("GET", "/record", None),
    ("GET", "/record?draws=1", None),
    ("POST", "/seats", None),
    ("POST", "/seats", {"seat": 1}),
    ("POST", "/seats", {"seat": 9}),
    ("POST", "/seats", {"invite": "guessed", "entropy": "00" * 16}),
    ("POST", "/seats", {"colour": "red"}),
    ("POST", "/bots", BOT),
    ("POST", "/bots", {"level": "hard"}),
    ("POST", "/start", None),
    ("POST", "/mutes", {"player": "p" + "a" * 16, "muted": True}),
    ("DELETE", "/seats/0", None),
    ("DELETE", "/seats/x", None),
]


@pytest.fixture
async def room(served: Served, ada: Guest) -> Any:
    """A private room that Ada has made."""
    return await served.room(ada, visibility="private")


def _seen(response: Response) -> tuple[int, Any, bytes]:
    """Return all there is to see of an answer."""
    return response.status_code, sorted(response.headers.multi_items()), response.content


@pytest.mark.parametrize(("method", "path", "body"), REQUESTS)
async def test_to_a_stranger_it_is_to_the_byte_a_room_that_does_not_exist(
    served: Served, room: Any, method: str, path: str, body: Any
) -> None:
    joined = "&" if "?" in path else "?"
    for by in (await served.guest("Bob"), None):
        for secret in ("", f"{joined}watch=guessed", f"{joined}watch={room['invite']}"):
            asked = [
                await served.ask(method, f"/v1/rooms/{name}{path}{secret}", body, by=by)
                for name in (room["room"], NOWHERE)
            ]
            assert _seen(asked[0]) == _seen(asked[1])
            assert asked[0].status_code >= 400


@pytest.mark.parametrize(("method", "path", "body"), REQUESTS)
async def test_also_with_a_key_a_broken_token_or_before_it_is_in_memory(
    served: Served, room: Any, method: str, path: str, body: Any
) -> None:
    bob, broken = await served.guest("Bob"), Guest("", "", "broken")
    served.kept.rooms[NOWHERE[::-1]] = served.kept.rooms[room["room"]]
    await served.restart()
    for by, key in ((bob, "k"), (broken, None)):
        asked = [
            await served.ask(method, f"/v1/rooms/{name}{path}", body, by=by, key=key)
            for name in (room["room"], NOWHERE)
        ]
        assert _seen(asked[0]) == _seen(asked[1])


async def test_it_is_in_no_list_not_even_its_creators(
    served: Served, room: Any, ada: Guest
) -> None:
    assert told(await served.get("/v1/rooms", by=ada), 200) == {"rooms": []}


async def test_whoever_has_the_word_may_look_on(served: Served, room: Any) -> None:
    path, watch = f"/v1/rooms/{room['room']}", f"?watch={room['watch']}"
    assert told(await served.get(path + watch), 200)["room"] == room["room"]
    response = await served.get(f"{path}/record{watch}")
    refused(response, Reason.NOT_FINISHED, status="waiting")


async def test_whoever_has_an_invitation_may_sit_down(served: Served, room: Any) -> None:
    path, bob = f"/v1/rooms/{room['room']}", await served.guest("Bob")
    seat = {"invite": room["invite"]}
    assert told(await served.post(f"{path}/seats", seat, by=bob), 201) == {"seat": 1}
    assert told(await served.get(path, by=bob), 200)["host"] == room["host"]
    assert told(await served.post(f"{path}/seats", by=bob), 200) == {"seat": 1}
    refused(await served.post(f"{path}/start", by=bob), Reason.NOT_HOST)


async def test_looking_on_is_no_invitation(served: Served, room: Any) -> None:
    path, bob = f"/v1/rooms/{room['room']}/seats?watch={room['watch']}", await served.guest()
    for body in ({}, {"invite": room["watch"]}, {"invite": ""}):
        refused(await served.post(path, body, by=bob), Reason.NOT_INVITED)


async def test_an_invitation_is_no_word_to_look_on_with(served: Served, room: Any) -> None:
    path = f"/v1/rooms/{room['room']}"
    refused(await served.get(f"{path}?watch={room['invite']}"), Reason.UNKNOWN_ROOM)


async def test_the_creator_needs_neither(served: Served, ada: Guest) -> None:
    room = await served.room(ada, visibility="private", take_seat=False)
    path = f"/v1/rooms/{room['room']}"
    assert await served.sits(ada, room["room"]) == 0
    told(await served.post(f"{path}/bots", BOT, by=ada), 201)
    told(await served.delete(f"{path}/seats/0", by=ada), 204)
    assert told(await served.get(path, by=ada), 200)["host"] == ada.player


async def test_whoever_gave_up_the_seat_is_a_stranger_again(served: Served, room: Any) -> None:
    path, bob = f"/v1/rooms/{room['room']}", await served.guest("Bob")
    await served.sits(bob, room["room"], invite=room["invite"])
    told(await served.delete(f"{path}/seats/1", by=bob), 204)
    refused(await served.get(path, by=bob), Reason.UNKNOWN_ROOM)


async def test_secrets_are_told_once_and_to_the_creator_alone(
    served: Served, room: Any, ada: Guest
) -> None:
    path, bob = f"/v1/rooms/{room['room']}", await served.guest("Bob")
    await served.sits(bob, room["room"], invite=room["invite"])
    for by in (ada, bob):
        text = (await served.get(path, by=by)).text
        assert room["invite"] not in text
        assert room["watch"] not in text


async def test_the_record_of_a_private_room_needs_its_secret_or_a_seat(
    ended: tuple[Served, Over],
) -> None:
    served, over = ended
    for put_away in (False, True):
        if put_away:
            await served.clock.passes(60 * 60_000)
            served.service.hall.sweep()
            await served.clock.passes(0)
        path, stranger = f"/v1/rooms/{over.private}/record", await served.guest()
        for by in (over.ada, over.bob):
            assert (await served.get(path, by=by)).status_code == 200
        assert (await served.get(f"{path}?watch={over.watch}")).status_code == 200
        for nobody in (stranger, None):
            for query in ("", "?watch=guessed", "?draws=1"):
                asked = [
                    await served.get(f"/v1/rooms/{name}/record{query}", by=nobody)
                    for name in (over.private, NOWHERE)
                ]
                assert _seen(asked[0]) == _seen(asked[1])
                refused(asked[0], Reason.UNKNOWN_ROOM)
