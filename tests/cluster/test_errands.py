"""What one node asks another is done once and answered, whatever becomes of the way to it."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from saleroom_server.owner.elsewhere import Kept
from saleroom_server.owner.keeping import Keep
from saleroom_server.rooms.commands import AddBot, Refusal, TakeSeat
from tests.support.clusters import Cluster, joins, plays_across
from tests.support.logged import complaints
from tests.support.nodes import PEOPLE, entries_of

DAY_MS = 24 * 3_600_000
BOT = AddBot(PEOPLE[0], "easy")


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    made = await Cluster().starts("a", "b", "c")
    yield made
    await made.closes()


def keep(cluster: Cluster) -> Keep:
    """Return what a POST with a key has kept."""
    until = cluster.clock.now() + DAY_MS
    return Keep(PEOPLE[0].player or "", "key", b"request", until, "seat")


def bots(cluster: Cluster, room: str) -> int:
    return [*entries_of(cluster.shared.kept, room)].count("bot_added")


async def test_what_was_done_is_answered_as_before_though_the_owner_died_behind_it(
    cluster: Cluster,
) -> None:
    room = (await cluster["a"].makes()).room
    cluster.lines.loses(cluster.ids["b"])  # the answer
    asked = cluster["b"].actor(room).ask(BOT, keep(cluster))
    await cluster.clock.passes(0)
    assert not asked.done()
    await cluster.kills("a")
    await cluster.clock.passes(3_000)
    with pytest.raises(Kept) as kept:
        await asked
    assert (kept.value.answer.status, kept.value.answer.body) == (201, b'{"seat":1}')
    assert bots(cluster, room) == 1


async def test_what_was_not_done_is_done_by_the_next_owner(cluster: Cluster) -> None:
    room = (await cluster["a"].makes()).room
    cluster.lines.loses(cluster.ids["a"])  # the errand
    asked = cluster["b"].actor(room).ask(BOT, keep(cluster))
    await cluster.clock.passes(0)
    await cluster.kills("a")
    await cluster.clock.passes(3_000)
    assert (await asked).seat == 1
    assert bots(cluster, room) == 1
    assert cluster.shared.kept.answers[PEOPLE[0].player or "", "key"].status == 201


@pytest.mark.parametrize("lost", ["a", "b"])
async def test_an_errand_that_is_sent_again_is_done_once(cluster: Cluster, lost: str) -> None:
    room = (await cluster["a"].makes()).room
    cluster.lines.loses(cluster.ids[lost])
    asked = cluster["b"].actor(room).ask(BOT)
    await cluster.clock.passes(3_000)
    assert (await asked).new
    assert bots(cluster, room) == 1


@pytest.mark.parametrize("lost", ["a", "b"])
async def test_without_a_key_nobody_knows_whether_an_owner_that_died_has_done_it(
    cluster: Cluster, lost: str
) -> None:
    room = (await cluster["a"].makes()).room
    cluster.lines.loses(cluster.ids[lost])
    asked = cluster["b"].actor(room).ask(BOT)
    await cluster.clock.passes(0)
    await cluster.kills("a")
    await cluster.clock.passes(3_000)
    with pytest.raises(Refusal, match="unavailable"):
        await asked
    assert bots(cluster, room) == (lost == "b")


async def test_an_owner_that_has_given_the_room_up_has_not_done_it(cluster: Cluster) -> None:
    room = (await cluster["a"].makes()).room
    await cluster["a"].actor(room).release()
    cluster["c"].actor(room).moves()
    await cluster["c"].loaded(room)
    cluster["a"].actor(room).doubt()
    await cluster.clock.passes(0)
    cluster["b"].actor(room).is_at(cluster.ids["a"])
    asked = cluster["b"].actor(room).ask(BOT)
    await cluster.clock.passes(1_000)
    assert (await asked).new
    assert bots(cluster, room) == 1


async def test_an_errand_that_is_sent_again_while_it_is_done_is_done_once(cluster: Cluster) -> None:
    room = (await cluster["a"].makes()).room
    cluster["a"].store.hold()
    asked = cluster["b"].actor(room).ask(BOT)
    await cluster.clock.passes(2_000)
    assert not asked.done()
    cluster["a"].store.let_go()
    await cluster.clock.passes(0)
    assert (await asked).new
    assert bots(cluster, room) == 1


async def test_a_join_that_is_done_twice_is_answered_once(cluster: Cluster) -> None:
    room = await cluster["a"].starts()
    socket = cluster["b"].greeted(PEOPLE[1], checks=True)
    cluster.lines.holds(cluster.ids["b"])
    request = socket.joins(room)
    await cluster.clock.passes(1_200)
    cluster.lines.lets_go(cluster.ids["b"])
    await cluster.clock.passes(0)
    assert socket.answer(request)["type"] == "joined"
    assert len(socket.told("joined")) == 1
    assert len(socket.told("view")) > 1, "it was done twice"
    assert socket.unanswered == 0


async def test_a_join_with_a_cursor_that_is_done_twice_shows_nothing_twice(
    cluster: Cluster,
) -> None:
    table = await plays_across(cluster, "a", "a", "b", "c")
    before = await joins(cluster, "b", table.room)
    await table.moves(2)
    before.drops()
    await table.moves(3)
    socket = cluster["b"].greeted(checks=True)
    cursor = socket.goes_on(table.room, before)
    cluster.lines.holds(cluster.ids["b"])
    request = socket.joins(table.room, "spectator", cursor=cursor)
    await cluster.clock.passes(1_200)
    cluster.lines.lets_go(cluster.ids["b"])
    await cluster.clock.passes(0)
    assert socket.answer(request)["resumed"]
    assert len(socket.told("joined")) == 1
    await table.moves(2)
    assert socket.document(table.room)["table"] == table.documents()[0]["table"]


async def test_a_node_that_has_not_the_room_says_so_and_the_owner_is_looked_up_again(
    cluster: Cluster,
) -> None:
    room = await cluster["a"].starts()
    cluster["c"].actor(room).is_at(cluster.ids["b"])
    asked = cluster["c"].actor(room).ask(TakeSeat(PEOPLE[0]))
    await cluster.clock.passes(50)
    assert not (await asked).new
    assert cluster["c"].actor(room).elsewhere == cluster.ids["a"]


async def test_so_does_one_that_knows_of_no_such_room(cluster: Cluster) -> None:
    room = await cluster["a"].starts()
    cluster["b"].hall.miss(room)
    cluster["c"].actor(room).is_at(cluster.ids["b"])
    asked = cluster["c"].actor(room).ask(TakeSeat(PEOPLE[0]))
    await cluster.clock.passes(50)
    assert not (await asked).new


async def test_a_message_that_cannot_be_read_does_no_harm(
    cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    table = await plays_across(cluster, "a", "a", "b", "c")
    stranger = cluster.lines.bus("of another release")
    for body in (b"", b"\xc1", b"\x93\xa1a\x01\x91\x81\xa4type\xa4what"):
        stranger.send(cluster.ids["a"], body)
    await cluster.clock.passes(0)
    told = [record.__dict__["bytes"] for record in caplog.records]
    assert [record.msg for record in caplog.records] == ["message_unreadable"] * 3
    assert told == [0, 1, 16]
    await table.moves(3)


async def test_what_cannot_be_told_to_the_owner_is_refused_at_once_and_holds_nothing_up(
    cluster: Cluster,
) -> None:
    table = await plays_across(cluster, "a", "a", "b", "b")
    fault: Any = object()  # of ours: what can be read can be told
    with complaints() as found:
        asked = cluster["b"].actor(table.room).ask(AddBot(PEOPLE[0], fault))
        await cluster.clock.passes(0)
    with pytest.raises(Refusal, match="internal_error"):
        await asked
    assert "command_fault" in found[0]
    await table.moves(6)


async def test_a_refusal_is_the_same_from_every_node(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "a", "b", "c")
    for socket in table.sockets:
        socket.asks("act", room=table.room, window=99, action={"do": "pass"})
    await cluster.clock.passes(0)
    first, *others = [socket.told("refused")[-1] for socket in table.sockets]
    assert first["facts"]
    assert [told["facts"] for told in others] == [first["facts"]] * 2


@pytest.mark.parametrize("lost", ["a", "b"])
async def test_what_is_said_at_another_node_is_heard_once_everywhere(
    cluster: Cluster, lost: str
) -> None:
    table = await plays_across(cluster, "a", "a", "b", "c")
    speaking = table.sockets[1]
    cluster.lines.loses(cluster.ids[lost])
    request = speaking.asks("say", room=table.room, to="table", text="Hello")
    await cluster.clock.passes(3_000)
    assert speaking.answer(request)["type"] == "accepted"
    for socket in (table.sockets[0], table.sockets[2]):
        assert [told["text"] for told in socket.told("said")] == ["Hello"]
    assert speaking.unanswered == 0
