"""Der Prestel Kunstmarkt as a game: set-up, windows, dispatch to the phases, ranking."""

from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from saleroom_protocol.games import VOCABULARIES
from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form
from saleroom_protocol.games.kunstmarkt import (
    AnyAction,
    AnyEvent,
    Buy,
    Catalogue,
    CustomerDrawn,
    DrawCustomer,
    Hand,
    HandDealt,
    MarketOpened,
    Offer,
    OfferFacts,
    Options,
    Pass,
    PlayCustomer,
    StartDrawn,
    Table,
    TurnFacts,
    Why,
)
from saleroom_rules.contract import IllegalAction, Outcome, Rules, Step, Window, ranking
from saleroom_rules.kunstmarkt import sale, turn
from saleroom_rules.kunstmarkt.cards import CUSTOMERS, NUMBERS, PICTURES, SEED, catalogue
from saleroom_rules.kunstmarkt.state import Player, State, in_order
from saleroom_rules.kunstmarkt.table import table
from saleroom_rules.rng import Rng

TURN_FACTS = TurnFacts()


class Kunstmarkt(Rules[State, AnyAction, AnyEvent, Options]):
    """Buy pictures cheaply, sell them dearly: the richest dealer wins."""

    key = SEED.game
    title = SEED.title
    edition = SEED.edition
    seats = NUMBERS.seats
    options = Options
    action_type = VOCABULARIES["kunstmarkt"].action
    state_type = State

    def setup(self, seats: int, options: Options, rng: Rng) -> Step[State, AnyEvent]:
        """Shuffle pictures, shuffle customers, draw who begins; deal (K-SET-1 to K-SET-6)."""
        pictures, rng = rng.shuffle("pictures", tuple(PICTURES))
        customers, rng = rng.shuffle("customers", tuple(CUSTOMERS))
        start, rng = rng.draw("start", seats)
        hands, laid_out = NUMBERS.pictures_dealt, seats * NUMBERS.pictures_dealt
        callers = NUMBERS.customers_dealt
        players = tuple(
            Player(
                cash=NUMBERS.capital,
                pictures=in_order(pictures[seat * hands : (seat + 1) * hands]),
                customers=in_order(customers[seat * callers : (seat + 1) * callers]),
            )
            for seat in range(seats)
        )
        state = State(
            hidden_cash=options.hidden_cash,
            start=start,
            active=start,
            players=players,
            market=pictures[laid_out : laid_out + len(NUMBERS.prices)],
            stock=pictures[laid_out + len(NUMBERS.prices) :],
            deck=customers[seats * callers :],
            rng=rng,
        )
        dealt = (
            HandDealt(seat, player.pictures, player.customers)
            for seat, player in enumerate(players)
        )
        return Step(state, (*dealt, MarketOpened(table(state).market), StartDrawn(start)))

    def window(self, state: State) -> Window | None:
        """Ask the active player (`turn`), or during a sale each player in turn (`offer`)."""
        if state.ended is not UNSET:
            return None
        if state.sale is None:
            return Window(
                number=state.window,
                kind="turn",
                seats=(state.active,),
                seconds=SEED.seconds.turn,
                facts=TURN_FACTS,
            )
        # K-WIN-1: a bidder who can offer nothing is asked like everybody else.
        offers = state.sale.offers
        return Window(
            number=state.window,
            kind="offer",
            seats=(state.sale.bidder,),
            seconds=SEED.seconds.offer,
            facts=OfferFacts(state.sale.customer, offers[-1][1] if offers else UNSET),
        )

    def legal(self, state: State, seat: Seat) -> Sequence[AnyAction | Form]:
        """List the asked seat's answers; nothing for anyone else."""
        if seat != asked(state):
            return ()
        return turn.legal(state) if state.sale is None else sale.legal(state, state.sale)

    def apply(self, state: State, seat: Seat, action: AnyAction) -> Step[State, AnyEvent]:
        """Answer the open window."""
        if seat != asked(state):
            raise IllegalAction(Why.NOT_ASKED, seat=seat)
        match action, state.sale:
            case DrawCustomer(), None:
                return turn.draw(state)
            case Buy(), None:
                return turn.buy(state, action)
            case PlayCustomer(), None:
                return turn.play(state, action)
            case Offer(picture), visit if visit is not None:
                return sale.offer(state, visit, picture)
            case Pass(), visit if visit is not None:
                return sale.decline(state, visit)
            case _:
                open_kind = "turn" if state.sale is None else "offer"
                raise IllegalAction(Why.WRONG_WINDOW, open=open_kind)

    def default(self, state: State, seat: Seat) -> AnyAction:
        """Draw or play in `turn`, pass in `offer`."""
        return turn.default(state) if state.sale is None else sale.default()

    def table(self, state: State) -> Table:
        """See `saleroom_rules.kunstmarkt.table`."""
        return table(state)

    def private(self, state: State, seat: Seat) -> Hand:
        """Show a player their own hand and cash."""
        player = state.players[seat]
        return Hand(cash=player.cash, pictures=player.pictures, customers=player.customers)

    def tell(self, event: AnyEvent, viewer: Seat | None) -> AnyEvent | None:
        """Hide what others were dealt and which customer they drew (K-SET-5)."""
        if isinstance(event, HandDealt) and event.seat != viewer:
            return None
        if isinstance(event, CustomerDrawn) and event.seat != viewer:
            return replace(event, customer=UNSET)
        return event

    def outcome(self, state: State) -> Outcome | None:
        """K-END-3: most cash, then most pictures in hand, then the most famous picture in hand."""
        if state.ended is UNSET:
            return None
        scores = tuple(player.cash for player in state.players)
        return Outcome(scores, ranking([_wealth(player) for player in state.players]), state.ended)

    def catalogue(self) -> Catalogue:
        """Say what is printed on every picture and customer."""
        return catalogue()


def asked(state: State) -> Seat | None:
    """Return the seat that owes an answer; None when the game is over."""
    if state.ended is not UNSET:
        return None
    return state.active if state.sale is None else state.sale.bidder


def _wealth(player: Player) -> tuple[int, int, int]:
    best = max((PICTURES[picture].fame for picture in player.pictures), default=0)
    return player.cash, len(player.pictures), best
