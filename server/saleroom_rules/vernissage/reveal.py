"""Everybody may show works of an artist who is IN; then they are paid for (V-IN)."""

from collections.abc import Sequence

from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.vernissage import (
    AnyAction,
    AnyEvent,
    Reveal,
    Why,
    WorksPaid,
    WorksShown,
)
from saleroom_rules.contract import IllegalAction, Step
from saleroom_rules.vernissage import effect, fame, sealed
from saleroom_rules.vernissage.cards import HIGHEST, works_of
from saleroom_rules.vernissage.state import RevealWindow, State, without, wrong_window


def most(state: State, window: RevealWindow, seat: Seat) -> int:
    """Return how many works of the artist the hand holds."""
    return len(works_of(window.facts.artist, state.players[seat].hand))


def legal(state: State, window: RevealWindow, seat: Seat) -> Sequence[AnyAction | Form]:
    """List every number from none to all of the hand's works of the artist."""
    return [Form("reveal", {}, {"works": one_of(range(most(state, window, seat) + 1))})]


def answer(
    state: State, window: RevealWindow, seat: Seat, action: AnyAction
) -> Step[State, AnyEvent]:
    """Keep the answer; after the last one show, pay, and go on with the effect (V-EFF-1)."""
    if not isinstance(action, Reveal):
        raise wrong_window(window)
    if not 0 <= action.works <= most(state, window, seat):
        raise IllegalAction(Why.NOT_ENOUGH_WORKS, works=action.works)
    return sealed.take(state, window, seat, action, _close)


def default(state: State, window: RevealWindow, seat: Seat) -> AnyAction:
    """Show nothing."""
    return Reveal(0)


def _close(state: State, window: RevealWindow) -> Step[State, AnyEvent]:
    key = window.facts.artist
    state, shown = _shown(state, window)
    state, paid = _paid(state, window)
    # V-IN-3: the marker goes to the first space below IN.
    state, back = fame.moved(state, key, HIGHEST - state.artists[key].space, "paid")
    if window.jumped:
        return effect.after_jump(state, *shown, *paid, back)
    return effect.after_counter(state, key, *shown, *paid, back)


def _shown(state: State, window: RevealWindow) -> tuple[State, list[WorksShown]]:
    """Lay the works open that were answered with, the lowest ids first."""
    players, events = list(state.players), []
    for seat, action in window.answers:
        if isinstance(action, Reveal) and action.works:
            player = players[seat]
            cards = works_of(window.facts.artist, player.hand)[: action.works]
            shown = player.shown | dict.fromkeys(cards, window.facts.artist)
            players[seat] = replace(player, hand=without(player.hand, cards), shown=shown)
            events.append(WorksShown(seat, cards))
    return replace(state, players=tuple(players)), events


def _paid(state: State, window: RevealWindow) -> tuple[State, list[WorksPaid]]:
    """V-IN-2: every work of the artist that lies open pays, old and new."""
    players, events = list(state.players), []
    for seat, player in enumerate(players):
        works = len(works_of(window.facts.artist, player.shown))
        if works:
            amount = works * window.facts.pays
            players[seat] = replace(player, cash=player.cash + amount)
            events.append(WorksPaid(seat, window.facts.artist, works, amount))
    return replace(state, players=tuple(players)), events
