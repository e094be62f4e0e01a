"""PROTOCOL.md, "HTTP": public rooms, a page at a time."""

from typing import Any

import pytest

from saleroom_protocol.errors import Reason
from saleroom_server.http.limits import LobbyLimits
from saleroom_server.settings import Settings
from tests.http.games import Over
from tests.http.served import Guest, Served, refused, told


async def _listed(served: Served, query: str = "") -> list[str]:
    page = told(await served.get(f"/v1/rooms{query}"), 200)
    return [summary["room"] for summary in page["rooms"]]


async def _makes(served: Served, by: Guest, count: int, **fields: Any) -> list[str]:
    """Make rooms, some of them in the same millisecond; return them, the oldest first."""
    made = []
    for number in range(count):
        made.append((await served.room(by, **fields))["room"])
        if number % 3 == 2:
            await served.clock.passes(1)
    return made


async def test_public_rooms_are_listed_the_newest_first(served: Served, ada: Guest) -> None:
    made = []
    for visibility in ("public", "private", "public"):
        made.append((await served.room(ada, visibility=visibility))["room"])
        await served.clock.passes(1)
    assert await _listed(served) == [made[2], made[0]]


async def test_a_listed_room_is_the_summary_of_it(served: Served, ada: Guest) -> None:
    room = (await served.room(ada))["room"]
    page = told(await served.get("/v1/rooms"), 200)
    assert page == {"rooms": [await served.summary(room)]}


async def test_no_token_is_needed_and_none_looked_at(served: Served) -> None:
    response = await served.get("/v1/rooms", headers={"Authorization": "Bearer broken"})
    assert told(response, 200) == {"rooms": []}


async def test_rooms_are_found_by_status(ended: tuple[Served, Over]) -> None:
    served, over = ended
    running = (await served.room(over.ada, bots=[{"level": "easy"}] * 2))["room"]
    await served.clock.passes(2_000)
    waiting = (await served.room(over.ada))["room"]
    assert await _listed(served, "?status=waiting") == [waiting]
    assert await _listed(served, "?status=running") == [running]
    assert await _listed(served, "?status=finished") == [over.public]
    assert await _listed(served, "?status=closed&game=kunstmarkt") == [over.closed]
    assert await _listed(served, "?status=failed") == []
    assert await _listed(served, "?game=chess") == []


async def test_what_is_left_empty_is_not_asked_for(served: Served, ada: Guest) -> None:
    room = (await served.room(ada))["room"]
    assert await _listed(served, "?game=&status=&limit=&after=") == [room]


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 10, 11])
async def test_pages_together_are_the_whole_list_while_rooms_are_being_made(
    served: Served, ada: Guest, limit: int
) -> None:
    made = await _makes(served, ada, 10)
    found: list[str] = []
    after = ""
    while True:
        page = told(await served.get(f"/v1/rooms?limit={limit}&after={after}"), 200)
        assert len(page["rooms"]) <= limit
        found += [summary["room"] for summary in page["rooms"]]
        await served.clock.passes(1)
        await _makes(served, ada, 2)  # these are newer than any page asked for from now on
        after = page.get("next")
        if after is None:
            break
    at = {room: (await served.summary(room))["created_at"] for room in made}
    wanted = sorted(made, key=lambda room: (at[room], room), reverse=True)
    assert [room for room in found if room in made] == wanted
    assert len(found) == len(set(found))


async def test_a_page_goes_on_where_a_room_was_that_is_gone(served: Served, ada: Guest) -> None:
    made = await _makes(served, ada, 6)
    first = told(await served.get("/v1/rooms?limit=3"), 200)
    await served.clock.passes(30 * 60_000)  # all are closed
    newer = (await served.room(ada))["room"]
    await served.clock.passes(60 * 60_000)
    for _ in range(2):
        served.service.hall.sweep()
        await served.clock.passes(0)
    assert await _listed(served) == [newer]
    assert await _listed(served, f"?after={first['next']}") == []
    assert len(made) == 6


async def test_a_page_has_fifty_rooms_and_at_most_two_hundred() -> None:
    assert (LobbyLimits().page, LobbyLimits().page_most) == (50, 200)
    limits = LobbyLimits(page=2, page_most=3)
    served = await Served.open(Settings(lobby=limits))
    await _makes(served, await served.guest(), 5)
    assert len(await _listed(served)) == 2
    for limit, count in {"1": 1, "3": 3, "4": 3, "999999999": 3}.items():
        assert len(await _listed(served, f"?limit={limit}")) == count
    await served.close()


async def test_for_one_page_only_so_many_rooms_are_looked_through() -> None:
    served = await Served.open(Settings(lobby=LobbyLimits(page_searched=4)))
    ada = await served.guest()
    wanted = await _makes(served, ada, 2)
    await _makes(served, ada, 9, visibility="private")
    await served.clock.passes(1)
    wanted += await _makes(served, ada, 1)
    found: list[str] = []
    page: dict[str, Any] = {"next": ""}
    pages = 0
    while "next" in page:
        page = told(await served.get(f"/v1/rooms?limit=2&after={page['next']}"), 200)
        found += [summary["room"] for summary in page["rooms"]]
        pages += 1
    assert sorted(found) == sorted(wanted)
    assert pages == 3, "twelve rooms, four at a time"
    await served.close()


@pytest.mark.parametrize("limit", ["0", "-1", "x", "1.5", "٣", "1e3", "9" * 10, "9" * 5_000, "%00"])
async def test_a_limit_is_a_number_of_rooms(served: Served, limit: str) -> None:
    refused(await served.get(f"/v1/rooms?limit={limit}"), Reason.MALFORMED, field="limit")


@pytest.mark.parametrize("after", ["x", "0", "%00", "ä", "000001790000000000-r", "z" * 5_000])
async def test_any_place_can_be_gone_on_from(served: Served, after: str) -> None:
    assert told(await served.get(f"/v1/rooms?after={after}"), 200) == {"rooms": []}


async def test_the_list_is_the_same_after_a_restart(served: Served, ada: Guest) -> None:
    await _makes(served, ada, 7)
    before = await _listed(served)
    await served.restart()
    assert await _listed(served) == before
