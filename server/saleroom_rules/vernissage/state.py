"""The state of a Vernissage game: frozen values, and the few changes all phases share.

A state holds the open window as a value of its own. Between two windows, within one action, it is
None: the turn is over; with `ended` set, the game is.
"""

from collections.abc import Collection
from typing import TypeAlias

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.vernissage import (
    AnyAction,
    AnyEvent,
    Artist,
    BuyFacts,
    CardId,
    Counter,
    Dispute,
    DisputeFacts,
    GameEnded,
    Kind,
    MightFacts,
    PickFacts,
    PlaceFacts,
    PlayFacts,
    RevealFacts,
    Why,
)
from saleroom_rules.contract import Hidden, IllegalAction, Step
from saleroom_rules.rng import Rng
from saleroom_rules.vernissage.cards import by_size


class Player(Hidden, frozen=True, kw_only=True):
    """One gallery. Cards are kept by ascending id, agents by step."""

    cash: int
    notes: int = 0
    agents: tuple[int, ...]  # the steps they stand on, all different (V-INF-2)
    reserve: int
    shown: dict[CardId, Artist]  # works that lie open; never changed in place
    hand: tuple[CardId, ...]  # hidden
    committed: tuple[CardId, ...] = ()  # might in a Trial of Strength, of rounds that are closed

    @property
    def brown(self) -> int:
        """How many cards of the hand have a brown back."""
        return sum(card < "c" for card in self.hand)

    def with_card(self, card: CardId) -> "Player":
        """Take a card into the hand."""
        return replace(self, hand=in_order((*self.hand, card)))

    def without_card(self, card: CardId) -> "Player":
        """Put a card of the hand elsewhere."""
        return replace(self, hand=without(self.hand, (card,)))

    def without_agent(self, step: int) -> "Player":
        """Take the agent on a step back into the reserve."""
        agents = tuple(other for other in self.agents if other != step)
        return replace(self, agents=agents, reserve=self.reserve + 1)


class OnStage(Hidden, frozen=True, kw_only=True):
    """Where an artist stands; of one who is OUT only that says anything."""

    step: int = 1
    counters: tuple[Counter, ...] = ()  # on the steps in front, nearest first
    space: int  # 0 the lowest
    out: bool = False

    @property
    def front(self) -> int:
        """The step of the farthest counter in front, or the artist's own."""
        return self.step + len(self.counters)


class PlaceWindow(Hidden, frozen=True, kw_only=True, tag="place"):
    """The active player lays a fate counter (V-FATE-3)."""

    seats: tuple[Seat, ...]
    facts: PlaceFacts


class ObjectionWindow(Hidden, frozen=True, kw_only=True, tag="objection"):
    """All others with influence may object, sealed (V-OBJ-1)."""

    seats: tuple[Seat, ...]
    facts: DisputeFacts
    answers: tuple[tuple[Seat, AnyAction], ...] = ()  # by seat, as in all sealed windows


class BargainWindow(Hidden, frozen=True, kw_only=True, tag="bargain"):
    """The active player and the objectors bargain (V-OBJ-2); the dispute says what they state."""

    seats: tuple[Seat, ...]
    facts: DisputeFacts
    named: tuple[int, ...] = ()  # all the active player has stated: what objectors may agree to
    common: tuple[int, ...] = ()  # all that the objectors left at the time stated alike


class ChallengeWindow(Hidden, frozen=True, kw_only=True, tag="challenge"):
    """The remaining objectors decide for a Trial of Strength or against it, sealed (V-OBJ-3)."""

    seats: tuple[Seat, ...]
    facts: DisputeFacts
    answers: tuple[tuple[Seat, AnyAction], ...] = ()


class MightWindow(Hidden, frozen=True, kw_only=True, tag="might"):
    """One side of a trial commits might (V-TRI-1); Contra sealed."""

    seats: tuple[Seat, ...]
    facts: MightFacts
    answers: tuple[tuple[Seat, AnyAction], ...] = ()


class RevealWindow(Hidden, frozen=True, kw_only=True, tag="reveal"):
    """Everybody may show works of an artist who is IN, sealed (V-IN-1)."""

    seats: tuple[Seat, ...]
    facts: RevealFacts
    jumped: bool  # the bonus of a jump led here: what is left of the effect begins after it
    answers: tuple[tuple[Seat, AnyAction], ...] = ()


class BuyWindow(Hidden, frozen=True, kw_only=True, tag="buy"):
    """The active player buys a card (V-BUY-1)."""

    seats: tuple[Seat, ...]
    facts: BuyFacts = BuyFacts()


