"""Exactly once: the same id gets the same receipt and has no second effect."""

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from saleroom_protocol.errors import Reason
from saleroom_server.rooms.journal import content_of
from tests.support.documents import documents
from tests.support.founding import BOT, PEOPLE
from tests.support.rooms import HandRoom
from tests.support.toy.room import BID, toy


def arranged(turn: int) -> dict[str, Any]:
    """Return an action of any time; every second one is another."""
    return {"do": "arrange", "shelf": {"a": 1 + turn % 2, "b": 3}}


def test_the_same_act_again_gets_the_same_receipt_and_nothing_happens() -> None:
    hand, (player, *_) = toy()
    act = hand.act(player, BID, 0, "mine")
    first = hand.does(act)
    seq, journal = hand.room.seq, list(hand.journal)
    for _ in range(3):
        again = hand.does(act)
        assert (again.answer, again.silent) == (first.answer, True)
    assert (hand.room.seq, hand.journal) == (seq, journal)


def test_it_may_come_again_on_another_socket_and_before_that_has_joined() -> None:
    hand, (player, *_) = toy()
    first = hand.acts(player, BID, 0, "mine")
    other = hand.follower(0)
    assert hand.does(hand.act(other, BID, 1, "mine")).answer == first.answer
    hand.rejoins(other)
    assert hand.does(hand.act(other, BID, 1, "mine")).answer == first.answer
    assert hand.entries.count("acted") == 1


def test_it_may_come_again_after_the_window_the_game_and_a_crash() -> None:
    hand, (player, *_) = toy()
    first = hand.acts(player, BID, 0, "mine")
    hand.expires()
    hand.reloads()
    assert hand.does(hand.act(player, BID, 1, "mine")).answer == first.answer
    while hand.status == "running":
        hand.expires()
    assert hand.does(hand.act(player, BID, 1, "mine")).answer == first.answer


def test_the_same_id_with_other_content_is_refused() -> None:
    hand, (player, *_) = toy()
    hand.acts(player, BID, 0, "mine")
    unreadable: dict[Any, Any] = {**BID, "more": 2**70}
    for action, window in ((BID, 2), (BID, None), ({"do": "insist"}, 1), (unreadable, 1)):
        refused = hand.refuses(hand.act(player, action, window, "mine"))
        assert refused == (Reason.ID_REUSED, {})


def test_the_order_of_keys_is_no_other_content() -> None:
    hand, (player, *_) = toy()
    shelf = {"a": 3, "b": 1}
    first = hand.acts(player, {"do": "arrange", "shelf": shelf}, None, "mine")
    turned = {"shelf": dict(reversed(shelf.items())), "do": "arrange"}
    assert hand.acts(player, turned, None, "mine").answer == first.answer


def test_a_refused_id_is_not_remembered() -> None:
    hand, (player, *_) = toy()
    reason, _ = hand.refuses(hand.act(player, {"do": "bid", "cards": ["x"]}, 0, "mine"))
    assert reason is Reason.ILLEGAL_ACTION
    accepted = hand.acts(player, BID, 0, "mine").answer
    assert accepted.seq == hand.room.seq


def test_ids_are_each_players_own() -> None:
    hand = HandRoom("toy")
    hand.seats(0)
    hand.does(hand.seat(BOT))
    hand.begins()
    hand.acts(hand.joins(0), BID, 0, "same")
    hand.acts(hand.joins(BOT), BID, 0, "same")
    assert hand.entries.count("acted") == 2


def test_the_last_sixty_four_are_remembered_also_over_a_crash() -> None:
    hand, (player, *_) = toy()
    first = hand.acts(player, arranged(0), None, "id-0").answer
    for turn in range(1, 64):
        hand.acts(player, arranged(turn), None, f"id-{turn}")
    for _ in range(2):
        assert hand.acts(player, arranged(0), None, "id-0").answer == first
        hand.reloads()
    hand.acts(player, arranged(64), None, "id-64")
    assert len(hand.standing.receipts[PEOPLE[0].player or ""]) == 64
    again = hand.acts(player, arranged(0), None, "id-0")
    assert again.answer.seq == hand.room.seq > first.seq, "forgotten, so decided like a new one"


def test_resigning_and_coming_back_are_exactly_once_too() -> None:
    hand, (player, *_) = toy()
    while not hand.standing.has_drifted(0):
        hand.expires()
    back = hand.acts(player, {"do": "come_back"}, None, "back")
    assert hand.acts(player, {"do": "come_back"}, None, "back").answer == back.answer
    gone = hand.acts(player, {"do": "resign"}, None, "gone")
    hand.reloads()
    assert hand.acts(player, {"do": "resign"}, None, "gone").answer == gone.answer
    assert hand.entries.count("resigned") == 1


@given(action=documents, luck=st.integers())
@settings(max_examples=50)
def test_what_an_act_said_is_known_again_whatever_the_order_of_its_keys(
    action: dict[str, Any], luck: int
) -> None:
    content = content_of(3, action)
    assert content == content_of(3, _shuffled(action, Random(luck)))
    assert content != content_of(4, action)
    assert content != content_of(UNSET, action)
    assert content != content_of(3, {**action, "a_longer_key": 1})


def _shuffled(value: Any, luck: Random) -> Any:
    if isinstance(value, list):
        return [_shuffled(item, luck) for item in value]
    if not isinstance(value, dict):
        return value
    keys = luck.sample(list(value), len(value))
    return {key: _shuffled(value[key], luck) for key in keys}
