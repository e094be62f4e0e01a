"""Museum Pictura as a game: it dispatches to the phases and to what they share.

Draws, each domain on its own: `paintings` shuffles the paintings once; `trends`, `patrons` and
`favours` shuffle theirs at the set-up, and again, by id, the trends left in the deck together
with those nobody kept, and whatever was discarded when a deck is empty; `start` draws who begins.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from msgspec import UNSET, UnsetType

from saleroom_protocol.games import VOCABULARIES
from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form
from saleroom_protocol.games.pictura import (
    AnyAction,
    AnyEvent,
    Arrange,
    Catalogue,
    Hand,
    Hold,
    Options,
    PaintingId,
    Table,
    Why,
)
from saleroom_rules.contract import IllegalAction, Outcome, Rules, Step, Window, ranking
from saleroom_rules.pictura import (
    action,
    arrange_final,
    arranging,
    bonus_space,
    discard,
    exhibition,
    keep_trend,
    keep_two,
    trade,
)
from saleroom_rules.pictura.cards import NUMBERS, SEED, catalogue
from saleroom_rules.pictura.deal import deal
from saleroom_rules.pictura.scoring import final_score, rank
from saleroom_rules.pictura.state import (
    ActionWindow,
    AnyWindow,
    ArrangeFinalWindow,
    BonusSpaceWindow,
    DiscardWindow,
    KeepTrendWindow,
    KeepTwoWindow,
    Moment,
    State,
    TradeWindow,
    kind_of,
)
from saleroom_rules.pictura.table import table
from saleroom_rules.pictura.telling import tell
from saleroom_rules.rng import Rng


class Phase(Protocol):
    """What the module of each kind of window offers."""

    def legal(self, state: State, window: Any, seat: Seat) -> Sequence[AnyAction | Form]:
        """List the answers of a seat that owes one."""

    def answer(self, state: State, window: Any, seat: Seat, act: AnyAction) -> Moment:
        """Take an answer, or refuse it."""

    def default(self, state: State, window: Any, seat: Seat) -> AnyAction:
        """Return what time running out plays."""


PHASES: dict[type[AnyWindow], Phase] = {
    KeepTrendWindow: keep_trend,
    TradeWindow: trade,
    ActionWindow: action,
    BonusSpaceWindow: bonus_space,
    KeepTwoWindow: keep_two,
    DiscardWindow: discard,
    ArrangeFinalWindow: arrange_final,
}


class MuseumPictura(Rules[State, AnyAction, AnyEvent, Options]):
    """Trade with the world's museums, hang what belongs together, and be talked of."""

    key = SEED.game
    title = SEED.title
    edition = SEED.edition
    seats = NUMBERS.seats
    options = Options
    action_type = VOCABULARIES["pictura"].action
    state_type = State

    def setup(self, seats: int, options: Options, rng: Rng) -> Step[State, AnyEvent]:
        """Deal (P-SET) and let everybody keep a trend."""
        return keep_trend.begin(deal(seats, options, rng))

    def window(self, state: State) -> Window | None:
        """Describe the open window."""
        window = state.window
        if window is None:
            return None
        kind = kind_of(window)
        others_trade = kind == "trade" and state.active not in window.seats
        own = kind == "action" or (kind == "trade" and not others_trade)
        return Window(
            number=state.number,
            kind=kind,
            seats=window.seats,
            answered=answered(window),
            sealed=isinstance(window, KeepTrendWindow | ArrangeFinalWindow),
            seconds=getattr(SEED.seconds, "offer" if others_trade else kind),
            budget=f"{kind}-{state.turn}" if own else "",
            facts=window.facts,
        )

    def legal(self, state: State, seat: Seat) -> Sequence[AnyAction | Form]:
        """List the answers of a seat that owes one; nothing for anyone else."""
        window = state.window
        if window is None or not owes(window, seat):
            return ()
        return PHASES[type(window)].legal(state, window, seat)

    def anytime(self, state: State, seat: Seat) -> Sequence[AnyAction | Form]:
        """List the arrangements of the seat's own museum (P-EXH-4)."""
        return arranging.anytime(state, seat)

    def apply(self, state: State, seat: Seat, action: AnyAction) -> Step[State, AnyEvent]:
        """Answer the open window, or arrange the seat's own museum meanwhile."""
        window = state.window
        if window is None:
            raise IllegalAction(Why.NOT_ASKED, seat=seat)
        if isinstance(action, Arrange) and not isinstance(window, ArrangeFinalWindow):
            return arranging.arrange(state, seat, action)
        if not owes(window, seat):
            raise IllegalAction(Why.NOT_ASKED, seat=seat)
        return PHASES[type(window)].answer(state, window, seat, action)

    def complete(self, state: State, seat: Seat, action: AnyAction) -> AnyAction:
        """Write into an exhibition how its paintings are put together (P-SPE-1)."""
        if isinstance(action, Hold):
            return exhibition.completed(state, seat, action)
        return action

    def default(self, state: State, seat: Seat) -> AnyAction:
        """Ask the phase."""
        window = state.window
        if window is None:
            raise ValueError("the game is over")
        return PHASES[type(window)].default(state, window, seat)

    def puzzle(self, state: State, seat: Seat) -> arrange_final.Puzzle | None:
        """Ask the last window; no other has anything to search for."""
        window = state.window
        if not isinstance(window, ArrangeFinalWindow):
            return None
        return arrange_final.puzzle(state, window, seat)

    def advise(self, puzzle: arrange_final.Puzzle) -> AnyAction:
        """Arrange a museum as well as can be found."""
        return arrange_final.advise(puzzle)

    def table(self, state: State) -> Table:
        """See `saleroom_rules.pictura.table`."""
        return table(state)

    def private(self, state: State, seat: Seat) -> Hand:
        """Show a player their own cards, those to choose from, and their own sealed answer."""
        window, player = state.window, state.players[seat]
        choosing = isinstance(window, KeepTrendWindow)
        drawn: tuple[PaintingId, ...] | UnsetType = UNSET
        if isinstance(window, KeepTwoWindow) and seat in window.seats:
            drawn = window.drawn
        return Hand(
            paintings=player.paintings,
            favours=player.favours,
            trend=UNSET if choosing else player.trends[0],
            trends=player.trends if choosing else UNSET,
            drawn=drawn,
            answer=dict(getattr(window, "answers", ())).get(seat, UNSET),
        )

    def tell(self, event: AnyEvent, viewer: Seat | None) -> AnyEvent | None:
        """See `saleroom_rules.pictura.telling`."""
        return tell(event, viewer)

    def outcome(self, state: State) -> Outcome | None:
        """P-SCORE-5: most points win, then most paintings in the museum; else it is shared."""
        if state.ended is UNSET:
            return None
        scores = tuple(final_score(player).total for player in state.players)
        return Outcome(scores, ranking([*map(rank, state.players)]), state.ended)

    def catalogue(self) -> Catalogue:
        """Say what every card is, and all numbers."""
        return catalogue()


def answered(window: AnyWindow) -> tuple[Seat, ...]:
    """Return those who have answered a sealed window."""
    return tuple([seat for seat, _ in getattr(window, "answers", ())])


def owes(window: AnyWindow, seat: Seat) -> bool:
    """Tell whether a seat still owes an answer."""
    return seat in window.seats and seat not in answered(window)
