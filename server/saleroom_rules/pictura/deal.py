"""The set-up: hands, the international museums, the row of patrons, and who begins (P-SET)."""

from itertools import islice
from typing import TypeVar

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.pictura import (
    HandDealt,
    MuseumsOpened,
    Options,
    StartDrawn,
    TrendRevealed,
)
from saleroom_rules.pictura.cards import (
    CATEGORIES,
    FAVOUR_CARDS,
    MUSEUMS,
    NUMBERS,
    PAINTINGS,
    PATRONS,
    TRENDS,
)
from saleroom_rules.pictura.decks import show_patrons
from saleroom_rules.pictura.points import steps_up_to
from saleroom_rules.pictura.state import (
    InternationalMuseum,
    Moment,
    Player,
    State,
    begun,
    in_order,
    told,
)
from saleroom_rules.rng import Rng

Card = TypeVar("Card")


def deal(seats: int, options: Options, rng: Rng) -> Moment:
    """Shuffle everything, draw who begins, deal; nothing is open yet but what lies open.

    Paintings, trends, patrons and favours are shuffled, in this order, and the start player is
    drawn. Each seat in turn, from 0 up, gets its cards; then come the general trend, the
    museums' trends, their paintings, and the row of patrons.
    """
    paintings, rng = rng.shuffle("paintings", tuple(PAINTINGS))
    trends, rng = rng.shuffle("trends", tuple(TRENDS))
    patrons, rng = rng.shuffle("patrons", tuple(PATRONS))
    favours, rng = rng.shuffle("favours", tuple(FAVOUR_CARDS))
    start, rng = rng.draw("start", seats)
    dealt = NUMBERS.dealt
    hands, paintings = _piles(paintings, seats, dealt.paintings)
    choices, trends = _piles(trends, seats, dealt.trends)
    gifts, favours = _piles(favours, seats, dealt.favours)
    (general,), trends = trends[:1], trends[1:]
    liked, trends = _piles(trends, len(MUSEUMS), 1)
    shown, paintings = _piles(paintings, len(MUSEUMS), NUMBERS.shown.paintings)
    points = start_points(seats, start, options)
    state = State(
        general_trend=options.general_trend,
        favour_track=options.favour_track,
        start=start,
        active=start,
        players=tuple(
            Player(
                score=points[seat],
                passed=steps_up_to(points[seat]),
                paintings=in_order(hands[seat]),
                favours=in_order(gifts[seat]),
                trends=in_order(choices[seat]),
                museum={},
                exhibitions={},
                patrons={},
            )
            for seat in range(seats)
        ),
        trend=general,
        museums={
            key: InternationalMuseum(trend, pile)
            for key, (trend,), pile in zip(MUSEUMS, liked, shown, strict=True)
        },
        patrons=(),
        chips=dict.fromkeys(CATEGORIES, NUMBERS.chips),
        deck=paintings,
        trend_deck=trends,
        patron_deck=patrons,
        favour_deck=favours,
        past_favours={},
        rng=rng,
    )
    return show_patrons(_told(state))


def start_points(seats: int, start: Seat, options: Options) -> tuple[int, ...]:
    """P-SET-6: return the points each seat begins with; who begins later has more."""
    if not options.start_points:
        return (0,) * seats
    in_turn = NUMBERS.start_points[NUMBERS.seats.index(seats)]
    return tuple(in_turn[(seat - start) % seats] for seat in range(seats))


def _piles(
    deck: tuple[Card, ...], piles: int, height: int
) -> tuple[list[tuple[Card, ...]], tuple[Card, ...]]:
    """Deal piles from the top, one after the other; return them and the rest."""
    cards = iter(deck)
    dealt = [tuple(islice(cards, height)) for _ in range(piles)]
    return dealt, tuple(cards)


def _told(state: State) -> Moment:
    hands = [
        HandDealt(seat, player.paintings, player.trends, player.favours)
        for seat, player in enumerate(state.players)
    ]
    museums = MuseumsOpened(
        {key: museum.trend for key, museum in state.museums.items()},
        {key: museum.paintings for key, museum in state.museums.items()},
    )
    return told(
        begun(state), state, *hands, TrendRevealed(state.trend), museums, StartDrawn(state.start)
    )
