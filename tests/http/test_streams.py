"""GET /v1/rooms/{room}/stream: who may read, how it begins, how it ends. PROTOCOL.md, "HTTP"."""

import json
from typing import Any

import pytest

from saleroom_protocol.errors import Reason
from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.http.limits import LobbyLimits
from saleroom_server.rooms.commands import Close
from saleroom_server.settings import Settings
from tests.http.games import Over
from tests.http.served import Guest, Served, refused, told
from tests.support.event_source import read
from tests.support.hand_clock import quiet
from tests.support.listeners import Listener


@pytest.fixture
async def room(served: Served, ada: Guest) -> str:
    """A room in which Ada waits."""
    return str((await served.room(ada))["room"])


async def reads(served: Served, room: str, query: str = "", **headers: str) -> Listener:
    """Begin to read a room that goes on."""
    listener = Listener()
    listener.reads(
        served.app,
        path=f"/v1/rooms/{room}/stream",
        raw_path=b"",
        query_string=query.encode(),
        headers=[
            (name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()
        ],
        client=("192.0.2.1", 4242),
    )
    await quiet()
    return listener


async def test_it_is_a_stream_of_events_that_nothing_on_the_way_may_keep(
    served: Served, room: str
) -> None:
    listener = await reads(served, room, origin="https://page.example")
    assert listener.head["status"] == 200
    assert listener.headers["content-type"] == "text/event-stream"
    assert listener.headers["cache-control"] == "no-store"
    assert listener.headers["x-accel-buffering"] == "no"
    assert listener.headers["access-control-allow-origin"] == "*"
    assert listener.source.retry_ms == GatewayLimits().retry_ms
    assert listener.kinds == ["view"]
    listener.drops()


async def test_what_happens_comes_at_once_and_who_has_gone_is_forgotten(
    served: Served, room: str, bob: Guest
) -> None:
    listener = await reads(served, room)
    await served.sits(bob, room)
    await quiet()
    assert listener.kinds == ["view", "update"]
    assert listener.document["seats"]["1"]["name"] == bob.name
    assert (await served.summary(room))["spectators"] == 1
    listener.drops()
    await quiet()
    assert not listener.is_served
    assert len(served.service.gateway) == 0
    assert (await served.summary(room))["spectators"] == 0


async def test_the_last_event_id_resumes(served: Served, room: str, bob: Guest) -> None:
    first = await reads(served, room)
    first.drops()
    await served.sits(bob, room)
    again = await reads(served, room, last_event_id=first.source.last_id)
    assert again.source.events[0].kind == "update"
    assert again.messages[0]["seq"] == first.room.seq + 1
    strange = await reads(served, room, last_event_id="\x80?")
    assert strange.kinds == ["view"]
    for listener in (again, strange):
        listener.drops()


async def test_a_room_that_is_over_is_shown_once_and_then_there_is_nothing_more(
    ended: tuple[Served, Over],
) -> None:
    served, over = ended
    path = f"/v1/rooms/{over.public}/stream"
    response = await served.get(path)
    events = read(response.content)
    assert [event.kind for event in events] == ["view", "end"]
    assert json.loads(events[0].data)["document"]["status"] == "finished"
    again = await served.get(path, headers={"Last-Event-ID": events[-1].id})
    assert (again.status_code, again.content) == (204, b"")
    assert len(served.service.gateway) == 0


async def test_its_head_can_be_asked_for_and_counts_nobody(served: Served, room: str) -> None:
    path = f"/v1/rooms/{room}/stream"
    got = await reads(served, room)
    head = await served.client.head(path)
    assert head.status_code == 200
    assert dict(head.headers) == got.headers
    assert (await served.summary(room))["spectators"] == 1
    got.drops()


async def test_the_end_of_a_room_ends_it(served: Served, room: str) -> None:
    listener = await reads(served, room)
    actor = served.service.hall.actor(room)
    assert actor is not None
    await actor.ask(Close("enough"))
    await quiet()
    assert listener.kinds == ["view", "update", "end"]
    assert listener.ended
    assert not listener.is_served


async def test_a_private_room_is_read_with_the_word_or_a_seat(served: Served, ada: Guest) -> None:
    made = await served.room(ada, visibility="private")
    token = f"Bearer {ada.token}"
    for query, headers in ((f"watch={made['watch']}", {}), ("", {"authorization": token})):
        listener = await reads(served, made["room"], query, **headers)
        assert listener.kinds == ["view"]
        assert "you" not in listener.document, "a player too is shown what spectators see"
        listener.drops()
    refused(await served.get(f"/v1/rooms/{made['room']}/stream"), Reason.UNKNOWN_ROOM)


async def test_a_wrong_token_is_refused_though_none_is_needed(served: Served, room: str) -> None:
    response = await served.get(f"/v1/rooms/{room}/stream", by=Guest("", "", "wrong"))
    refused(response, Reason.BAD_TOKEN)


async def limited(settings: Settings) -> tuple[Served, str]:
    """Return a server with limits of its own, and the path of a room's stream."""
    served = await Served.open(settings)
    room: Any = await served.room(await served.guest())
    return served, f"/v1/rooms/{room['room']}/stream"


async def test_a_server_that_takes_no_more_sockets_takes_no_more_readers() -> None:
    served, path = await limited(Settings(socket=GatewayLimits(sockets=1)))
    listener = await reads(served, path.split("/")[3])
    response = await served.get(path)
    refused(response, Reason.FULL, retry_after_ms=GatewayLimits().closing_spread_ms)
    listener.drops()
    await served.close()


async def test_it_is_a_request_like_any_other() -> None:
    served, path = await limited(
        Settings(lobby=LobbyLimits(requests_per_second=1, requests_at_once=2))
    )
    refused(await served.get(path), Reason.RATE_LIMITED, retry_after_ms=1_000)
    await served.close()


async def test_of_a_room_that_was_put_away_there_is_none(ended: tuple[Served, Over]) -> None:
    served, over = ended
    await served.clock.passes(60 * 60_000)
    served.service.hall.sweep()
    await served.clock.passes(0)
    assert told(await served.get(f"/v1/rooms/{over.public}/stream"), 404)["reason"]
