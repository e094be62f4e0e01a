"""How much may be asked over sockets: it follows the player or the address, never the socket."""

from saleroom_server.allowance import Allowances
from saleroom_server.gateway.limits import GatewayLimits
from saleroom_server.rooms.commands import Caller


class Rates:
    """The allowances of one node's sockets. All times are server milliseconds."""

    def __init__(self, limits: GatewayLimits) -> None:
        kept = limits.allowances
        self._asking = Allowances(limits.requests_per_second, limits.requests_at_once, kept)
        self._looking_on = Allowances(
            limits.anonymous_requests_per_second, limits.anonymous_requests_at_once, kept
        )
        self._saying = Allowances(limits.says_per_second, limits.says_at_once, kept)
        self._opening = Allowances(limits.opened_per_second, limits.opened_at_once, kept)
        self._all = (self._asking, self._looking_on, self._saying, self._opening)

    def __len__(self) -> int:
        """Count what is remembered of anybody."""
        return sum(map(len, self._all))

    def ask(self, caller: Caller, address: str, now: int) -> int:
        """Count a request; return 0, or after how many ms it might be made."""
        if caller.player is None:
            return self._looking_on.take(address, now)
        return self._asking.take(caller.player, now)

    def refilled_ms(self, caller: Caller) -> int:
        """Return how long somebody who has used everything up should stay away."""
        return (self._looking_on if caller.player is None else self._asking).refilled_ms

    def say(self, player: str, now: int) -> int:
        """Count what a player says; return 0, or after how many ms it might be said."""
        return self._saying.take(player, now)

    def open(self, address: str, now: int) -> int:
        """Count a socket; return 0, or after how many ms it might be opened."""
        return self._opening.take(address, now)

    def sweep(self, now: int) -> None:
        """Forget who may ask everything again."""
        for allowances in self._all:
            allowances.sweep(now)
