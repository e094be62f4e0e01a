"""Vernissage as a game: it dispatches to the phases and to what they share.

Draws, each domain on its own: `brown` shuffles the brown cards once; `redraw` shuffles what is
left of them and the hand put back behind it, once a redraw; `grey` shuffles the grey cards, and
their discards, by id, at every renewal; `start` rolls two dice for each seat still in, ascending,
round by round; `fate` draws a face of the die, in the order the catalogue has them; `trial` rolls
two dice for each Contra still in, ascending, then two for Pro.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from msgspec import UNSET, UnsetType

from saleroom_protocol.games import VOCABULARIES
from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form
from saleroom_protocol.games.vernissage import (
    AnyAction,
    AnyEvent,
    CardId,
    Catalogue,
    Hand,
    Options,
    Table,
    Why,
)
from saleroom_rules.contract import IllegalAction, Outcome, Rules, Step, Window, ranking
from saleroom_rules.rng import Rng
from saleroom_rules.vernissage import (
    bargain,
    buy,
    challenge,
    fate,
    might,
    objection,
    pick,
    play,
    reveal,
)
from saleroom_rules.vernissage.cards import NUMBERS, SEED, catalogue
from saleroom_rules.vernissage.deal import deal
from saleroom_rules.vernissage.dispute import withdrawn
from saleroom_rules.vernissage.recent import noted
from saleroom_rules.vernissage.scoring import scores
from saleroom_rules.vernissage.state import (
    AnyWindow,
    BargainWindow,
    BuyWindow,
    ChallengeWindow,
    MightWindow,
    ObjectionWindow,
    PickWindow,
    PlaceWindow,
    PlayWindow,
    RevealWindow,
    State,
    kind_of,
)
from saleroom_rules.vernissage.table import table
from saleroom_rules.vernissage.telling import tell


class Phase(Protocol):
    """What the module of each kind of window offers."""

    def legal(self, state: State, window: Any, seat: Seat) -> Sequence[AnyAction | Form]:
        """List the answers of a seat that owes one."""

    def answer(
        self, state: State, window: Any, seat: Seat, action: AnyAction
    ) -> Step[State, AnyEvent]:
        """Take an answer, or refuse it."""

    def default(self, state: State, window: Any, seat: Seat) -> AnyAction:
        """Return what time running out plays."""


PHASES: dict[type[AnyWindow], Phase] = {
    PlaceWindow: fate,
    ObjectionWindow: objection,
    BargainWindow: bargain,
    ChallengeWindow: challenge,
    MightWindow: might,
    RevealWindow: reveal,
    BuyWindow: buy,
    PickWindow: pick,
    PlayWindow: play,
}


class Vernissage(Rules[State, AnyAction, AnyEvent, Options]):
    """Five artists rise and fall; who owns the right works of the right ones wins."""

    key = SEED.game
    title = SEED.title
    edition = SEED.edition
    seats = NUMBERS.seats
    options = Options
    action_type = VOCABULARIES["vernissage"].action
    state_type = State

    def setup(self, seats: int, options: Options, rng: Rng) -> Step[State, AnyEvent]:
        """Deal (V-SET) and begin the first turn."""
        dealt = deal(seats, options, rng)
        return noted(fate.begin(dealt.state, *dealt.events))

    def window(self, state: State) -> Window | None:
        """Describe the open window."""
        window = state.window
        if window is None:
            return None
        kind = kind_of(window)
        return Window(
            number=state.number,
            kind=kind,
            seats=window.seats,
            answered=answered(state, window),
            sealed=is_sealed(window),
            seconds=getattr(SEED.seconds, kind),
            budget=f"play-{state.turn}" if kind == "play" else "",  # V-PLAY-2
            facts=window.facts,
        )

    def legal(self, state: State, seat: Seat) -> Sequence[AnyAction | Form]:
        """List the answers of a seat that owes one; nothing for anyone else."""
        window = state.window
        if window is None or not owes(state, window, seat):
            return ()
        return PHASES[type(window)].legal(state, window, seat)

    def apply(self, state: State, seat: Seat, action: AnyAction) -> Step[State, AnyEvent]:
        """Answer the open window; when the turn is over, begin the next."""
        window = state.window
        if window is None or not owes(state, window, seat):
            raise IllegalAction(Why.NOT_ASKED, seat=seat)
        step = PHASES[type(window)].answer(state, window, seat, action)
        if step.state.window is None and step.state.ended is UNSET:
            step = fate.begin(step.state, *step.events)
        return noted(step)

    def default(self, state: State, seat: Seat) -> AnyAction:
        """Ask the phase."""
        window = state.window
        if window is None:
            raise ValueError("the game is over")
        return PHASES[type(window)].default(state, window, seat)

    def table(self, state: State) -> Table:
        """See `saleroom_rules.vernissage.table`."""
        return table(state)

    def private(self, state: State, seat: Seat) -> Hand:
        """Show a player their own hand, the pile looked at, and their sealed answer."""
        window = state.window
        pile: tuple[CardId, ...] | UnsetType = UNSET
        if isinstance(window, PickWindow) and seat in window.seats:
            pile = pick.looked_at(state, window)
        return Hand(
            cards=state.players[seat].hand,
            pile=pile,
            answer=dict(getattr(window, "answers", ())).get(seat, UNSET),
        )

    def tell(self, event: AnyEvent, viewer: Seat | None) -> AnyEvent | None:
        """See `saleroom_rules.vernissage.telling`."""
        return tell(event, viewer)

    def outcome(self, state: State) -> Outcome | None:
        """V-SCORE-1: most assets win; a tie is shared."""
        if state.ended is UNSET:
            return None
        assets = scores(state)
        return Outcome(assets, ranking(assets), state.ended)

    def catalogue(self) -> Catalogue:
        """Say what every card is, and all numbers."""
        return catalogue()


def answered(state: State, window: AnyWindow) -> tuple[Seat, ...]:
    """Return those who owe no answer any more: who answered sealed, or withdrew (V-OBJ-2)."""
    if isinstance(window, BargainWindow):
        return withdrawn(state.disputed())
    return tuple([seat for seat, _ in getattr(window, "answers", ())])


def is_sealed(window: AnyWindow) -> bool:
    """Tell whether answers stay secret until all are in; Pro alone answers openly (V-TRI-1)."""
    if isinstance(window, MightWindow):
        return window.facts.side == "contra"
    return isinstance(window, ObjectionWindow | ChallengeWindow | RevealWindow)


def owes(state: State, window: AnyWindow, seat: Seat) -> bool:
    """Tell whether a seat still owes an answer."""
    return seat in window.seats and seat not in answered(state, window)
