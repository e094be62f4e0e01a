"""Every limit a client can run into, by name; `welcome.limits` tells those in force."""

from msgspec import Struct

# The protocol's own, the same on every server.
ID_CHARS = 64
TEXT_CHARS = 500
REMEMBERED_IDS = 64


class Limits(Struct, frozen=True, kw_only=True):
    """What one message may be, and how many there may be. A later server may add fields."""

    client_message_bytes: int = 16 * 1024
    server_message_bytes: int = 256 * 1024
    message_depth: int = 8  # containers within containers
    container_items: int = 256  # entries of one list or map
    message_values: int = 2048  # keys, values and containers in all
    id_chars: int = ID_CHARS
    text_chars: int = TEXT_CHARS  # of `say`
    hello_ms: int = 5000  # until the first message
    remembered_ids: int = REMEMBERED_IDS  # acts, and separately says, answered again alike
    said_kept: int = 30  # said messages sent again after a join
    rooms_per_socket: int = 64
    requests_per_second: int = 100  # of one player, in the long run
    requests_at_once: int = 400  # before that begins to count
    says_per_second: int = 1  # of one player, in the long run
    says_at_once: int = 20  # before that begins to count
    anytime_ms: int = 2000  # between two acts of a seat that answer no window, the room's own aside
    anytime_acts: int = 300  # such acts of one seat in one game
