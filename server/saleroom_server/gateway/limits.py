"""The bounds of sockets. All are settings; units are in the names."""

from msgspec import Struct


class GatewayLimits(Struct, frozen=True, kw_only=True):
    """How much one socket may ask, and how long it may be silent."""

    heartbeat_ms: int = 20_000  # between two pings
    silence_ms: int = 45_000  # without any frame of the client; then the socket is closed
    sweep_ms: int = 1_000  # how often sockets are looked at
    sockets: int = 15_000  # at once; more are answered 503
    rooms_per_socket: int = 64
    requests_per_second: int = 100  # of one player, or of one anonymous socket
    requests_at_once: int = 400  # before that begins to count
    requests_refused: int = 400  # at once, as rate-limited; then the socket is closed
    fragments: int = 64  # of one message
    idle_frames_per_second: int = 10  # pings and pongs of the WebSocket itself, of one socket
    idle_frames_at_once: int = 200  # before that begins to count
    frames_per_turn: int = 32  # of one socket; then others have their turn
    backlog_bytes: int = 1024 * 1024  # not taken by the client; then it is closed as too slow
    closing_spread_ms: int = 5_000  # clients come back spread over so long after a restart
