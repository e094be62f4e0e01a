"""Kunstmarkt tables as a test wants them, and one way to act at them."""

from collections.abc import Sequence
from typing import Any

import pytest

from saleroom_protocol.games.kunstmarkt import AnyAction, AnyEvent, Options, Why
from saleroom_rules.contract import IllegalAction, Outcome, Window
from saleroom_rules.kunstmarkt.cards import CUSTOMERS, NUMBERS, PICTURES
from saleroom_rules.kunstmarkt.game import Kunstmarkt
from saleroom_rules.kunstmarkt.state import Player, State
from saleroom_rules.rng import Rng

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


class Game:
    """A game under way: `does` answers for whoever is asked, `refuses` expects a refusal."""

    def __init__(self, state: State) -> None:
        self.state = state

    @property
    def window(self) -> Window:
        """The open window."""
        window = RULES.window(self.state)
        assert window is not None, "the game is over"
        return window

    @property
    def asked(self) -> int:
        """The seat that is asked."""
        return self.window.seats[0]

    @property
    def outcome(self) -> Outcome:
        """The result."""
        outcome = RULES.outcome(self.state)
        assert outcome is not None, "the game is not over"
        return outcome

    @property
    def over(self) -> bool:
        """Whether no window is open."""
        return RULES.window(self.state) is None

    def does(self, *actions: AnyAction) -> tuple[AnyEvent, ...]:
        """Apply actions for the seats asked, one after the other; return the last one's events."""
        events: tuple[AnyEvent, ...] = ()
        for action in actions:
            step = RULES.apply(self.state, self.asked, action)
            self.state, events = step.state, step.events
        return events

    def refuses(self, action: AnyAction, seat: int | None = None) -> tuple[Why, dict[str, Any]]:
        """Expect a refusal; return its why and facts."""
        before = self.state
        with pytest.raises(IllegalAction) as refused:
            RULES.apply(before, self.asked if seat is None else seat, action)
        illegal = refused.value
        assert isinstance(illegal.why, Why)
        assert set(illegal.facts) == set(illegal.why.facts), "facts are those documented"
        return illegal.why, illegal.facts

    def legal(self, seat: int | None = None) -> list[Any]:
        """Return what the seat asked, or another, may do."""
        return list(RULES.legal(self.state, self.asked if seat is None else seat))

    def hand(self, seat: int) -> tuple[str, ...]:
        """Return a seat's pictures."""
        return self.state.players[seat].pictures

    def cash(self, seat: int) -> int:
        """Return a seat's money."""
        return self.state.players[seat].cash
