"""What must be conserved after every action, game by game."""

from collections.abc import Callable
from typing import Any

from saleroom_protocol.games.kunstmarkt import PictureBought, PictureSold
from saleroom_protocol.games.pictura import PaintingsDrawn, Scored, TurnBegun
from saleroom_protocol.games.vernissage import GreyBought, NoteTaken, PileBought, WorksPaid
from saleroom_rules.kunstmarkt.cards import CUSTOMERS, PICTURES
from saleroom_rules.kunstmarkt.state import State
from saleroom_rules.pictura.board import PLACES
from saleroom_rules.pictura.cards import CATEGORIES, FAVOUR_CARDS, PAINTINGS, PATRONS, TRENDS
from saleroom_rules.pictura.state import ArrangeFinalWindow, BonusSpaceWindow, KeepTwoWindow
from saleroom_rules.pictura.state import State as Pictura
from saleroom_rules.playout import Turn
from saleroom_rules.vernissage.cards import BROWN, COUNTERS, GREY, LIMITED, WORKS
from saleroom_rules.vernissage.state import State as Vernissage


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


def vernissage_cards(state: Vernissage) -> None:
    """Each of the 82 brown and 23 grey cards is in exactly one place."""
    brown = [*state.aside, *(card for pile in state.piles for card in pile)]
    grey = [*state.grey, *state.discards]
    for player in state.players:
        assert list(player.hand) == sorted(player.hand)
        assert player.shown.items() <= WORKS.items()
        brown += [*player.hand[: player.brown], *player.shown, *player.committed]
        grey += player.hand[player.brown :]
    brown += state.gone
    assert sorted(brown) == list(BROWN)
    assert sorted(grey) == list(GREY)
    assert state.discards.items() <= LIMITED.items()


def vernissage_counters(state: Vernissage) -> None:
    """Each of the 38 counters lies beside the board or in front of an artist in play."""
    lying = {kind: list(values) for kind, values in state.supply.items()}
    for artist in state.artists.values():
        assert not (artist.out and artist.counters)
        assert artist.front <= 11
        for counter in artist.counters:
            lying[counter.kind].append(counter.value)
    assert {kind: tuple(sorted(values, key=abs)) for kind, values in lying.items()} == COUNTERS


def vernissage_agents(state: Vernissage) -> None:
    """Everybody has three agents, no two of them on one step."""
    for player in state.players:
        assert len(player.agents) + player.reserve == 3
        assert list(player.agents) == sorted(set(player.agents))
        assert set(player.agents) <= set(range(1, 12))


def vernissage_money(before: Vernissage, turn: Turn) -> None:
    """Whatever a player has more or less, an event says why."""
    cash = [player.cash for player in before.players]
    notes = [player.notes for player in before.players]
    for event in turn.step.events:
        if isinstance(event, NoteTaken):
            cash[event.seat] += event.amount
            notes[event.seat] += 1
        elif isinstance(event, PileBought | GreyBought):
            cash[event.seat] -= event.price
        elif isinstance(event, WorksPaid):
            cash[event.seat] += event.amount
    after: Vernissage = turn.step.state
    assert cash == [player.cash for player in after.players]
    assert notes == [player.notes for player in after.players]
    assert min(cash) >= 0


def vernissage(before: Vernissage, turn: Turn) -> None:
    """Check cards, counters, agents and money after one action."""
    vernissage_cards(turn.step.state)
    vernissage_counters(turn.step.state)
    vernissage_agents(turn.step.state)
    vernissage_money(before, turn)


def pictura_paintings(state: Pictura) -> None:
    """Each of the 180 paintings is in exactly one place, and hangs on a place of its own."""
    paintings = [*state.deck]
    for museum in state.museums.values():
        assert len(museum.paintings) == 4 or not state.deck
        paintings += museum.paintings
    for player in state.players:
        assert list(player.paintings) == sorted(player.paintings)
        assert len({*player.museum.values()} & {*PLACES}) == len(player.museum)
        paintings += [*player.paintings, *player.museum, *player.archive]
    if isinstance(state.window, KeepTwoWindow):
        paintings += state.window.drawn
    assert sorted(paintings) == list(PAINTINGS)


