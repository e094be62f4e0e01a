"""Whatever the list offers can be entered: rooms that have failed or are gone are not among it."""

from collections.abc import Callable

import pytest

from saleroom_rules.games import GAMES
from tests.http.served import Guest, Served, told
from tests.support.memory_store import Kept

Befalls = Callable[[Kept, str], None]
SPOILT = b"nothing that can be read"


def spoil_the_end(kept: Kept, room: str) -> None:
    kept.rooms[room].entries.append(SPOILT)


def spoil_the_beginning(kept: Kept, room: str) -> None:
    kept.rooms[room].entries[0] = SPOILT


def lose(kept: Kept, room: str) -> None:
    del kept.rooms[room]


@pytest.mark.parametrize("befalls", [spoil_the_end, spoil_the_beginning, lose])
async def test_a_room_that_cannot_be_read_back_is_offered_no_more(
    served: Served, ada: Guest, befalls: Befalls
) -> None:
    dead, alive = (await served.room(ada))["room"], (await served.room(ada))["room"]
    befalls(served.kept, dead)
    await served.restart()
    await served.clock.passes(1_000)
    assert await offered(served) == [alive]


async def test_nor_is_one_of_a_game_that_is_not_played_here(
    served: Served, ada: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    await served.room(ada, game="vernissage")
    alive = (await served.room(ada))["room"]
    await served.close()
    monkeypatch.delitem(GAMES, "vernissage")
    await served.start()
    await served.clock.passes(1_000)
    assert await offered(served) == [alive]


async def offered(served: Served) -> list[str]:
    """List the rooms one may sit down in, and sit down in each."""
    guest = await served.guest("Bob")
    page = told(await served.get("/v1/rooms?status=waiting"), 200)
    rooms = [summary["room"] for summary in page["rooms"]]
    for room in rooms:
        await served.sits(guest, room)
    return rooms
