"""How much somebody may ask: so many at once, so many a second. Follows the player or address."""

from msgspec import Struct


class Allowance(Struct):
    """What is left; fills up as time goes by.

    Attributes:
        per_second: how fast it fills.
        most: how much fits.
        left: in thousandths of a request, so that no float is needed.
        at: server milliseconds, when `left` was true.
    """

    per_second: int
    most: int
    left: int
    at: int

    def take(self, now: int) -> int:
        """Take one request; return 0 if there was one, else after how many ms there will be."""
        self.left = min(self.most * 1000, self.left + (now - self.at) * self.per_second)
        self.at = now
        if self.left >= 1000:
            self.left -= 1000
            return 0
        return -(-(1000 - self.left) // self.per_second)


def full(per_second: int, most: int, now: int) -> Allowance:
    """Return an allowance of which nothing was taken."""
    return Allowance(per_second, most, most * 1000, now)


class Allowances:
    """One allowance each for all who ask.

    Whoever asked longest ago is forgotten first: when nothing would be gained by it, or when there
    are too many.
    """

    def __init__(self, per_second: int, most: int, kept: int) -> None:
        self._per_second, self._most, self._kept = per_second, most, kept
        self._by_name: dict[str, Allowance] = {}  # who asked longest ago first

    def __len__(self) -> int:
        """Count those remembered."""
        return len(self._by_name)

    @property
    def refilled_ms(self) -> int:
        """How long it takes until one of which all was taken is full again."""
        return 1000 * self._most // self._per_second

    def take(self, name: str, now: int) -> int:
        """Take one request of a player or an address; see `Allowance.take`."""
        allowance = self._by_name.pop(name, None) or full(self._per_second, self._most, now)
        self._by_name[name] = allowance
        if len(self._by_name) > self._kept:
            del self._by_name[next(iter(self._by_name))]
        return allowance.take(now)

    def sweep(self, now: int) -> None:
        """Forget those that are full again."""
        while self._by_name:
            name, longest_ago = next(iter(self._by_name.items()))
            if now - longest_ago.at <= self.refilled_ms:
                break
            del self._by_name[name]
