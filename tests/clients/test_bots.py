"""Bots: what every strategy keeps to, how `steady` reasons, and that it is the stronger one."""

import copy
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from statistics import mean
from typing import Any, get_args

import msgspec
import pytest
from msgspec.structs import replace

from saleroom_bots.easy import easy
from saleroom_bots.kunstmarkt import steady
from saleroom_bots.registry import UnknownStrategy, strategies, strategy_for
from saleroom_bots.strategy import Plain, Strategy
from saleroom_protocol.games import VOCABULARIES
from saleroom_protocol.games.forms import Form, Pick, admits
from saleroom_protocol.games.kunstmarkt import Offer, Pass, PlayCustomer
from saleroom_protocol.http import Level
from saleroom_rules.kunstmarkt.state import State
from saleroom_rules.playout import play
from saleroom_server.rooms.views import Clock, document, look
from tests.soak.strength import VARIANTS, arrangements, catalogue_of, choosing, fought
from tests.support.games import LONG, TOY, Variant, variants, variants_of
from tests.support.kunstmarkt import RULES, Game, table
from tests.support.worlds import OTHER_WORLD

CLOCK = Clock(opened_at=0)
CATALOGUE = catalogue_of(RULES)
LEVELS: tuple[str, ...] = get_args(Level)
PLAYERS = [
    *((variant, level) for variant in variants() for level in LEVELS),
    *((variant, "easy") for variant in variants_of(TOY)),
]
every_player = pytest.mark.parametrize(("variant", "level"), PLAYERS, ids=str)


def shown(variant: Variant, state: Any, seat: int) -> dict[str, Any]:
    """Return what the player in a seat sees."""
    return document(look(variant.rules, state, variant.seats, CLOCK), seat)


def allowed(shown: Plain, action: Plain) -> bool:
    """Tell whether an action is an entry of `legal`, or a filling of one."""
    return any(
        admits(Form.read(entry), action) if "choose" in entry else entry == action
        for entry in shown["legal"]
    )


def moments(variant: Variant, level: str, seed: int) -> Iterator[tuple[Any, int]]:
    """Play a whole game with a level in every seat; yield some states and who is asked.

    A long game is played once with each level, and has few moments.
    """
    if variant.rules.key in LONG:
        states = played_long(variant, level)[::16]
    else:
        states = played(variant, level, seed)[:: 1 if variant.rules is TOY else 4]
    for state in states:
        yield state, variant.rules.window(state).owing[0]


def played(variant: Variant, level: str, seed: int) -> list[Any]:
    """Return the states of a game in which everybody does only what is allowed."""
    states = [variant.dealt(seed)]
    strategy = checked(strategy_for(variant.rules.key, level))
    choose = choosing([strategy] * variant.seats, Random(seed).choice)
    for turn in play(variant.rules, states[0], variant.seats, choose):
        states.append(turn.step.state)
    return states[:-1]


@cache
def played_long(variant: Variant, level: str) -> list[Any]:
    """Return the states of the only game of one that is long."""
    return played(variant, level, 0)


def checked(strategy: Strategy) -> Strategy:
    """Let a strategy do only what it may, and change nothing it is shown."""

    def decide(document: Plain, catalogue: Plain, pick: Pick) -> dict[str, Any]:
        before = msgspec.json.encode(document)
        action = strategy(document, catalogue, pick)
        assert allowed(document, action)
        assert msgspec.json.encode(document) == before
        return action

    return decide


def turned_round(value: Any) -> Any:
    """Return a value with the keys of all its maps in the opposite order."""
    if isinstance(value, dict):
        return {key: turned_round(inner) for key, inner in reversed(value.items())}
    return [turned_round(inner) for inner in value] if isinstance(value, list) else value


def seen_by(game: Game) -> dict[str, Any]:
    """Return what the player who is asked sees."""
    return document(look(RULES, game.state, len(game.state.players), CLOCK), game.asked)


def answer(game: Game) -> dict[str, Any]:
    """Return what a steady player does who is asked."""
    return steady(seen_by(game), CATALOGUE, Random(1).choice)


def known(state: State, seat: int, *pictures: str) -> State:
    """Let everybody have seen pictures in a seat's hand."""
    player = replace(state.players[seat], known=pictures)
    return replace(state, players=state.with_player(seat, player))


