"""Bells: on time, once, also with nobody there; and fair when the program was busy."""

from msgspec import Struct

from saleroom_server.clock import SystemClock
from saleroom_server.owner.bell import RoomBell
from tests.support.hand_clock import HandClock, quiet
from tests.support.nodes import Node, Table, entries_of

GRACE_MS = 251  # after `closes_at`, an answer does not count any more


class Bell(Struct):
    """A room's bell alone, and when it rang."""

    clock: HandClock
    bell: RoomBell
    rang: list[int]


def a_bell(late_ms: int = 20) -> Bell:
    clock, rang = HandClock(0), list[int]()
    return Bell(clock, RoomBell(clock, late_ms, lambda _: rang.append(clock.now())), rang)


def expiries(table: Table) -> int:
    return [*entries_of(table.node.store.kept, table.room)].count("expired")


async def test_a_bell_rings_once_at_its_time() -> None:
    here = a_bell()
    here.bell.set(100)
    await here.clock.goes_to(99)
    assert here.rang == []
    await here.clock.goes_to(1_000)
    assert here.rang == [100]


async def test_a_bell_set_for_another_time_rings_then() -> None:
    here = a_bell()
    for when in (100, 300, None, 200, 200):
        here.bell.set(when)
    await here.clock.goes_to(1_000)
    assert here.rang == [200]


async def test_a_bell_set_for_the_past_rings_at_once() -> None:
    here = a_bell()
    await here.clock.goes_to(500)
    here.bell.set(100)
    await here.clock.passes(0)
    assert here.rang == [500]


async def test_a_bell_that_is_a_little_late_rings() -> None:
    here = a_bell()
    here.bell.set(100)
    here.clock.lags(120)
    await here.clock.passes(0)
    assert here.rang == [120]


async def test_a_bell_that_is_late_waits_once_more_as_long_as_it_was_late() -> None:
    here = a_bell()
    here.bell.set(100)
    here.clock.lags(150)
    await here.clock.passes(49)
    assert here.rang == []
    here.clock.lags(500)  # late again: it has waited
    await here.clock.passes(0)
    assert here.rang == [699]


async def test_a_bell_that_waits_once_more_can_be_taken_back() -> None:
    here = a_bell()
    here.bell.set(100)
    here.clock.lags(150)
    await here.clock.passes(0)
    here.bell.set(100)  # as it is
    assert len(here.clock.alarms) == 1
    here.bell.set(None)
    await here.clock.passes(1_000)
    assert here.rang == []


async def test_a_silenced_bell_rings_no_more_whatever_is_set() -> None:
    here = a_bell()
    here.bell.set(100)
    here.bell.silence()
    here.bell.set(200)
    await here.clock.passes(1_000)
    assert (here.rang, here.clock.alarms) == ([], [])


async def test_a_window_runs_out_when_its_grace_is_over_and_not_before(node: Node) -> None:
    table = await node.plays()
    await node.clock.goes_to(table.window["closes_at"] + GRACE_MS - 1)
    assert expiries(table) == 0
    await node.clock.passes(1)
    assert expiries(table) == 1


async def test_a_window_runs_out_with_nobody_connected(node: Node) -> None:
    room = await node.starts()
    await node.clock.passes(46_000)
    assert [*entries_of(node.store.kept, room)][-1] == "expired"


async def test_an_answer_that_came_while_the_program_was_busy_counts(node: Node) -> None:
    table = await node.plays()
    acting, closes_at = table.asked, table.window["closes_at"]
    node.clock.lags(closes_at + 5_000 - node.clock.now())
    await node.clock.passes(0)  # the bell sees that it is late
    request = acting.acts(table.room)
    await quiet()
    assert acting.answer(request)["type"] == "accepted"
    await node.clock.passes(5_250)
    assert expiries(table) == 0


async def test_without_an_answer_the_late_bell_rings_after_all(node: Node) -> None:
    table = await node.plays()
    due = table.window["closes_at"] + GRACE_MS
    node.clock.lags(due + 400 - node.clock.now())
    await node.clock.passes(399)
    assert expiries(table) == 0
    await node.clock.passes(1)
    assert expiries(table) == 1


async def test_each_answer_puts_the_bell_off(node: Node) -> None:
    table = await node.plays()
    for _ in range(5):
        await table.moves()
        assert len(node.clock.alarms) == 1, "not one for each answer"
        await node.clock.passes(1_000)
    due = table.window["closes_at"] + GRACE_MS
    await node.clock.goes_to(due - 1)
    assert (expiries(table), node.clock.alarms) == (0, [due])
    await node.clock.passes(1)
    assert expiries(table) == 1


async def test_a_bell_that_was_put_off_while_the_program_was_busy_rings_when_it_should() -> None:
    clock, rang = HandClock(0), list[int]()
    bell = RoomBell(clock, 50, rang.append)
    bell.set(1_000)
    clock.lags(1_200)
    await clock.passes(0)  # it is late, and gives what came in meanwhile a chance
    bell.set(5_000)
    await clock.goes_to(4_999)
    assert (rang, clock.alarms) == ([], [5_000])
    bell.set(6_000)
    bell.set(5_500)  # a little less late than was thought
    await clock.goes_to(5_499)
    assert rang == []
    await clock.passes(1)
    assert rang == [0]
    bell.set(7_000)
    bell.set(6_500)  # sooner
    bell.set(None)
    await clock.goes_to(10_000)
    assert rang == [0]


async def test_a_stale_bell_closes_no_newer_window(node: Node) -> None:
    table = await node.plays()
    first = table.window["closes_at"]
    await node.clock.goes_to(first - 1)
    await table.moves()
    number = table.window["number"]
    await node.clock.goes_to(first + 1_000)
    assert table.window["number"] == number


async def test_the_machines_clock_never_falls_and_rings_in_time() -> None:
    clock = SystemClock()
    times = [clock.now() for _ in range(1_000)]
    assert times == sorted(times)
    await clock.sleep(0)
    rang: list[int] = []
    clock.ring_at(clock.now() + 5_000, lambda: rang.append(1)).cancel()
    due = clock.now() + 2
    clock.ring_at(due, lambda: rang.append(clock.now()))
    clock.ring_at(due - 1_000, lambda: rang.append(0))
    while len(rang) < 2:
        await clock.sleep(1)
    assert rang[0] == 0, "at once, for it has passed"
    assert rang[1] >= due
