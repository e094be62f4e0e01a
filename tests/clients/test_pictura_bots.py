"""How `steady` reasons at Museum Pictura, and that it is the stronger one.

What every strategy keeps to is in `test_bots`.
"""

from statistics import mean
from typing import Any

import pytest

from saleroom_bots.pictura import steady
from saleroom_protocol.games.pictura import (
    Done,
    FavourChoose,
    Hold,
    Inventory,
    Options,
    UseSpace,
)
from saleroom_rules.pictura.cards import WORTH
from saleroom_rules.pictura.museum import arrangement_points, fits
from saleroom_rules.pictura.state import State
from saleroom_rules.rng import Rng
from tests.soak.strength import VARIANTS, fought
from tests.support.pictura import FAVOUR, PATRON, RULES, SEED, Game, table
from tests.support.thinking import Thinking

STEADY = Thinking(RULES, steady)
answer, acted = STEADY.answer, STEADY.acted

EARLY = ["p001", "p003", "p004", "p005", "p006", "p011"]  # renaissance, of every theme one
MYTHS = ["p037", "p073", "p109", "p145"]  # of every other period one
LATE = ["p147", "p148", "p149", "p150", "p152"]  # impressionism, of every other theme one
TOKYO = {"tokyo": ("t02", ["p050", "p112", "p113", "p114"])}  # p003 is worth 2 there, p050 1


def last(**fields: Any) -> State:
    """Return the action of a last turn; the first player keeps `t21`: romanticism, religion."""
    fields |= {"last_turns": (), "reached": 1, "ending": "goal"}
    return table("action", trend="t18", **fields)  # rococo, portrait


# Trends and trades


def test_a_steady_player_keeps_the_trend_that_likes_the_hand_best() -> None:
    state = RULES.setup(4, Options(), Rng(SEED)).state
    for seat, player in enumerate(state.players):
        worth = {
            trend: sum(WORTH[trend][painting] for painting in player.paintings)
            for trend in player.trends
        }
        assert worth[answer(state, seat)["trend"]] == max(worth.values())


def test_a_steady_player_trades_for_points_what_belongs_to_nothing() -> None:
    state = table(hands={0: ["p003", "p111"]}, cities=TOKYO)
    action = answer(state)
    assert (action["do"], action["give"]) == ("trade", "p003")
    assert action["take"] != "p050", "which would cost a point"


def test_a_steady_player_takes_what_belongs_to_the_museum() -> None:
    cities = {"tokyo": ("t25", ["p112", "p113", "p120", "p022"])}
    state = table(hands={0: ["p114"]}, museums={0: EARLY[:5]}, cities=cities)
    assert answer(state) == {"do": "trade", "give": "p114", "take": "p022"}


def test_a_steady_player_trades_in_anothers_turn_only_for_something() -> None:
    for painting, does in (("p001", "trade"), ("p114", "decline")):
        game = Game(table(hands={0: ["p180"], 1: [painting]}))
        game.does(RULES.default(game.state, 0))
        assert (game.asked, answer(game)["do"]) == (1, does)


# The action


def test_a_steady_player_hangs_what_belongs_together_and_puts_away_what_does_not() -> None:
    state = last(hands={0: ["p022", "p041"]}, museums={0: EARLY[:3]})
    assert answer(state) == {"do": "exhibit", "painting": "p022", "archive": "p041"}


def test_a_steady_player_acquires_what_a_rival_put_away() -> None:
    archives = {1: ["p022"], 2: ["p046"]}
    state = last(hands={0: ["p041"]}, museums={0: EARLY[:3]}, archives=archives)
    assert answer(state) == {"do": "acquire", "painting": "p022", "archive": "p041"}


def test_a_steady_player_puts_away_what_a_rival_has_no_use_for() -> None:
    hand, rival = ["p022", "p041", "p148"], LATE[:3]
    state = last(hands={0: hand}, museums={0: EARLY[:3], 1: rival})
    assert answer(state) == {"do": "exhibit", "painting": "p022", "archive": "p041"}


def test_a_steady_player_holds_an_exhibition_of_what_is_large() -> None:
    state = table("action", hands={0: ["p147", "p110"]}, museums={0: EARLY}, number=16)
    assert answer(state) == {"do": "hold", "category": "renaissance"}


def test_a_steady_player_with_nothing_to_hang_takes_an_inventory() -> None:
    state = table("action", archives={0: ["p147", "p110", "p022"]}, museums={0: EARLY[:2]})
    assert answer(state) == {"do": "inventory"}