# What every strategy keeps to


@every_player
def test_every_action_is_an_entry_of_legal_or_a_filling_of_one_and_a_document_is_only_read(
    variant: Variant, level: str
) -> None:
    catalogue = copy.deepcopy(catalogue_of(variant.rules))
    for seed in range(2):
        assert list(moments(variant, level, seed))
    assert catalogue_of(variant.rules) == catalogue


@pytest.mark.parametrize("variant", variants(), ids=str)
def test_a_steady_player_keeps_to_legal_in_games_of_others(variant: Variant) -> None:
    strategy = checked(strategy_for(variant.rules.key, "steady"))
    for state, seat in moments(variant, "easy", 2):
        strategy(shown(variant, state, seat), catalogue_of(variant.rules), Random(1).choice)


@every_player
def test_the_same_document_and_the_same_picks_give_the_same_action(
    variant: Variant, level: str
) -> None:
    strategy, catalogue = strategy_for(variant.rules.key, level), catalogue_of(variant.rules)
    for state, seat in moments(variant, level, 4):
        seen = shown(variant, state, seat)
        action = strategy(seen, catalogue, Random(seat).choice)
        assert strategy(copy.deepcopy(seen), catalogue, Random(seat).choice) == action


@pytest.mark.parametrize("variant", variants(), ids=str)
def test_the_order_of_keys_means_nothing_to_a_steady_player(variant: Variant) -> None:
    strategy = strategy_for(variant.rules.key, "steady")
    catalogue = catalogue_of(variant.rules)
    for state, seat in moments(variant, "easy", 5):
        seen = shown(variant, state, seat)
        action = strategy(seen, catalogue, Random(seat).choice)
        seen, turned = turned_round(seen), turned_round(catalogue)
        assert strategy(seen, turned, Random(seat).choice) == action


@every_player
def test_what_the_viewer_may_not_know_changes_nothing(variant: Variant, level: str) -> None:
    strategy, catalogue = strategy_for(variant.rules.key, level), catalogue_of(variant.rules)
    luck, differed = Random(7), 0
    for state, seat in moments(variant, level, 7):
        other = OTHER_WORLD[variant.rules.key](state, seat, (), luck)
        differed += other != state
        action = strategy(shown(variant, state, seat), catalogue, Random(seat).choice)
        assert strategy(shown(variant, other, seat), catalogue, Random(seat).choice) == action
    assert differed


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("cash", [0, 1_000, 200_000])
@pytest.mark.parametrize("pictures", [(), ("p01", "p02", "p03", "p04")], ids=["none", "full"])
@pytest.mark.parametrize("customers", [(), ("c01", "c02", "c03")], ids=["none", "full"])
@pytest.mark.parametrize("left", [1, 2, None])
def test_it_finds_an_answer_at_every_edge(
    level: str,
    cash: int,
    pictures: Sequence[str],
    customers: Sequence[str],
    left: int | None,
) -> None:
    state = table(
        pictures=(pictures, (), ()),
        customers=(customers, (), ()),
        cash=[cash] * 3,
        stock=left,
        deck=left,
        hidden_cash=True,
    )
    seen = seen_by(Game(state))
    assert allowed(seen, strategy_for("kunstmarkt", level)(seen, CATALOGUE, Random(1).choice))


# Which strategies there are


def test_every_game_has_every_level() -> None:
    for game in VOCABULARIES:
        assert strategies[game].keys() == set(LEVELS)
        assert all(strategy_for(game, level) is strategies[game][level] for level in LEVELS)


def test_easy_plays_games_nobody_has_thought_of() -> None:
    assert strategy_for("toy", "easy") is easy


@pytest.mark.parametrize("game", ["kunstmarkt", "toy"])
def test_an_unknown_level_is_named_with_those_there_are(game: str) -> None:
    with pytest.raises(UnknownStrategy, match=f"game '{game}' has no level 'fierce', only easy"):
        strategy_for(game, "fierce")


def test_an_unlisted_game_has_no_steady_player() -> None:
    with pytest.raises(UnknownStrategy, match="game 'toy' has no level 'steady', only easy"):
        strategy_for("toy", "steady")


# How `easy` chooses


