"""The state of a Museum Pictura game: frozen values, and the few words all phases share.

A state holds the open window as a value of its own. Between two windows, within one action, it is
None; with `ended` set, the game is over. What happens is a chain of steps: each function takes the
step so far and returns it with its own change of state and its own events.
"""

from collections.abc import Collection, Iterable
from typing import TypeAlias

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.pictura import (
    ActionFacts,
    AnyEvent,
    Arrange,
    ArrangeFinalFacts,
    BonusSpaceFacts,
    Category,
    DiscardFacts,
    FavourId,
    KeepTrend,
    KeepTrendFacts,
    KeepTwoFacts,
    Kind,
    MuseumKey,
    PaintingId,
    PatronId,
    Space,
    TradeFacts,
    TrendId,
    Why,
)
from saleroom_rules.contract import Hidden, IllegalAction, Step
from saleroom_rules.pictura.board import Place
from saleroom_rules.pictura.cards import NUMBERS, SPACES, WORTH
from saleroom_rules.rng import Rng


class Player(Hidden, frozen=True, kw_only=True):
    """One player. Hands are kept by ascending id; maps are never changed in place."""

    score: int
    passed: int  # steps of the favour track that were ever reached (P-FAV-2)
    paintings: tuple[PaintingId, ...]  # hidden
    favours: tuple[FavourId, ...]  # hidden
    trends: tuple[TrendId, ...]  # hidden; those dealt, then the one kept
    museum: dict[PaintingId, Place]  # in the order they were hung
    archive: tuple[PaintingId, ...] = ()  # in the order they came
    exhibitions: dict[Space, Category]
    patrons: dict[PatronId, str]  # claimed -> reward

    @property
    def hand_limit(self) -> int:
        """P-TURN-6: how many paintings the hand may hold at the end of a turn."""
        return SPACES["hand_limit"] if "hand_limit" in self.exhibitions else NUMBERS.hand

    def holding(self, *paintings: PaintingId) -> "Player":
        """Take paintings into the hand."""
        return replace(self, paintings=in_order((*self.paintings, *paintings)))

    def without(self, *paintings: PaintingId) -> "Player":
        """Put paintings of the hand elsewhere."""
        return replace(self, paintings=without(self.paintings, paintings))

    def archiving(self, *paintings: PaintingId) -> "Player":
        """Put paintings of the hand into the archive, in this order."""
        return replace(self.without(*paintings), archive=(*self.archive, *paintings))


class InternationalMuseum(Hidden, frozen=True):
    """An international museum; its trend never changes (P-TRADE-3)."""

    trend: TrendId
    paintings: tuple[PaintingId, ...]  # the longest there first


class KeepTrendWindow(Hidden, frozen=True, kw_only=True, tag="keep_trend"):
    """Everybody keeps a trend, sealed (P-SET-5)."""

    seats: tuple[Seat, ...]
    facts: KeepTrendFacts = KeepTrendFacts()
    answers: tuple[tuple[Seat, KeepTrend], ...] = ()  # by seat, whoever was quicker


class TradeWindow(Hidden, frozen=True, kw_only=True, tag="trade"):
    """The active player trades, or another one may (P-TURN-2, P-TURN-3)."""

    seats: tuple[Seat, ...]
    facts: TradeFacts


class ActionWindow(Hidden, frozen=True, kw_only=True, tag="action"):
    """The active player takes the next step of the one action (P-TURN-4)."""

    seats: tuple[Seat, ...]
    facts: ActionFacts


class BonusSpaceWindow(Hidden, frozen=True, kw_only=True, tag="bonus_space"):
    """The chip of an exhibition needs a space (P-SPE-3)."""

    seats: tuple[Seat, ...]
    facts: BonusSpaceFacts


class KeepTwoWindow(Hidden, frozen=True, kw_only=True, tag="keep_two"):
    """The active player keeps some of the paintings drawn (P-FAV)."""

    seats: tuple[Seat, ...]
    facts: KeepTwoFacts
    drawn: tuple[PaintingId, ...]  # by id; secret
    then: TradeWindow | ActionWindow  # where the favour was played


class DiscardWindow(Hidden, frozen=True, kw_only=True, tag="discard"):
    """The active player holds too much at the end of the turn (P-TURN-6)."""

    seats: tuple[Seat, ...]
    facts: DiscardFacts


class ArrangeFinalWindow(Hidden, frozen=True, kw_only=True, tag="arrange_final"):
    """Everybody arranges their own museum for the last time, sealed (P-END-3)."""

    seats: tuple[Seat, ...]
    facts: ArrangeFinalFacts = ArrangeFinalFacts()
    answers: tuple[tuple[Seat, Arrange], ...] = ()  # by seat, whoever was quicker


