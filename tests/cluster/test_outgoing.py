"""What waits to be sent is bounded, and goes in groups, in order."""

import asyncio

from saleroom_server.cluster.bus_limits import BusLimits
from saleroom_server.cluster.outgoing import Message, Outgoing


async def drained(outgoing: Outgoing) -> list[list[Message]]:
    """Close it, and return the groups that were left."""
    outgoing.close()
    groups = []
    while group := await outgoing.group():
        groups.append(group)
    return groups


async def test_it_goes_in_order_and_as_much_at_once_as_a_group_may_have() -> None:
    outgoing = Outgoing(BusLimits(group_messages=2))
    for number in range(5):
        outgoing.put(f"n{number % 2}", b"%d" % number)
    assert await drained(outgoing) == [
        [("n0", b"0"), ("n1", b"1")],
        [("n0", b"2"), ("n1", b"3")],
        [("n0", b"4")],
    ]


async def test_a_group_ends_when_it_has_enough_bytes() -> None:
    outgoing = Outgoing(BusLimits(group_bytes=10))
    for size in (4, 6, 25, 3):
        outgoing.put("n", bytes(size))
    groups = await drained(outgoing)
    assert [[len(body) for _, body in group] for group in groups] == [[4, 6], [25], [3]]


async def test_when_too_many_wait_the_oldest_is_lost() -> None:
    outgoing = Outgoing(BusLimits(waiting_messages=3))
    for number in range(5):
        outgoing.put("n", b"%d" % number)
    assert await drained(outgoing) == [[("n", b"2"), ("n", b"3"), ("n", b"4")]]


async def test_when_too_many_bytes_wait_the_oldest_are_lost() -> None:
    outgoing = Outgoing(BusLimits(waiting_bytes=10))
    for body in (b"aaaa", b"bbbb", b"c", b"dddddd"):
        outgoing.put("n", body)
    outgoing.put("n", bytes(11))  # alone it is too much
    outgoing.put("n", b"e")
    assert await drained(outgoing) == [[("n", b"e")]]
    outgoing = Outgoing(BusLimits(waiting_bytes=10))
    for body in (b"aaaa", b"bbbb", b"c", b"dddddd"):
        outgoing.put("n", body)
    assert await drained(outgoing) == [[("n", b"c"), ("n", b"dddddd")]]


async def test_whoever_waits_for_a_group_is_told_of_it_and_of_the_end() -> None:
    outgoing = Outgoing(BusLimits())
    waits = asyncio.create_task(outgoing.group())
    await asyncio.sleep(0)
    assert not waits.done()
    outgoing.put("n", b"1")
    assert await waits == [("n", b"1")]
    waits = asyncio.create_task(outgoing.group())
    await asyncio.sleep(0)
    outgoing.close()
    assert await waits == []


async def test_nothing_comes_after_the_end() -> None:
    outgoing = Outgoing(BusLimits())
    outgoing.close()
    outgoing.put("n", b"late")
    assert await drained(outgoing) == []
