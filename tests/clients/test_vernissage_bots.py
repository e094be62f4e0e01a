"""How `steady` reasons at Vernissage, and that it is the stronger one.

What every strategy keeps to is in `test_bots`.
"""

from collections.abc import Mapping
from statistics import mean

import pytest
from msgspec import UNSET, UnsetType

from saleroom_bots.vernissage import STATEMENTS, steady
from saleroom_bots.vernissage_trial import SURE, odds, reaches
from saleroom_protocol.games.vernissage import BuyPile, Challenge, Insist, Offer, Stand
from tests.soak.strength import VARIANTS, fought
from tests.support.thinking import Thinking
from tests.support.vernissage import (
    BOYZ,
    CRITICS,
    KALI,
    KRACH,
    LIMITED,
    MIGHT,
    RULES,
    UNLIMITED,
    Game,
    disputed,
    loaded,
    placed,
    stage,
    table,
    unopposed,
)

STEADY = Thinking(RULES, steady)
answer, acted = STEADY.answer, STEADY.acted
ALONE: Mapping[int, tuple[int, ...]] = {1: (), 2: ()}  # nobody else has influence


# A fate counter


def test_a_steady_player_raises_the_artist_whose_works_he_owns_as_far_as_he_can() -> None:
    state = table(hands={0: KRACH[:3]}, agents=ALONE, rng=loaded("purchase"))
    assert answer(state) == {"do": "place", "kind": "purchase", "value": 7, "artist": "krach"}


def test_a_steady_player_lowers_the_artist_whose_works_others_show() -> None:
    shown = {1: dict.fromkeys(BOYZ[:3], "boyz")}
    state = table(hands={0: KRACH[:3]}, shown=shown, agents=ALONE, rng=loaded("scandal"))
    assert answer(state) == {"do": "place", "kind": "scandal", "value": -7, "artist": "boyz"}


def test_a_steady_player_who_must_lower_his_own_artist_does_it_as_little_as_he_can() -> None:
    artists = dict.fromkeys(("boyz", "kali", "hering", "lightenstone"), stage(4))
    state = table(hands={0: KRACH[:2]}, artists=artists, agents=ALONE, rng=loaded("scandal"))
    assert answer(state) == {"do": "place", "kind": "scandal", "value": -2, "artist": "krach"}


def test_a_steady_player_lets_his_artist_jump_even_if_a_critique_is_what_it_takes() -> None:
    lying = stage(1, ("purchase", 3), ("scandal", -2))
    state = table(
        hands={0: KRACH[:3]}, artists={"krach": lying}, agents=ALONE, rng=loaded("critique")
    )
    assert answer(state) == {"do": "place", "kind": "critique", "value": -1, "artist": "krach"}


def test_a_steady_player_sends_the_second_artist_out_only_in_the_lead() -> None:
    artists = {"boyz": stage(out=True), "kali": stage(1, space=3)}
    for cash, lowest in ((900_000, True), (0, False)):
        state = table(artists=artists, cash={0: cash}, agents=ALONE, rng=loaded("scandal"), turn=13)
        action = answer(state)
        assert (action["artist"] == "kali" and action["value"] < -3) is lowest


# A dispute


def test_a_steady_player_objects_to_what_hurts_him() -> None:
    hands = {1: BOYZ[:2]}
    assert answer(placed("scandal", -6, hands=hands), 1) == {"do": "object"}
    assert answer(placed("purchase", 6, hands=hands), 1) == {"do": "allow"}


def test_a_steady_objector_asks_for_the_least_loss_and_agrees_to_what_is_as_good() -> None:
    game = disputed(objectors=(1,), hands={1: BOYZ[:2]})
    assert answer(game, 1) == {"do": "ask", "value": -2}
    game.says(0, Offer(-2))
    assert answer(game, 1) == {"do": "agree", "value": -2}


