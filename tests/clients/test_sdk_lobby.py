"""The lobby over real sockets: what is sent, what is sent again, and what is raised."""

from collections.abc import Iterator
from typing import Any

import pytest

from saleroom_client import ConnectionLost, Lobby, Refused, VersionMismatch, connect, forms, play
from saleroom_client.exchange import root_of
from saleroom_protocol.http import HouseBot
from tests.support.scripted_lobby import (
    BROKEN,
    Answer,
    LobbyServer,
    Request,
    lobby_server,
    problem,
)
from tests.support.scripted_stream import ROOM, TOKEN, House, Instant, serving

SUMMARY = {
    "room": ROOM,
    "game": "kunstmarkt",
    "edition": 1,
    "status": "waiting",
    "host": "paaaaaaaaaaaaaaaa",
    "seat_count": 3,
    "seats": {"0": {"name": "Ada", "kind": "bot", "connected": False}},
    "options": {"hidden_cash": False},
    "pace": "standard",
    "visibility": "public",
    "spectators": 0,
    "commitment": "00",
    "created_at": 1,
    "a_later_field": True,
}
HELD = Answer(201, {"seat": 2})
NOTHING = Answer(204)


@pytest.fixture
def server() -> Iterator[LobbyServer]:
    with lobby_server() as server:
        yield server


@pytest.fixture
def instant() -> Instant:
    return Instant()


@pytest.fixture
def lobby(server: LobbyServer, instant: Instant) -> Lobby:
    return Lobby(server.url, TOKEN, outside=instant.outside())


def asked(server: LobbyServer) -> list[tuple[str, str, Any]]:
    return [(request.method, request.path, request.body) for request in server.requests]


async def test_registering_makes_a_player_to_act_for(server: LobbyServer) -> None:
    identity = {"player": "p", "name": "Ada", "kind": "bot", "token": "new", "expires_at": 5}
    server.answers = [Answer(201, identity), Answer(201, {"token": "newer", "expires_at": 6})]
    lobby = Lobby(server.url)
    assert (await lobby.register("Ada")).token == "new"
    assert lobby.token == "new"
    assert (await lobby.renew()).expires_at == 6
    assert lobby.token == "newer"
    first, second = server.requests
    assert first == Request("POST", "/v1/players", None, None, {"name": "Ada", "kind": "bot"})
    assert (second.path, second.token) == ("/v1/players/me/token", "Bearer new")
    assert second.key is not None


async def test_games_and_catalogues_are_listed(lobby: Lobby, server: LobbyServer) -> None:
    game = {"game": "toy", "title": "Toy", "seats": [3, 4], "edition": 1, "options": {}}
    server.answers = [Answer(200, [game]), Answer(200, {"game": "toy"})]
    (info,) = await lobby.games()
    assert info.seats == (3, 4)
    assert await lobby.catalogue("toy", 1) == {"game": "toy"}
    assert asked(server) == [
        ("GET", "/v1/games", None),
        ("GET", "/v1/games/toy/editions/1/catalogue", None),
    ]


async def test_a_room_is_made_with_what_differs_from_the_defaults(
    lobby: Lobby, server: LobbyServer
) -> None:
    made = SUMMARY | {"invite": "i", "watch": "w", "seat": 0}
    server.answers = [Answer(201, made), Answer(201, made)]
    info = await lobby.create_room("kunstmarkt", 3)
    assert (info.room, info.invite, info.seat) == (ROOM, "i", 0)
    await lobby.create_room(
        "kunstmarkt",
        4,
        options={"hidden_cash": True},
        visibility="private",
        bots=["easy", HouseBot(level="steady", seat=2)],
        entropy="00" * 16,
    )
    assert [request.body for request in server.requests] == [
        {"game": "kunstmarkt", "seats": 3},
        {
            "game": "kunstmarkt",
            "seats": 4,
            "options": {"hidden_cash": True},
            "visibility": "private",
            "bots": [{"level": "easy"}, {"seat": 2, "level": "steady"}],
            "entropy": "00" * 16,
        },
    ]


