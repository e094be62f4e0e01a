"""Acting at the table: what counts, and what is refused in which order."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from saleroom_protocol.errors import Reason
from saleroom_protocol.games.kunstmarkt import Why
from saleroom_rules.games import GAMES
from saleroom_rules.replay import verify
from saleroom_server.rooms.commands import Act, Close, Refusal
from saleroom_server.rooms.limits import RoomLimits
from tests.support.documents import values
from tests.support.founding import BOT
from tests.support.rooms import HandRoom
from tests.support.toy.game import Toy
from tests.support.toy.room import ARRANGE, BID, COME_BACK, RESIGN, haggling, rearranges, toy

PASS = {"do": "pass"}
NOTHING: dict[Any, Any] = {}
ODD: dict[Any, Any] = {1: 2}
NOT_LISTED = (Reason.ILLEGAL_ACTION, {"why": "not_listed"})


def test_an_answer_counts_and_the_receipt_names_the_update_that_shows_it() -> None:
    hand, (player, *_) = toy()
    decision = hand.acts(player, BID)
    assert decision.answer.seq == hand.room.seq == player.seq
    assert player.document["you"]["answer"] == BID
    assert player.document["window"]["answered"] == [0]
    assert hand.journal[-1].entry.action == BID  # type: ignore[union-attr]


def test_as_many_answers_as_come_in_one_tick_all_count() -> None:
    hand, players = toy()
    acts = [hand.act(player, BID) for player in players]
    for act in acts:
        hand.does(act)
    assert hand.entries[-3:] == ["acted"] * 3
    assert hand.window["number"] == 2


def test_a_sealed_answer_shows_that_it_was_given_and_nothing_else() -> None:
    hand, (one, two, _) = toy()
    watching = hand.joins(3, "spectator")
    hand.waits(5_000)
    hand.acts(one, {"do": "bid", "cards": list(hand.state.hands[0][:2])})
    for other in (two, watching):
        assert other.last["patch"] == {"window": {"answered": [0]}}
        assert "events" not in other.last


@pytest.mark.parametrize("number", [0, 2, 2**53 - 1])
def test_a_window_that_never_was_is_closed(number: int) -> None:
    hand, (player, *_) = toy()
    act = hand.act(player, BID, None)
    refused = hand.refuses(Act(act.session, act.caller, act.action, act.sent, number))
    facts = {"window": number, "open": 1, "closed_by": "never"}
    assert refused == (Reason.WINDOW_CLOSED, facts)


def test_a_closed_window_tells_whether_an_answer_closed_it_or_time() -> None:
    hand, players = haggling()
    hand.expires()
    for number, closed_by in ((1, "answer"), (2, "expiry")):
        facts = {"window": number, "open": 3, "closed_by": closed_by}
        assert hand.refuses(hand.act(players[0], BID, number)) == (Reason.WINDOW_CLOSED, facts)
    hand.reloads()
    assert hand.refuses(hand.act(players[0], BID, 2))[1]["closed_by"] == "expiry"


def test_who_is_not_asked_may_not_answer_and_who_has_answered_not_again() -> None:
    hand, players = toy()
    hand.acts(players[1], BID)
    again = hand.act(players[1], BID)
    assert hand.refuses(again) == (Reason.ALREADY_ANSWERED, {"window": 1})
    hand.acts(players[0], BID)
    hand.acts(players[2], BID)
    hand.acts(players[2], {"do": "insist"})
    place = {"do": "place", "spaces": {"a": 1, "b": 2}}
    assert hand.refuses(hand.act(players[1], place)) == (Reason.NOT_YOUR_WINDOW, {"window": 3})


def test_refusals_come_in_the_documented_order() -> None:
    """Id, room, status, window, seat, action."""
    hand, players = toy()
    hand.acts(players[0], BID, 0, "used")
    watching, outside = hand.joins(1, "spectator"), hand.follower(0)
    nonsense = {"do": "dance"}
    assert hand.refuses(hand.act(outside, nonsense, 7, "used")) == (Reason.ID_REUSED, {})
    assert hand.refuses(hand.act(outside, nonsense, 7)) == (Reason.NOT_JOINED, {})
    assert hand.refuses(hand.act(watching, nonsense, 7))[0] is Reason.WINDOW_CLOSED
    assert hand.refuses(hand.act(watching, nonsense)) == (Reason.NOT_SEATED, {})
    assert hand.refuses(hand.act(watching, nonsense, None)) == (Reason.NOT_SEATED, {})
    assert hand.refuses(hand.act(players[0], nonsense))[0] is Reason.ALREADY_ANSWERED
    assert hand.refuses(hand.act(players[1], nonsense)) == (
        Reason.MALFORMED,
        {"field": "action.do"},
    )
    hand.does(Close("enough"))
    closed = (Reason.WRONG_STATUS, {"status": "closed"})
    assert hand.refuses(hand.act(watching, nonsense, 7)) == closed
    assert hand.refuses(hand.act(outside, nonsense, 7))[0] is Reason.NOT_JOINED


def test_before_the_start_nobody_acts() -> None:
    hand = HandRoom()
    hand.seats(0)
    player = hand.joins(0)
    refused = hand.refuses(hand.act(player, PASS, 1))
    assert refused == (Reason.WRONG_STATUS, {"status": "waiting"})


def test_after_the_end_the_game_is_over() -> None:
    hand, players = toy(options={"short": True})
    while hand.status == "running":
        hand.expires()
    assert hand.refuses(hand.act(players[0], BID, 1)) == (Reason.GAME_OVER, {})
    assert hand.refuses(hand.act(players[0], RESIGN, None)) == (Reason.GAME_OVER, {})
    assert players[0].document["you"]["anytime"] == []


def test_what_the_rules_refuse_carries_the_games_word_and_facts() -> None:
    hand = HandRoom()
    hand.begins(0, 1, 2)
    (asked,) = hand.asked
    refused = hand.refuses(hand.act(hand.playing(asked), PASS))
    assert refused == (Reason.ILLEGAL_ACTION, {"why": Why.WRONG_WINDOW, "open": "turn"})


@pytest.mark.parametrize(
    ("action", "refused"),
    [
        (NOTHING, (Reason.MALFORMED, {"field": "action.do"})),
        ({"do": 3}, (Reason.MALFORMED, {"field": "action.do"})),
        ({"do": "bid"}, (Reason.MALFORMED, {"field": "action.cards"})),
        ({"do": "bid", "cards": [1]}, (Reason.MALFORMED, {"field": "action.cards[0]"})),
        ({**BID, "more": 1}, (Reason.UNKNOWN_FIELD, {"field": "action.more"})),
        (ODD, (Reason.MALFORMED, {"field": "action.do"})),
        ({**BID, **ODD}, (Reason.MALFORMED, {"field": "action"})),
        ({"do": "say", "value": 10**30}, (Reason.WINDOW_NEEDED, {})),
        ({"do": "bid", "cards": ["\ud800"]}, (Reason.WINDOW_NEEDED, {})),
    ],
)
def test_an_action_that_cannot_be_one_is_refused_with_its_place(action: Any, refused: Any) -> None:
    hand, (player, *_) = toy()
    assert hand.refuses(hand.act(player, action, None)) == refused


anything = st.recursive(
    values | st.none() | st.floats() | st.binary(max_size=8) | st.integers(-(2**80), 2**80),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=8) | st.integers() | st.binary(max_size=3), inner)
    ),
    max_leaves=10,
)
fields = st.sampled_from(["cards", "value", "spaces", "path", "shelf", "picture", "discard"])
actions = st.dictionaries(st.text(max_size=5) | st.integers(), anything, max_size=4) | st.builds(
    lambda do, rest: {"do": do, **rest},
    st.sampled_from(["bid", "say", "insist", "place", "arrange", "resign", "buy", "offer"])
    | anything,
    st.dictionaries(fields, anything | st.lists(st.sampled_from(["n01", "p01"])), max_size=3),
)


@pytest.mark.parametrize("game", ["toy", *GAMES])
@given(sent=actions, named=st.sampled_from([0, None, 1, 5]))
@settings(max_examples=150)
def test_whatever_is_sent_as_an_action_it_is_taken_or_refused(
    game: str, sent: dict[Any, Any], named: int | None
) -> None:
    hand = HandRoom(game)
    hand.begins(0, 1, 2)
    act = hand.act(hand.playing(hand.asked[0]), sent, named)
    try:
        hand.does(act)
    except Refusal:
        hand.refuses(act)


def test_a_spectator_does_nothing_not_even_what_his_seat_may_do() -> None:
    hand, _ = toy()
    watching = hand.joins(0, "spectator")
    for named in (0, None):
        for action in (BID, ARRANGE, RESIGN):
            assert hand.refuses(hand.act(watching, action, named)) == (Reason.NOT_SEATED, {})


def test_what_may_be_done_at_any_time_holds_up_no_window() -> None:
    hand, players = toy()
    closes_at = hand.window["closes_at"]
    hand.acts(players[0], BID)
    hand.waits(1_000)
    hand.acts(players[0], ARRANGE, None)
    assert players[1].document["table"]["shelves"]["0"] == {"a": 3, "b": 1}
    assert players[1].events == [{"event": "arranged", "seat": 0}]
    assert hand.window["closes_at"] == closes_at
    assert hand.journal[-1].entry.window is UNSET  # type: ignore[union-attr]


def test_an_action_that_answers_a_window_must_name_it() -> None:
    hand, players = toy()
    assert hand.refuses(hand.act(players[0], BID, None)) == (Reason.WINDOW_NEEDED, {})


def test_an_action_that_needs_no_window_answers_none() -> None:
    hand, players = toy()
    for action in (ARRANGE, RESIGN, COME_BACK):
        assert hand.refuses(hand.act(players[0], action)) == NOT_LISTED


def test_an_action_of_any_time_the_rules_refuse_is_illegal() -> None:
    hand, players = toy()
    twice = {"do": "arrange", "shelf": {"a": 1, "b": 1}}
    assert hand.refuses(hand.act(players[0], twice, None)) == NOT_LISTED


class ArrangesInHaggling(Toy):
    """A game in which the same action answers a window, or none."""

    def legal(self, state: Any, seat: int) -> Any:
        listed = [*super().legal(state, seat)]
        return [*listed, *self.anytime(state, seat)] if listed else listed


def test_what_may_be_done_at_any_time_is_done_by_a_seat_once_in_two_seconds() -> None:
    hand, players = toy(limits=RoomLimits())
    hand.acts(players[0], ARRANGE, None)
    hand.waits(500)
    limited = (Reason.RATE_LIMITED, {"retry_after_ms": 1_500})
    assert hand.refuses(hand.act(players[0], ARRANGE, None)) == limited
    hand.acts(players[1], ARRANGE, None)
    hand.acts(players[0], BID)
    hand.waits(1_499)
    limited = (Reason.RATE_LIMITED, {"retry_after_ms": 1})
    assert hand.refuses(hand.act(players[0], ARRANGE, None)) == limited
    hand.waits(1)
    hand.acts(players[0], ARRANGE, None)


def test_what_may_be_done_at_any_time_is_done_by_a_seat_so_often_and_no_more() -> None:
    hand, players = toy(limits=RoomLimits(anytime_ms=0, anytime_acts=3))
    rearranges(hand, players[0], 2)
    hand.reloads()
    again, other = hand.joins(0), hand.joins(1)
    rearranges(hand, again, 1)
    limited = (Reason.RATE_LIMITED, {"retry_after_ms": 86_400_000})
    for _ in range(2):
        assert hand.refuses(hand.act(again, ARRANGE, None)) == limited
        hand.waits(2_000)
    rearranges(hand, other, 3)
    assert RoomLimits().anytime_acts == 300


def test_the_rooms_own_actions_are_not_counted_among_those() -> None:
    hand, players = toy(limits=RoomLimits(anytime_acts=1))
    hand.acts(players[0], ARRANGE, None)
    hand.acts(players[0], RESIGN, None)
    assert hand.entries[-2:] == ["acted", "resigned"]


def test_an_act_without_a_window_is_let_in_if_the_clock_has_gone_back() -> None:
    hand, players = toy(limits=RoomLimits())
    hand.acts(players[0], ARRANGE, None)
    hand.now -= 10_000
    hand.acts(players[0], ARRANGE, None)
    assert hand.entries[-2:] == ["acted", "acted"]


def test_what_is_listed_both_ways_may_be_done_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "toy", ArrangesInHaggling())
    hand, players = toy()
    hand.acts(players[0], ARRANGE)
    hand.acts(players[0], ARRANGE, None)
    assert hand.entries[-2:] == ["acted", "acted"]


def test_what_the_rules_complete_is_journalled_completed() -> None:
    hand, players = haggling()
    hand.acts(players[0], {"do": "insist"})
    hand.acts(players[0], {"do": "place", "spaces": {"b": 4, "a": 1}})
    action = {"do": "place", "spaces": {"b": 4, "a": 1}, "path": [1, 4]}
    assert hand.journal[-1].entry.action == action  # type: ignore[union-attr]
    assert players[1].events == [{"event": "placed", "seat": 0, "path": [1, 4]}]
    hand.expires()
    hand.reloads()


def test_what_only_the_rules_may_write_nobody_sends() -> None:
    hand, players = haggling()
    hand.acts(players[0], {"do": "insist"})
    place = {"do": "place", "spaces": {"a": 1, "b": 2}, "path": [1, 2]}
    assert hand.refuses(hand.act(players[0], place)) == NOT_LISTED


def test_bargaining_goes_to_and_fro_in_one_window() -> None:
    hand, players = haggling()
    for seat, value in ((1, 2), (1, -1), (0, 1)):
        hand.acts(players[seat], {"do": "say", "value": value})
        assert hand.window["number"] == 2
    assert hand.window["facts"] == {"stated": {"0": 1, "1": -1}}
    assert hand.window["answered"] == []


def test_the_journal_tells_a_person_from_a_bot() -> None:
    hand = HandRoom("toy")
    hand.seats(0)
    hand.does(hand.seat(BOT))
    hand.begins()
    hand.acts(hand.joins(0), BID)
    hand.acts(hand.joins(BOT), BID)
    assert [one.entry.by for one in hand.journal[-2:]] == [  # type: ignore[union-attr]
        "person",
        "bot",
    ]


def test_who_resigns_is_played_for_by_defaults_and_ranks_last() -> None:
    hand, players = toy(options={"short": True})
    best, watching = players[1], hand.joins(3, "spectator")
    hand.acts(best, {"do": "arrange", "shelf": {"a": 3, "b": 2}}, None)
    hand.resigns(best)
    assert watching.events == [{"event": "resigned", "seat": 1}]
    assert watching.document["seats"]["1"]["resigned"] is True
    assert watching.document["seats"]["1"]["away"] is True
    assert best.document["you"]["anytime"] == []
    assert "legal" not in best.document
    assert hand.refuses(hand.act(best, BID)) == (Reason.NOT_YOUR_WINDOW, {"window": 1})
    for action in (RESIGN, COME_BACK, ARRANGE):
        assert hand.refuses(hand.act(best, action, None)) == NOT_LISTED
    assert hand.refuses(hand.act(best, BID, None)) == (Reason.WINDOW_NEEDED, {})
    while hand.status == "running":
        hand.expires()
    result = watching.document["result"]
    assert result["scores"] == {"0": 3, "1": 5, "2": 3}
    assert result["places"] == {"0": 1, "1": 3, "2": 1}
    verify(hand.record())


def test_who_is_not_away_cannot_come_back() -> None:
    hand, players = toy()
    assert hand.refuses(hand.act(players[0], COME_BACK, None)) == NOT_LISTED
    entries = players[0].document["you"]["anytime"]
    assert [entry["do"] for entry in entries] == ["resign", "arrange"]


def test_the_owner_knows_which_acts_the_window_bounds() -> None:
    hand, players = toy()
    player = players[0].caller.player
    assert hand.room.awaits(player, "new", 1)
    assert not hand.room.awaits(player, "new", UNSET)
    assert not hand.room.awaits(player, "new", 2)
    assert not hand.room.awaits(None, "new", 1)
    hand.acts(players[0], BID, 0, "used")
    assert hand.room.awaits(player, "used", 1)
    assert not hand.room.awaits(player, "new", 1)
    hand.does(Close("enough"))
    assert not hand.room.awaits(players[1].caller.player, "new", 1)
