"""A service on a Redis is looked at from outside, by nobody it knows."""

from msgspec.structs import replace

from saleroom_server.store.interface import Head
from saleroom_server.store.redis_survey import Listed, Survey
from tests.store.conformance import numbered
from tests.store.nodes import STEADY, Shared, shared, until

__all__ = ["shared"]

BY_THREES = replace(STEADY, page=3)
ATTENTIVE = replace(STEADY, renew_ms=10)


async def test_nodes_are_seen_with_the_rooms_they_own(shared: Shared) -> None:
    a = await shared.node("a", address="http://a.example:8000")
    b = await shared.node("b")
    for room in ("r1", "r2", "r3", "r4"):
        await a.create(room, numbered(1, 1), b"")
    await b.create("r5", numbered(1, 1), b"")
    await a.release("r2", 2)
    async with Survey.open(shared.server.url) as survey:
        assert await survey.nodes() == await a.nodes()
        assert await survey.owned() == {a.node: 3, b.node: 1, "": 1}
        shared.loses_lease("b")
        assert [node.name for node in await survey.nodes()] == ["a"]
        assert await survey.owned() == {a.node: 3, "": 2}
        assert 0 <= await survey.now() - (await survey.nodes())[0].since < 60_000
    assert shared.living() == ["a"], "who looks is no node"


async def test_rooms_are_read_page_by_page_in_the_order_they_were_made(shared: Shared) -> None:
    a, b = await shared.node("a"), await shared.node("b")
    names = [f"r{9 - number}" for number in range(8)]
    for number, room in enumerate(names):
        await (b if number % 3 == 0 else a).create(room, numbered(1, 1), room.encode())
    await a.release(names[1], 2)
    await b.forget(names[3], 4)
    async with Survey.open(shared.server.url, BY_THREES) as survey:
        pages = [page async for page in survey.rooms()]
        (node, _) = await survey.nodes()
        owned = [room async for page in survey.owned_by(node) for room in page]
    assert [len(page) for page in pages] == [3, 3, 1]
    owners = [b.node, "", a.node, None, a.node, a.node, b.node, a.node]
    assert [listed for page in pages for listed in page] == [
        Listed(Head(room, room.encode()), owner)
        for room, owner in zip(names, owners, strict=True)
        if owner is not None
    ]
    assert owned == [names[2], names[4], names[5], names[7]]


async def test_of_an_empty_redis_there_is_nothing_to_see(shared: Shared) -> None:
    async with Survey.open(shared.server.url) as survey:
        assert await survey.nodes() == []
        assert await survey.owned() == {}
        assert [page async for page in survey.rooms()] == []
        assert await survey.owners([]) == []


async def test_a_node_sees_once_that_it_is_asked_to_end_and_no_other_does(shared: Shared) -> None:
    a = await shared.node("a", limits=ATTENTIVE)
    b = await shared.node("b", limits=ATTENTIVE)
    ended: list[str] = []
    a.when_drained(lambda: ended.append("a"))
    b.when_drained(lambda: ended.append("b"))
    async with Survey.open(shared.server.url) as survey:
        node, other = await survey.nodes()
        assert not node.draining
        await survey.drain(node, 60_000)
        await survey.drain(node, 60_000)
        await until(lambda: b"true" in shared.direct.get(f"n:{a.node}"))
        assert await survey.nodes() == [replace(node, draining=True), other]
    assert ended == ["a"]
    assert await a.alive() == {a.node, b.node}, "it is there until it has ended"


async def test_a_node_that_was_asked_at_its_start_hears_of_it(shared: Shared) -> None:
    a = await shared.node("a", limits=ATTENTIVE)
    async with Survey.open(shared.server.url) as survey:
        await survey.drain((await survey.nodes())[0], 60_000)
        ended: list[str] = []
        a.when_drained(lambda: ended.append("a"))
        await until(lambda: bool(ended))


async def test_nobody_who_bears_the_name_later_is_asked(shared: Shared) -> None:
    a = await shared.node("a")
    async with Survey.open(shared.server.url) as survey:
        await survey.drain((await survey.nodes())[0], 60_000)
        await a.close()
        again, ended = await shared.node("a", limits=ATTENTIVE), list[str]()
        again.when_drained(lambda: ended.append("again"))
        renewed = shared.direct.info("commandstats")["cmdstat_set"]["calls"]
        await until(
            lambda: shared.direct.info("commandstats")["cmdstat_set"]["calls"] > renewed + 2
        )
    assert ended == []


async def test_a_request_nobody_heard_is_over_after_a_while(shared: Shared) -> None:
    await shared.node("a")
    async with Survey.open(shared.server.url) as survey:
        await survey.drain((await survey.nodes())[0], 50)
        await until(lambda: not shared.direct.keys("drain:*"))
