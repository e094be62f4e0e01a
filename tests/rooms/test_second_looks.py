"""A crash deals nothing anew, and whoever has looked at a pile has looked at that one."""

from random import Random

import pytest

from saleroom_protocol.codec import JSON
from saleroom_protocol.errors import Reason
from saleroom_rules.games import GAMES
from tests.rooms.test_vernissage import opened
from tests.support.founding import picked
from tests.support.games import strings_in
from tests.support.rooms import HandRoom


def test_a_pile_that_was_looked_at_stays_the_one_also_after_a_crash() -> None:
    hand = opened("pick")
    (seat,) = hand.asked
    player, window = hand.playing(seat), hand.window
    legal, others = player.document["legal"], set(hand.state.piles[window["facts"]["pile"] - 1])
    hand.reloads()
    assert (hand.window["number"], hand.window["facts"]) == (window["number"], window["facts"])
    assert player.document["legal"] == legal
    for pile in range(1, 8):
        refused, _ = hand.refuses(hand.act(player, {"do": "buy_pile", "pile": pile}))
        assert refused is Reason.ILLEGAL_ACTION
    kept = next(entry for entry in legal if entry["do"] == "keep")
    action = picked(kept, lambda cards: cards[0])
    hand.acts(player, action)
    others -= strings_in(action)
    hand.reloads()
    shown = JSON.encode(player.document)
    assert others
    assert not [card for card in others if f'"{card}"'.encode() in shown]


@pytest.mark.parametrize("game", ["toy", *GAMES])
def test_a_game_that_crashes_before_every_move_is_dealt_as_one_that_never_does(game: str) -> None:
    steady, crashing, luck = HandRoom(game), HandRoom(game), Random(6)
    for hand in (steady, crashing):
        hand.begins(0, 1, 2)
    for _ in range(25):
        crashing.reloads()
        assert crashing.state == steady.state
        seat = luck.choice(steady.asked)
        entry = luck.choice(steady.playing(seat).document["legal"])
        action = picked(entry, luck.choice)
        for hand in (steady, crashing):
            hand.acts(hand.playing(seat), action)
        if steady.standing.is_over:
            break
    assert crashing.state == steady.state
