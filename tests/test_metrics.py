"""Every metric moves for its reason and no other; its labels are few and known beforehand."""

from random import Random
from typing import Any, get_args

import pytest

from saleroom_protocol.document import Status
from saleroom_protocol.errors import CloseCode, Reason
from saleroom_protocol.limits import Limits
from saleroom_rules.games import GAMES
from saleroom_server.gateway.follower import BY_CLIENT
from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.http.routes import ROUTES
from saleroom_server.http.tally import METHODS, OTHER
from saleroom_server.owner.account import EARLIER
from saleroom_server.rooms.commands import Close, Refusal
from saleroom_server.rooms.journal import decode
from tests.owner.lives import finished, over, restarted
from tests.support.fixtures import node
from tests.support.hand_clock import quiet
from tests.support.memory_store import Fault
from tests.support.nodes import PEOPLE, Node
from tests.support.samples import Samples, samples
from tests.support.sockets import plain_entry

__all__ = ["node"]


def count(node: Node, name: str, **labels: str) -> float:
    return samples(node.metrics.registry).value(name, **labels)


def windows(node: Node) -> dict[str, float]:
    read = samples(node.metrics.registry)
    return {
        outcome: read.value("windows_total", outcome=outcome)
        for outcome in sorted(read.labels("windows_total", "outcome"))
    }


# Windows and acts


async def test_a_window_is_closed_by_an_answer_or_by_time(node: Node) -> None:
    table = await node.plays()
    kind = table.window["kind"]
    await table.moves()
    assert count(node, "windows_total", game="kunstmarkt", kind=kind, outcome="answered") == 1
    kind = table.window["kind"]
    await node.clock.goes_to(table.window["closes_at"] + 251)
    assert count(node, "windows_total", game="kunstmarkt", kind=kind, outcome="default") == 1
    assert windows(node) == {"answered": 1, "default": 1}


async def test_an_act_after_the_end_of_its_window_is_late(node: Node) -> None:
    table = await node.plays()
    kind, number, late = table.window["kind"], table.window["number"], table.asked
    await node.clock.goes_to(table.window["closes_at"] + 251)
    request = late.acts(table.room, {"do": "pass"}, window=number)
    await quiet()
    assert late.refusal(request)[0] == "window_closed"
    assert count(node, "windows_total", kind=kind, outcome="refused_late") == 1
    assert count(node, "acts_refused_total", reason="window_closed") == 1
    await node.clock.goes_to(table.window["closes_at"] + 251)
    late.acts(table.room, {"do": "pass"}, window=number)
    late.acts(table.room, {"do": "pass"}, window=999)
    await quiet()
    assert count(node, "windows_total", kind=EARLIER, outcome="refused_late") == 1
    assert count(node, "windows_total", outcome="refused_late") == 2, "999 never was"


async def test_an_act_that_is_repeated_counts_once(node: Node) -> None:
    table = await node.plays()
    acting, request = table.acts()
    await quiet()
    acting.repeats(request)
    await quiet()
    assert count(node, "acts_accepted_total", game="kunstmarkt") == 1


@pytest.mark.parametrize("fault", [*Fault])
async def test_an_act_whose_append_failed_counts_once(node: Node, fault: Fault) -> None:
    table = await node.plays()
    node.store.fail(fault)
    table.acts()
    await node.clock.passes(node.limits.retry_ms)
    assert count(node, "acts_accepted_total") == 1
    assert windows(node) == {"answered": 1}
    assert count(node, "store_failures_total", reason="unavailable") == 1


async def test_acts_are_refused_by_reason_and_other_requests_are_no_acts(node: Node) -> None:
    table = await node.plays()
    stranger = node.greeted(PEOPLE[7])
    stranger.asks("act", room=table.room, window=1, action={"do": "pass"})
    stranger.asks("act", room="raaaaaaaaaaaa", window=1, action={"do": "pass"})
    stranger.asks("say", room="raaaaaaaaaaaa", to="table", text="Hello?")
    table.asked.acts(table.room, {"do": "fly"})
    await quiet()
    read = samples(node.metrics.registry)
    assert read.labels("acts_refused_total", "reason") == {
        "not_joined",
        "unknown_room",
        "malformed",
    }
    assert read.value("acts_refused_total") == 3


async def test_after_a_whole_game_the_counts_are_those_of_its_journal(node: Node) -> None:
    table, luck = await node.plays(), Random(3)
    refused = 0
    while node.room(table.room).standing.status == "running":
        if luck.random() < 0.1:
            await node.clock.passes(35_000)
            continue
        asked = table.asked
        if luck.random() < 0.2:
            asked.acts(table.room, {"do": "fly"})
            refused += 1
        listed = asked.document(table.room)["legal"]
        asked.acts(table.room, plain_entry(listed, luck))
        await quiet()
    entries: list[Any] = [decode(body).entry for body in node.store.kept.rooms[table.room].entries]
    acted = [entry for entry in entries if entry.__struct_config__.tag == "acted"]
    expired = [entry for entry in entries if entry.__struct_config__.tag == "expired"]
    closed = {entry.window for entry in acted} - {entry.window for entry in expired}
    assert count(node, "acts_accepted_total", game="kunstmarkt") == len(acted) > 20
    assert count(node, "acts_refused_total", reason="malformed") == refused > 0
    assert windows(node) == {"answered": len(closed), "default": len(expired)}
    assert expired
    assert count(node, "rooms", game="kunstmarkt", status="finished") == 1
    assert count(node, "append_seconds_count") == len({entry.seq for entry in entries}) - 1


