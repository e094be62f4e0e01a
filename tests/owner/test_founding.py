"""How a room is made, and why one is not."""

import asyncio
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from saleroom_protocol.errors import Reason
from saleroom_protocol.http import HouseBot, NewRoom
from saleroom_server.owner.founding import found_room
from saleroom_server.owner.keeping import Keep
from saleroom_server.owner.surroundings import OwnerLimits
from saleroom_server.rooms.commands import Close, Refusal, TakeSeat
from saleroom_server.store.interface import Unavailable
from tests.support.hand_clock import quiet
from tests.support.nodes import PEOPLE, Node, entries_of

ENTROPY = "00" * 16
EASY = HouseBot(level="easy")


async def refused(node: Node, **fields: Any) -> tuple[Reason, dict[str, Any]]:
    """Expect that a room is not made; return why."""
    with pytest.raises(Refusal) as caught:
        await node.makes(**fields)
    assert node.store.kept.rooms == {}
    assert caught.value.facts.keys() <= set(caught.value.reason.facts)
    return caught.value.reason, caught.value.facts


async def test_a_room_is_made_with_everybody_who_is_there_from_the_start(node: Node) -> None:
    made = await node.makes(bots=(HouseBot(level="steady", seat=2),), entropy=ENTROPY)
    assert made.seat == 0
    assert {seat: one.kind for seat, one in made.seats.items()} == {"0": "person", "2": "house"}
    entries = ["created", "seat_taken", "contributed", "bot_added"]
    assert [*entries_of(node.store.kept, made.room)] == entries
    assert (made.status, made.spectators, made.host) == ("waiting", 0, PEOPLE[0].player)
    assert len({made.invite, made.watch, made.room}) == 3


async def test_a_creator_who_takes_no_seat_has_none(node: Node) -> None:
    made = await node.makes(take_seat=False)
    assert made.seat is UNSET
    assert made.seats == {}


async def test_a_room_of_house_bots_alone_starts(node: Node) -> None:
    made = await node.makes(take_seat=False, bots=(EASY, EASY, EASY))
    await node.clock.passes(2_000)
    assert node.hall.summary(made.room).status == "running"


async def test_what_cannot_be_made_is_refused_with_its_reason(node: Node) -> None:
    assert await refused(node, game="chess") == ("unknown_game", {"game": "chess"})
    assert await refused(node, seats=9) == ("malformed", {"field": "seats"})
    assert await refused(node, entropy=ENTROPY, take_seat=False) == (
        "malformed",
        {"field": "entropy"},
    )
    taken = (HouseBot(level="easy", seat=0),)
    assert await refused(node, bots=taken) == ("seat_taken", {"seat": 0})
    assert await refused(node, bots=(EASY, EASY, EASY)) == ("room_full", {})
    beyond = (HouseBot(level="easy", seat=7),)
    assert (await refused(node, bots=beyond))[0] == "malformed"


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"hidden_cash": 1}, "options.hidden_cash"),
        ({"hidden_cash": None}, "options.hidden_cash"),
        ({"odd": True}, "options.odd"),
        ({"odd`": True}, "options.odd`"),
        ({"x" * 500: True}, "options." + "x" * 100),
    ],
)
async def test_options_a_game_does_not_have_are_named(
    node: Node, options: dict[str, Any], field: str
) -> None:
    assert await refused(node, options=options) == ("bad_options", {"field": field})


async def test_secrets_of_a_room_are_in_nobodys_print(node: Node) -> None:
    made = await node.makes(visibility="private")
    founded = found_room(NewRoom(game="toy", seats=3), PEOPLE[0], frozenset(), 0)
    told = [repr(founded), repr(node.hall._heads), repr(node.actor(made.room))]
    secrets = [made.invite, made.watch, founded.founding.server_seed, founded.founding.watch]
    assert not [secret for secret in secrets for text in told if secret in text]