def test_easy_picks_what_to_do_before_the_entry() -> None:
    game = Game(table(pictures=[(), (), ()], customers=[("c01",), (), ()]))
    picked: list[Sequence[Any]] = []

    def last(values: Sequence[Any]) -> Any:
        picked.append(values)
        return values[-1]

    assert easy(seen_by(game), CATALOGUE, last) == {"do": "play_customer", "customer": "c01"}
    assert picked[0] == ["draw_customer", "buy", "play_customer"]


# How `steady` reasons

# Germans, from the most famous to the least.
DUERER, LIEBERMANN, MENZEL, LENBACH, LEIBL = "p01", "p15", "p09", "p12", "p11"
REMBRANDT, KANDINSKY, KOLLER = "p26", "p30", "p20"
# They pay 15,000, 16,000, 24,000, 25,000 and 12,000.
GERMAN_FAMOUS, GERMAN_NEW, EAST_NEW, ANY_FAMOUS, ANY_NEW = "c01", "c04", "c07", "c21", "c28"
ONE_HAND, ANOTHER = ("p04", "p10", "p22", "p39"), ("p06", "p21", "p25", "p38")  # of rivals
DULL = ("p10", "p11", "p40", "p41", "p45")  # hardly first in anything


def visited(state: State, *answers: Offer | Pass, customer: str = GERMAN_FAMOUS) -> Game:
    """Let the active player play a customer and some answer."""
    game = Game(state)
    game.does(PlayCustomer(customer), *answers)
    return game


def test_a_steady_bidder_offers_the_weakest_picture_that_wins() -> None:
    hands = ((DUERER, LENBACH), ONE_HAND, ANOTHER)
    state = table(pictures=hands, customers=((GERMAN_FAMOUS,), (), ()))
    assert answer(visited(state, Pass(), Pass())) == {"do": "offer", "picture": LENBACH}


def test_a_steady_bidder_offers_more_where_less_is_beaten() -> None:
    hands = ((LIEBERMANN, LENBACH), (MENZEL, *ONE_HAND[1:]), ANOTHER)
    state = table(pictures=hands, customers=((GERMAN_FAMOUS,), (), ()))
    game = visited(state, Offer(MENZEL), Pass())
    assert answer(game) == {"do": "offer", "picture": LIEBERMANN}


def test_a_steady_bidder_offers_a_stronger_one_while_rivals_are_still_to_come() -> None:
    hands = (ANOTHER, (LIEBERMANN, MENZEL, LENBACH), ONE_HAND)
    state = table(pictures=hands, customers=((GERMAN_FAMOUS,), (), ()))
    assert answer(visited(state)) == {"do": "offer", "picture": LIEBERMANN}


def test_a_steady_bidder_keeps_a_picture_for_a_customer_who_pays_more() -> None:
    game = visited(
        table(pictures=((DUERER,), (), ()), customers=((GERMAN_FAMOUS, ANY_FAMOUS), (), ())),
        Pass(),
        Pass(),
    )
    assert answer(game) == {"do": "pass"}


def test_a_steady_bidder_shows_nothing_that_a_known_picture_will_beat() -> None:
    hands = ((DUERER, "p10", "p22"), (LIEBERMANN,), ANOTHER)
    state = table(pictures=hands, customers=((GERMAN_FAMOUS,), (), ()))
    assert answer(visited(state)) == {"do": "offer", "picture": LIEBERMANN}
    assert answer(visited(known(state, 0, DUERER))) == {"do": "pass"}


def test_a_steady_bidder_keeps_nothing_back_from_the_sale_that_reaches_the_target() -> None:
    state = table(
        pictures=((DUERER,), (), ()),
        customers=((GERMAN_FAMOUS, ANY_FAMOUS), (), ()),
        cash=[110_000, 0, 0],
    )
    assert answer(visited(state, Pass(), Pass())) == {"do": "offer", "picture": DUERER}


def test_a_steady_bidder_lets_nobody_reach_the_target_who_can_be_beaten() -> None:
    state = table(
        pictures=((DUERER,), (LIEBERMANN,), ()),
        customers=((GERMAN_FAMOUS, ANY_FAMOUS), (), ()),
        cash=[0, 109_000, 0],
    )
    assert answer(visited(state, Offer(LIEBERMANN), Pass())) == {"do": "pass"}
    rich = replace(state, players=state.with_player(1, replace(state.players[1], cash=110_000)))
    assert answer(visited(rich, Offer(LIEBERMANN), Pass())) == {"do": "offer", "picture": DUERER}


