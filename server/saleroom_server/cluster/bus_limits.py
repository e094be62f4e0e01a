"""The times and bounds of a bus. All are settings; units are in the names."""

from msgspec import Struct


class BusLimits(Struct, frozen=True, kw_only=True):
    """How much waits for Redis, and how long Redis may take."""

    waiting_messages: int = 10_000  # to be sent; with more, the oldest is lost
    waiting_bytes: int = 32 * 1024 * 1024
    group_messages: int = 64  # sent in one round trip
    group_bytes: int = 1024 * 1024
    messages_per_turn: int = 32  # taken at a stretch; then others have their turn
    senders: int = 1_000  # lives of nodes that are told apart
    answer_ms: int = 2_000  # to connect, and to answer a group
    ping_ms: int = 2_000  # when nothing has come for so long
    silence_ms: int = 5_000  # then the line is given up
    retry_ms: int = 50  # after a line failed; twice as long each time
    retry_most_ms: int = 1_000
    probe_ms: int = 1_000  # for something sent to oneself
    flush_ms: int = 1_000  # for what waits at the end
