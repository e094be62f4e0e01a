"""Spectators at nodes that do not own the room: served there, whoever comes, late or back."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from saleroom_protocol.codec import JSON, MSGPACK
from saleroom_protocol.messages import Cursor
from saleroom_rules.games import GAMES
from saleroom_server.cluster.messages import Do, Told
from saleroom_server.cluster.peer_limits import PeerLimits
from saleroom_server.cluster.peers import Peers
from saleroom_server.rooms.commands import Caller, Close, Publish, Watch
from saleroom_server.rooms.limits import RoomLimits
from tests.support.clusters import Cluster, Spread, joins, plays_across
from tests.support.nodes import PEOPLE, Node
from tests.support.sockets import Socket

MANY = 100
LOOKING_ON = [Caller(f"p{number:016}", f"Watcher {number}") for number in range(3)]


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    made = await Cluster().starts("a", "b", "c")
    yield made
    await made.closes()


def peers(node: Node) -> Peers:
    assert node.peers is not None
    return node.peers


def types(socket: Socket) -> list[str]:
    return [message["type"] for message in socket.messages]


def all_agree(table: Spread, *watching: Socket) -> bool:
    table_now = table.documents()[0]["table"]
    return all(socket.document(table.room)["table"] == table_now for socket in watching)


async def test_for_any_number_of_spectators_the_owner_is_asked_once(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "a", "a", "a")
    sent = cluster.lines.records()
    crowd = [await joins(cluster, "b", table.room) for _ in range(MANY)]
    errands = [told.errand.command for _, _, told in sent if isinstance(told, Do)]
    assert errands == [Watch(0, 0)]
    await table.moves(3)
    assert all_agree(table, *crowd)


async def test_so_many_as_come_at_once_wait_for_one_answer(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "a", "a", "a")
    sent = cluster.lines.records()
    crowd = [cluster["b"].greeted() for _ in range(50)]
    asked = [socket.joins(table.room, "spectator") for socket in crowd]
    await cluster.clock.passes(0)
    assert {socket.answer(request)["type"] for socket, request in zip(crowd, asked, strict=True)}
    assert len([told for _, _, told in sent if isinstance(told, Do)]) == 1


async def test_an_update_crosses_to_a_node_once_whoever_looks_on_there(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "a", "b", "a")
    for codec in (MSGPACK, JSON) * 5:
        cluster["b"].greeted(None, codec).joins(table.room, "spectator")
    await cluster.clock.passes(1_000)
    sent = cluster.lines.records()
    await table.moves(1)
    published = [
        effect
        for _, to, told in sent
        if isinstance(told, Told) and to == cluster.ids["b"]
        for effect in told.effects
        if isinstance(effect, Publish)
    ]
    assert len(published) == 1
    assert [group[0] for group, _ in published[0].frames] == [1], "its player's own frame"
    assert published[0].shared is not None


async def test_who_comes_back_at_another_node_resumes_without_the_owner(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "a", "a", "a")
    await joins(cluster, "b", table.room)
    first = await joins(cluster, "c", table.room)
    first.drops()
    await table.moves(2)
    sent = cluster.lines.records()
    back = cluster["b"].greeted()
    cursor = back.goes_on(table.room, first)
    request = back.joins(table.room, "spectator", cursor=cursor)
    assert back.answer(request)["resumed"]
    assert types(back) == ["welcome", "joined", "update", "update"]
    assert not [told for _, _, told in sent if isinstance(told, Do)]
    assert all_agree(table, back)


@pytest.mark.parametrize("lost", [False, True])
async def test_who_has_seen_more_than_the_node_has_heard_of_is_shown_no_less(
    cluster: Cluster, lost: bool
) -> None:
    table = await plays_across(cluster, "a", "a", "a", "a")
    before = await joins(cluster, "a", table.room)
    await joins(cluster, "b", table.room)
    if lost:
        cluster.lines.loses(cluster.ids["b"])
    else:
        cluster.lines.holds(cluster.ids["b"])
    await table.moves(1)
    seen = before.followed(table.room).seq
    back = cluster["b"].greeted()
    request = back.joins(table.room, "spectator", cursor=back.goes_on(table.room, before))
    if not lost:
        cluster.lines.lets_go(cluster.ids["b"])
    await cluster.clock.passes(2_000)
    assert back.answer(request)["type"] == "joined"
    assert back.followed(table.room).seq >= seen
    assert all_agree(table, back)


async def test_a_cursor_from_the_future_gets_a_view(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "a", "a", "a")
    await joins(cluster, "b", table.room)
    cursor = {"epoch": "e-s", "seq": 2**53 - 1}
    assert types(await joins(cluster, "b", table.room, cursor=cursor))[1:] == ["joined", "view"]


async def test_when_the_owner_dies_all_of_them_go_on(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "b", "b", "c")
    crowd = [await joins(cluster, "c", table.room) for _ in range(MANY)]
    await table.moves(2)
    await cluster.kills("a")
    await cluster.clock.passes(3_000)
    await table.moves(4)
    await cluster.clock.passes(6_000)
    assert all_agree(table, *crowd)
    assert crowd[0].document(table.room)["spectators"] == MANY


async def test_when_the_node_takes_the_room_over_itself_they_follow_it_there(
    cluster: Cluster,
) -> None:
    table = await plays_across(cluster, "a", "b", "b", "b")
    crowd = [await joins(cluster, "b", table.room) for _ in range(5)]
    await cluster.kills("c")
    await cluster.kills("a")
    await cluster.clock.passes(3_000)
    assert cluster["b"].room(table.room).spectators == 5
    await table.moves(3)
    assert all_agree(table, *crowd)
    assert not len(peers(cluster["b"])._relays)


async def test_when_news_get_lost_they_go_on_from_a_view(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "a", "a", "a")
    crowd = [await joins(cluster, "b", table.room) for _ in range(5)]
    for _ in range(10):
        cluster.lines.loses(cluster.ids["b"])
        await table.moves(1, patience_ms=1_500)
    await cluster.clock.passes(1_000)
    assert all_agree(table, *crowd)


async def test_how_many_look_on_is_told_and_when_nobody_does_nothing_is_kept(
    cluster: Cluster,
) -> None:
    table = await plays_across(cluster, "a", "a", "a", "a")
    crowd = [await joins(cluster, "b", table.room) for _ in range(3)]
    await cluster.clock.passes(6_000)
    assert table.sockets[0].document(table.room)["spectators"] == 3
    request = crowd[0].asks("leave", room=table.room)
    assert crowd[0].answer(request)["type"] == "accepted"
    crowd[1].drops()
    await cluster.clock.passes(6_000)
    assert table.sockets[0].document(table.room)["spectators"] == 1
    crowd[2].drops()
    await cluster.clock.passes(6_000)
    assert table.sockets[0].document(table.room)["spectators"] == 0
    assert not len(peers(cluster["b"])._relays)
    assert not len(peers(cluster["a"])._interest)


@pytest.mark.parametrize("still_there", [True, False])
async def test_what_comes_for_a_relay_that_is_none_any_more_is_declined_or_asked_for_anew(
    cluster: Cluster, still_there: bool
) -> None:
    table = await plays_across(cluster, "a", "a", "a", "a")
    watching = await joins(cluster, "b", table.room)
    peers(cluster["b"])._relays.drop(table.room)
    if not still_there:
        watching.drops()
    await table.moves(1)
    assert len(peers(cluster["a"])._interest) == still_there
    assert len(peers(cluster["b"])._relays) == still_there
    if still_there:
        assert all_agree(table, watching)


async def test_who_comes_while_the_last_one_goes_sees_what_happens(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "a", "a", "a")
    (await joins(cluster, "b", table.room)).drops()
    cluster.lines.holds(cluster.ids["b"])
    await table.moves(1)  # which nobody there wants to see by the time it comes
    await cluster.clock.passes(PeerLimits().beat_ms)
    back = cluster["b"].greeted()
    request = back.joins(table.room, "spectator")
    await cluster.clock.passes(0)
    cluster.lines.lets_go(cluster.ids["b"])
    await cluster.clock.passes(2_000)
    assert back.answer(request)["type"] == "joined"
    for _ in range(3):
        await table.moves(1)
        assert all_agree(table, back)


async def test_an_update_that_is_not_the_next_is_not_shown(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "a", "a", "a")
    watching = await joins(cluster, "b", table.room)
    relay = peers(cluster["b"])._relays.get(table.room)
    assert relay is not None
    relay.seq -= 1
    await table.moves(2)
    assert all_agree(table, watching)


async def test_a_socket_is_a_spectator_then_a_player_then_a_spectator(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "a", "a")
    socket = cluster["b"].greeted(PEOPLE[2], checks=True)
    for as_ in ("spectator", "player", "spectator", "spectator", "player"):
        request = socket.joins(table.room, as_)
        await cluster.clock.passes(0)
        assert socket.answer(request)["type"] == "joined"
        assert ("you" in socket.document(table.room)) == (as_ == "player")
        table.sockets[0].acts(table.room, {"do": "nothing"})
    await cluster.clock.passes(6_000)
    seats = table.sockets[0].document(table.room)
    assert (seats["seats"]["2"]["connected"], seats["spectators"]) == (True, 0)
    request = socket.joins(table.room, "spectator")
    await cluster.clock.passes(6_000)
    seats = table.sockets[0].document(table.room)
    assert (seats["seats"]["2"]["connected"], seats["spectators"]) == (False, 1)


async def test_they_talk_to_each_other_across_nodes(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "a", "a", "a")
    watchers = [
        await _watches(cluster, name, table.room, caller)
        for name, caller in zip("abc", LOOKING_ON, strict=True)
    ]
    for number, speaker in enumerate(watchers):
        request = speaker.asks("say", room=table.room, to="spectators", text=f"word {number}")
        await cluster.clock.passes(0)
        assert speaker.answer(request)["type"] == "accepted"
    for watcher in watchers:
        assert [said["text"] for said in watcher.told("said")] == ["word 0", "word 1", "word 2"]
    late = await joins(cluster, "b", table.room)
    assert [said["text"] for said in late.told("said")] == ["word 0", "word 1", "word 2"]
    assert not table.sockets[0].told("said")


async def test_they_cannot_act_and_who_has_left_cannot_speak(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "a", "a", "a")
    socket = await _watches(cluster, "b", table.room, PEOPLE[3])
    request = socket.asks("act", room=table.room, window=1, action={"do": "resign"})
    await cluster.clock.passes(0)
    assert socket.refusal(request)[0] == "not_seated"
    socket.asks("leave", room=table.room)
    for request in (
        socket.asks("say", room=table.room, to="spectators", text="still here?"),
        socket.asks("leave", room=table.room),
        socket.asks("act", room=table.room, window=1, action={"do": "resign"}),
    ):
        await cluster.clock.passes(0)
        assert socket.refusal(request)[0] == "not_joined"


async def test_a_private_room_is_relayed_to_those_alone_who_may_see_it(cluster: Cluster) -> None:
    made = await cluster["a"].makes(visibility="private")
    await joins(cluster, "b", made.room, watch=made.watch)
    stranger = cluster["b"].greeted()
    for watch in ("", "guessed"):
        request = stranger.joins(made.room, "spectator", watch=watch)
        await cluster.clock.passes(0)
        assert stranger.refusal(request)[0] == "unknown_room"


async def test_the_secret_is_asked_for_again_as_the_owner_would(cluster: Cluster) -> None:
    made = await cluster["a"].makes(visibility="private")
    for name in "ab":
        socket = await joins(cluster, name, made.room, watch=made.watch)
        request = socket.joins(made.room, "spectator")
        await cluster.clock.passes(0)
        assert socket.refusal(request)[0] == "unknown_room"


async def test_no_more_look_on_at_all_nodes_together_than_there_may_be() -> None:
    cluster = await Cluster(room=RoomLimits(spectators=4)).starts("a", "b")
    table = await plays_across(cluster, "a", "a", "a", "a")
    for name in "aabb":
        await joins(cluster, name, table.room)
        await cluster.clock.passes(6_000)
    for name in "ab":
        late = cluster[name].greeted()
        request = late.joins(table.room, "spectator")
        await cluster.clock.passes(0)
        assert late.refusal(request)[0] == "full"
    await cluster.closes()


async def test_who_does_not_read_is_shown_how_things_stand_by_the_own_node(
    cluster: Cluster,
) -> None:
    table = await plays_across(cluster, "a", "a", "a", "a")
    slow = await joins(cluster, "b", table.room)
    slow.wire.stuck = 100_000
    await table.moves(3)
    slow.wire.stuck = 0
    sent = cluster.lines.records()
    cluster["b"].sweeps()
    assert types(slow) == ["welcome", "joined", "view", "view"]
    assert not sent
    await table.moves(1)
    assert all_agree(table, slow)


async def test_when_the_room_is_put_away_they_are_told(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "a", "a", "a")
    watching = await joins(cluster, "b", table.room)
    await cluster["a"].actor(table.room).ask(Close("too_long"))
    await cluster.clock.passes(0)
    assert watching.document(table.room)["status"] == "closed"
    cluster["a"].actor(table.room).put_away()
    await cluster.clock.passes(2_000)
    assert watching.last == {"type": "left", "room": table.room, "reason": "closed"}
    assert not len(peers(cluster["b"])._relays)


async def test_a_room_that_failed_and_was_put_away_is_taken_up_by_whoever_is_asked_for_it(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await plays_across(cluster, "a", "a", "b", "a")
    monkeypatch.setattr(GAMES["kunstmarkt"], "default", None)  # a fault
    closes_at = table.sockets[0].document(table.room)["window"]["closes_at"]
    await cluster.clock.goes_to(closes_at + 251)
    cluster["a"].actor(table.room).put_away()
    await cluster.clock.passes(2_000)
    assert table.sockets[1].last == {"type": "left", "room": table.room, "reason": "closed"}
    late = cluster["b"].greeted(checks=True)
    late.joins(table.room, "spectator")
    await cluster.clock.passes(2_000)  # the owner is asked first, and then the store
    assert late.document(table.room)["status"] == "running", "until the fault comes again"


async def test_and_also_if_that_was_lost(cluster: Cluster) -> None:
    table = await plays_across(cluster, "a", "a", "b", "a")
    watching = await joins(cluster, "b", table.room)
    await cluster["a"].actor(table.room).ask(Close("too_long"))
    await cluster.clock.passes(0)
    cluster.lines.loses(cluster.ids["b"])
    cluster["a"].actor(table.room).put_away()
    await cluster.clock.passes(5_000)
    for socket in (watching, table.sockets[1]):
        assert socket.last == {"type": "left", "room": table.room, "reason": "closed"}


async def test_who_has_seen_the_end_there_is_known_to_have_wherever_that_was(
    cluster: Cluster,
) -> None:
    table = await plays_across(cluster, "a", "a", "a", "a")
    watching = await joins(cluster, "a", table.room)

    async def told(name: str) -> bool:
        seen = watching.followed(table.room)
        asking = asyncio.create_task(
            cluster[name].actor(table.room).has_told_the_end(Cursor(epoch=seen.epoch, seq=seen.seq))
        )
        await cluster.clock.passes(0)
        return await asking

    assert [await told(name) for name in "abc"] == [False] * 3
    await cluster["a"].actor(table.room).ask(Close("too_long"))
    await cluster.clock.passes(1_000)
    assert [await told(name) for name in "abc"] == [True] * 3
    await cluster.clock.passes(1_000)
    assert not len(peers(cluster["b"])._relays), "nobody looks on"


async def _watches(cluster: Cluster, name: str, room: str, caller: Caller) -> Socket:
    socket = cluster[name].greeted(caller)
    request = socket.joins(room, "spectator")
    await cluster.clock.passes(0)
    assert socket.answer(request)["type"] == "joined"
    return socket
