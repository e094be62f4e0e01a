"""Pairs of worlds that differ only in what one viewer may not know.

A world is a state. `other_world` deals the cards a viewer cannot see anew among the places he
cannot see. `keep` names cards that must stay where they are, because the next action lays them
open. It swaps the seed too, unless the game draws openly after the set-up: then what is drawn next
is no secret of the world, and the `rng` stays.
"""

from collections.abc import Callable, Collection
from random import Random
from typing import Any

import msgspec
from msgspec.structs import replace

from saleroom_rules.kunstmarkt.state import Player, State
from saleroom_rules.pictura.game import PHASES as PICTURA_PHASES
from saleroom_rules.pictura.game import MuseumPictura
from saleroom_rules.pictura.state import (
    ActionWindow,
    BonusSpaceWindow,
    DiscardWindow,
    KeepTrendWindow,
    KeepTwoWindow,
    TradeWindow,
)
from saleroom_rules.pictura.state import State as Pictura
from saleroom_rules.playout import decode
from saleroom_rules.rng import Rng
from saleroom_rules.vernissage.cards import CARDS, CRITICS, LIMITED, MIGHT, UNLIMITED, WORKS
from saleroom_rules.vernissage.game import PHASES
from saleroom_rules.vernissage.game import Vernissage as VernissageRules
from saleroom_rules.vernissage.state import (
    BuyWindow,
    MightWindow,
    PickWindow,
    PlayWindow,
    RevealWindow,
)
from saleroom_rules.vernissage.state import State as Vernissage
from saleroom_server.rooms.views import Viewer
from tests.support.games import strings_in
from tests.support.toy.game import State as Toy
from tests.support.toy.words import Bid


def kunstmarkt(state: State, viewer: Viewer, keep: Collection[str], luck: Random) -> State:
    """Deal hidden pictures and customers anew; with hidden cash, change what others have."""
    keep = {*keep, *state.stock[:1], *(state.deck[:1] if viewer == state.active else ())}
    others = [seat for seat in range(len(state.players)) if seat != viewer]
    hands = [
        tuple(
            card for card in state.players[seat].pictures if card not in state.players[seat].known
        )
        for seat in others
    ]
    callers = [state.players[seat].customers for seat in others]
    *hands, stock = _dealt_anew([*hands, state.stock], keep, luck)
    *callers, deck = _dealt_anew([*callers, state.deck], keep, luck)
    players = list(state.players)
    for seat, hand, waiting in zip(others, hands, callers, strict=True):
        known = state.players[seat].known
        players[seat] = _player(players[seat], (*hand, *known), waiting)
        if state.hidden_cash:
            players[seat] = replace(players[seat], cash=luck.randrange(0, 90_000))
    return replace(
        state, players=tuple(players), stock=stock, deck=deck, rng=Rng(luck.randbytes(32))
    )


def kunstmarkt_hidden(state: State, viewer: Viewer) -> set[str]:
    """Name the cards whose faces a viewer may not see."""
    hidden = {*state.stock, *state.deck}
    for seat, player in enumerate(state.players):
        if seat != viewer:
            hidden |= {*player.pictures, *player.customers} - set(player.known)
    return hidden


def toy(state: Toy, viewer: Viewer, keep: Collection[str], luck: Random) -> Toy:
    """Deal the other hands anew and let the other sealed bids be other ones."""
    others = [seat for seat in range(len(state.hands)) if seat != viewer]
    last = len(state.bids) == len(state.hands) - 1  # the next answer lays all of them open
    bid = {card for _, bid in state.bids for card in bid.cards} if last else set()
    keep = {*keep, *state.seen, *bid}
    dealt = _dealt_anew([state.hands[seat] for seat in others], keep, luck)
    hands = list(state.hands)
    for seat, hand in zip(others, dealt, strict=True):
        hands[seat] = tuple(sorted(hand))
    bids = tuple(
        (seat, Bid(tuple(luck.sample(hands[seat], luck.randrange(3)))) if seat in others else bid)
        for seat, bid in state.bids
    )
    return replace(state, hands=tuple(hands), bids=state.bids if last else bids)


def toy_hidden(state: Toy, viewer: Viewer) -> set[str]:
    """Name the cards in other hands that were never bid."""
    hands = enumerate(state.hands)
    return {card for seat, hand in hands if seat != viewer for card in hand} - set(state.seen)


