"""House bots move by themselves, after a delay everybody could work out."""

from random import Random
from typing import Any

from msgspec.structs import replace

from saleroom_rules.games import GAMES
from saleroom_rules.replay import verify
from saleroom_server.rooms.commands import AddBot, Ring
from tests.support.founding import LEVELS, PEOPLE, think
from tests.support.rooms import STANDARD, HandRoom
from tests.support.toy.room import BID
from tests.support.worlds import OTHER_WORLD


def bots_alone(game: str = "toy", **fields: Any) -> HandRoom:
    hand = HandRoom(game, **fields)
    hand.begins()
    return hand


def test_a_game_of_house_bots_is_played_to_its_end_by_bells_alone() -> None:
    for game in ("toy", *GAMES):
        hand = bots_alone(game)
        watching = hand.joins(3, "spectator")
        while not hand.standing.is_over:
            hand.to_the_next_bell()
        assert watching.document["status"] == "finished"
        assert "expired" not in hand.entries
        verify(hand.record())


def test_a_house_bot_takes_its_time_but_not_too_much() -> None:
    delays = set()
    for number in range(40):
        hand = HandRoom("toy", room="raaaaaaaaaa" + chr(97 + number // 20) + chr(97 + number % 20))
        hand.begins()
        due = hand.room.due()
        assert due is not None
        delays.add(due - hand.window["opened_at"])
    assert len(delays) > 10
    assert min(delays) >= 700
    assert max(delays) <= 2_000


def test_when_a_house_bot_moves_depends_on_no_hand() -> None:
    luck = Random(5)
    for game in ("toy", *GAMES):
        standing = bots_alone(game).standing
        for viewer in (None, 0, 1, 2):
            other = OTHER_WORLD[game](standing.state, viewer, (), luck)
            twins = [
                HandRoom(standing=replace(standing, state=state))
                for state in (standing.state, other)
            ]
            assert twins[0].room.due() == twins[1].room.due()


def test_a_house_bot_sees_what_a_player_in_its_seat_would_see() -> None:
    seen: list[tuple[str, str, dict[str, Any]]] = []

    def noting(game: str, level: str, document: dict[str, Any]) -> dict[str, Any]:
        seen.append((game, level, document))
        return think(game, level, document)

    hand = HandRoom("toy", think=noting)
    hand.seats(0, 1)
    hand.does(AddBot(PEOPLE[0], "steady"))
    hand.begins(0, 1)
    expected = hand.document(2)
    hand.waits(2_000)
    ((game, level, document),) = seen
    assert (game, level) == ("toy", "steady")
    assert document == expected
    assert document["you"]["cards"] == list(hand.state.hands[2])
    assert level in LEVELS


def test_what_a_house_bot_may_not_do_becomes_the_default_and_a_fault_to_be_logged() -> None:
    wrong: list[Any] = [
        {},
        {"do": "dance"},
        {"do": "bid", "cards": ["n99"]},
        {"do": "insist"},
        {"do": "arrange", "shelf": {"a": 1, "b": 2}},
        {"do": "resign"},
    ]
    for action in wrong:
        hand = HandRoom("toy", think=lambda *_, answer=action: answer)
        hand.begins(0, 1)
        decision = ringing(hand)
        assert decision.fault is not None
        assert hand.journal[-1].entry.action == BID  # type: ignore[union-attr]
        assert hand.journal[-1].entry.by == "bot"  # type: ignore[union-attr]


def test_a_house_bot_that_breaks_down_holds_nobody_up() -> None:
    def broken(*_: Any) -> dict[str, Any]:
        raise ZeroDivisionError

    hand = HandRoom("toy", think=broken)
    hand.begins()
    while not hand.standing.is_over:
        assert isinstance(hand.to_the_next_bell().fault, ZeroDivisionError | None)
    verify(hand.record())


def ringing(hand: HandRoom) -> Any:
    """Ring until a house bot has moved."""
    while hand.entries[-1] != "acted":
        decision = hand.to_the_next_bell()
    return decision


def test_a_house_bot_waits_again_after_each_answer() -> None:
    hand = HandRoom("toy")
    hand.begins(0, 1)
    first = hand.room.due()
    hand.waits(500)
    hand.acts(hand.playing(0), BID)
    assert hand.room.due() == (first or 0) + 500
    hand.acts(hand.playing(0), {"do": "arrange", "shelf": {"a": 1, "b": 2}}, None)
    assert hand.room.due() == (first or 0) + 500, "what answers nothing delays nothing"


def test_a_house_bot_that_spoke_last_lets_the_others_have_their_say() -> None:
    hand = HandRoom("toy", think=lambda *_: {"do": "say", "value": 1})
    hand.begins(0, 1)
    hand.acts(hand.playing(0), BID)
    hand.acts(hand.playing(1), BID)
    hand.to_the_next_bell()  # the bot wants to speak, which is no bid: it gets the default
    assert hand.window["kind"] == "haggle"
    assert hand.to_the_next_bell().speaker == 2
    due, patience = hand.room.due() or 0, STANDARD.house_bot_patience_ms
    assert due - hand.now >= patience + STANDARD.house_bot_ms
    hand.waits(100)
    hand.acts(hand.playing(0), {"do": "say", "value": 2})
    assert (hand.room.due() or 0) - hand.now < patience, "somebody has answered"


def test_a_stale_bell_makes_no_house_bot_move_twice() -> None:
    hand = HandRoom("toy")
    hand.begins(0, 1)
    hand.waits(2_000)
    assert hand.entries.count("acted") == 1
    assert hand.does(Ring()).silent