def test_a_steady_player_buys_what_a_customer_in_hand_waits_for() -> None:
    state = table(
        pictures=(("p10",), ONE_HAND, ANOTHER),
        customers=((EAST_NEW,), (), ()),
        market=(MENZEL, LEIBL, KANDINSKY, "p41", "p45"),
    )
    assert answer(Game(state)) == {"do": "buy", "picture": KANDINSKY}


def test_a_steady_player_discards_what_the_hand_misses_least() -> None:
    state = table(
        pictures=((DUERER, REMBRANDT, KOLLER, LEIBL), ONE_HAND, ANOTHER),
        customers=((EAST_NEW,), (), ()),
        market=(MENZEL, "p40", KANDINSKY, "p41", "p45"),
    )
    assert answer(Game(state)) == {"do": "buy", "picture": MENZEL, "discard": LEIBL}


def test_a_steady_player_rather_draws_than_buys_what_rivals_are_known_to_beat() -> None:
    strong = ("p01", "p07", "p08", "p42"), ("p18", "p20", "p24", "p26")
    state = table(pictures=((), *strong), market=DULL)
    assert answer(Game(state))["do"] == "buy"
    for seat, hand in enumerate(strong, 1):
        state = known(state, seat, *hand)
    assert answer(Game(state)) == {"do": "draw_customer"}


def test_a_steady_player_plays_the_customer_he_can_serve() -> None:
    state = table(
        pictures=((KOLLER,), ("p10",), ("p06",)),
        customers=((GERMAN_FAMOUS, GERMAN_NEW, "c15"), (), ()),
        cash=[0] * 3,
    )
    assert answer(Game(state)) == {"do": "play_customer", "customer": GERMAN_NEW}


def test_of_customers_he_cannot_serve_a_steady_player_parts_with_the_poorest() -> None:
    state = table(
        pictures=((), ("p10",), ("p06",)),
        customers=((GERMAN_FAMOUS, EAST_NEW, ANY_NEW), (), ()),
        cash=[0] * 3,
    )
    assert answer(Game(state)) == {"do": "play_customer", "customer": ANY_NEW}


@pytest.mark.parametrize("hidden_cash", [False, True])
def test_a_steady_player_draws_the_last_customer_only_in_the_lead(hidden_cash: bool) -> None:
    state = table(
        pictures=((KOLLER,), (), ()),
        customers=((GERMAN_FAMOUS,), (), ()),
        cash=[50_000, 40_000, 49_000],
        deck=1,
        hidden_cash=hidden_cash,
    )
    assert answer(Game(state)) == {"do": "draw_customer"}
    poor = replace(state, players=state.with_player(0, replace(state.players[0], cash=20_000)))
    assert answer(Game(poor)) != {"do": "draw_customer"}


def test_a_steady_player_lays_out_the_last_picture_only_in_the_lead() -> None:
    state = table(pictures=((), (), ()), cash=[50_000, 47_000, 0], market=DULL, stock=1)
    assert answer(Game(state)) == {"do": "buy", "picture": DULL[0]}
    close = replace(state, players=state.with_player(1, replace(state.players[1], cash=48_000)))
    assert answer(Game(close)) == {"do": "draw_customer"}


# How strong it is


@pytest.mark.parametrize(("opponent", "games"), [("easy", 40), ("eager", 12), ("novice", 12)])
def test_a_steady_player_wins_most_games(opponent: str, games: int) -> None:
    four = [str(variant) for variant in VARIANTS].index("kunstmarkt-4")
    shares = [fought(four, opponent, index).share for index in range(games)]
    assert mean(shares) >= 0.6


@pytest.mark.parametrize(("seats", "count"), [(3, 3), (4, 6), (5, 10)])
def test_the_arena_seats_everybody_everywhere(seats: int, count: int) -> None:
    lineups = arrangements(seats)
    assert len(lineups) == count
    assert {sum(lineup[seat] for lineup in lineups) for seat in range(seats)} == {
        count * (seats // 2) // seats
    }
