"""Setting up, in the order of the rules: K-SET-1 to K-SET-6."""

import pytest
from msgspec import UNSET

from saleroom_protocol.games.kunstmarkt import HandDealt, MarketOpened, Options, StartDrawn
from saleroom_rules.kunstmarkt.cards import CUSTOMERS, PICTURES
from saleroom_rules.rng import Rng
from tests.support.kunstmarkt import RULES, Game, dealt

SEATS = (3, 4, 5)


def test_k_set_1_three_to_five_players_may_play() -> None:
    assert RULES.seats == SEATS


@pytest.mark.parametrize("seats", SEATS)
def test_k_set_1_the_lot_can_fall_on_every_seat(seats: int) -> None:
    starts = {dealt(seats, seed=bytes([seed] * 32)).start for seed in range(60)}
    assert starts == set(range(seats))


def test_k_set_1_whoever_was_drawn_begins_and_everybody_is_told() -> None:
    step = RULES.setup(4, Options(), Rng(b"lot"))
    assert step.events[-1] == StartDrawn(step.state.start)
    assert Game(step.state).asked == step.state.start


@pytest.mark.parametrize("seats", SEATS)
def test_k_set_2_three_pictures_each_five_on_the_price_cards_the_rest_in_the_stock(
    seats: int,
) -> None:
    state = dealt(seats)
    assert [len(player.pictures) for player in state.players] == [3] * seats
    assert list(RULES.table(state).market) == ["2000", "5000", "8000", "10000", "15000"]
    assert len(state.stock) == 48 - 3 * seats - 5
    hands = [picture for player in state.players for picture in player.pictures]
    assert sorted((*hands, *state.market, *state.stock)) == list(PICTURES)


@pytest.mark.parametrize("seats", SEATS)
def test_k_set_3_two_customers_each_the_rest_in_the_deck(seats: int) -> None:
    state = dealt(seats)
    assert [len(player.customers) for player in state.players] == [2] * seats
    hands = [customer for player in state.players for customer in player.customers]
    assert sorted((*hands, *state.deck)) == list(CUSTOMERS)


@pytest.mark.parametrize("seats", SEATS)
def test_k_set_4_everybody_has_25_000(seats: int) -> None:
    assert [player.cash for player in dealt(seats).players] == [25_000] * seats


def test_k_set_4_cash_is_open() -> None:
    assert [player.cash for player in RULES.table(dealt()).players.values()] == [25_000] * 3


def test_k_set_4_hidden_cash_shows_each_player_only_the_own() -> None:
    state = dealt(hidden_cash=True)
    assert [player.cash for player in RULES.table(state).players.values()] == [UNSET] * 3
    assert RULES.private(state, 1).cash == 25_000


def test_k_set_5_the_table_shows_counts_of_what_is_hidden() -> None:
    shown = RULES.table(dealt(4))
    assert (shown.stock, shown.deck) == (48 - 12 - 5, 28 - 8)
    assert {(player.pictures, player.customers) for player in shown.players.values()} == {(3, 2)}
    assert {player.known for player in shown.players.values()} == {()}
    assert {player.hand for player in shown.players.values()} == {UNSET}


def test_k_set_5_a_player_sees_the_own_hand() -> None:
    state = dealt()
    hand = RULES.private(state, 2)
    assert (hand.pictures, hand.customers) == (
        state.players[2].pictures,
        state.players[2].customers,
    )


def test_everybody_is_told_the_market_and_each_player_alone_the_own_hand() -> None:
    step = RULES.setup(3, Options(), Rng(b"deal"))
    hands = [
        HandDealt(seat, player.pictures, player.customers)
        for seat, player in enumerate(step.state.players)
    ]
    public = [MarketOpened(RULES.table(step.state).market), StartDrawn(step.state.start)]
    assert step.events == (*hands, *public)
    for viewer in (None, 0, 1, 2):
        told = [RULES.tell(event, viewer) for event in step.events]
        own = [] if viewer is None else [hands[viewer]]
        assert [event for event in told if event is not None] == [*own, *public]


def test_k_set_6_draws_pictures_then_customers_then_the_start_player() -> None:
    rng = Rng(b"order")
    pictures, rng = rng.shuffle("pictures", tuple(PICTURES))
    customers, rng = rng.shuffle("customers", tuple(CUSTOMERS))
    start, rng = rng.draw("start", 4)
    state = RULES.setup(4, Options(), Rng(b"order")).state
    assert state.rng == rng
    assert state.start == start
    # Whole hands from seat 0 up, then the market from 2,000 up, then the stock, top first.
    assert [player.pictures for player in state.players] == [
        tuple(sorted(pictures[place : place + 3])) for place in (0, 3, 6, 9)
    ]
    assert state.market == pictures[12:17]
    assert state.stock == pictures[17:]
    assert [player.customers for player in state.players] == [
        tuple(sorted(customers[place : place + 2])) for place in (0, 2, 4, 6)
    ]
    assert state.deck == customers[8:]