async def test_rooms_are_found(lobby: Lobby, server: LobbyServer) -> None:
    server.answers = [
        Answer(200, {"rooms": [SUMMARY], "next": "n"}),
        Answer(200, {"rooms": []}),
        Answer(200, SUMMARY),
    ]
    page = await lobby.rooms(game="kunstmarkt", status="waiting", limit=1)
    assert (page.rooms[0].room, page.next) == (ROOM, "n")
    await lobby.rooms(after="n")
    assert (await lobby.room("r/1", watch="w")).host == "paaaaaaaaaaaaaaaa"
    assert [path for _, path, _ in asked(server)] == [
        "/v1/rooms?game=kunstmarkt&status=waiting&limit=1",
        "/v1/rooms?after=n",
        "/v1/rooms/r%2F1?watch=w",
    ]


async def test_seats_are_taken_and_given_up(lobby: Lobby, server: LobbyServer) -> None:
    server.answers = [HELD, HELD, HELD, HELD, NOTHING]
    assert await lobby.take_seat(ROOM) == 2
    await lobby.take_seat(ROOM, 2, invite="i", entropy="00" * 16)
    assert await lobby.add_bot(ROOM) == 2
    await lobby.add_bot(ROOM, "easy", seat=2)
    await lobby.give_up_seat(ROOM, 2)
    assert asked(server) == [
        ("POST", f"/v1/rooms/{ROOM}/seats", {}),
        ("POST", f"/v1/rooms/{ROOM}/seats", {"seat": 2, "invite": "i", "entropy": "00" * 16}),
        ("POST", f"/v1/rooms/{ROOM}/bots", {"level": "steady"}),
        ("POST", f"/v1/rooms/{ROOM}/bots", {"seat": 2, "level": "easy"}),
        ("DELETE", f"/v1/rooms/{ROOM}/seats/2", None),
    ]


async def test_the_host_starts_and_mutes(lobby: Lobby, server: LobbyServer) -> None:
    server.answers = [Answer(202), NOTHING, NOTHING]
    await lobby.start(ROOM)
    await lobby.mute(ROOM, "p")
    await lobby.mute(ROOM, "p", False)
    assert asked(server) == [
        ("POST", f"/v1/rooms/{ROOM}/start", None),
        ("POST", f"/v1/rooms/{ROOM}/mutes", {"player": "p", "muted": True}),
        ("POST", f"/v1/rooms/{ROOM}/mutes", {"player": "p", "muted": False}),
    ]


async def test_a_record_is_given_as_it_is(lobby: Lobby, server: LobbyServer) -> None:
    server.answers = [Answer(200, b"{}\n"), Answer(200, b"{}\n{}\n")]
    assert await lobby.record(ROOM) == b"{}\n"
    assert await lobby.record(ROOM, draws=True) == b"{}\n{}\n"
    assert [path.partition("?")[2] for _, path, _ in asked(server)] == ["", "draws=1"]


async def test_a_post_is_tried_again_with_its_key(
    lobby: Lobby, server: LobbyServer, instant: Instant
) -> None:
    wait = Answer(429, problem(429, "rate_limited").body, {"Retry-After": "7"})
    server.answers = [BROKEN, wait, problem(503, "unavailable"), Answer(503, b"proxy"), HELD, HELD]
    assert await lobby.take_seat(ROOM) == 2
    keys = {request.key for request in server.requests}
    assert len(server.requests) == 5
    assert len(keys) == 1
    assert None not in keys
    assert instant.slept == [0.25, 7.0, 1.0, 2.0]
    await lobby.take_seat(ROOM)
    assert server.requests[-1].key not in keys


async def test_a_get_is_tried_again_too(lobby: Lobby, server: LobbyServer) -> None:
    server.answers = [BROKEN, problem(503, "busy"), Answer(200, [])]
    assert await lobby.games() == []
    assert {request.key for request in server.requests} == {None}


