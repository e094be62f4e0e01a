"""Bugs in the rules: one refused request, or one failed room, and nothing else."""

from typing import Any

import pytest

from saleroom_protocol.errors import Reason
from saleroom_rules.contract import Step
from saleroom_rules.games import GAMES
from saleroom_server.rooms.journal import encode
from saleroom_server.rooms.loading import JournalFault
from tests.support.replaying import load
from tests.support.rooms import HandRoom
from tests.support.toy.game import Toy
from tests.support.toy.room import BID, toy


class Faulty(Toy):
    """A game with a bug in it."""

    broken = False

    def apply(self, state: Any, seat: int, action: Any) -> Step[Any, Any]:
        if self.broken:
            raise ZeroDivisionError
        return super().apply(state, seat, action)


def test_a_bug_in_the_rules_leaves_the_room_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    faulty = Faulty()
    monkeypatch.setitem(GAMES, "toy", faulty)
    hand, players = toy()
    before, due = hand.standing, hand.room.due()
    faulty.broken = True
    act = hand.act(players[0], BID, 0, "again")
    with pytest.raises(ZeroDivisionError):
        hand.decides(act)
    assert (hand.standing, hand.room.due()) == (before, due)
    faulty.broken = False
    hand.does(act)
    assert hand.window["answered"] == [0]


def test_a_default_that_raises_fails_the_room_and_everybody_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    faulty = Faulty()
    monkeypatch.setitem(GAMES, "toy", faulty)
    hand, players = toy()
    faulty.broken = True
    journal = list(hand.journal)
    with pytest.raises(ZeroDivisionError):
        hand.expires()
    hand.carry_out(hand.room.fail(hand.now))
    for player in players:
        assert player.document["status"] == "failed"
        assert player.document["result"] == {"reason": "internal_error"}
        assert not {"window", "legal"} & player.document.keys()
    assert hand.journal == journal, "a program without the fault takes the room up again"
    assert hand.room.due() is None
    refused = hand.refuses(hand.act(players[0], BID, 1))
    assert refused == (Reason.WRONG_STATUS, {"status": "failed"})


def test_a_room_that_fails_before_it_began_no_longer_tells_when_it_will() -> None:
    hand = HandRoom("toy")
    hand.seats(0, 1, 2)
    watching = hand.joins(3, "spectator")
    hand.carry_out(hand.room.fail(hand.now))
    assert watching.document["status"] == "failed"
    assert "starts_at" not in watching.document
    hand.waits(10 * 60_000)
    assert hand.status == "failed"


def test_a_room_whose_journal_leads_nowhere_shows_what_it_was_and_that_it_failed() -> None:
    hand, players = toy()
    hand.acts(players[0], BID)
    known = hand.document()
    bodies = [*map(encode, hand.journal), b"garbage"]
    with pytest.raises(JournalFault) as caught:
        load(bodies)
    assert caught.value.standing is not None
    failed = HandRoom(standing=caught.value.standing)
    failed.carry_out(failed.room.fail(failed.now))
    document = failed.joins(1).document
    assert document["table"] == known["table"]
    assert (document["status"], document["result"]) == ("failed", {"reason": "internal_error"})
    assert failed.room.summary().status == "failed"
