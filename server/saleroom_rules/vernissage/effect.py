"""A3 to A5: what a counter that remains does, in the order of V-EFF-1.

Where a marker ends IN, everybody is asked for works and the rest of the effect waits: `reveal`
goes on with `after_counter` or `after_jump`.
"""

from msgspec import UNSET
from msgspec.structs import replace

from saleroom_protocol.games.vernissage import AnyEvent, Artist, ArtistJumped, RevealFacts
from saleroom_rules.contract import Step
from saleroom_rules.vernissage import buy, fame
from saleroom_rules.vernissage.cards import KINDS, NUMBERS, PRINTED, TOP
from saleroom_rules.vernissage.state import RevealWindow, State, counters_back, game_over, opened

# V-VER-2: the bonus of each rank after a jump.
BONUSES = {1: ("great", NUMBERS.great), 2: ("small", NUMBERS.small)}


def take_effect(state: State, result: str, *events: AnyEvent) -> Step[State, AnyEvent]:
    """The counter remains: fame moves by its value, and by the feather's, as one move (V-EFF-1)."""
    dispute = state.disputed()
    key = dispute.artist
    state = replace(state, dispute=replace(dispute, result=result), remained=state.turn)
    by = dispute.value - (NUMBERS.feather if state.feather == key else 0)  # V-CRIT-2
    state, moved = fame.moved(state, key, by, "counter")
    if fame.is_in(state.artists[key]):
        return _ask_for_works(state, key, *events, moved, jumped=False)
    return after_counter(state, key, *events, moved)


def after_counter(state: State, key: Artist, *events: AnyEvent) -> Step[State, AnyEvent]:
    """OUT, or else a jump if all three kinds lie there (V-OUT-1, V-VER-1)."""
    artist = state.artists[key]
    # Remembered before OUT sends it back: such a counter has remained (V-EFF-1).
    on_top = artist.front == TOP
    if fame.is_out(artist):
        state, out = fame.left(state, key)
        return _finish(state, *events, out, on_top=on_top)
    if {counter.kind for counter in artist.counters} == set(KINDS):
        return _jump(state, key, *events)
    return _finish(state, *events, on_top=on_top)


def after_jump(state: State, *events: AnyEvent) -> Step[State, AnyEvent]:
    """See whether the game is over. The counters are back, so none of them lies on the top step."""
    return _finish(state, *events, on_top=False)


def rank_of(state: State, key: Artist) -> int:
    """V-VER-2: one more than there are artists in play on higher steps."""
    step = state.artists[key].step
    return 1 + sum(other.step > step for other in state.artists.values() if not other.out)


def _jump(state: State, key: Artist, *events: AnyEvent) -> Step[State, AnyEvent]:
    """V-VER-1: over the counters to the next free step; they go back; then the bonus."""
    artist = state.artists[key]
    step = min(artist.front + 1, TOP)
    state = replace(
        fame.with_artist(state, key, replace(artist, step=step, counters=())),
        supply=counters_back(state.supply, artist.counters),
    )
    rank = rank_of(state, key)
    if rank not in BONUSES or state.feather == key:  # V-VER-3
        return after_jump(state, *events, ArtistJumped(key, step, rank, UNSET))
    vernissage, spaces = BONUSES[rank]
    state, moved = fame.moved(state, key, spaces, vernissage)
    events = (*events, ArtistJumped(key, step, rank, vernissage), moved)
    if fame.is_in(state.artists[key]):
        return _ask_for_works(state, key, *events, jumped=True)
    return after_jump(state, *events)


def _ask_for_works(
    state: State, key: Artist, *events: AnyEvent, jumped: bool
) -> Step[State, AnyEvent]:
    """V-IN-1: everybody is asked, so that being asked tells nothing."""
    window = RevealWindow(
        seats=tuple(range(len(state.players))),
        facts=RevealFacts(key, PRINTED[state.artists[key].space]),
        jumped=jumped,
    )
    return opened(state, window, *events)


def _finish(state: State, *events: AnyEvent, on_top: bool) -> Step[State, AnyEvent]:
    """V-END-1: the end is immediate; otherwise the turn goes on with B."""
    reason = fame.ending(state, counter_on_top=on_top)
    return buy.begin(state, *events) if reason is None else game_over(state, reason, *events)
