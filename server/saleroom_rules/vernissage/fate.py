"""A turn begins; A: the die is rolled and the active player lays a fate counter (V-FATE)."""

from collections.abc import Sequence

from msgspec import UNSET
from msgspec.structs import replace

from saleroom_protocol.games.common import Seat
from saleroom_protocol.games.forms import Form, one_of
from saleroom_protocol.games.vernissage import (
    AnyAction,
    AnyEvent,
    Counter,
    CounterPlaced,
    DieRolled,
    Dispute,
    FateSkipped,
    Kind,
    Place,
    PlaceFacts,
    TurnBegun,
    Why,
)
from saleroom_rules.contract import IllegalAction, Step
from saleroom_rules.vernissage import buy, fame, objection
from saleroom_rules.vernissage.cards import KINDS, NUMBERS
from saleroom_rules.vernissage.state import (
    PlaceWindow,
    State,
    counter_out,
    game_over,
    opened,
    wrong_window,
)

# V-FATE-2: what the faces that are no kind allow.
WIDE: dict[str, tuple[Kind, ...]] = {"any": KINDS, "minus": ("critique", "scandal")}


def begin(state: State, *events: AnyEvent) -> Step[State, AnyEvent]:
    """Hand the turn on, unless the game stalls; roll the die for who has influence (V-FATE-1)."""
    if stalled(state):
        return game_over(state, "stall", *events)
    active, turn = (state.active + 1) % len(state.players), state.turn + 1
    state = replace(state, active=active, turn=turn, dispute=UNSET)
    events = (*events, TurnBegun(turn, active))
    if not state.influenced(active):
        return buy.begin(state, *events, FateSkipped(active))
    rolled, rng = state.rng.draw("fate", len(NUMBERS.die))
    facts = PlaceFacts(NUMBERS.die[rolled], allowed(state, NUMBERS.die[rolled]))
    state = replace(state, rng=rng)
    die = DieRolled(active, facts.face, facts.kinds)
    return opened(state, PlaceWindow(seats=(active,), facts=facts), *events, die)


def stalled(state: State) -> bool:
    """V-END-2: no counter is left, or none has remained for some rounds."""
    most = NUMBERS.stall_rounds * len(state.players)
    return not any(state.supply.values()) or state.turn - state.remained >= most


def allowed(state: State, face: str) -> tuple[Kind, ...]:
    """V-FATE-2: the kinds of a face that are left; if none is, any that are."""
    kinds = tuple(kind for kind in WIDE.get(face, (face,)) if state.supply[kind])
    return kinds or tuple(kind for kind in KINDS if state.supply[kind])


def legal(state: State, window: PlaceWindow, seat: Seat) -> Sequence[AnyAction | Form]:
    """List a form for each kind: any value left, in front of any artist one influences."""
    artists = one_of(state.influenced(seat))
    return [
        Form(
            "place",
            {"kind": kind},
            {"value": one_of(_once(state.supply[kind])), "artist": artists},
        )
        for kind in window.facts.kinds
    ]


def answer(
    state: State, window: PlaceWindow, seat: Seat, action: AnyAction
) -> Step[State, AnyEvent]:
    """Lay the counter on the next empty step (V-FATE-3); others may object."""
    if not isinstance(action, Place):
        raise wrong_window(window)
    if action.kind not in window.facts.kinds:
        raise IllegalAction(Why.WRONG_KIND, kind=action.kind)
    if action.value not in state.supply[action.kind]:
        raise IllegalAction(Why.NO_COUNTER, kind=action.kind, value=action.value)
    if action.artist not in state.influenced(seat):
        raise IllegalAction(Why.NO_INFLUENCE, artist=action.artist)
    artist = state.artists[action.artist]
    artist = replace(artist, counters=(*artist.counters, Counter(action.kind, action.value)))
    state = replace(
        fame.with_artist(state, action.artist, artist),
        supply=counter_out(state.supply, action.kind, action.value),
        dispute=Dispute(pro=seat, artist=action.artist, kind=action.kind, value=action.value),
    )
    placed = CounterPlaced(seat, action.artist, action.kind, action.value, artist.front)
    return objection.begin(state, placed)


def default(state: State, window: PlaceWindow, seat: Seat) -> AnyAction:
    """Lay the smallest counter, the first kind of several, in front of the first artist."""
    kind = min(window.facts.kinds, key=lambda kind: abs(state.supply[kind][0]))
    return Place(kind, state.supply[kind][0], state.influenced(seat)[0])


def _once(values: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(values))
