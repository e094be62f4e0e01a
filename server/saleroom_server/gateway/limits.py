"""The bounds of sockets. All are settings; units are in the names."""

from msgspec import Struct


class GatewayLimits(Struct, frozen=True, kw_only=True):
    """How much sockets may ask, how much may lie unread, and how long they may be silent."""

    heartbeat_ms: int = 20_000  # between two pings
    silence_ms: int = 45_000  # without any frame of the client; then the socket is closed
    sweep_ms: int = 1_000  # how often sockets are looked at
    sockets: int = 15_000  # at once; more are answered 503
    sockets_per_address: int = 2_000  # at once; more are answered 429
    opened_per_second: int = 200  # of one address
    opened_at_once: int = 2_000  # before that begins to count
    rooms_per_socket: int = 64
    requests_per_second: int = 100  # of one player
    requests_at_once: int = 400  # before that begins to count
    requests_refused: int = 400  # at once, as rate-limited; then the socket is closed
    anonymous_requests_per_second: int = 500  # of all without a token at one address
    anonymous_requests_at_once: int = 4_000  # before that begins to count
    says_per_second: int = 1  # of one player
    says_at_once: int = 20  # before that begins to count
    allowances: int = 100_000  # players, and addresses, remembered for that
    fragments: int = 64  # of one message
    idle_frames_per_second: int = 10  # pings and pongs of the WebSocket itself, of one socket
    idle_frames_at_once: int = 200  # before that begins to count
    frames_per_turn: int = 64  # of all sockets that are read; then others have their turn
    sockets_per_turn: int = 50  # that are looked after or, of spectators, written to at a stretch
    waiting_packets: int = 64  # for a crowd whose turn does not come; then it skips to a later view
    behind_bytes: int = 64 * 1024  # not taken by a spectator, who then skips to a later view
    behind_ms: int = 30_000  # so long; then the socket is closed as too slow
    backlog_bytes: int = 1024 * 1024  # not taken by the client; then it is closed as too slow
    backlogs_bytes: int = 512 * 1024 * 1024  # of all sockets; then those with most are closed
    comment_ms: int = 15_000  # between two comments to a reader of events
    retry_ms: int = 3_000  # a reader of events comes back so long after its stream broke
    closing_spread_ms: int = 5_000  # clients come back spread over so long after a restart
    farewell_ms: int = 2_000  # for clients to answer the close at the end; below worker.stop_ms
