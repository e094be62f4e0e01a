"""The times and bounds of a room. All are settings; units are in the names."""

from msgspec import Struct


class RoomLimits(Struct, frozen=True, kw_only=True):
    """How long a room waits, and how much it keeps."""

    grace_ms: int = 250  # an answer counts so long after `closes_at`
    shortened_ms: int = 5_000  # a window that waits for nobody closes after so long
    presence_ms: int = 2_000  # until a lost connection is told, and between two such flips
    spectators_ms: int = 5_000  # the number of spectators is told no more often
    start_delay_ms: int = 2_000  # from a full room to its start
    waiting_ms: int = 30 * 60_000  # a room nobody starts is closed
    pause_after_ms: int = 2 * 60_000  # a room is paused when no player is connected for so long
    abandoned_after_ms: int = 30 * 60_000  # and closed when it has been paused for so long
    kept_ms: int = 60 * 60_000  # a room that has ended can be joined for so long
    ring_updates: int = 32  # kept for those who resume
    ring_bytes: int = 16 * 1024
    said_kept: int = 30  # per viewer
    speakers: int = 1_000  # players whose sayings are remembered
    spectators: int = 20_000  # per room
    watchers_say_per_second: int = 2  # all spectators of a room together
    watchers_say_at_once: int = 20  # before that begins to count
    muted: int = 1_000  # players a host may mute
    anytime_ms: int = 2_000  # between two actions of a seat that answer no window
    anytime_acts: int = 300  # such actions of a seat in one game
    entries: int = 9_900  # of the journal; then the room is closed
    house_bot_ms: int = 700  # a house bot takes at least so long
    house_bot_spread_ms: int = 1_300  # and up to so much longer
    house_bot_patience_ms: int = 8_000  # where it spoke last itself: others may want to answer
