"""Secrecy of the lobby: while a game goes on no answer holds what only its end may show."""

from typing import Any

from saleroom_rules.rng import seed_of
from tests.http.served import Guest, Served
from tests.support.worlds import kunstmarkt_hidden

ASKED = ["", "/record", "/record?draws=1"]


async def test_no_answer_holds_a_secret_of_a_game_that_goes_on(
    served: Served, ada: Guest, bob: Guest
) -> None:
    made = await served.room(ada, entropy="ab" * 16, bots=[{"level": "easy"}])
    room = made["room"]
    answers = b"".join([await everything(served, room, by) for by in (None, ada, bob)])
    await served.sits(bob, room)
    await served.clock.passes(2_000)
    for _ in range(3):
        await served.clock.passes(30_000)
        answers += b"".join([await everything(served, room, by) for by in (None, ada, bob)])
    standing: Any = await served.standing(room)
    assert standing.status == "running"
    founding = standing.founding
    _, seed = seed_of(founding.server_seed, room, 3, standing.contributions)
    assert founding.commitment.encode() in answers
    for secret in (founding.server_seed, seed.hex(), made["invite"], made["watch"], ada.token):
        assert secret.encode() not in answers
    for card in kunstmarkt_hidden(standing.state, None):
        assert f'"{card}"'.encode() not in answers


async def everything(served: Served, room: str, by: Guest | None) -> bytes:
    """Ask for all there is to read of a room."""
    paths = ["/v1/rooms", *(f"/v1/rooms/{room}{path}" for path in ASKED)]
    asked = [await served.get(path, by=by) for path in paths]
    return b"".join(response.content + str(response.headers).encode() for response in asked)