async def test_a_server_that_is_full_makes_no_more_rooms() -> None:
    node = await Node(owner=OwnerLimits(rooms=2)).opens()
    await node.makes()
    await node.makes(PEOPLE[1])
    with pytest.raises(Refusal) as caught:
        await node.makes(PEOPLE[2])
    assert (caught.value.reason, caught.value.facts) == ("full", {"retry_after_ms": 500})
    await node.closes()


async def test_a_player_has_so_many_unfinished_rooms_and_no_more() -> None:
    node = await Node(owner=OwnerLimits(rooms_per_player=2)).opens()
    made = [await node.makes(), await node.makes()]
    with pytest.raises(Refusal) as caught:
        await node.makes()
    assert caught.value.reason is Reason.FULL
    await node.makes(PEOPLE[1])
    await node.actor(made[0].room).ask(Close("enough"))
    await node.makes()
    await node.closes()


async def test_an_address_has_so_many_unfinished_rooms_whoever_makes_them() -> None:
    node = await Node(owner=OwnerLimits(rooms_per_address=2)).opens()

    async def makes(number: int, address: str) -> str:
        asked = NewRoom(game="kunstmarkt", seats=3)
        return (await node.hall.create(asked, PEOPLE[number], None, address)).room

    made = [await makes(number, "192.0.2.1") for number in range(2)]
    with pytest.raises(Refusal) as caught:
        await makes(2, "192.0.2.1")
    assert caught.value.reason is Reason.FULL
    await makes(2, "192.0.2.2")
    await makes(3, "")
    await node.actor(made[0]).ask(Close("enough"))
    await makes(2, "192.0.2.1")
    await node.clock.passes(node.room_limits.kept_ms)
    node.hall.sweep()
    await quiet()
    node.hall.sweep()
    assert made[0] not in node.hall._addresses
    assert made[0] not in node.hall._made["192.0.2.1"]
    await node.closes()


async def test_rooms_that_are_just_being_made_count(monkeypatch: pytest.MonkeyPatch) -> None:
    node = await Node(owner=OwnerLimits(rooms_per_player=2)).opens()
    create = node.store.create

    async def slowly(*facts: Any) -> int:
        await node.clock.sleep(1)
        return await create(*facts)

    monkeypatch.setattr(node.store, "create", slowly)
    making = [asyncio.ensure_future(node.makes()) for _ in range(5)]
    await node.clock.passes(1)
    results = await asyncio.gather(*making, return_exceptions=True)
    assert sum(isinstance(one, Refusal) for one in results) == 3
    assert not node.hall._in_hand
    assert node.hall._beginning == 0
    await node.closes()


@pytest.mark.parametrize("written", [False, True])
async def test_a_room_of_which_nobody_knows_whether_it_was_made_is_found_out_about(
    node: Node, monkeypatch: pytest.MonkeyPatch, written: bool
) -> None:
    create = node.store.create

    async def fails(*facts: Any) -> int:
        if written:
            await create(*facts)
        raise Unavailable

    with monkeypatch.context() as broken:
        broken.setattr(node.store, "create", fails)
        with pytest.raises(Unavailable):
            await node.makes()
    await quiet()
    listed = [*node.hall.rooms()]
    assert listed == [*node.store.kept.rooms]
    assert len(listed) == written
    node.hall.sweep()
    assert len(node.hall._actors) == written


async def test_the_answer_of_a_request_is_kept_with_the_room(node: Node) -> None:
    until = node.clock.now() + 1_000
    keep = Keep("p", "key", b"", until, "room")
    made = await node.hall.create(NewRoom(game="kunstmarkt", seats=3), PEOPLE[0], keep)
    kept = await node.store.recall("p", "key", node.clock.now())
    assert kept is not None
    assert (kept.status, kept.body) == (201, msgspec.json.encode(made))
    sits = Keep("q", "key", b"", until, "seat")
    await node.actor(made.room).ask(TakeSeat(PEOPLE[1]), sits)
    kept = await node.store.recall("q", "key", node.clock.now())
    assert kept is not None
    assert (kept.status, kept.body) == (201, b'{"seat":1}')
    assert keep.used
    assert sits.used
