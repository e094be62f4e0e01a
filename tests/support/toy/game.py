"""The toy's rules: bid sealed, haggle, place twice on one clock; two rounds."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from saleroom_protocol.games.common import Facts, Seat
from saleroom_protocol.games.forms import Form, admits, assign, one_of, some_of
from saleroom_rules.contract import Hidden, IllegalAction, Outcome, Rules, Step, Window, ranking
from saleroom_rules.rng import Rng
from tests.support.toy.words import (
    AnyAction,
    AnyEvent,
    Arrange,
    Arranged,
    Bid,
    BidsRevealed,
    CardsDealt,
    Catalogue,
    DieRolled,
    HaggleFacts,
    Hand,
    Insist,
    NoFacts,
    Options,
    Place,
    Placed,
    Say,
    Spoken,
    Table,
    Why,
)

CARDS = tuple(f"n{number:02}" for number in range(1, 10))
VALUES = (-1, 1, 2)
MOST_SAYINGS = 3


class State(Hidden, frozen=True, kw_only=True):
    """A whole toy game."""

    rounds: int
    round: int = 1
    number: int = 1
    kind: str = "bid"
    hands: tuple[tuple[str, ...], ...]
    bids: tuple[tuple[Seat, Bid], ...] = ()
    stated: dict[str, int]
    sayings: int = 0
    placer: Seat = 0
    shelves: tuple[dict[str, int], ...]
    eyes: tuple[int, ...] = ()
    seen: tuple[str, ...] = ()  # cards that were bid: everybody knows where they are
    rng: Rng


class Puzzle(Struct, frozen=True):
    """A player's own shelf decides where tokens are best placed."""

    shelf: dict[str, int]


