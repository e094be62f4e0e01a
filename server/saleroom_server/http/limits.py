"""The bounds of the lobby. All are settings; units are in the names."""

from msgspec import Struct


class LobbyLimits(Struct, frozen=True, kw_only=True):
    """How much the lobby tells at once, what it keeps, and how much may be asked of it."""

    page: int = 50  # rooms a list has unless asked otherwise
    page_most: int = 200
    page_searched: int = 2_000  # rooms looked through for one page
    replays: int = 16  # records whose draws wait to be worked out, one after the other
    key_chars: int = 100  # of an Idempotency-Key
    key_kept_ms: int = 24 * 3_600_000
    token_grace_ms: int = 30 * 24 * 3_600_000  # a token can be renewed so long after its end
    retry_ms: int = 1_000  # told with `unavailable`, and with `busy` of replays
    requests_per_second: int = 200  # of one address
    requests_at_once: int = 2_000  # before that begins to count
    guests_per_second: int = 10  # new ones of one address
    guests_at_once: int = 500
    acts_per_second: int = 5  # what one player asks to be done
    acts_at_once: int = 200
    keys_per_second: int = 20  # new ones of one address: each takes room on the disk for a day
    keys_at_once: int = 2_000
    budgets: int = 100_000  # addresses, and players, remembered for that