# Joins and sockets


async def test_joins_count_by_role_and_those_with_a_cursor_by_what_was_sent(node: Node) -> None:
    table = await node.plays()
    assert count(node, "joins_total", role="player") == 3
    watching = node.joined(table.room, as_="spectator")
    assert count(node, "joins_total", role="spectator") == 1
    assert count(node, "resumes_total") == 0
    followed = watching.followed(table.room)
    cursor = {"epoch": followed.epoch, "seq": followed.seq}
    await table.moves()
    watching.joins(table.room, "spectator", cursor=cursor)
    watching.joins(table.room, "spectator", cursor={**cursor, "epoch": "long-ago"})
    node.greeted(PEOPLE[7]).joins(table.room)  # has no seat there
    assert count(node, "resumes_total", kind="ring") == 1
    assert count(node, "resumes_total", kind="view") == 1
    assert count(node, "joins_total") == 6


async def test_sockets_are_those_that_are_open(node: Node) -> None:
    sockets = [node.greeted() for _ in range(5)]
    assert count(node, "sockets") == 5
    sockets[0].drops()
    assert count(node, "sockets") == 4


async def test_sockets_are_closed_by_a_code_or_by_the_client_and_once() -> None:
    node = Node(limits=Limits(hello_ms=1))
    dropped, silent, wrong, slow = (node.socket() for _ in range(4))
    dropped.drops()
    node.clock.lags(5_000)
    silent.connection.sweep(node.clock.now())
    wrong.sends(b"\xc1")
    slow.greets()
    slow.wire.stuck = 1 << 30
    slow.asks("ping")
    for one in (silent, wrong, slow, slow):
        one.drops()
    read = samples(node.metrics.registry)
    codes = {CloseCode.IDLE, CloseCode.PROTOCOL_VIOLATION, CloseCode.TOO_SLOW}
    expected = {BY_CLIENT, *(str(int(code)) for code in codes)}
    assert read.labels("sockets_closed_total", "code") == expected
    assert read.value("sockets_closed_total") == 4
    assert read.value("sockets") == 0


async def test_who_does_not_read_and_is_sent_away_is_closed_once_and_counted_once() -> None:
    node = await Node().opens()
    socket = node.greeted()
    socket.wire.stuck = GatewayLimits().backlog_bytes + 1
    node.gateway.drain()
    assert socket.closed == CloseCode.RESTART
    assert socket.last["type"] == "closing"
    assert count(node, "sockets_closed_total") == 1
    await node.closes()


async def test_a_budget_that_is_used_up_is_named() -> None:
    node = Node(gateway=GatewayLimits(requests_at_once=2, requests_per_second=1))
    socket = node.greeted(PEOPLE[0])
    for _ in range(5):
        socket.asks("ping")
    assert count(node, "rate_limited_total", budget="socket") == 3


async def test_sayings_and_sockets_have_budgets_of_their_own() -> None:
    node = await Node(gateway=GatewayLimits(says_at_once=1, sockets_per_address=2)).opens()
    table = await node.plays()
    for number in range(3):
        table.sockets[0].asks("say", room=table.room, to="table", text=f"{number}")
    with pytest.raises(Refusal):
        node.gateway.admit("192.0.2.1")
    assert count(node, "rate_limited_total", budget="says") == 2
    assert count(node, "rate_limited_total", budget="sockets") == 1


async def test_a_spectator_who_falls_behind_is_counted_once_each_time() -> None:
    node = await Node().opens()
    table = await node.plays()
    watcher = node.joined(table.room, as_="spectator")
    for times in (1, 2):
        watcher.wire.stuck = GatewayLimits().behind_bytes + 1
        await table.moves(2)
        watcher.wire.stuck = 0
        node.sweeps()
        assert count(node, "spectators_behind_total") == times


async def test_spectators_are_those_who_look_on_now(node: Node) -> None:
    table = await node.plays()
    watching = [node.joined(table.room, as_="spectator") for _ in range(4)]
    assert count(node, "spectators", game="kunstmarkt") == 4
    watching[0].drops()
    watching[1].asks("leave", room=table.room)
    assert count(node, "spectators") == 2
    node.store.fail(Fault.NOT_WRITTEN)
    table.acts()
    await quiet()
    watching[2].drops()
    await node.clock.passes(node.limits.retry_ms)
    assert count(node, "spectators") == 1
    await node.actor(table.room).ask(Close("enough"))
    await node.clock.passes(node.room_limits.kept_ms)
    node.hall.sweep()
    await quiet()
    assert count(node, "spectators") == 0