@pytest.mark.parametrize(
    ("period", "does"), [("renaissance", "done"), ("rococo", "replace_patrons")]
)
def test_a_steady_player_replaces_patrons_that_want_what_does_not_hang(
    period: str, does: str
) -> None:
    opened = [patron for (wanted, _, _), patron in PATRON.items() if wanted == period][-5:]
    game = Game(table("action", museums={0: ["p001"]}, patrons=opened, favour_deck=[]))
    game.does(Inventory())
    assert answer(game) == {"do": does}


def test_a_steady_player_hangs_on_the_last_turn_only_what_brings_more_than_it_costs() -> None:
    game = Game(last(hands={0: ["p022", "p041", "p046", "p149"]}, museums={0: EARLY[:3]}))
    action = answer(game)
    assert (action["do"], action["painting"]) == ("exhibit", "p022")
    game.does(acted(action))
    assert answer(game) == {"do": "done"}


# Bonus spaces


def test_a_steady_player_takes_points_at_the_end_on_the_last_turn() -> None:
    game = Game(last(museums={0: EARLY[:4]}))
    game.does(Hold("renaissance"))
    assert answer(game) == {"do": "use_space", "space": "end_points"}


def test_a_steady_player_hangs_for_nothing_what_makes_a_group_larger() -> None:
    spaces = {"end_points": "portrait", "archive_free": "history"}
    game = Game(last(hands={0: ["p022"]}, museums={0: EARLY}, exhibitions={0: spaces}))
    game.does(Hold("renaissance"))
    assert answer(game) == {"do": "use_space", "space": "exhibit", "painting": "p022"}


# Favours and patrons


def test_a_steady_player_draws_with_a_favour_before_anything_else() -> None:
    held = {0: [FAVOUR["acquire"], FAVOUR["recover"], FAVOUR["take"]]}
    state = table(hands={0: ["p003"]}, favours=held, museums={0: EARLY[:5]}, number=4)
    assert answer(state)["do"] in ("favour_draw", "favour_take")


def test_a_steady_player_plays_a_favour_for_what_brings_more() -> None:
    for hung, does in ((MYTHS[:1], "favour_draw"), (EARLY, "favour_trend")):
        held = {0: [FAVOUR["trend"]]}
        state = table("action", favours=held, entered=tuple(hung), trend="t01", number=18)
        assert answer(state)["do"] == does


def test_a_steady_player_scores_by_favours_and_patrons_before_the_turn_ends() -> None:
    patron = PATRON["renaissance", "history", "points"]
    museum = ["p001", "p003", "p039"]
    opened, held = (patron, "m57", "m58", "m59", "m60"), {0: [FAVOUR["points"]]}
    game = Game(last(museums={0: museum}, favours=held, patrons=opened, favour_deck=[]))
    game.does(Inventory())
    done: list[str] = []
    while not done or done[-1] != "done":
        action = answer(game)
        done.append(action["do"])
        game.does(acted(action))
    assert sorted(done) == ["claim", "done", "favour_points"]


def test_a_steady_player_keeps_of_those_drawn_what_belongs_together() -> None:
    drawn, held = ["p046", "p022", "p047", "p012", *LATE, *MYTHS], {0: [FAVOUR["choose"]]}
    state = table("action", favours=held, museums={0: EARLY[:5]}, deck=drawn, number=18)
    game = Game(state)
    game.does(FavourChoose())
    assert sorted(answer(game)["paintings"]) == ["p012", "p022"]


def test_a_steady_player_puts_away_what_is_worth_least() -> None:
    hand = ["p022", "p012", "p007", "p008", "p015", "p017", "p020", "p021", "p041", "p046"]
    held = [FAVOUR[kind] for kind in ("points", "exhibit", "trend", "acquire")]
    state = table(
        "action", hands={0: hand}, favours={0: held}, museums={0: EARLY[:5]}, number=18, trend="t18"
    )
    game = Game(state)
    game.does(Hold("renaissance"), UseSpace("end_points"), Done())
    action = answer(game)
    assert sorted(action["paintings"]) == ["p041", "p046"]
    assert action["favours"] == [FAVOUR["acquire"]]


# How strong it is


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("opponent", ["easy", "curator"])
def test_a_steady_player_wins_most_games(seats: int, opponent: str) -> None:
    variant = [str(variant) for variant in VARIANTS].index(f"pictura-{seats}")
    assert mean(fought(variant, opponent, index).share for index in range(3)) >= 0.6


# The end


def test_in_the_end_a_steady_player_arranges_what_hangs_as_well_as_can_be_found() -> None:
    scattered = dict(zip([*EARLY, *MYTHS, *LATE], range(0, 25, 1), strict=False))
    scattered = {painting: place * 7 % 25 for painting, place in scattered.items()}
    state = table("arrange_final", museums={0: scattered}, ending="goal")
    places = answer(state, 0)["places"]
    assert fits(scattered, places)
    assert arrangement_points(places) > arrangement_points(scattered)
