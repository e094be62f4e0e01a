"""How much somebody may ask: so many at once, so many a second. Follows the player."""

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
