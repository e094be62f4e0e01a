"""The end and the score: V-END-1, V-END-2, V-SCORE-1."""

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from saleroom_protocol.games.vernissage import (
    BuyGrey,
    Challenge,
    Done,
    GameEnded,
    Object,
    Place,
    Stand,
    TurnBegun,
    Why,
)
from tests.support.vernissage import (
    BELOW_IN,
    BOYZ,
    KALI,
    KRACH,
    LIMITED,
    MIGHT,
    RULES,
    Game,
    dealt,
    loaded,
    placed,
    stage,
    table,
    unopposed,
)

ALL_BUT_ONE_KIND = (("purchase", 1), ("critique", -1))


def test_v_end_1_a_counter_that_remains_on_the_top_step_ends_the_game() -> None:
    _, events = unopposed("purchase", 2, artists={"boyz": stage(10)})
    assert events[-1] == GameEnded("counter_on_top")
    _, events = unopposed("purchase", 2, artists={"boyz": stage(9)})
    assert not any(isinstance(event, GameEnded) for event in events)


def test_v_end_1_a_counter_on_the_top_step_that_is_fought_away_has_not_remained() -> None:
    rng = loaded("purchase", trial=((6, 6), (1, 1)))
    agents = {0: (10,), 1: (10,)}
    game = placed("purchase", 2, artists={"boyz": stage(10)}, agents=agents, rng=rng)
    game.does(Object())
    game.says(0, Stand())
    game.does(Challenge())
    assert game.dispute.result == "contra"
    assert (game.kind, game.artist("boyz").counters) == ("buy", ())


def test_v_end_1_a_counter_on_the_top_step_remains_only_after_the_dispute() -> None:
    agents = {0: (10,), 1: (10,)}
    game = placed("purchase", 2, artists={"boyz": stage(10)}, agents=agents)
    assert not game.over
    game.does(Object())
    assert not game.over
    game.says(0, Stand())
    assert not game.over


def test_v_end_1_an_artist_who_reaches_the_top_ends_the_game_with_the_bonus_made() -> None:
    artists = {"boyz": stage(8, *ALL_BUT_ONE_KIND, space=10)}
    game, events = unopposed("scandal", -4, artists=artists)
    assert events[-1] == GameEnded("artist_on_top")
    assert (game.artist("boyz").step, game.artist("boyz").space) == (11, 18)


def test_v_end_1_no_bonus_with_the_feather_at_the_end_either() -> None:
    artists = {"boyz": stage(8, *ALL_BUT_ONE_KIND, space=20)}
    game, events = unopposed("scandal", -4, artists=artists, feather="boyz")
    assert events[-1] == GameEnded("artist_on_top")
    assert game.artist("boyz").space == 11


def test_v_end_1_the_last_counters_great_vernissage_still_pays_in() -> None:
    artists = {"boyz": stage(8, *ALL_BUT_ONE_KIND, space=25)}
    game, _ = unopposed("scandal", -4, artists=artists, shown={2: {BOYZ[0]: "boyz"}})
    assert not game.over, "everybody is asked for works first"
    assert game.facts.pays == 30_000
    game.does(*[RULES.default(game.state, seat) for seat in range(2)])
    events = game.does(RULES.default(game.state, 2))
    assert events[-1] == GameEnded("artist_on_top")
    assert (game.player(2).cash, game.artist("boyz").space) == (230_000, BELOW_IN)


def test_v_end_1_two_artists_out_end_the_game() -> None:
    artists = {"boyz": stage(space=0), "kali": stage(out=True)}
    game, events = unopposed("scandal", -2, artists=artists)
    assert events[-1] == GameEnded("two_out")
    assert game.over


def turns_without(remaining: int, seats: int = 3, **position: Any) -> tuple[Game, list[Any]]:
    """Play turns in which nobody places anything, the counter of turn `remaining` being the last.

    Returns the game when it is over, or turn `5 × seats` after that one has begun, and all events.
    """
    nobody: dict[int, tuple[int, ...]] = dict.fromkeys(range(seats), ())
    hands = {0: MIGHT[:1]}
    state = table(
        "play",
        seats=seats,
        turn=remaining,
        remained=remaining,
        agents=nobody,
        hands=hands,
        **position,
    )
    game = Game(state)
    events: list[Any] = []
    while not game.over and game.table.turn <= remaining + 5 * seats:
        events += game.does(RULES.default(game.state, game.asked))
    return game, events


@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize("remaining", [0, 7])
def test_v_end_2_without_a_counter_remaining_in_five_rounds_the_game_ends(
    seats: int, remaining: int
) -> None:
    game, events = turns_without(remaining, seats)
    assert events[-1] == GameEnded("stall")
    begun = [event.turn for event in events if isinstance(event, TurnBegun)]
    assert begun == list(range(remaining + 1, remaining + 5 * seats + 1))
    assert game.outcome.reason == "stall"


def test_v_end_2_a_counter_that_remains_begins_the_count_anew() -> None:
    game, _ = unopposed("purchase", 1, turn=15)
    assert game.state.remained == 15
    game.does(BuyGrey(), Done())
    assert not game.over


def test_v_end_2_a_counter_that_contra_sent_back_does_not() -> None:
    rng = loaded("purchase", trial=((6, 6), (1, 1)))
    game = placed("purchase", 1, turn=15, agents={2: ()}, rng=rng)
    game.does(Object())
    game.says(0, Stand())
    game.does(Challenge(), BuyGrey())
    assert game.does(Done()) == (GameEnded("stall"),)
    assert game.over