def test_a_steady_objector_agrees_to_less_the_more_he_has_said() -> None:
    game = disputed(objectors=(1,), hands={1: BOYZ[:2]})
    game.says(0, Offer(-4))
    taken = []
    while (action := answer(game, 1))["do"] == "ask":
        taken.append(action["value"])
        game.says(1, acted(action))
    assert taken == sorted(taken, reverse=True)
    assert action == {"do": "agree", "value": -4}


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("might", [0, 4])
def test_whoever_bargains_alone_soon_comes_to_an_end(seat: int, might: int) -> None:
    hands = {0: MIGHT[:1], 1: (*BOYZ[:2], *MIGHT[1 : 1 + might])}
    game, said = disputed(objectors=(1,), hands=hands), 0
    while game.kind == "bargain" and seat in game.window.owing:
        game.says(seat, acted(answer(game, seat)))
        said += 1
    assert said <= STATEMENTS + 1


def test_a_steady_objector_without_might_gives_in_and_one_with_much_of_it_fights() -> None:
    for might, bargaining, fighting in ((0, "withdraw", "forgo"), (6, "insist", "challenge")):
        hands = {0: (*KALI[:3], *KRACH[:3]), 1: (*BOYZ[:2], *MIGHT[:might])}
        game = disputed(objectors=(1,), hands=hands, supply={"scandal": (-6,)})
        assert answer(game, 1)["do"] == bargaining
        game.says(1, Insist())
        assert answer(game, 1)["do"] == fighting


def test_a_steady_player_adds_all_might_that_helps_and_none_beyond() -> None:
    for own, added in ((3, {3}), (18, range(4, SURE + 1))):
        hands = {0: MIGHT[:own], 1: BOYZ[:1]}
        game = disputed(objectors=(1,), hands=hands)
        game.does(Stand(), Challenge())
        game.says(1, acted(answer(game, 1)))
        assert answer(game, 0)["might"] in added


def test_a_steady_player_spares_might_the_tax_would_take_where_little_is_at_stake() -> None:
    hands = {0: MIGHT[:9], 1: BOYZ[:1]}
    game = disputed(value=-2, objectors=(1,), hands=hands, might_tax=True)
    game.does(Stand(), Challenge())
    game.says(1, acted(answer(game, 1)))
    assert answer(game, 0)["might"] < 9


def test_the_odds_are_those_of_two_dice_against_two() -> None:
    assert odds(0) == 0.5
    assert odds(1) == pytest.approx(0.5 + 143 / 1296)  # 73 without the tie, which is half of 140
    assert odds(SURE) == odds(50) == 1 - odds(-SURE) == 1.0
    assert odds(0.5) == pytest.approx((odds(0) + odds(1)) / 2)
    assert [36 * reaches(total) for total in (2, 11, 12, 13)] == pytest.approx([36, 3, 1, 0])


def test_a_steady_player_shows_all_works_that_are_paid_for() -> None:
    game, _ = unopposed("purchase", 6, hands={0: BOYZ[:3]}, artists={"boyz": stage(space=28)})
    assert answer(game, 0) == {"do": "reveal", "works": 3}
    assert answer(game, 1) == {"do": "reveal", "works": 0}


# A card


def test_a_steady_player_looks_where_it_costs_least_among_piles_alike() -> None:
    assert answer(table("buy")) == {"do": "buy_pile", "pile": 1}


def test_a_steady_player_pays_more_for_a_choice_of_more() -> None:
    piles = (KRACH[:1], *(tuple(MIGHT[n * 3 : n * 3 + 3]) for n in range(5)), BOYZ[:7])
    state = table("buy", piles=(piles[0], BOYZ[:7], *piles[1:6]))
    assert answer(state) == {"do": "buy_pile", "pile": 2}


def test_a_steady_player_without_agents_buys_a_step_change() -> None:
    dull = [("b36",), *[()] * 6]
    state = table("buy", hands={0: KRACH[:4]}, agents={0: ()}, piles=dull, cash={0: 20_000})
    assert answer(state) == {"do": "buy_grey"}


