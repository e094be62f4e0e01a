"""Kunstmarkt tables as a test wants them, and one way to act at them."""

from collections.abc import Sequence

from saleroom_protocol.games.kunstmarkt import Options
from saleroom_rules.kunstmarkt.cards import CUSTOMERS, NUMBERS, PICTURES
from saleroom_rules.kunstmarkt.game import Kunstmarkt
from saleroom_rules.kunstmarkt.state import Player, State
from saleroom_rules.rng import Rng
from tests.support.hand_game import HandGame

RULES = Kunstmarkt()
SEED = bytes(32)


def dealt(seats: int = 3, *, hidden_cash: bool = False, seed: bytes = SEED) -> State:
    """Return a game as `setup` deals it."""
    return RULES.setup(seats, Options(hidden_cash=hidden_cash), Rng(seed)).state


def table(
    *,
    pictures: Sequence[Sequence[str]] = ((), (), ()),
    customers: Sequence[Sequence[str]] = ((), (), ()),
    cash: Sequence[int] = (),
    active: int = 0,
    market: Sequence[str] = (),
    stock: int | None = None,
    deck: int | None = None,
    hidden_cash: bool = False,
) -> State:
    """Return a state with these hands; cards not named lie in market, stock and deck by id.

    `stock` and `deck` shorten the piles to so many cards.
    """
    held = {card for hand in (*pictures, *customers, market) for card in hand}
    free = [picture for picture in PICTURES if picture not in held]
    laid = (*market, *free[: len(NUMBERS.prices) - len(market)])
    money = cash or (NUMBERS.capital,) * len(pictures)
    callers = [customer for customer in CUSTOMERS if customer not in held]
    return State(
        hidden_cash=hidden_cash,
        start=active,
        active=active,
        players=tuple(
            Player(cash=coins, pictures=tuple(sorted(hand)), customers=tuple(sorted(waiting)))
            for coins, hand, waiting in zip(money, pictures, customers, strict=True)
        ),
        market=laid,
        stock=tuple(picture for picture in free if picture not in laid)[:stock],
        deck=tuple(callers)[:deck],
        rng=Rng(SEED),
    )


class Game(HandGame):
    """A game of Kunstmarkt."""

    rules = RULES
    state: State

    def hand(self, seat: int) -> tuple[str, ...]:
        """Return a seat's pictures."""
        return self.state.players[seat].pictures

    def cash(self, seat: int) -> int:
        """Return a seat's money."""
        return self.state.players[seat].cash
