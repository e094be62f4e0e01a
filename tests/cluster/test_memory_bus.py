"""The bus of tests does what a bus promises, and loses what it is told to."""

import pytest

from saleroom_server.store.interface import Unavailable
from tests.support.hand_clock import quiet
from tests.support.memory_bus import Lines, MemoryBus


class Ear:
    """A node that writes down what it hears; `None` is a doubt."""

    def __init__(self, lines: Lines, node: str) -> None:
        self.heard: list[bytes | None] = []
        self.bus: MemoryBus = lines.bus(node)
        self.bus.listen(self.heard.append, lambda: self.heard.append(None))


async def test_everything_arrives_in_order_and_in_a_later_turn() -> None:
    lines = Lines()
    a, b = Ear(lines, "a"), Ear(lines, "b")
    for number in range(3):
        a.bus.send("b", b"to b %d" % number)
    b.bus.send("a", b"to a")
    b.bus.send("b", b"to myself")
    assert a.heard == b.heard == []
    await quiet()
    assert a.heard == [b"to a"]
    assert b.heard == [b"to b 0", b"to b 1", b"to b 2", b"to myself"]


async def test_what_is_sent_to_nobody_and_to_who_does_not_listen_is_lost() -> None:
    lines = Lines()
    a, deaf = Ear(lines, "a"), lines.bus("deaf")
    a.bus.send("deaf", b"early")
    a.bus.send("nobody", b"lost")
    await quiet()
    heard: list[bytes] = []
    deaf.listen(heard.append, lambda: None)
    a.bus.send("deaf", b"now")
    await quiet()
    assert heard == [b"now"]


async def test_the_next_messages_to_a_node_get_lost_and_nobody_notices() -> None:
    lines = Lines()
    a, b = Ear(lines, "a"), Ear(lines, "b")
    lines.loses("b", 2)
    for body in (b"1", b"2", b"3"):
        a.bus.send("b", body)
        b.bus.send("a", body)
    await quiet()
    assert b.heard == [b"3"]
    assert a.heard == [b"1", b"2", b"3"]


async def test_nothing_passes_a_cut_and_then_there_is_doubt() -> None:
    lines = Lines()
    a, b = Ear(lines, "a"), Ear(lines, "b")
    a.bus.send("b", b"on its way")
    lines.cut("b")
    a.bus.send("b", b"to b")
    b.bus.send("a", b"from b")
    with pytest.raises(Unavailable):
        await b.bus.probe()
    await a.bus.probe()
    await quiet()
    assert a.heard == b.heard == []
    lines.joins("b")
    a.bus.send("b", b"again")
    await b.bus.probe()
    await quiet()
    assert b.heard == [None, b"again"]
    assert a.heard == []


async def test_a_node_that_is_dead_or_closed_neither_sends_nor_hears() -> None:
    lines = Lines()
    a, b, c = (Ear(lines, node) for node in "abc")
    a.bus.send("b", b"on its way")
    lines.drops("b")
    await c.bus.close()
    for gone in (b, c):
        a.bus.send(gone.bus.node, b"to the dead")
        gone.bus.send("a", b"from the dead")
        with pytest.raises(Unavailable):
            await gone.bus.probe()
    await quiet()
    assert a.heard == b.heard == c.heard == []


async def test_a_node_of_the_same_name_comes_after_a_dead_one() -> None:
    lines = Lines()
    a, old = Ear(lines, "a"), Ear(lines, "b")
    lines.drops("b")
    new = Ear(lines, "b")
    await old.bus.close()
    a.bus.send("b", b"hello")
    await quiet()
    assert (old.heard, new.heard) == ([], [b"hello"])
