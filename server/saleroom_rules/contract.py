"""What every game promises: the contract between rules and everything that runs them.

A game is one stateless object. State is a frozen value; an action makes a new one. One idea, the
window, serves turns, bidding, simultaneous answers and bargaining: it says who is asked, and each
seat in it owes an answer until it has given one or the window closes.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from msgspec import Struct

from saleroom_protocol.games.common import Action, Event, Facts, IllegalWhy, Private, Seat
from saleroom_protocol.games.forms import Form
from saleroom_rules.rng import Rng

StateT = TypeVar("StateT", bound=Struct)
ActionT = TypeVar("ActionT", bound=Action)
EventT = TypeVar("EventT", bound=Event)
OptionsT = TypeVar("OptionsT", bound=Struct)


class IllegalAction(Exception):
    """An action that may not be taken now; nothing has changed.

    Attributes:
        why: the game's documented word.
        facts: what stands beside it: public, or known to the seat that acted.
    """

    def __init__(self, why: IllegalWhy, **facts: Any) -> None:
        super().__init__(why)
        self.why = why
        self.facts = facts


class Hidden(Struct, frozen=True, gc=False):
    """Base of what a state is made of: it prints as its type's name, since most of it is secret."""

    def __repr__(self) -> str:
        """Name the type."""
        return f"<{type(self).__name__}>"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Keep pretty printers from walking the fields themselves."""
        return []


class Window(Struct, frozen=True, gc=False, kw_only=True):
    """The decision the table waits for. Everything in it is public."""

    number: int  # 1, 2, 3 …: names it in actions, timers and records
    kind: str
    seats: tuple[Seat, ...]  # all who are asked; constant while it is open
    answered: tuple[Seat, ...] = ()  # ascending
    sealed: bool = False  # answers stay secret until it closes
    seconds: int  # standard time; of a budget, for all its windows together
    budget: str = ""  # windows that name the same one share a clock, which runs only while one of
    # them is open; a new stretch takes a new name ("action-17")
    facts: Facts

    @property
    def owing(self) -> tuple[Seat, ...]:
        """The seats that still owe an answer, ascending."""
        if not self.answered:
            return self.seats
        return tuple(seat for seat in self.seats if seat not in self.answered)


class Step(Struct, Generic[StateT, EventT], frozen=True, gc=False):
    """What one accepted action, or the set-up, has led to."""

    state: StateT
    events: tuple[EventT, ...]


class Outcome(Struct, frozen=True, gc=False):
    """How a game ended."""

    scores: tuple[int, ...]  # by seat, in the game's own unit
    places: tuple[int, ...]  # by seat; equals share one: 1, 1, 3
    reason: str

    def demoting(self, resigned: Collection[Seat]) -> "Outcome":
        """Rank the seats that resigned behind all others, among themselves as they were."""
        keys = [(seat not in resigned, -place) for seat, place in enumerate(self.places)]
        return Outcome(self.scores, ranking(keys), self.reason)


def do_of(entry: Action | Form) -> str:
    """Return the `do` of an entry of `legal` or `anytime`."""
    return entry.do if isinstance(entry, Form) else str(entry.__struct_config__.tag)


def ranking(keys: Sequence[Any]) -> tuple[int, ...]:
    """Return each seat's place, 1 for the greatest key; equal keys share a place: 1, 1, 3."""
    return tuple(1 + sum(other > key for other in keys) for key in keys)


class Rules(ABC, Generic[StateT, ActionT, EventT, OptionsT]):
    """One game. Every method is a pure function of what it is given."""

    key: ClassVar[str]
    title: ClassVar[str]
    edition: ClassVar[int]  # rises with every change that would alter an old record's replay
    seats: ClassVar[tuple[int, ...]]  # numbers of players it can be played with
    options: type[OptionsT]
    action_type: Any  # what `apply` takes: a union of tagged structs, for decoders
    state_type: type[StateT]

    @abstractmethod
    def setup(self, seats: int, options: OptionsT, rng: Rng) -> Step[StateT, EventT]:
        """Deal a new game; `seats` is one of `self.seats`."""

    @abstractmethod
    def window(self, state: StateT) -> Window | None:
        """Return the open window, or None when the game is over."""

    @abstractmethod
    def legal(self, state: StateT, seat: Seat) -> Sequence[ActionT | Form]:
        """List, completely and in canonical order, how a seat may answer the open window.

        Empty unless the seat owes an answer. Every action and every filling of a form, once
        `complete`, is accepted by `apply`; nothing else is.
        """

    def anytime(self, state: StateT, seat: Seat) -> Sequence[ActionT | Form]:
        """List what a seat may do whether asked or not; it never answers or holds up a window."""
        return ()

    @abstractmethod
    def apply(self, state: StateT, seat: Seat, action: ActionT) -> Step[StateT, EventT]:
        """Take an action that is listed for the seat, or what `complete` made of one.

        Raises:
            IllegalAction: it is neither.
        """

    def complete(self, state: StateT, seat: Seat, action: ActionT) -> ActionT:
        """Return an action with all in it that a later version might work out differently.

        Whatever a seat sends, or `default` and `advise` give, goes through this before it is
        journalled and applied, so that a replay needs no search of today's. An action that is not
        listed comes back as it is, for `apply` to refuse.

        Raises:
            IllegalAction: it holds already what only this may write.
        """
        return action

    @abstractmethod
    def default(self, state: StateT, seat: Seat) -> ActionT:
        """Return what time running out plays for a seat that owes an answer. Cheap."""

    def puzzle(self, state: StateT, seat: Seat) -> Struct | None:
        """Return what `advise` should work on for a seat that owes an answer; None for nothing.

        Cheap. It holds no more than the seat sees: it leaves the process. As long as it stays
        equal, so does what `advise` makes of it, and that is listed for the seat.
        """
        return None

    def advise(self, puzzle: Any) -> ActionT:
        """Return a better answer than `default`; slow, bounded by nodes and never by time."""
        raise NotImplementedError

    @abstractmethod
    def table(self, state: StateT) -> Struct:
        """Return what everybody sees, built field by field."""

    @abstractmethod
    def private(self, state: StateT, seat: Seat) -> Private:
        """Return what one seat may see besides the table."""

    @abstractmethod
    def tell(self, event: EventT, viewer: Seat | None) -> EventT | None:
        """Return an event as a seat, or a spectator (None), may hear it; None if not at all.

        What a spectator hears whole (the event itself comes back), everybody hears whole.
        """

    @abstractmethod
    def outcome(self, state: StateT) -> Outcome | None:
        """Return the result once the game is over."""

    @abstractmethod
    def catalogue(self) -> Struct:
        """Return what every id of this game is; the same for every game of an edition."""


AnyRules: TypeAlias = Rules[Any, Any, Any, Any]


def heard(rules: AnyRules, events: Iterable[Event], viewer: Seat | None) -> tuple[Event, ...]:
    """Return the events as a seat, or a spectator (None), may hear them."""
    told = [rules.tell(event, viewer) for event in events]
    return tuple([event for event in told if event is not None])
