"""What must be conserved after every action, game by game."""

from collections.abc import Callable
from typing import Any

from saleroom_protocol.games.kunstmarkt import PictureBought, PictureSold
from saleroom_rules.kunstmarkt.cards import CUSTOMERS, PICTURES
from saleroom_rules.kunstmarkt.state import State
from saleroom_rules.playout import Turn


def kunstmarkt_cards(state: State) -> None:
    """Each of the 48 pictures and 28 customers is in exactly one place."""
    pictures = [*state.market, *state.stock, *state.discards.pictures]
    customers = [*state.deck, *state.discards.customers]
    for player in state.players:
        pictures += player.pictures
        customers += player.customers
        assert set(player.known) <= set(player.pictures)
        assert list(player.pictures) == sorted(player.pictures)
        assert len(player.pictures) <= 4
        assert len(player.customers) <= 3
    if state.sale is not None:
        customers.append(state.sale.customer)
        pictures += [picture for _, picture in state.sale.offers]
    assert sorted(pictures) == list(PICTURES)
    assert sorted(customers) == list(CUSTOMERS)


def kunstmarkt_money(before: State, turn: Turn) -> None:
    """What players have more, the bank has paid; what they have less, it was paid."""
    bank = 0
    for event in turn.step.events:
        if isinstance(event, PictureBought):
            bank += event.price
        elif isinstance(event, PictureSold):
            bank -= event.price
    after: State = turn.step.state
    assert all(player.cash >= 0 for player in after.players)
    held = sum(player.cash for player in before.players)
    assert sum(player.cash for player in after.players) + bank == held


def kunstmarkt(before: State, turn: Turn) -> None:
    """Check cards and money after one action."""
    kunstmarkt_cards(turn.step.state)
    kunstmarkt_money(before, turn)


CONSERVED: dict[str, Callable[[Any, Turn], None]] = {"kunstmarkt": kunstmarkt}
