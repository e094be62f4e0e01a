"""What addresses and players may still ask of the lobby.

Who needs no token is told from others by the address alone (`addresses.py`).
"""

from saleroom_protocol.errors import Reason
from saleroom_server.allowance import Allowances
from saleroom_server.clock import Clock
from saleroom_server.http.limits import LobbyLimits
from saleroom_server.metrics import Metrics
from saleroom_server.rooms.commands import Refusal


class Budgets:
    """Allowances by address and by player."""

    def __init__(self, clock: Clock, limits: LobbyLimits, metrics: Metrics) -> None:
        self._clock, self._refused = clock, metrics.rate_limited
        kept = limits.budgets
        self._by_name = {
            "requests": Allowances(limits.requests_per_second, limits.requests_at_once, kept),
            "guests": Allowances(limits.guests_per_second, limits.guests_at_once, kept),
            "acts": Allowances(limits.acts_per_second, limits.acts_at_once, kept),
            "keys": Allowances(limits.keys_per_second, limits.keys_at_once, kept),
        }

    def ask(self, address: str) -> None:
        """Count a request.

        Raises:
            Refusal: `rate_limited`.
        """
        self._take("requests", address)

    def register(self, address: str) -> None:
        """Count a new guest.

        Raises:
            Refusal: `rate_limited`.
        """
        self._take("guests", address)

    def act(self, player: str) -> None:
        """Count what a player asks to be done.

        Raises:
            Refusal: `rate_limited`.
        """
        self._take("acts", player)

    def keep(self, address: str) -> None:
        """Count an answer that is to be kept.

        Raises:
            Refusal: `rate_limited`.
        """
        self._take("keys", address)

    def sweep(self) -> None:
        """Forget who may ask everything again."""
        for allowances in self._by_name.values():
            allowances.sweep(self._clock.now())

    def _take(self, name: str, payer: str) -> None:
        if wait_ms := self._by_name[name].take(payer, self._clock.now()):
            self._refused[name].inc()
            raise Refusal(Reason.RATE_LIMITED, retry_after_ms=wait_ms)