class Toy(Rules[State, AnyAction, AnyEvent, Options]):
    """See the package's docstring."""

    key = "toy"
    title = "Toy"
    edition = 1
    seats = (3,)
    options = Options
    action_type = AnyAction
    state_type = State

    def setup(self, seats: int, options: Options, rng: Rng) -> Step[State, AnyEvent]:
        cards, rng = rng.shuffle("cards", CARDS)
        hands = tuple(tuple(sorted(cards[seat * 3 : seat * 3 + 3])) for seat in range(seats))
        shelves = tuple({"a": 1, "b": 2} for _ in range(seats))
        state = State(
            rounds=1 if options.short else 2, hands=hands, stated={}, shelves=shelves, rng=rng
        )
        return Step(state, tuple(CardsDealt(seat, hand) for seat, hand in enumerate(hands)))

    def window(self, state: State) -> Window | None:
        if state.round > state.rounds:
            return None
        everybody = tuple(range(len(state.hands)))
        facts: Facts = HaggleFacts(state.stated) if state.kind == "haggle" else NoFacts()
        return Window(
            number=state.number,
            kind=state.kind,
            seats=(state.placer,) if state.kind == "place" else everybody,
            answered=tuple(sorted(seat for seat, _ in state.bids)) if state.kind == "bid" else (),
            sealed=state.kind == "bid",
            seconds=20,
            budget=f"place-{state.round}" if state.kind == "place" else "",
            facts=facts,
        )

    def legal(self, state: State, seat: Seat) -> Sequence[AnyAction | Form]:
        window = self.window(state)
        if window is None or seat not in window.owing:
            return ()
        if state.kind == "bid":
            return [Form("bid", {}, {"cards": some_of(state.hands[seat], 0, 2)})]
        if state.kind == "haggle":
            return [Form("say", {}, {"value": one_of(VALUES)}), Insist()]
        spaces = assign({"a": (1, 2, 3), "b": (2, 3, 4)}, distinct=True, least=2)
        return [Form("place", {}, {"spaces": spaces})]

    def anytime(self, state: State, seat: Seat) -> Sequence[AnyAction | Form]:
        if state.round > state.rounds:
            return ()
        shelf = assign({"a": (1, 2, 3), "b": (1, 2, 3)}, distinct=True, least=2)
        return [Form("arrange", {}, {"shelf": shelf})]

    def complete(self, state: State, seat: Seat, action: AnyAction) -> AnyAction:
        if not isinstance(action, Place):
            return action
        if action.path is not UNSET:
            raise IllegalAction(Why.NOT_LISTED)
        return replace(action, path=tuple(sorted(action.spaces.values())))

    def apply(self, state: State, seat: Seat, action: AnyAction) -> Step[State, AnyEvent]:
        self._check(state, seat, action)
        match action:
            case Arrange(shelf):
                shelves = tuple(
                    shelf if other == seat else old for other, old in enumerate(state.shelves)
                )
                return Step(replace(state, shelves=shelves), (Arranged(seat),))
            case Bid():
                return self._bid(replace(state, bids=(*state.bids, (seat, action))))
            case Say(value):
                return self._say(state, seat, value)
            case Insist():
                return Step(_placing(state), (Spoken(seat),))
            case Place(_, path):
                assert path is not UNSET
                return Step(_placed(state), (Placed(seat, path),))

    def default(self, state: State, seat: Seat) -> AnyAction:
        if state.kind == "bid":
            return Bid(())
        return Insist() if state.kind == "haggle" else Place({"a": 1, "b": 2})

    def puzzle(self, state: State, seat: Seat) -> Puzzle | None:
        return Puzzle(state.shelves[seat]) if state.kind == "place" else None

    def advise(self, puzzle: Puzzle) -> AnyAction:
        return Place({"a": 3, "b": 4 if puzzle.shelf["b"] == 2 else 2})

    def table(self, state: State) -> Table:
        return Table(
            round=state.round,
            hands={str(seat): len(hand) for seat, hand in enumerate(state.hands)},
            shelves={str(seat): shelf for seat, shelf in enumerate(state.shelves)},
            eyes={str(number): eyes for number, eyes in enumerate(state.eyes, 1)},
        )

    def private(self, state: State, seat: Seat) -> Hand:
        return Hand(cards=state.hands[seat], answer=dict(state.bids).get(seat, UNSET))

    def tell(self, event: AnyEvent, viewer: Seat | None) -> AnyEvent | None:
        if isinstance(event, CardsDealt) and event.seat != viewer:
            return None
        return event

    def outcome(self, state: State) -> Outcome | None:
        if state.round <= state.rounds:
            return None
        scores = tuple(sum(shelf.values()) for shelf in state.shelves)
        return Outcome(scores, ranking(scores), "rounds")

    def catalogue(self) -> Catalogue:
        return Catalogue({card: {"value": int(card[1:])} for card in CARDS})

    def _check(self, state: State, seat: Seat, action: AnyAction) -> None:
        """Refuse what is not listed; a toy may check by the list itself."""
        listed = (
            self.anytime(state, seat) if isinstance(action, Arrange) else self.legal(state, seat)
        )
        if not listed:
            raise IllegalAction(Why.NOT_ASKED)
        if isinstance(action, Place):
            if action.path != tuple(sorted(action.spaces.values())):
                raise IllegalAction(Why.NOT_LISTED)
            action = replace(action, path=UNSET)
        plain: dict[str, Any] = msgspec.to_builtins(action)
        if not any(admits(e, plain) if isinstance(e, Form) else e == action for e in listed):
            raise IllegalAction(Why.NOT_LISTED)

    def _bid(self, state: State) -> Step[State, AnyEvent]:
        if len(state.bids) < len(state.hands):
            return Step(state, ())
        bids = {str(seat): bid.cards for seat, bid in sorted(state.bids)}
        eyes, rng = state.rng.die("die")
        state = replace(
            state,
            number=state.number + 1,
            kind="haggle",
            bids=(),
            stated={},
            sayings=0,
            eyes=(*state.eyes, eyes),
            seen=(*state.seen, *(card for bid in bids.values() for card in bid)),
            rng=rng,
        )
        return Step(state, (BidsRevealed(bids), DieRolled(eyes)))

    def _say(self, state: State, seat: Seat, value: int) -> Step[State, AnyEvent]:
        stated = {**state.stated, str(seat): value}
        state = replace(state, stated=stated, sayings=state.sayings + 1)
        agreed = len(stated) == len(state.hands) and len(set(stated.values())) == 1
        if agreed or state.sayings >= MOST_SAYINGS * len(state.hands):
            state = _placing(state)
        return Step(state, (Spoken(seat, value),))


def _placing(state: State) -> State:
    return replace(state, number=state.number + 1, kind="place", placer=0)


def _placed(state: State) -> State:
    """Two place, one after the other, on one clock; then the next round begins."""
    if state.placer == 0:
        return replace(state, number=state.number + 1, placer=1)
    return replace(state, number=state.number + 1, kind="bid", round=state.round + 1)
