"""The active player and the objectors bargain for another value of the same kind (V-OBJ-2).

Everybody has at most one stated value. Values are named, so whoever agrees to one that the other
side has replaced in the meantime has still said something: that value is stated, no more.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.vernissage import (
    Agree,
    AnyAction,
    AnyEvent,
    Ask,
    BargainingEnded,
    Counter,
    CountersExchanged,
    Dispute,
    DisputeFacts,
    Insist,
    Offer,
    Stand,
    Stated,
    Why,
    Withdraw,
    Withdrew,
)
from saleroom_rules.contract import IllegalAction, Step
from saleroom_rules.vernissage import challenge, effect, fame
from saleroom_rules.vernissage.cards import NUMBERS, by_size
from saleroom_rules.vernissage.dispute import remaining, stated, statements, withdrawn
from saleroom_rules.vernissage.state import (
    BargainWindow,
    State,
    counter_out,
    counters_back,
    opened,
    wrong_window,
)

OWN_WORDS: dict[bool, tuple[type[AnyAction], ...]] = {
    True: (Offer, Agree, Stand),
    False: (Ask, Agree, Withdraw, Insist),
}


def begin(
    state: State, facts: DisputeFacts, objectors: tuple[Seat, ...], *events: AnyEvent
) -> Step[State, AnyEvent]:
    """Open it, even if no other value lies beside the board."""
    dispute = replace(state.disputed(), withdrawn=(), stated={}, statements={})
    seats = tuple(sorted((facts.pro, *objectors)))
    state = replace(state, dispute=dispute)
    return opened(state, BargainWindow(seats=seats, facts=facts), *events)


def legal(state: State, window: BargainWindow, seat: Seat) -> Sequence[AnyAction | Form]:
    """List what may be stated, then the ways out."""
    dispute = state.disputed()
    pro = seat == dispute.pro
    listed: list[AnyAction | Form] = []
    if may_state(dispute, seat):
        values = [value for value in other_values(state) if value != stated(dispute, seat)]
        to_agree = [value for value in values if value in open_to(window, seat)]
        for do, choice in (("offer" if pro else "ask", values), ("agree", to_agree)):
            if choice:
                listed.append(Form(do, {}, {"value": one_of(choice)}))
    return [*listed, Stand()] if pro else [*listed, Withdraw(), Insist()]


def answer(
    state: State, window: BargainWindow, seat: Seat, action: AnyAction
) -> Step[State, AnyEvent]:
    """State a value, withdraw, or end it without agreement."""
    dispute = state.disputed()
    _check_words(window, dispute, seat, action)
    match action:
        case Offer(value) | Ask(value):
            if value not in other_values(state):
                raise IllegalAction(Why.NO_EXCHANGE, value=value)
            return _state(state, window, seat, action, value)
        case Agree(value):
            if value not in open_to(window, seat):
                raise IllegalAction(Why.NOTHING_TO_AGREE, value=value)
            return _state(state, window, seat, action, value)
        case Withdraw():
            gone = tuple(sorted((*withdrawn(dispute), seat)))
            state = replace(state, dispute=replace(dispute, withdrawn=gone))
            return _go_on(state, window, Withdrew(seat))
        case _:
            return challenge.begin(state, window.facts, BargainingEnded(seat))


def default(state: State, window: BargainWindow, seat: Seat) -> AnyAction:
    """End it without agreement."""
    return Stand() if seat == window.facts.pro else Insist()


def other_values(state: State) -> tuple[int, ...]:
    """Return the other values of the kind that lie beside the board, the smallest first."""
    dispute = state.disputed()
    return by_size({*state.supply[dispute.kind]} - {dispute.value})


def open_to(window: BargainWindow, seat: Seat) -> tuple[int, ...]:
    """Return all that the other side has named in this window, or named alike."""
    return window.common if seat == window.facts.pro else window.named


def may_state(dispute: Dispute, seat: Seat) -> bool:
    """Tell whether a player has a statement left."""
    return statements(dispute, seat) < NUMBERS.statements


def _check_words(window: BargainWindow, dispute: Dispute, seat: Seat, action: AnyAction) -> None:
    """Refuse what another window or the other side says, and one statement too many."""
    pro = seat == dispute.pro
    if not isinstance(action, OWN_WORDS[True] + OWN_WORDS[False]):
        raise wrong_window(window)
    if not isinstance(action, OWN_WORDS[pro]):
        raise IllegalAction(Why.WRONG_SIDE, pro=dispute.pro)
    if isinstance(action, Offer | Ask | Agree):
        if not may_state(dispute, seat):
            raise IllegalAction(Why.TOO_MANY_STATEMENTS, limit=NUMBERS.statements)
        if action.value == stated(dispute, seat):
            raise IllegalAction(Why.ALREADY_STATED, value=action.value)


def _state(
    state: State, window: BargainWindow, seat: Seat, action: AnyAction, value: int
) -> Step[State, AnyEvent]:
    """Replace the speaker's stated value; nobody else's changes."""
    dispute, key = state.disputed(), str(seat)
    dispute = replace(
        dispute,
        stated={**(dispute.stated or {}), key: value},
        statements={**(dispute.statements or {}), key: 1 + statements(dispute, seat)},
    )
    if seat == dispute.pro and value not in window.named:
        window = replace(window, named=(*window.named, value))
    how = str(action.__struct_config__.tag)
    return _go_on(replace(state, dispute=dispute), window, Stated(seat, how, value))


def _go_on(state: State, window: BargainWindow, event: AnyEvent) -> Step[State, AnyEvent]:
    """After every message: nobody left, an agreement, or the bargaining goes on."""
    dispute = state.disputed()
    left = remaining(dispute)
    if not left:
        return effect.take_effect(state, "withdrawn", event)
    value, *others = {stated(dispute, seat) for seat in left}
    if value is not None and not others:
        if value == stated(dispute, dispute.pro):
            return _exchange(state, value, event)
        if value not in window.common:
            window = replace(window, common=(*window.common, value))
    return Step(replace(state, window=window), (event,))


def _exchange(state: State, value: int, event: AnyEvent) -> Step[State, AnyEvent]:
    """Swap the counters; the new one takes effect without further objection."""
    dispute = state.disputed()
    artist = state.artists[dispute.artist]
    old, new = Counter(dispute.kind, dispute.value), Counter(dispute.kind, value)
    artist = replace(artist, counters=(*artist.counters[:-1], new))
    supply = counters_back(counter_out(state.supply, dispute.kind, value), (old,))
    state = replace(
        fame.with_artist(state, dispute.artist, artist),
        supply=supply,
        dispute=replace(dispute, value=value),
    )
    exchanged = CountersExchanged(dispute.artist, dispute.kind, old.value, value)
    return effect.take_effect(state, "agreed", event, exchanged)
