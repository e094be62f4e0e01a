"""Several nodes play one game: whoever asks where, everybody sees the same, and nothing is lost."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from saleroom_protocol.codec import JSON, MSGPACK, Codec
from saleroom_protocol.errors import CloseCode
from saleroom_server.cluster.messages import Do, Message, encode
from saleroom_server.cluster.peer_limits import PeerLimits
from saleroom_server.owner.elsewhere import Errand
from saleroom_server.rooms.commands import HERE, TakeSeat, Watch
from saleroom_server.store.interface import Unavailable
from tests.support.clusters import Cluster, Spread, joins, plays_across
from tests.support.logged import complaints
from tests.support.nodes import PEOPLE
from tests.support.samples import samples
from tests.support.sockets import As, Socket

ODD = [5, "x", None, True, [], [[]], {}, {"do": 5}, {1: 2}, {"do": "offer", "picture": 1.5}]
HUGE = [
    2**64,
    -(2**63) - 1,
    {"do": "offer", "picture": [10**60]},
    {"do": "x", "a": {"b": -(2**99)}},
]
_ACT = (
    b"\x84\xa4type\xa3act\xa2id\xa1x\xa4room\xadr_a_room_id__\xa6action",
    b'{"type": "act", "id": "x", "room": "r_a_room_id__", "action": %b}',
)
NOT_JOINED, CLOSES = ("not_joined", None), ("protocol_violation", CloseCode.PROTOCOL_VIOLATION)
UNREADABLE = [
    (MSGPACK, _ACT[0] + b"\xd7\xff" + b"\xff" * 8, NOT_JOINED),  # no time
    (MSGPACK, _ACT[0] + b"\xa1\xff", CLOSES),
    (JSON, _ACT[1] % b"1e400", NOT_JOINED),
    (JSON, _ACT[1] % b'"\\ud800"', CLOSES),
]
NO_ACTIONS = {MSGPACK: ODD, JSON: ODD + HUGE}  # MessagePack has no such integers


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    made = await Cluster().starts("a", "b", "c")
    yield made
    await made.closes()


async def test_a_room_made_at_one_node_is_known_to_all_before_its_maker_is_told(
    cluster: Cluster,
) -> None:
    made = await cluster["a"].makes()
    assert all(made.room in node.hall.rooms() for node in cluster.nodes.values())


async def test_people_at_three_nodes_play_one_game(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "a", "b", "c")
    watching = await joins(cluster, "c", table.room)
    await table.moves(20)
    first, *others = table.documents()
    assert all(other == first for other in others)
    assert watching.document(table.room)["table"] == first["table"]


async def test_when_the_owner_dies_another_takes_over_and_nobody_misses_anything(
    cluster: Cluster,
) -> None:
    table = await plays_across(cluster, "a", "b", "b", "c")
    await table.moves(5)
    await cluster.kills("a")
    await cluster.clock.passes(3_000)
    await table.moves(5)
    first, *others = table.documents()
    assert all(other == first for other in others)


async def test_an_act_that_was_on_its_way_when_the_owner_died_is_accepted_once(
    cluster: Cluster,
) -> None:
    table = await plays_across(cluster, "a", "b", "b", "c")
    await table.moves(3)
    acting = table.asked
    request = acting.acts(table.room)
    await cluster.kills("a")
    await cluster.clock.passes(5_000)
    assert acting.answer(request)["type"] == "accepted"
    await table.moves(3)


async def test_an_owner_that_ends_hands_over_within_one_action(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "b", "b", "c")
    await table.moves(3)
    await cluster.stops("a")
    await cluster.clock.passes(0)
    await table.moves(5)


@pytest.mark.parametrize("node", ["a", "b", "c"])
async def test_news_that_get_lost_are_noticed_and_nobody_sees_a_gap(
    cluster: Cluster, node: str
) -> None:
    table = await plays_across(cluster, "a", "b", "b", "c")
    for _ in range(15):
        cluster.lines.loses(cluster.ids[node])
        await table.moves(1, patience_ms=2_500)
    await cluster.clock.passes(1_000)
    first, *others = table.documents()
    assert all(other == first for other in others)


async def test_a_node_that_was_cut_off_shows_how_things_stand_when_it_is_back(
    cluster: Cluster,
) -> None:
    table = await plays_across(cluster, "a", "b", "b", "c")
    watching = await joins(cluster, "c", table.room)
    await table.moves(2)
    await cluster.cuts("c")
    while table.asked is not table.sockets[2]:
        await table.moves(1)
    await cluster.joins("c")
    await cluster.clock.passes(1_000)
    first, *others = table.documents()
    assert all(other == first for other in others)
    assert watching.document(table.room)["table"] == first["table"]
    await table.moves(3)


async def test_an_owner_that_was_taken_for_dead_writes_nothing_and_joins_the_others(
    cluster: Cluster,
) -> None:
    table = await plays_across(cluster, "a", "a", "b", "c")
    await table.moves(2)
    await cluster.cuts("a")
    cluster.shared.alive.discard(cluster.ids["a"])
    await cluster.clock.passes(2_000)
    await cluster.joins("a")
    await cluster.clock.passes(1_000)
    await table.moves(6, patience_ms=2_000)
    first, *others = table.documents()
    assert all(other == first for other in others)


async def test_an_owner_that_stood_still_for_long_sees_that_its_rooms_are_others(
    cluster: Cluster,
) -> None:
    """When it looks again it is alive, as the store sees it, and nothing of the others is lost."""
    table = await plays_across(cluster, "a", "a", "b", "b")
    while table.asked is table.sockets[0]:
        await table.moves(1)
    stood_still = cluster["a"].peers
    assert stood_still is not None
    await stood_still.close()
    cluster.lines.holds(cluster.ids["a"])
    cluster.shared.alive.discard(cluster.ids["a"])
    await cluster.clock.passes(2_000)
    cluster.shared.alive.add(cluster.ids["a"])
    cluster.lines.lets_go(cluster.ids["a"])
    await stood_still._look_for_nodes()
    await cluster.clock.passes(1_000)
    await table.moves(1)
    first, *others = table.documents()
    assert all(other == first for other in others)


@pytest.mark.parametrize("on_its_way_ms", [100, 500])  # before it is asked anew, and then
async def test_a_node_that_is_taken_for_dead_while_it_attaches_hears_what_follows(
    cluster: Cluster, on_its_way_ms: int
) -> None:
    table = await plays_across(cluster, "a", "a", "b", "b")
    while table.asked is not table.sockets[0]:
        await table.moves(1)
    actor = cluster["b"].hall.actor(table.room)
    assert actor is not None
    await cluster.clock.passes(500 - on_its_way_ms)
    cluster.lines.holds(cluster.ids["a"])
    actor.attach()
    await cluster.clock.passes(0)
    cluster.shared.alive.discard(cluster.ids["b"])
    await cluster.clock.passes(on_its_way_ms)
    cluster.shared.alive.add(cluster.ids["b"])
    cluster.lines.lets_go(cluster.ids["a"])
    await cluster.clock.passes(2_000)
    await table.moves(1)
    await cluster.clock.passes(1_000)
    first, *others = table.documents()
    assert all(other == first for other in others)


async def test_who_follows_is_attached_though_the_owner_has_its_hands_full(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reads the room back, and as much waits for that as may."""
    table = await plays_across(cluster, "a", "b", "b", "b")
    await cluster.kills("a")
    owner, is_read = cluster["c"], asyncio.Event()
    acquire = owner.store.acquire

    async def acquired(room: str) -> Any:
        owned = await acquire(room)
        await is_read.wait()
        return owned

    monkeypatch.setattr(owner.store, "acquire", acquired)
    asked = range(owner.limits.inbox)
    waiting = [owner.actor(table.room).ask(TakeSeat(PEOPLE[0])) for _ in asked]
    await cluster.clock.passes(1_000)
    is_read.set()
    await asyncio.gather(*waiting)
    await cluster.clock.passes(1_000)
    epochs = {socket.followed(table.room).epoch for socket in table.sockets}
    assert epochs == {owner.room(table.room)._stream.epoch(seat) for seat in range(3)}


