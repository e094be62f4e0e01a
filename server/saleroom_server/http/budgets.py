"""What addresses and players may still ask of the lobby.

Who needs no token is told from others by the address alone. Behind a proxy that is the client's
only if the proxy is trusted (`trust_proxy`); else everybody shares the proxy's.
"""

from ipaddress import ip_address, ip_network

from saleroom_protocol.errors import Reason
from saleroom_server.allowance import Allowance, full
from saleroom_server.clock import Clock
from saleroom_server.http.limits import LobbyLimits
from saleroom_server.metrics import Metrics
from saleroom_server.rooms.commands import Refusal

NETWORK_BITS = 64  # of IPv6: all in it may be one subscriber's


class Budgets:
    """Allowances by address and by player. Those asked of longest ago are forgotten first."""

    def __init__(self, clock: Clock, limits: LobbyLimits, metrics: Metrics) -> None:
        self._clock, self._limits, self._refused = clock, limits, metrics.rate_limited
        self._asking: dict[str, Allowance] = {}  # by address
        self._registering: dict[str, Allowance] = {}  # by address
        self._acting: dict[str, Allowance] = {}  # by player

    def ask(self, address: str) -> None:
        """Count a request.

        Raises:
            Refusal: `rate_limited`.
        """
        limits = self._limits
        self._take(
            "requests", self._asking, address, limits.requests_per_second, limits.requests_at_once
        )

    def register(self, address: str) -> None:
        """Count a new guest.

        Raises:
            Refusal: `rate_limited`.
        """
        limits = self._limits
        self._take(
            "guests", self._registering, address, limits.guests_per_second, limits.guests_at_once
        )

    def act(self, player: str) -> None:
        """Count what a player asks to be done.

        Raises:
            Refusal: `rate_limited`.
        """
        limits = self._limits
        self._take("acts", self._acting, player, limits.acts_per_second, limits.acts_at_once)

    def _take(
        self, name: str, kept: dict[str, Allowance], key: str, per_second: int, most: int
    ) -> None:
        now = self._clock.now()
        # Put back at the end: the first is the one asked of longest ago.
        allowance = kept[key] = kept.pop(key, full(per_second, most, now))
        if len(kept) > self._limits.budgets:
            del kept[next(iter(kept))]
        if wait_ms := allowance.take(now):
            self._refused[name].inc()
            raise Refusal(Reason.RATE_LIMITED, retry_after_ms=wait_ms)


def payer(host: str) -> str:
    """Return whose budget an address's requests are charged to: of IPv6, its network's."""
    try:
        address = ip_address(host)
    except ValueError:  # no address at all: a test, a socket file
        return host
    if address.version == 4:
        return host
    mapped = address.ipv4_mapped
    return str(mapped or ip_network(f"{host}/{NETWORK_BITS}", strict=False))
