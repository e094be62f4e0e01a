"""The set-up: hands, piles, the grey pile, and who begins (V-SET)."""

from msgspec import UNSET

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.vernissage import (
    AnyEvent,
    CardId,
    HandDealt,
    HandRedrawn,
    Options,
    StartDrawn,
    StartRolled,
)
from saleroom_rules.contract import Step
from saleroom_rules.rng import Rng
from saleroom_rules.vernissage.cards import ARTISTS, BROWN, COUNTERS, GREY, NUMBERS, WORKS
from saleroom_rules.vernissage.state import OnStage, Player, State, in_order

Cards = tuple[CardId, ...]


def deal(seats: int, options: Options, rng: Rng) -> Step[State, AnyEvent]:
    """Deal three cards each, redraw, lay out the piles, shuffle the grey cards, roll for the start.

    Nothing is open yet: the first turn is still to begin.
    """
    hands, deck, redrawn, rng = _hands(seats, rng)
    dealt = [HandDealt(seat, in_order(hand)) for seat, hand in enumerate(hands)]
    for event in redrawn:
        hands[event.seat] = () if event.cards is UNSET else event.cards
    grey, rng = rng.shuffle("grey", tuple(GREY))
    start, rolls, rng = _start(seats, rng)
    size, piles = NUMBERS.pile, len(NUMBERS.prices)
    state = State(
        might_tax=options.might_tax,
        start=start,
        active=(start - 1) % seats,  # the turn is handed on to who begins
        players=tuple(_player(hand) for hand in hands),
        artists={
            artist: OnStage(space=NUMBERS.scale.index(NUMBERS.first_worth)) for artist in ARTISTS
        },
        supply=COUNTERS,
        piles=tuple(deck[pile * size : (pile + 1) * size] for pile in range(piles)),
        aside=deck[piles * size :],
        grey=grey,
        discards={},
        gone={},
        recent={},
        rng=rng,
    )
    return Step(state, (*dealt, *redrawn, *rolls, StartDrawn(start)))


def _player(hand: Cards) -> Player:
    """V-SET-1, V-SET-5: two agents on the stairs, one in reserve, and money."""
    return Player(
        cash=NUMBERS.capital,
        agents=NUMBERS.agents,
        reserve=NUMBERS.reserve,
        shown={},
        hand=in_order(hand),
    )


def _hands(seats: int, rng: Rng) -> tuple[list[Cards], Cards, list[HandRedrawn], Rng]:
    """V-SET-4: deal; after that, by seat, nobody keeps a hand of nothing but works."""
    size = NUMBERS.hand
    deck, rng = rng.shuffle("brown", tuple(BROWN))
    hands = [deck[seat * size : (seat + 1) * size] for seat in range(seats)]
    deck, redrawn = deck[seats * size :], []
    for seat, hand in enumerate(hands):
        while all(card in WORKS for card in hand):
            deck, rng = rng.shuffle("redraw", (*deck, *hand))
            hand, deck = deck[:size], deck[size:]
            redrawn.append(HandRedrawn(seat, in_order(hand)))
    return hands, deck, redrawn, rng


def _start(seats: int, rng: Rng) -> tuple[Seat, list[StartRolled], Rng]:
    """V-SET-7: both dice each, those who tie for the highest again."""
    still, rounds = list(range(seats)), []
    while len(still) > 1:
        rolls: dict[str, tuple[int, int]] = {}
        for seat in still:
            one, rng = rng.die("start")
            two, rng = rng.die("start")
            rolls[str(seat)] = one, two
        rounds.append(StartRolled(rolls))
        best = max(map(sum, rolls.values()))
        still = [seat for seat in still if sum(rolls[str(seat)]) == best]
    return still[0], rounds, rng