class PickWindow(Hidden, frozen=True, kw_only=True, tag="pick"):
    """The active player looks at a pile that was paid for (V-BUY-1)."""

    seats: tuple[Seat, ...]
    facts: PickFacts


class PlayWindow(Hidden, frozen=True, kw_only=True, tag="play"):
    """The active player plays cards (V-PLAY-1)."""

    seats: tuple[Seat, ...]
    facts: PlayFacts


SealedWindow: TypeAlias = ObjectionWindow | ChallengeWindow | MightWindow | RevealWindow
AnyWindow: TypeAlias = (
    PlaceWindow
    | ObjectionWindow
    | BargainWindow
    | ChallengeWindow
    | MightWindow
    | RevealWindow
    | BuyWindow
    | PickWindow
    | PlayWindow
)


class State(Hidden, frozen=True, kw_only=True):
    """A whole game. Hands, piles, the grey pile, cards set aside, sealed answers are secret.

    Maps are never changed in place: tables share them.
    """

    might_tax: bool
    start: Seat
    turn: int = 0  # 1 is the first
    active: Seat
    players: tuple[Player, ...]
    artists: dict[Artist, OnStage]
    feather: Artist | UnsetType = UNSET
    supply: dict[Kind, tuple[int, ...]]  # counters beside the board, the smallest first
    piles: tuple[tuple[CardId, ...], ...]  # the cheapest first; each top first
    aside: tuple[CardId, ...]
    grey: tuple[CardId, ...]  # top first
    discards: dict[CardId, int]  # grey cards that were played -> steps
    gone: dict[CardId, str]  # cards that left the game -> how
    dispute: Dispute | UnsetType = UNSET  # about the counter of this turn; public as it is
    remained: int = 0  # the last turn whose counter remained (V-END-2)
    recent: dict[str, dict[str, AnyEvent]]  # turn -> number -> event as spectators hear it
    number: int = 0  # of the open window
    window: AnyWindow | None = None
    ended: str | UnsetType = UNSET  # why the game is over
    rng: Rng

    @property
    def player(self) -> Player:
        """The active player."""
        return self.players[self.active]

    def with_player(self, seat: Seat, player: Player) -> tuple[Player, ...]:
        """Return the players with one changed."""
        return (*self.players[:seat], player, *self.players[seat + 1 :])

    def influenced(self, seat: Seat) -> tuple[Artist, ...]:
        """V-INF-1: the artists in play on whose steps an agent of the player stands."""
        agents = self.players[seat].agents
        return tuple(
            [
                key
                for key, artist in self.artists.items()
                if not artist.out and artist.step in agents
            ]
        )

    def disputed(self) -> Dispute:
        """Return what the open windows of A1 to A5 are about."""
        if self.dispute is UNSET:
            raise ValueError("no counter has been placed in this turn")
        return self.dispute


def opened(state: State, window: AnyWindow, *events: AnyEvent) -> Step[State, AnyEvent]:
    """Open the next window."""
    return Step(replace(state, number=state.number + 1, window=window), events)


def turn_over(state: State, *events: AnyEvent) -> Step[State, AnyEvent]:
    """Leave no window open: the next turn begins."""
    return Step(replace(state, window=None), events)


def game_over(state: State, reason: str, *events: AnyEvent) -> Step[State, AnyEvent]:
    """End the game at once."""
    return Step(replace(state, window=None, ended=reason), (*events, GameEnded(reason)))


def wrong_window(window: AnyWindow) -> IllegalAction:
    """Return the refusal of an action that answers another kind of window."""
    return IllegalAction(Why.WRONG_WINDOW, open=kind_of(window))


def kind_of(window: AnyWindow) -> str:
    """Return the kind of a window, which is its tag."""
    return str(window.__struct_config__.tag)


def counters_back(
    supply: dict[Kind, tuple[int, ...]], counters: tuple[Counter, ...]
) -> dict[Kind, tuple[int, ...]]:
    """Return the supply with counters added."""
    for counter in counters:
        values = by_size((*supply[counter.kind], counter.value))
        supply = {**supply, counter.kind: values}
    return supply


def counter_out(
    supply: dict[Kind, tuple[int, ...]], kind: Kind, value: int
) -> dict[Kind, tuple[int, ...]]:
    """Return the supply without one counter."""
    place = supply[kind].index(value)
    return {**supply, kind: supply[kind][:place] + supply[kind][place + 1 :]}


def in_order(cards: tuple[CardId, ...]) -> tuple[CardId, ...]:
    """Return cards by ascending id."""
    return tuple(sorted(cards))


def without(cards: tuple[CardId, ...], gone: Collection[CardId]) -> tuple[CardId, ...]:
    """Return cards but for some."""
    return tuple([card for card in cards if card not in gone])