def vernissage(
    state: Vernissage, viewer: Viewer, keep: Collection[str], luck: Random
) -> Vernissage:
    """Deal hands, piles and what lies face down anew; let others have answered differently."""
    keep = {*keep, *_vernissage_open_next(state, viewer)}
    others = [seat for seat in range(len(state.players)) if seat != viewer]
    brown = [state.players[seat].hand[: state.players[seat].brown] for seat in others]
    grey = [state.players[seat].hand[state.players[seat].brown :] for seat in others]
    *browns, aside = _dealt_anew([*brown, *state.piles, state.aside], keep, luck)
    *greys, deck = _dealt_anew([*grey, state.grey], keep, luck)
    players = list(state.players)
    for seat, own, steps in zip(others, browns[: len(others)], greys, strict=True):
        players[seat] = replace(players[seat], hand=tuple(sorted((*own, *steps))))
    state = replace(
        state,
        players=tuple(players),
        piles=tuple(browns[len(others) :]),
        aside=aside,
        grey=deck,
    )
    return _vernissage_answers(state, others, luck)


def _vernissage_open_next(state: Vernissage, viewer: Viewer) -> Collection[str]:
    """Name the cards that the next answer may lay open, or that decide which ones it does."""
    window = state.window
    if isinstance(window, PlayWindow) and viewer != state.active:
        return {*CRITICS, *UNLIMITED, *LIMITED}
    if isinstance(window, MightWindow) and len(window.seats) - len(window.answers) == 1:
        return MIGHT
    if isinstance(window, RevealWindow) and len(window.seats) - len(window.answers) == 1:
        return {card for card, artist in WORKS.items() if artist == window.facts.artist}
    if isinstance(window, BuyWindow) and viewer == state.active:
        return {*state.grey[:1], *(card for pile in state.piles for card in pile)}
    if isinstance(window, PickWindow) and viewer == state.active:
        return state.piles[window.facts.pile - 1]
    return ()


def _vernissage_answers(state: Vernissage, others: list[int], luck: Random) -> Vernissage:
    """Let others have answered differently, unless the next answer lays all of them open."""
    window = state.window
    answers = getattr(window, "answers", ())
    if window is None or not answers or len(answers) == len(window.seats) - 1:
        return state
    legal, pick = PHASES[type(window)].legal, luck.choice
    answers = tuple(
        (seat, decode(VernissageRules(), pick(legal(state, window, seat)), pick))
        if seat in others
        else (seat, answer)
        for seat, answer in answers
    )
    return replace(state, window=replace(window, answers=answers))


def vernissage_hidden(state: Vernissage, viewer: Viewer) -> set[str]:
    """Name the cards whose faces a viewer may not see."""
    window = state.window
    looked_at = 0
    if viewer == state.active and isinstance(window, PickWindow):
        looked_at = window.facts.pile
    hidden = {*state.aside, *state.grey}
    for number, pile in enumerate(state.piles, 1):
        if number != looked_at:
            hidden |= {*pile}
    for seat, player in enumerate(state.players):
        if seat != viewer:
            hidden |= {*player.hand, *player.committed}
    # A step change that was played may be shuffled into the grey pile while it is still spoken of.
    return hidden - (strings_in(msgspec.to_builtins(state.recent)) & CARDS.keys())


def pictura(state: Pictura, viewer: Viewer, keep: Collection[str], luck: Random) -> Pictura:
    """Deal hands, kept trends and decks anew; let others have answered differently."""
    keep = {*keep, *_pictura_open_next(state, viewer)}
    others = [seat for seat in range(len(state.players)) if seat != viewer]
    held = [state.players[seat] for seat in others]
    window = state.window
    drawn = window.drawn if isinstance(window, KeepTwoWindow) and viewer != state.active else ()
    *hands, drawn, deck = _dealt_anew([*(p.paintings for p in held), drawn, state.deck], keep, luck)
    *gifts, favours = _dealt_anew([*(p.favours for p in held), state.favour_deck], keep, luck)
    *liked, trends = _dealt_anew([*(p.trends for p in held), state.trend_deck], keep, luck)
    (patrons,) = _dealt_anew([state.patron_deck], keep, luck)
    players = list(state.players)
    for seat, hand, gift, trend in zip(others, hands, gifts, liked, strict=True):
        own = {"paintings": hand, "favours": gift, "trends": trend}
        ordered = {name: tuple(sorted(cards)) for name, cards in own.items()}
        players[seat] = replace(players[seat], **ordered)
    if drawn and isinstance(window, KeepTwoWindow):
        state = replace(state, window=replace(window, drawn=tuple(sorted(drawn))))
    state = replace(
        state,
        players=tuple(players),
        deck=deck,
        favour_deck=favours,
        trend_deck=trends,
        patron_deck=patrons,
    )
    return _pictura_answers(state, others, luck)