SealedWindow: TypeAlias = KeepTrendWindow | ArrangeFinalWindow
OwnWindow: TypeAlias = TradeWindow | ActionWindow  # those in which favours and patrons are played
AnyWindow: TypeAlias = (
    KeepTrendWindow
    | TradeWindow
    | ActionWindow
    | BonusSpaceWindow
    | KeepTwoWindow
    | DiscardWindow
    | ArrangeFinalWindow
)


class State(Hidden, frozen=True, kw_only=True):
    """A whole game. Hands, kept trends, decks, cards being chosen from, sealed answers are secret.

    Maps are never changed in place: tables share them.
    """

    general_trend: bool
    favour_track: bool
    start: Seat
    turn: int = 0  # 1 is the first
    active: Seat
    players: tuple[Player, ...]
    trend: TrendId  # the general one
    museums: dict[MuseumKey, InternationalMuseum]
    patrons: tuple[PatronId, ...]  # the longest there first
    chips: dict[Category, int]
    deck: tuple[PaintingId, ...]  # top first, as all decks
    trend_deck: tuple[TrendId, ...]
    patron_deck: tuple[PatronId, ...]
    favour_deck: tuple[FavourId, ...]
    past_trends: tuple[TrendId, ...] = ()
    past_patrons: tuple[PatronId, ...] = ()
    past_favours: dict[FavourId, Kind]
    favour_played: bool = False  # in this turn, as the two that follow
    patron_claimed: bool = False
    entered: tuple[PaintingId, ...] = ()
    reached: Seat | UnsetType = UNSET  # who was the first to have 50 points
    ending: str | UnsetType = UNSET  # why the end is near
    last_turns: tuple[Seat, ...] = ()  # who still has one, once it is
    number: int = 0  # of the open window
    window: AnyWindow | None = None
    ended: str | UnsetType = UNSET  # why the game is over
    rng: Rng

    @property
    def player(self) -> Player:
        """The active player."""
        return self.players[self.active]

    def after(self, seat: Seat) -> Seat:
        """Return the next seat, clockwise."""
        return (seat + 1) % len(self.players)

    def with_player(self, seat: Seat, player: Player) -> "State":
        """Return the state with one player changed."""
        return replace(self, players=(*self.players[:seat], player, *self.players[seat + 1 :]))

    def with_museum(self, key: MuseumKey, museum: InternationalMuseum) -> "State":
        """Return the state with one international museum changed."""
        return replace(self, museums={**self.museums, key: museum})

    def home_of(self, painting: PaintingId) -> MuseumKey:
        """Return the international museum a painting is in, or refuse it."""
        for key, museum in self.museums.items():
            if painting in museum.paintings:
                return key
        raise IllegalAction(Why.NOT_THERE, painting=painting)

    def liked(self, painting: PaintingId) -> int:
        """Return what a painting is worth under the general trend."""
        return WORTH[self.trend][painting]


Moment: TypeAlias = Step[State, AnyEvent]


def begun(state: State) -> Moment:
    """Return a step in which nothing has happened yet."""
    return Step(state, ())


def told(step: Moment, state: State, *events: AnyEvent) -> Moment:
    """Go on from a step: the state has changed, and this has happened."""
    return Step(state, (*step.events, *events))


def opened(step: Moment, window: AnyWindow) -> Moment:
    """Open the next window."""
    state = step.state
    return told(step, replace(state, number=state.number + 1, window=window))


def go_on(step: Moment, facts: ActionFacts) -> Moment:
    """Ask the active player for the next step of the action; `facts` say what it is so far."""
    return opened(step, ActionWindow(seats=(step.state.active,), facts=facts))


def kind_of(window: AnyWindow) -> str:
    """Return the kind of a window, which is its tag."""
    return str(window.__struct_config__.tag)


def wrong_window(window: AnyWindow) -> IllegalAction:
    """Return the refusal of an action that answers another kind of window."""
    return IllegalAction(Why.WRONG_WINDOW, open=kind_of(window))


def check_held(held: Collection[str], *cards: str) -> None:
    """Refuse cards that a hand does not hold."""
    for card in cards:
        if card not in held:
            raise IllegalAction(Why.NOT_IN_HAND, card=card)


def in_order(cards: Iterable[str]) -> tuple[str, ...]:
    """Return cards by ascending id."""
    return tuple(sorted(cards))


def without(cards: tuple[str, ...], gone: Collection[str]) -> tuple[str, ...]:
    """Return cards but for some."""
    return tuple([card for card in cards if card not in gone])