# Rooms


def rooms(node: Node) -> dict[str, float]:
    """Return how many rooms there are by status, and those in memory as `loaded`."""
    read = samples(node.metrics.registry)
    counted = {
        status: read.value("rooms", status=status) for status in read.labels("rooms", "status")
    }
    counted["loaded"] = read.value("rooms_loaded")
    return {status: number for status, number in counted.items() if number}


async def test_a_room_is_counted_under_what_it_is(node: Node) -> None:
    await node.makes()
    table = await node.plays()
    assert rooms(node) == {"waiting": 1, "running": 1, "loaded": 2}
    for player in table.sockets:
        player.drops()
    await node.clock.passes(130_000)
    assert rooms(node) == {"waiting": 1, "paused": 1, "loaded": 2}
    node.joined(table.room, PEOPLE[0])
    await node.clock.passes(0)
    assert rooms(node) == {"waiting": 1, "running": 1, "loaded": 2}
    await node.actor(table.room).ask(Close("enough"))
    assert rooms(node) == {"waiting": 1, "closed": 1, "loaded": 2}


async def test_a_room_that_is_put_away_counts_no_more(node: Node) -> None:
    await over(node)
    assert rooms(node) == {"closed": 1, "loaded": 1}
    await node.clock.passes(node.room_limits.kept_ms)
    node.hall.sweep()
    await quiet()
    assert rooms(node) == {}


async def test_after_a_restart_rooms_count_before_they_are_loaded(node: Node) -> None:
    await finished(node)
    await node.makes()
    again = await restarted(node)
    again.store.hold()
    await again.opens()
    assert rooms(again) == {"finished": 1, "waiting": 1}
    again.store.let_go()
    await again.clock.passes(100)
    assert rooms(again) == {"finished": 1, "waiting": 1, "loaded": 2}
    await again.closes()


async def test_a_room_without_its_store_is_not_in_memory(node: Node) -> None:
    table = await node.plays()
    node.store.down = True
    table.acts()
    await quiet()
    assert rooms(node) == {"running": 1}
    node.store.down = False
    await node.clock.passes(node.limits.retry_ms)
    assert rooms(node) == {"running": 1, "loaded": 1}


async def test_a_room_that_fails_is_counted(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await node.plays()

    def breaks(*_: Any) -> Any:
        raise KeyError("p07")

    with monkeypatch.context() as patched:
        patched.setattr(type(GAMES["kunstmarkt"]), "default", breaks)
        await node.clock.goes_to(table.window["closes_at"] + 251)
    assert count(node, "room_failures_total", game="kunstmarkt") == 1
    assert rooms(node) == {"failed": 1, "loaded": 1}


async def test_a_room_whose_head_is_gone_is_counted_once(node: Node) -> None:
    made = await node.makes()
    again = await restarted(node)
    again.store.kept.rooms[made.room].head = b"\xc1"
    await again.opens()
    await again.clock.passes(100)
    assert rooms(again) == {"waiting": 1, "loaded": 1}
    await again.closes()


async def test_how_late_a_bell_rings_is_told_with_what_it_was_put_off(node: Node) -> None:
    table = await node.plays()
    rung = count(node, "bell_late_seconds_count")
    assert count(node, "bell_late_seconds_sum") == 0
    node.clock.lags(table.window["closes_at"] + 251 + 30 - node.clock.now())
    await node.clock.passes(30)
    assert count(node, "bell_late_seconds_count") > rung
    assert count(node, "bell_late_seconds_sum") == pytest.approx(0.06)


# Labels


async def test_no_label_ever_names_a_room_a_player_or_an_address(node: Node) -> None:
    """Play, refuse, lose and reload; every value must be one that could be written down before."""
    table = await node.plays()
    node.store.fail(Fault.NOT_WRITTEN)
    table.acts()
    await node.clock.passes(node.limits.retry_ms)
    await table.moves(5)
    table.asked.acts(table.room, {"do": table.room})
    node.joined(table.room, as_="spectator").drops()
    await node.clock.passes(200_000)
    assert_closed(samples(node.metrics.registry))


def assert_closed(read: Samples) -> None:
    allowed: dict[str, set[str]] = {
        "kind": {"ring", "view", "turn", "offer", EARLIER},
        "game": {*GAMES},
        "status": {*get_args(Status), *map(str, range(100, 600))},
        "outcome": {"answered", "default", "refused_late"},
        "reason": {*Reason, "unavailable", "fenced", "out_of_order", "room_exists"},
        "role": {"player", "spectator"},
        "code": {BY_CLIENT, *(str(int(code)) for code in CloseCode)},
        "budget": {"requests", "guests", "acts", "socket", "sockets", "says"},
        "route": {OTHER, "/v1/play", *(path for _, path, _ in ROUTES)},
        "method": {OTHER, *METHODS},
    }
    for name, labelled in read.by_name.items():
        for key in labelled:
            for label, value in key:
                assert label == "le" or value in allowed[label], (name, label, value)