async def test_a_delete_is_tried_again_only_if_nothing_was_done(
    lobby: Lobby, server: LobbyServer
) -> None:
    server.answers = [problem(503, "busy"), problem(503, "unavailable")]
    with pytest.raises(Refused, match="unavailable"):
        await lobby.give_up_seat(ROOM, 0)
    server.answers = [BROKEN]
    with pytest.raises(ConnectionLost):
        await lobby.give_up_seat(ROOM, 0)
    assert len(server.requests) == 3


async def test_trying_again_has_an_end(lobby: Lobby, server: LobbyServer, instant: Instant) -> None:
    server.answers = [problem(503, "full", retry_after_ms=1500)] * 5
    with pytest.raises(Refused) as caught:
        await lobby.start(ROOM)
    assert (caught.value.reason, caught.value.status) == ("full", 503)
    assert instant.slept == [1.5] * 4
    server.answers = [BROKEN] * 5
    with pytest.raises(ConnectionLost, match="/start") as lost:
        await lobby.start(ROOM)
    assert lost.value.code is None
    assert lost.value.__cause__ is not None


async def test_a_pause_too_long_is_reported_at_once(
    lobby: Lobby, server: LobbyServer, instant: Instant
) -> None:
    server.answers = [Answer(429, problem(429, "rate_limited").body, {"Retry-After": "3600"})]
    with pytest.raises(Refused, match="rate_limited"):
        await lobby.start(ROOM)
    assert instant.slept == []


@pytest.mark.parametrize(
    ("status", "reason", "facts"),
    [
        (401, "bad_token", {}),
        (403, "not_host", {}),
        (404, "unknown_room", {}),
        (409, "seat_taken", {"seat": 2}),
        (422, "bad_options", {"field": "hidden_cash"}),
        (500, "internal_error", {}),
    ],
)
async def test_an_error_is_raised_with_its_reason(
    lobby: Lobby, server: LobbyServer, status: int, reason: str, facts: dict[str, Any]
) -> None:
    server.answers = [problem(status, reason, **facts)]
    with pytest.raises(Refused) as caught:
        await lobby.take_seat(ROOM)
    refused = caught.value
    assert (refused.reason, refused.facts, refused.status) == (reason, facts, status)
    assert refused.message == "Scripted."


@pytest.mark.parametrize("status", [302, 404, 502])
async def test_an_error_without_a_reason_has_its_status(
    lobby: Lobby, server: LobbyServer, status: int
) -> None:
    server.answers = [Answer(status, b"<h1>Not here</h1>", {"Location": "https://example.org"})]
    with pytest.raises(Refused, match=f"http_{status}"):
        await lobby.games()


async def test_an_answer_that_cannot_be_read_is_of_another_version(
    lobby: Lobby, server: LobbyServer
) -> None:
    server.answers = [Answer(201, {"chair": 2}), Answer(201, b"")]
    for _ in range(2):
        with pytest.raises(VersionMismatch):
            await lobby.take_seat(ROOM)


def test_a_root_may_have_a_path_and_be_given_as_the_sockets_address() -> None:
    assert root_of("https://example.org/saleroom/").geturl() == "https://example.org/saleroom"
    assert root_of("ws://localhost:8000/v1/play").geturl() == "http://localhost:8000"
    with pytest.raises(ValueError, match="not the address of a server"):
        Lobby("ftp://example.org")


async def test_a_server_with_tls_is_asked_over_tls(server: LobbyServer, instant: Instant) -> None:
    url = server.url.replace("http:", "https:")
    with pytest.raises(ConnectionLost):
        await Lobby(url, attempts=1, outside=instant.outside()).games()


async def test_play_asks_for_the_catalogue_by_itself(server: LobbyServer) -> None:
    house, seen = House(), []

    def strategy(document: Any, catalogue: Any, pick: Any) -> Any:
        seen.append(catalogue)
        return forms.at_random(document, catalogue, pick)

    server.answers = [Answer(200, {"ids": ["p01"]})]
    async with serving(house), connect(house.url, TOKEN) as connection:
        room = await connection.join(ROOM)
        connection.url = server.url  # the scripted server speaks no HTTP
        await play(room, strategy)
    assert seen == [{"ids": ["p01"]}] * 4
    assert asked(server) == [("GET", "/v1/games/toy/editions/1/catalogue", None)]
