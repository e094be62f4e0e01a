"""What the lobby of a node tells of rooms that are elsewhere."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from saleroom_rules.games import GAMES
from saleroom_server.cluster.peer_limits import PeerLimits
from saleroom_server.rooms.commands import Close, Start
from saleroom_server.rooms.limits import RoomLimits
from saleroom_server.store import interface as stores
from tests.support.clusters import Cluster, joins
from tests.support.logged import complaints
from tests.support.nodes import PEOPLE, Node
from tests.support.samples import samples

KEPT_MS = 5_000  # a room that has ended
NEWS_MS, RESEND_MS = PeerLimits().news_ms, PeerLimits().resend_ms


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    made = await Cluster(room=RoomLimits(kept_ms=KEPT_MS)).starts("a", "b")
    yield made
    await made.closes()


def counted(node: Node) -> dict[str, int]:
    """Return how many rooms a node counts, by status."""
    read = samples(node.metrics.registry)
    by_status = {
        status: int(read.value("rooms", status=status)) for status in read.labels("rooms", "status")
    }
    return {status: number for status, number in by_status.items() if number}


async def test_what_has_become_of_a_room_is_shown_and_counted_everywhere(cluster: Cluster) -> None:
    made = await cluster["a"].makes()
    assert counted(cluster["b"]) == {"waiting": 1}
    await cluster["a"].seats(made.room, *PEOPLE[1:3], invite=made.invite)
    await cluster["a"].actor(made.room).ask(Start(PEOPLE[0]))
    await cluster.clock.passes(NEWS_MS)
    for node in cluster.nodes.values():
        assert node.hall.status(made.room) == "running"
        assert node.hall.summary(made.room).seats.keys() == {"0", "1", "2"}
        assert node.hall.holds_seat(PEOPLE[2].player or "")
        assert counted(node) == {"running": 1}


async def test_who_is_there_is_told_by_its_owners_lobby_and_to_whoever_joins(
    cluster: Cluster,
) -> None:
    table = await cluster["a"].plays()
    await cluster.clock.passes(NEWS_MS)
    for name, there in (("a", True), ("b", False)):
        seats = cluster[name].hall.summary(table.room).seats.values()
        assert [seat.connected for seat in seats] == [there] * 3
    seats = (await joins(cluster, "b", table.room)).document(table.room)["seats"].values()
    assert [seat["connected"] for seat in seats] == [True] * 3


async def test_that_a_room_has_failed_is_shown_everywhere(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await cluster["a"].plays()

    def raising(*_: Any) -> Any:
        raise KeyError

    monkeypatch.setattr(GAMES["kunstmarkt"], "default", raising)
    await cluster.clock.goes_to(table.window["closes_at"] + 251)
    await cluster.clock.passes(NEWS_MS)
    for node in cluster.nodes.values():
        assert node.hall.status(table.room) == "failed"
        assert counted(node) == {"failed": 1}


async def test_news_that_come_twice_count_once(cluster: Cluster) -> None:
    room = await cluster["a"].starts()
    head = stores.Head(room, cluster.shared.kept.rooms[room].head)
    for _ in range(3):
        cluster["b"].hall.learn(head)
    assert counted(cluster["b"]) == {"running": 1}
    assert [*cluster["b"].hall.rooms()] == [room]


async def test_news_of_a_room_that_is_in_memory_tell_its_owner_nothing(cluster: Cluster) -> None:
    made = await cluster["a"].makes()
    old = stores.Head(made.room, cluster.shared.kept.rooms[made.room].head)
    await cluster["a"].actor(made.room).ask(Close("enough"))
    cluster["a"].hall.learn(old, cluster.ids["b"])
    assert cluster["a"].hall.status(made.room) == "closed"
    cluster["a"].hall.miss(made.room)
    assert made.room in cluster["a"].hall.rooms()
    assert cluster["a"].actor(made.room).elsewhere == ""


async def test_a_head_that_cannot_be_read_tells_nothing(cluster: Cluster) -> None:
    room = await cluster["a"].starts()
    before = cluster["b"].hall.head(room)
    with complaints() as complained:
        for body in (b"", b"\xc1", msgspec.msgpack.encode({"summary": 1})):
            cluster["b"].hall.learn(stores.Head(room, body))
            cluster["b"].hall.learn(stores.Head("of another release", body), cluster.ids["a"])
    assert len(complained) == 6
    assert [*cluster["b"].hall.rooms()] == [room]
    assert cluster["b"].hall.head(room) == before
    assert counted(cluster["b"]) == {"waiting": 1}


async def test_a_room_that_has_no_journal_any_more_is_told_of_no_more(cluster: Cluster) -> None:
    room = await cluster["a"].starts()
    await cluster["a"].actor(room).ask(Close("enough"))
    await cluster.clock.passes(NEWS_MS)
    assert counted(cluster["b"]) == {"closed": 1}
    await cluster.clock.passes(KEPT_MS)
    cluster["a"].hall.sweep()
    await cluster.clock.passes(NEWS_MS)
    assert room not in cluster.shared.kept.rooms
    assert [*cluster["b"].hall.rooms()] == []
    assert counted(cluster["b"]) == {}
    cluster["b"].hall.miss(room)
    assert counted(cluster["b"]) == {}


async def test_a_node_that_has_missed_more_than_is_known_misses_nothing(cluster: Cluster) -> None:
    """Longer ago than news are kept: all heads are read, and what has none is gone."""
    old, kept, own = [
        (await cluster[name].makes(PEOPLE[number])).room for number, name in enumerate("aab")
    ]
    await cluster.clock.passes(NEWS_MS)
    cluster["b"].store.down = True
    await cluster["a"].actor(old).ask(Close("enough"))
    await cluster.clock.passes(KEPT_MS)
    cluster["a"].hall.sweep()
    await cluster["a"].seats(kept, PEOPLE[4])
    await cluster.cuts("b")
    making = asyncio.ensure_future(cluster["a"].makes(PEOPLE[3]))
    await cluster.clock.passes(NEWS_MS)
    new = (await making).room
    cluster.shared.trimmed = len(cluster.shared.changes)
    assert {*cluster["b"].hall.rooms()} == {old, kept, own}
    await cluster.joins("b")
    cluster["b"].store.down = False
    await cluster.clock.passes(2 * NEWS_MS)
    assert {*cluster["b"].hall.rooms()} == {new, kept, own}
    assert cluster["b"].hall.summary(kept).seats.keys() == {"0", "1"}
    assert counted(cluster["b"]) == {"waiting": 3}


async def test_who_knows_which_node_made_a_room_asks_there_at_once(cluster: Cluster) -> None:
    made = await cluster["a"].makes()
    assert cluster["b"].actor(made.room).elsewhere == cluster.ids["a"]


async def test_a_room_whose_making_nobody_was_told_of_is_known_from_the_news(
    cluster: Cluster,
) -> None:
    await cluster.cuts("b")
    making = asyncio.ensure_future(cluster["a"].makes())
    await cluster.clock.passes(300)
    made = (await making).room
    assert made not in cluster["b"].hall.rooms()
    await cluster.clock.passes(NEWS_MS)
    assert made in cluster["b"].hall.rooms()


async def test_whatever_a_lobby_offers_of_a_node_that_died_can_be_entered(cluster: Cluster) -> None:
    rooms = [await cluster["a"].starts() for _ in range(3)]
    lost = (await cluster["a"].makes()).room
    await cluster.kills("a")
    del cluster.shared.kept.rooms[lost]
    await cluster.clock.passes(3_000)
    assert sorted(cluster["b"].hall.rooms()) == sorted(rooms)
    for room in cluster["b"].hall.rooms():
        await joins(cluster, "b", room)


async def test_a_room_can_be_entered_before_anybody_has_noticed_that_its_node_died(
    cluster: Cluster,
) -> None:
    room = await cluster["a"].starts()
    await cluster.kills("a")
    socket = cluster["b"].greeted(PEOPLE[1])
    request = socket.joins(room)
    await cluster.clock.passes(RESEND_MS)
    assert socket.answer(request)["type"] == "joined"
    assert cluster["b"].room(room).standing.status == "running"


async def test_a_room_whose_maker_hears_late_that_it_is_made_is_there_once(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    node, create = cluster["a"], cluster["a"].store.create

    async def late(room: str, *args: Any) -> int:
        fence = await create(room, *args)
        await node.hall.fresh_status(room)  # the news overtake the receipt
        return fence

    monkeypatch.setattr(node.store, "create", late)
    made = await node.makes()
    assert [*node.hall.rooms()] == [made.room]
    assert counted(node) == {"waiting": 1}
    assert node.room(made.room).standing.status == "waiting"