def _pictura_open_next(state: Pictura, viewer: Viewer) -> Collection[str]:
    """Name the cards the next answer may lay open, or show the viewer, or has the choice of."""
    window, own = state.window, viewer == state.active
    tops = {"deck": 0, "favour_deck": 0, "trend_deck": 0, "patron_deck": 0}
    keep: set[str] = set()
    if isinstance(window, TradeWindow | ActionWindow) and window.seats == (state.active,):
        tops |= {"deck": 5 if own else 1, "patron_deck": 5}
        keep |= {*state.player.favours}
    if isinstance(window, BonusSpaceWindow) and own:
        tops["deck"] = 3
    if isinstance(window, ActionWindow | DiscardWindow):
        tops["trend_deck"] = 1
    if isinstance(window, ActionWindow | DiscardWindow | KeepTrendWindow) and viewer is not None:
        tops["deck"] = max(tops["deck"], 2)
    if isinstance(window, TradeWindow | ActionWindow | BonusSpaceWindow) and viewer is not None:
        tops["favour_deck"] = 3
    return keep.union(*(getattr(state, deck)[:count] for deck, count in tops.items()))


def _pictura_answers(state: Pictura, others: list[int], luck: Random) -> Pictura:
    """Let others have answered differently: it comes to light at the end, or never."""
    window = state.window
    answers = getattr(window, "answers", ())
    if window is None or not answers:
        return state
    legal, pick = PICTURA_PHASES[type(window)].legal, luck.choice
    answers = tuple(
        (seat, decode(MuseumPictura(), pick(legal(state, window, seat)), pick))
        if seat in others
        else (seat, answer)
        for seat, answer in answers
    )
    return replace(state, window=replace(window, answers=answers))


def pictura_hidden(state: Pictura, viewer: Viewer) -> set[str]:
    """Name the cards whose faces a viewer may not see."""
    hidden = {*state.deck, *state.favour_deck, *state.trend_deck, *state.patron_deck}
    for seat, player in enumerate(state.players):
        if seat != viewer:
            hidden |= {*player.paintings, *player.favours, *player.trends}
    if isinstance(state.window, KeepTwoWindow) and viewer != state.active:
        hidden |= {*state.window.drawn}
    if len(state.favour_deck) < 3:
        # One that is played may be shuffled in and drawn while it is still spoken of.
        hidden -= {*state.player.favours}
    return hidden


OTHER_WORLD: dict[str, Callable[[Any, Viewer, Collection[str], Random], Any]] = {
    "kunstmarkt": kunstmarkt,
    "vernissage": vernissage,
    "pictura": pictura,
    "toy": toy,
}
HIDDEN: dict[str, Callable[[Any, Viewer], set[str]]] = {
    "kunstmarkt": kunstmarkt_hidden,
    "vernissage": vernissage_hidden,
    "pictura": pictura_hidden,
    "toy": toy_hidden,
}


def _player(player: Player, pictures: tuple[str, ...], customers: tuple[str, ...]) -> Player:
    return replace(player, pictures=tuple(sorted(pictures)), customers=tuple(sorted(customers)))


def _dealt_anew(
    piles: list[tuple[str, ...]], keep: Collection[str], luck: Random
) -> list[tuple[str, ...]]:
    """Shuffle the cards of all piles but those to keep; every pile stays as high as it was."""
    moving = [card for pile in piles for card in pile if card not in keep]
    luck.shuffle(moving)
    return [tuple(card if card in keep else moving.pop() for card in pile) for pile in piles]
