"""Playing a seat with a strategy, and making actions of forms."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import pytest

from saleroom_client import Refused, RoomLeft, connect, forms, play
from saleroom_protocol import messages
from saleroom_protocol.messages import Act, Left, Update
from tests.support.scripted_stream import ROOM, TOKEN, House, Instant, Table, serving

FORM: dict[str, Any] = {
    "do": "buy",
    "picture": "p07",
    "choose": {"discard": {"one_of": ["p02", "p11"]}},
}


def first(values: Sequence[Any]) -> Any:
    return values[0]


class Asked:
    """A strategy that notes what it was asked, and picks what comes first."""

    def __init__(self) -> None:
        self.documents: list[Mapping[str, Any]] = []
        self.catalogues: list[Mapping[str, Any]] = []

    def __call__(
        self, document: Mapping[str, Any], catalogue: Mapping[str, Any], pick: forms.Pick
    ) -> Mapping[str, Any]:
        self.documents.append(document)
        self.catalogues.append(catalogue)
        return forms.at_random(document, catalogue, pick)


class Bargain(Table):
    """One window in which seat 0 and somebody else talk to and fro until three words are said."""

    def take(self, action: dict[str, Any]) -> list[Update]:
        words = self.document["count"] + 1
        own = self.step(lambda document: self._talk(document, words))
        meanwhile = self.presence()
        if words == 3:
            return [own, meanwhile, self.step(self.end)]
        return [own, meanwhile, self.step(lambda document: self._reply(document, words))]

    def _talk(self, document: dict[str, Any], words: int) -> None:
        document["count"] = words
        document["window"]["facts"] = {"own": words}

    def _reply(self, document: dict[str, Any], words: int) -> None:
        document["window"]["facts"] = {"own": words, "other": words}


async def played(house: House, strategy: Any) -> dict[str, Any]:
    async with (
        serving(house),
        connect(house.url, TOKEN, checks=True, outside=Instant().outside()) as connection,
    ):
        room = await connection.join(ROOM)
        return await play(room, strategy, catalogue={"ids": []}, pick=first)


async def test_every_window_is_answered_until_the_result() -> None:
    house, strategy = House(), Asked()
    assert await played(house, strategy) == {"reason": "counted", "places": {"0": 1}}
    assert [act.window for act in house.of(Act)] == [1, 2, 3, 4]
    assert strategy.catalogues == [{"ids": []}] * 4


async def test_any_game_can_be_played_at_random() -> None:
    house = House(tables=[Table(asks=30)])
    async with serving(house), connect(house.url, TOKEN) as connection:
        await play(await connection.join(ROOM), forms.at_random, catalogue={})
    assert 30 < house.table.document["count"] < 90


async def test_where_a_window_stays_open_it_speaks_again_when_somebody_else_has() -> None:
    house, strategy = House(tables=[Bargain()]), Asked()
    assert await played(house, strategy) == {"reason": "counted", "places": {"0": 1}}
    assert [act.window for act in house.of(Act)] == [1, 1, 1]
    facts = [document["window"]["facts"] for document in strategy.documents]
    assert facts == [{}, {"own": 1, "other": 1}, {"own": 2, "other": 2}]


class Late(House):
    """A server that refuses the first act, and only then tells what has changed meanwhile."""

    def __init__(self, reason: str, change: Callable[[Table], Update]) -> None:
        super().__init__()
        self.refusals[Act] = [(reason, {})]
        self.script = lambda index, message: (
            [message, change(self.table)] if isinstance(message, messages.Refused) else [message]
        )


@pytest.mark.parametrize(
    "reason", ["window_closed", "already_answered", "not_your_window", "paused"]
)
async def test_an_answer_too_late_does_not_matter(reason: str) -> None:
    house = Late(reason, Table.presence)
    assert (await played(house, Asked()))["reason"] == "counted"
    assert len(house.of(Act)) == 5


async def test_an_answer_after_the_end_does_not_matter() -> None:
    house = Late("game_over", lambda table: table.step(table.end))
    assert (await played(house, Asked()))["reason"] == "counted"
    assert len(house.of(Act)) == 1


async def test_an_action_the_rules_refuse_is_an_error() -> None:
    house = House()
    house.refusals[Act] = [("illegal_action", {"why": "not_asked"})]
    with pytest.raises(Refused) as caught:
        await played(house, Asked())
    assert caught.value.facts == {"why": "not_asked"}


async def test_a_game_that_is_over_has_its_result_at_once() -> None:
    house = House()
    house.table.step(house.table.end)
    assert (await played(house, Asked()))["reason"] == "counted"
    assert house.of(Act) == []


async def test_a_room_left_meanwhile_is_an_error() -> None:
    house = House(script=lambda i, m: [Left(room=ROOM, reason="replaced")] if i == 3 else [m])
    with pytest.raises(RoomLeft, match="replaced"):
        await played(house, Asked())


def test_an_entry_is_an_action_or_becomes_one() -> None:
    assert forms.action({"do": "pass"}) == {"do": "pass"}
    assert forms.action(FORM, first) == {"do": "buy", "picture": "p07", "discard": "p02"}
    assert forms.action(FORM)["discard"] in ("p02", "p11")
    with pytest.raises(msgspec.ValidationError):
        forms.action({"do": "buy", "choose": {"discard": {"none_of": []}}})


def test_an_action_is_listed_as_it_is_or_as_a_filling() -> None:
    entries: list[dict[str, Any]] = [
        {"do": "pass"},
        {"do": "x", "choose": {"y": {"later": []}}},
        FORM,
    ]
    assert forms.listed(entries, {"do": "pass"})
    assert forms.listed(entries, {"do": "buy", "picture": "p07", "discard": "p11"})
    assert not forms.listed(entries, {"do": "buy", "picture": "p07", "discard": "p12"})
    assert not forms.listed([], {"do": "pass"})
