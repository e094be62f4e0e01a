"""Advice: asked for once, taken if it is at hand and still fits, and seen by nobody before."""

from typing import Any

import pytest

from saleroom_rules.games import GAMES
from saleroom_server.rooms.advice import Question
from saleroom_server.rooms.commands import AddBot
from tests.support.founding import PEOPLE, think
from tests.support.rooms import HandRoom
from tests.support.toy.game import Puzzle, State, Toy
from tests.support.toy.room import ARRANGE, BID, INSIST, PLACE, haggling, placing
from tests.support.toy.words import AnyAction, Say

ADVISED = {"do": "place", "spaces": {"a": 3, "b": 4}, "path": [3, 4]}
DEFAULT = {"do": "place", "spaces": {"a": 1, "b": 2}, "path": [1, 2]}


def asked(hand: HandRoom) -> list[Question]:
    return hand.room.questions()


def is_advised(hand: HandRoom, *questions: Question) -> None:
    """Let the work be done that the questions hold."""
    for question in questions:
        hand.room.advised(question, question.work())


def played(hand: HandRoom) -> dict[str, Any]:
    """Let the window run out; return what was played for whom."""
    hand.expires()
    entry: Any = hand.journal[-1].entry
    answers: dict[str, Any] = entry.answers
    return answers


def test_only_who_owes_an_answer_worth_a_search_is_asked_for_and_once() -> None:
    hand, players = haggling()
    assert asked(hand) == []
    hand.acts(players[0], {"do": "insist"})
    (question,) = asked(hand)
    assert (question.seat, question.puzzle) == (0, Puzzle({"a": 1, "b": 2}))
    assert asked(hand) == []
    hand.acts(players[2], ARRANGE, None)
    assert asked(hand) == [], "what others do changes nothing"
    hand.acts(players[0], PLACE)
    assert [question.seat for question in asked(hand)] == [1]


def test_when_time_runs_out_advice_is_played_if_it_is_at_hand() -> None:
    hand, _ = placing()
    is_advised(hand, *asked(hand))
    assert played(hand) == {"0": ADVISED}
    assert asked(hand) != []
    assert played(hand) == {"1": DEFAULT}, "for seat 1 nothing has come"


def test_a_seat_that_resigned_is_played_for_as_is_advised() -> None:
    hand, players = placing()
    hand.resigns(players[0])
    is_advised(hand, *asked(hand))
    assert played(hand) == {"0": ADVISED}


def test_what_is_read_back_is_what_was_played_and_advice_is_asked_for_again() -> None:
    hand, _ = placing()
    is_advised(hand, *asked(hand))
    hand.reloads()
    assert [question.seat for question in asked(hand)] == [0]
    assert played(hand) == {"0": DEFAULT}
    hand.reloads()


def test_advice_on_what_has_changed_is_not_taken_and_asked_for_anew() -> None:
    hand, players = placing()
    (question,) = asked(hand)
    is_advised(hand, question)
    hand.acts(players[0], ARRANGE, None)
    assert played(hand) == {"0": DEFAULT}


def test_an_answer_that_comes_too_late_is_forgotten() -> None:
    hand, players = placing()
    (question,) = asked(hand)
    assert hand.room.wants(question)
    hand.acts(players[0], ARRANGE, None)
    (anew,) = asked(hand)
    assert not hand.room.wants(question)
    assert hand.room.wants(anew)
    is_advised(hand, anew, question)
    assert played(hand)["0"]["spaces"] == {"a": 3, "b": 2}
    assert asked(hand)
    assert not hand.room.wants(anew)


def test_nothing_is_wanted_of_a_room_that_is_over() -> None:
    hand, _ = placing()
    (question,) = asked(hand)
    hand.carry_out(hand.room.fail(hand.now))
    assert not hand.room.wants(question)
    assert asked(hand) == []


def test_nobody_can_tell_whether_there_is_advice() -> None:
    hand, players = placing()
    before = (hand.room.seq, hand.room.due(), hand.document(0), hand.document())
    is_advised(hand, *asked(hand))
    assert (hand.room.seq, hand.room.due(), hand.document(0), hand.document()) == before
    assert not any(player.news for player in players)


def test_a_house_bot_does_what_is_advised_and_need_not_think() -> None:
    thought = []

    def thinking(game: str, level: str, document: dict[str, Any]) -> dict[str, Any]:
        thought.append(document["window"]["kind"])
        return think(game, level, document)

    hand = HandRoom("toy", think=thinking)
    hand.does(AddBot(PEOPLE[0], "easy", 0))
    hand.begins(1, 2)
    for player in (hand.playing(1), hand.playing(2)):
        hand.acts(player, BID)
    hand.to_the_next_bell()
    hand.acts(hand.playing(1), INSIST)
    is_advised(hand, *asked(hand))
    hand.to_the_next_bell()
    entry: Any = hand.journal[-1].entry
    assert (entry.seat, entry.by, entry.action) == (0, "bot", ADVISED)
    assert thought == ["bid"]


def test_a_question_prints_nothing_of_what_a_seat_holds() -> None:
    hand, _ = placing()
    assert [repr(question) for question in asked(hand)] == ["<Question>"]


class Talkative(Toy):
    """Advises to go on haggling, which closes nothing."""

    def puzzle(self, state: State, seat: int) -> Puzzle | None:
        return Puzzle({}) if state.kind == "haggle" else None

    def advise(self, puzzle: Puzzle) -> AnyAction:
        return Say(1)


def test_a_seat_that_is_asked_twice_is_advised_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "toy", Talkative())
    hand, _ = haggling()
    is_advised(hand, *asked(hand))
    assert played(hand) == {"0": {"do": "insist"}}