def test_a_steady_player_keeps_the_work_of_whom_he_can_push() -> None:
    piles = [(KALI[0], KRACH[4], MIGHT[0], BOYZ[0]), *[()] * 6]
    game = Game(table("buy", hands={0: KRACH[:3]}, piles=piles))
    game.does(BuyPile(1))
    assert answer(game) == {"do": "keep", "card": KRACH[4]}


def test_a_steady_player_keeps_no_work_that_will_cost() -> None:
    piles = [BOYZ[:2], *[()] * 6]
    game = Game(table("buy", artists={"boyz": stage(out=True)}, piles=piles))
    game.does(BuyPile(1))
    assert answer(game) == {"do": "keep_none"}


# What is played

FAR = dict.fromkeys(("boyz", "kali", "hering", "lightenstone"), stage(5))


def test_a_steady_player_goes_back_to_the_artist_whose_works_he_owns() -> None:
    hand, artists = (*KRACH[:3], LIMITED[2][0]), FAR | {"krach": stage(4)}
    state = table("play", hands={0: hand}, artists=artists, agents={0: (2,)})
    action = answer(state)
    assert (action["do"], action["to"]) == ("limited", 4)


def test_a_steady_player_sends_agents_to_his_own_artist_and_to_one_he_would_lower() -> None:
    shown = {1: dict.fromkeys(BOYZ[:3], "boyz")}
    artists = FAR | {"krach": stage(8), "boyz": stage(6)}
    hand = (*KRACH[:3], UNLIMITED[0])
    state = table("play", hands={0: hand}, shown=shown, artists=artists, agents={0: (1, 2)})
    action = answer(state)
    assert action["do"] == "unlimited"
    assert {6, 8} <= set(action["agents"].values())


def test_a_steady_player_keeps_a_step_change_that_leads_nowhere() -> None:
    hand = (*KRACH[:3], LIMITED[1][0])
    assert answer(table("play", hands={0: hand}, agents=ALONE)) == {"do": "done"}


def test_a_steady_player_criticises_others_artists_and_never_his_own() -> None:
    shown = {1: dict.fromkeys(BOYZ[:3], "boyz")}
    hand = (*KRACH[:3], CRITICS[0])
    state = table("play", hands={0: hand}, shown=shown)
    assert answer(state) == {"do": "critic", "artist": "boyz"}
    only = table("play", hands={0: hand}, shown=shown, artists=FAR, agents={0: (1,)})
    assert answer(only) == {"do": "done"}


@pytest.mark.parametrize(("feather", "does"), [(UNSET, "done"), ("krach", "critic")])
def test_a_steady_player_takes_the_feather_off_his_own_artist(
    feather: str | UnsetType, does: str
) -> None:
    # Of Boyz, the other one in reach, everybody owns a work: lowering him alone is worth no card.
    shown = {1: {BOYZ[1]: "boyz"}, 2: {BOYZ[2]: "boyz"}}
    hand = (*KRACH[:3], *BOYZ[:1], CRITICS[0])
    artists = {name: stage(5 if name == "boyz" else 8) for name in FAR} | {"krach": stage(1)}
    state = table(
        "play",
        hands={0: hand},
        shown=shown,
        artists=artists,
        agents={0: (1, 5)},
        feather=feather,
    )
    assert answer(state)["do"] == does


# How strong it is


@pytest.mark.parametrize("seats", [3, 4, 5])
@pytest.mark.parametrize(("opponent", "games"), [("easy", 12), ("collector", 30)])
def test_a_steady_player_wins_most_games(seats: int, opponent: str, games: int) -> None:
    variant = [str(variant) for variant in VARIANTS].index(f"vernissage-{seats}")
    shares = [fought(variant, opponent, index).share for index in range(games)]
    assert mean(shares) >= 0.6