@pytest.mark.parametrize("asked", ["act", "say"])
async def test_what_is_asked_at_a_node_that_is_taken_for_dead_is_done_all_the_same(
    cluster: Cluster, asked: str
) -> None:
    """Its sockets have left the room, as its owner sees it; they do not know and need not."""
    table = await plays_across(cluster, "a", "b", "b", "b")
    socket, peers = table.asked, cluster["a"].peers
    assert peers is not None
    cluster.lines.holds(cluster.ids["b"])
    peers._bury(cluster.ids["b"])
    request = (
        socket.acts(table.room)
        if asked == "act"
        else socket.asks("say", room=table.room, to="table", text="Going once")
    )
    await cluster.clock.passes(100)
    cluster.lines.lets_go(cluster.ids["b"])
    await cluster.clock.passes(2_000)
    assert socket.answer(request)["type"] == "accepted"
    await table.moves(3, patience_ms=500)


async def test_who_lives_is_not_judged_by_a_store_that_was_away(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Leases run out while it is; of those who come back to it, one is the first to look."""
    caplog.set_level("INFO", "saleroom")
    is_back = asyncio.Event()
    for node in cluster.nodes.values():
        store: Any = node.store
        monkeypatch.setattr(store, "alive", _late(store.alive, is_back))
    await cluster.clock.passes(2_000)
    cluster.shared.alive.discard(cluster.ids["b"])
    is_back.set()
    await cluster.clock.passes(600)
    cluster.shared.alive.add(cluster.ids["b"])
    await cluster.clock.passes(5_000)
    assert "node_is_gone" not in caplog.messages


async def test_a_node_that_was_cut_off_reads_no_room_back_that_is_still_its_own(
    cluster: Cluster,
) -> None:
    """It may have many; while it read them it would be away again."""
    table = await plays_across(cluster, "a", "a", "b", "c")
    await table.moves(2)
    room, taken_over = cluster["a"].room(table.room), cluster.shared.kept.tokens
    await cluster.cuts("a")
    await cluster.joins("a")
    await cluster.clock.passes(1_000)
    assert cluster["a"].room(table.room) is room
    assert cluster.shared.kept.tokens == taken_over
    await table.moves(6, patience_ms=2_000)
    first, *others = table.documents()
    assert all(other == first for other in others)


async def test_nobody_sees_a_room_in_doubt_before_it_is_known_whose_it_is(
    cluster: Cluster,
) -> None:
    table = await plays_across(cluster, "a", "a", "b", "c")
    store = cluster["a"].store
    store.hold()
    await cluster.cuts("a")
    await cluster.joins("a")
    await asyncio.sleep(0)
    watching = cluster["a"].greeted()
    request = watching.joins(table.room, "spectator")
    await cluster.clock.passes(300)
    assert not watching.is_answered(request)
    store.let_go()
    await cluster.clock.passes(300)
    assert watching.answer(request)["type"] == "joined"


def _late(ask: Callable[[], Awaitable[Any]], is_back: asyncio.Event) -> Callable[[], Any]:
    async def asked() -> Any:
        await is_back.wait()
        return await ask()

    return asked


async def test_a_player_whose_node_died_is_gone_for_the_others(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "a", "b", "c")
    await cluster.clock.passes(5_000)
    seats = table.sockets[0].document(table.room)["seats"]
    assert [seats[seat]["connected"] for seat in "012"] == [True, True, True]
    await cluster.kills("c")
    await cluster.clock.passes(5_000)
    seats = table.sockets[0].document(table.room)["seats"]
    assert [seats[seat]["connected"] for seat in "012"] == [True, True, False]


async def test_a_seat_followed_at_two_nodes_is_at_the_one_that_came_last(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "a", "b", "c")
    again = await joins(cluster, "a", table.room, PEOPLE[2])
    await cluster.clock.passes(0)
    assert table.sockets[2].wire.code == 4002
    assert again.document(table.room)["you"]["seat"] == 2


async def test_rooms_of_a_dead_node_that_nobody_follows_go_on(cluster: Cluster) -> None:
    room = await cluster["a"].starts()
    await cluster.kills("a")
    await cluster.clock.passes(3_000)
    owners = [name for name, node in cluster.nodes.items() if node.actor(room).room is not None]
    assert len(owners) == 1
    await cluster.clock.passes(60_000)
    assert cluster[owners[0]].room(room).standing.expired


async def test_what_may_be_done_at_any_time_is_done_from_any_node(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "a", "b", "c")
    resigning = table.sockets[2]
    request = resigning.asks("act", room=table.room, action={"do": "resign"})
    await cluster.clock.passes(0)
    assert resigning.answer(request)["type"] == "accepted"
    assert table.sockets[0].document(table.room)["seats"]["2"]["resigned"]


@pytest.mark.parametrize("codec", [JSON, MSGPACK])
async def test_what_is_no_action_at_all_is_refused_alike_everywhere_and_nothing_gets_stuck(
    cluster: Cluster, codec: Codec
) -> None:
    table = await plays_across(cluster, "a", "a", "b", "b")
    here, there = (cluster[name].greeted(PEOPLE[0], codec) for name in ("a", "b"))
    told = []
    for socket in (here, there):
        socket.joins(table.room)
        await cluster.clock.passes(0)
        requests = [socket.asks("act", room=table.room, action=one) for one in NO_ACTIONS[codec]]
        await cluster.clock.passes(0)
        told.append([{**socket.answer(request), "id": ""} for request in requests])
    assert told[0] == told[1]
    assert {answer["reason"] for answer in told[0]} == {"malformed"}
    table.sockets[0] = there
    await table.moves(3)


@pytest.mark.parametrize(("codec", "frame", "told"), UNREADABLE)
async def test_who_has_not_joined_is_told_alike_everywhere_of_an_act_that_cannot_be_read(
    cluster: Cluster, codec: Codec, frame: bytes, told: Any
) -> None:
    room = (await plays_across(cluster, "a", "a", "b", "b")).room
    for name in ("a", "b"):
        socket = cluster[name].greeted(PEOPLE[0], codec)
        socket.stray = True
        socket.sends(frame.replace(b"r_a_room_id__", room.encode()))
        await cluster.clock.passes(0)
        assert (socket.last["reason"], socket.closed) == told


async def test_of_nodes_long_dead_nothing_is_kept(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "a", "b", "c")
    await table.moves(2)
    for _ in range(3):
        await cluster.kills("c")
        await cluster.clock.passes(5_000)
        await cluster.starts("c")
        await joins(cluster, "c", table.room, PEOPLE[2])
    await cluster.clock.passes(70_000)
    peers = cluster["a"].peers
    assert peers is not None
    alive = {cluster.ids["b"], cluster.ids["c"]}
    assert peers._post.known() | peers._homes.keys() <= alive
    assert {*peers._names.values()} == peers._homes.keys()
    assert not peers._dead


async def test_of_a_node_that_was_never_seen_alive_nothing_is_kept_either(
    cluster: Cluster,
) -> None:
    """One that died between two looks, say, or was made up by somebody on the bus."""
    table = await plays_across(cluster, "a", "a", "b", "c")
    looking_on = Errand(1, table.room, Watch(HERE, 5))
    stranger = cluster.lines.bus("d:9")
    stranger.send(cluster.ids["a"], encode(Message("d:9", 1, (Do(looking_on),))))
    await cluster.clock.passes(10_000)
    assert table.sockets[0].document(table.room)["spectators"] == 5
    await cluster.clock.passes(130_000)
    assert table.sockets[0].document(table.room)["spectators"] == 0
    peers = cluster["a"].peers
    assert peers is not None
    assert "d:9" not in peers._post.known() | peers._homes.keys() | peers._dead.keys()
    assert {*peers._names.values()} == peers._homes.keys()


async def test_a_node_counts_who_is_there_what_was_not_answered_and_what_was_lost(
    cluster: Cluster,
) -> None:
    table = await plays_across(cluster, "a", "b", "b", "c")
    await joins(cluster, "b", table.room)
    node = cluster["b"]
    assert samples(node.metrics.registry).value("nodes") == 3
    assert samples(node.metrics.registry).value("relays") == 1
    cluster.lines.loses(cluster.ids["b"])
    await table.moves(3, patience_ms=2_000)
    cluster.lines.loses(cluster.ids["a"])
    table.sockets[0].joins(table.room)
    await cluster.clock.passes(2_000)
    await cluster.kills("a")
    await cluster.clock.passes(3_000)
    await table.moves(1)
    counted = samples(node.metrics.registry)
    assert counted.value("nodes") == 2
    assert counted.value("doubts_total", reason="gap") >= 1
    assert counted.value("errands_total", outcome="answered") > 0
    assert counted.value("errands_total", outcome="silent") > 0
    await cluster.cuts("b")
    await cluster.joins("b")
    await cluster.clock.passes(0)
    assert samples(node.metrics.registry).value("doubts_total", reason="line") == 1


async def test_an_answer_that_is_not_kept_any_more_is_worked_out_again_and_the_same(
    cluster: Cluster,
) -> None:
    limits = PeerLimits(answers=1)
    for node in cluster.nodes.values():
        assert node.peers is not None
        node.peers._limits = limits
    table = await plays_across(cluster, "a", "b", "b", "c")
    await table.moves(2)
    acting = table.asked
    cluster.lines.loses(cluster.ids[_at(table, acting)])
    request = acting.acts(table.room)
    await cluster.clock.passes(0)
    for node in cluster.nodes.values():
        assert node.peers is not None
        assert len(node.peers._answers) <= 1
    await cluster.clock.passes(3_000)
    assert acting.answer(request)["type"] == "accepted"


async def test_a_room_can_be_made_though_the_store_does_not_say_who_is_alive(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails() -> frozenset[str]:
        raise Unavailable("busy")

    monkeypatch.setattr(cluster["a"].store, "alive", fails)
    made = await cluster["a"].makes()
    assert all(made.room in node.hall.rooms() for node in cluster.nodes.values())


async def test_a_fault_of_ours_ends_no_looking_after_the_others(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:

    async def fails() -> frozenset[str]:
        raise RuntimeError("a fault")

    with complaints() as told, monkeypatch.context() as broken:
        broken.setattr(cluster["b"].store, "alive", fails)
        await cluster.clock.passes(600)
    assert any("peers_fault" in line for line in told)
    await cluster.kills("a")
    await cluster.clock.passes(5_000)
    assert samples(cluster["b"].metrics.registry).value("nodes") == 2


def _at(table: Spread, socket: Socket) -> str:
    """Return at which node a player's socket is."""
    return next(name for name, node in table.cluster.nodes.items() if node is socket.node)


async def test_when_the_store_has_lost_the_last_entries_all_go_on_from_before_them(
    cluster: Cluster,
) -> None:
    table = await plays_across(cluster, "a", "a", "b", "c")
    watching = await joins(cluster, "c", table.room)
    await table.moves(2)
    kept = cluster.shared.kept.rooms[table.room].entries
    length, before = len(kept), table.documents()[0]
    await table.moves(3)
    seen = watching.followed(table.room).seq
    del kept[length:]
    acting = table.asked
    request = acting.acts(table.room)
    await cluster.clock.passes(5_000)
    assert acting.is_answered(request)
    first, *others = table.documents()
    assert all(other == first for other in others)
    assert watching.document(table.room)["table"] == first["table"]
    assert watching.followed(table.room).seq > seen
    assert first["window"]["number"] <= before["window"]["number"] + 1
    await table.moves(3)
    assert len(kept) > length


@pytest.mark.parametrize("as_", ["player", "spectator"])
async def test_who_comes_back_to_an_owner_that_was_robbed_and_does_not_know_is_shown_no_less(
    cluster: Cluster, as_: As
) -> None:
    table = await plays_across(cluster, "a", "a", "b", "c")
    caller = PEOPLE[1] if as_ == "player" else None
    watching = await joins(cluster, "b", table.room, caller)
    cluster.shared.alive.discard(cluster.ids["a"])
    cluster["b"].actor(table.room).moves()
    await cluster.clock.passes(0)
    assert cluster["b"].actor(table.room).room is not None, "b has taken it over"
    cluster.shared.alive.add(cluster.ids["a"])
    assert cluster["a"].actor(table.room).room is not None, "and a does not know"
    seen = watching.followed(table.room).seq
    back = cluster["a"].greeted(caller)
    request = back.joins(table.room, as_, cursor=back.goes_on(table.room, watching))
    await cluster.clock.passes(0)
    assert back.answer(request)["type"] == "joined"
    assert back.followed(table.room).seq >= seen