def test_v_end_2_without_a_counter_beside_the_board_no_turn_begins() -> None:
    nothing: dict[str, tuple[int, ...]] = {"purchase": (), "critique": (), "scandal": ()}
    game = Game(table("play", hands={0: MIGHT[:1]}, supply=nothing))
    assert game.does(Done()) == (GameEnded("stall"),)
    game = Game(table("play", hands={0: MIGHT[:1]}, supply={**nothing, "critique": (-3,)}))
    game.does(Done())
    assert (game.kind, game.facts.kinds) == ("place", ("critique",))


def test_v_end_2_the_last_counter_may_be_placed_and_its_turn_is_played_to_the_end() -> None:
    last: dict[str, tuple[int, ...]] = {"purchase": (1,), "critique": (), "scandal": ()}
    agents: dict[int, tuple[int, ...]] = {0: (1,), 1: (), 2: ()}
    game = Game(table(supply=last, agents=agents, rng=loaded("purchase")))
    game.does(Place("purchase", 1, "boyz"))
    assert game.kind == "buy"
    game.does(BuyGrey())
    assert game.does(Done()) == (GameEnded("stall"),)


def ended(**position: Any) -> Game:
    """Return a game that is over in this position."""
    return Game(replace(table(**position), window=None, ended="two_out"))


ARTISTS = {
    "krach": stage(space=30),  # 200,000
    "boyz": stage(space=3),  # −70,000
    "kali": stage(space=-4, out=True),
}


def test_v_score_1_cash_counts() -> None:
    game = ended(cash={0: 10_000, 1: 0, 2: 70_000})
    assert game.outcome.scores == (10_000, 0, 70_000)
    assert game.outcome.places == (2, 3, 1)


def test_v_score_1_each_work_in_hand_or_shown_counts_what_its_artists_space_says() -> None:
    game = ended(
        artists=ARTISTS,
        cash={0: 0, 1: 0, 2: 0},
        hands={0: KRACH[:2], 1: KRACH[2:3]},
        shown={1: {KRACH[3]: "krach"}, 2: {KRACH[4]: "krach"}},
    )
    assert game.outcome.scores == (400_000, 400_000, 200_000)
    assert game.outcome.places == (1, 1, 3)


def test_v_score_1_negative_spaces_cost() -> None:
    game = ended(artists=ARTISTS, cash={0: 0, 1: 0, 2: 0}, hands={0: BOYZ[:2], 1: BOYZ[2:3]})
    assert game.outcome.scores == (-140_000, -70_000, 0)
    assert game.outcome.places == (3, 2, 1)


@pytest.mark.parametrize(("space", "worth"), [(0, -100_000), (10, 0), (20, 100_000)])
def test_v_score_1_a_space_is_worth_what_is_printed_there(space: int, worth: int) -> None:
    game = ended(artists={"boyz": stage(space=space)}, cash={0: 0}, hands={0: BOYZ[:3]})
    assert game.outcome.scores[0] == 3 * worth


def test_v_score_1_a_work_of_an_artist_who_is_out_costs_100_000_shown_or_not() -> None:
    game = ended(
        artists=ARTISTS,
        cash={0: 0, 1: 0, 2: 50_000},
        hands={0: KALI[:2]},
        shown={1: {KALI[2]: "kali"}},
    )
    assert game.outcome.scores == (-200_000, -100_000, 50_000)


def test_v_score_1_a_note_costs_150_000() -> None:
    state = ended(cash={0: 10_000, 1: 10_000, 2: 10_000}).state
    players = tuple(
        replace(player, notes=notes) for player, notes in zip(state.players, (0, 1, 3), strict=True)
    )
    game = Game(replace(state, players=players))
    assert game.outcome.scores == (10_000, -140_000, -440_000)


def test_v_score_1_no_other_card_is_worth_anything() -> None:
    game = ended(cash={0: 0, 1: 0, 2: 0}, hands={0: (*MIGHT[:5], *LIMITED[4])})
    assert game.outcome.scores == (0, 0, 0)


def test_v_score_1_a_tie_is_shared_and_cash_breaks_none() -> None:
    game = ended(
        artists=ARTISTS, cash={0: 200_000, 1: 0, 2: 0, 3: 5}, hands={1: KRACH[:1]}, seats=4
    )
    assert game.outcome.scores == (200_000, 200_000, 0, 5)
    assert game.outcome.places == (1, 1, 4, 3)


def test_after_the_end_nobody_is_asked_and_all_hands_are_open() -> None:
    game = ended(hands={0: BOYZ[:2], 1: MIGHT[:1]})
    for seat in range(3):
        assert game.legal(seat) == []
        assert game.refuses(Done(), seat) == (Why.NOT_ASKED, {"seat": seat})
    assert [player.hand for player in game.table.players.values()] == [BOYZ[:2], MIGHT[:1], ()]
    with pytest.raises(ValueError, match="over"):
        RULES.default(game.state, 0)


def test_a_game_under_way_has_no_outcome_and_shows_no_hand() -> None:
    state = dealt()
    assert RULES.outcome(state) is None
    assert {player.hand for player in RULES.table(state).players.values()} == {UNSET}
