"""The scale of fame: moving a marker, going OUT, and what ends the game."""

from msgspec import UNSET
from msgspec.structs import replace

from saleroom_protocol.games.vernissage import Artist, ArtistOut, FameMoved
from saleroom_rules.vernissage.cards import HIGHEST, PRINTED, TOP
from saleroom_rules.vernissage.state import OnStage, State, counters_back

MOST_OUT = 2  # V-OUT-2


def with_artist(state: State, key: Artist, artist: OnStage) -> State:
    """Return the state with one artist changed."""
    return replace(state, artists={**state.artists, key: artist})


def moved(state: State, key: Artist, by: int, why: str) -> tuple[State, FameMoved]:
    """Move a marker; past the last IN space it stops there (V-SET-3), downwards it may fall off."""
    artist = state.artists[key]
    space = min(artist.space + by, len(PRINTED) - 1)
    return with_artist(state, key, replace(artist, space=space)), FameMoved(key, why, by, space)


def is_in(artist: OnStage) -> bool:
    """V-IN-1: the marker lies in the golden region."""
    return artist.space > HIGHEST


def is_out(artist: OnStage) -> bool:
    """V-OUT-1: the marker has passed the lowest space."""
    return artist.space < 0


def left(state: State, key: Artist) -> tuple[State, ArtistOut]:
    """V-OUT-1: the artist leaves, the counters go back, and the feather goes if it was there."""
    artist = state.artists[key]
    state = replace(
        with_artist(state, key, replace(artist, out=True, counters=())),
        supply=counters_back(state.supply, artist.counters),
        feather=UNSET if state.feather == key else state.feather,
    )
    return state, ArtistOut(key)


def ending(state: State, *, counter_on_top: bool) -> str | None:
    """V-END-1: why the game ends now, the first reason first (V-EFF-1)."""
    artists = state.artists.values()
    if sum(artist.out for artist in artists) >= MOST_OUT:
        return "two_out"
    if any(artist.step == TOP and not artist.out for artist in artists):
        return "artist_on_top"
    return "counter_on_top" if counter_on_top else None