def pictura_cards(state: Pictura) -> None:
    """Each of the 30 trends, 60 patrons and 24 favours is in exactly one place."""
    trends = [state.trend, *state.trend_deck, *state.past_trends]
    trends += [museum.trend for museum in state.museums.values()]
    patrons = [*state.patrons, *state.patron_deck, *state.past_patrons]
    favours = [*state.favour_deck, *state.past_favours]
    for player in state.players:
        assert list(player.favours) == sorted(player.favours)
        trends += player.trends
        patrons += player.patrons
        favours += player.favours
    assert sorted(trends) == list(TRENDS)
    assert sorted(patrons) == list(PATRONS)
    assert sorted(favours) == list(FAVOUR_CARDS)


def pictura_chips(state: Pictura) -> None:
    """Each of the 22 chips is available, on a bonus space, or on its way to one."""
    chips = dict(state.chips)
    if isinstance(state.window, BonusSpaceWindow):
        chips[state.window.facts.category] += 1
    for player in state.players:
        held = [*player.exhibitions.values()]
        assert len({*held}) == len(held)
        for category in held:
            chips[category] += 1
    assert chips == dict.fromkeys(CATEGORIES, 2)


def pictura_points(before: Pictura, turn: Turn) -> None:
    """Whatever a score is more or less, an event says why; it is never below 0 before the end."""
    scores = [player.score for player in before.players]
    for event in turn.step.events:
        if isinstance(event, Scored):
            scores[event.seat] += event.points
            assert event.score == scores[event.seat]
    after: Pictura = turn.step.state
    assert scores == [player.score for player in after.players]
    assert min(scores) >= 0


def pictura_row(state: Pictura) -> None:
    """Five patrons lie open, unless there are no more."""
    assert len(state.patrons) == 5 or not (state.patron_deck or state.past_patrons)


def pictura_course(before: Pictura, turn: Turn) -> None:
    """What hangs stays, museums keep their trends, and a turn ends within the limits."""
    after: Pictura = turn.step.state
    for here, there in zip(before.museums.values(), after.museums.values(), strict=True):
        assert here.trend == there.trend
    for seat, (old, new) in enumerate(zip(before.players, after.players, strict=True)):
        assert [*new.museum][: len(old.museum)] == [*old.museum]
        assert new.passed >= old.passed
        if seat == before.active and _turn_over(before, after):
            limit = 10 if "hand_limit" in new.exhibitions else 8
            assert len(new.paintings) - _drawn_anew(seat, turn) <= limit
            assert len(new.favours) <= 3


def _drawn_anew(seat: int, turn: Turn) -> int:
    """Count what a player drew who is to play again at once: the other one has reached the goal."""
    events = turn.step.events
    begun = next((n for n, one in enumerate(events) if isinstance(one, TurnBegun)), len(events))
    drawn = [one for one in events[begun:] if isinstance(one, PaintingsDrawn)]
    return sum(one.count for one in drawn if one.seat == seat)


def _turn_over(before: Pictura, after: Pictura) -> bool:
    return before.turn != after.turn or isinstance(after.window, ArrangeFinalWindow)


def pictura(before: Pictura, turn: Turn) -> None:
    """Check all 180 + 30 + 60 + 24 + 22 pieces, the points, and the course, after one action."""
    pictura_paintings(turn.step.state)
    pictura_cards(turn.step.state)
    pictura_chips(turn.step.state)
    pictura_points(before, turn)
    pictura_row(turn.step.state)
    pictura_course(before, turn)


CONSERVED: dict[str, Callable[[Any, Turn], None]] = {
    "kunstmarkt": kunstmarkt,
    "vernissage": vernissage,
    "pictura": pictura,
}
