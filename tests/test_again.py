"""What ends by itself is started again, and not in a frenzy."""

from saleroom_server.again import pause_ms
from saleroom_server.store.valkey import ValkeyLimits


def test_the_oftener_it_ends_the_later_it_is_started_again() -> None:
    limits = ValkeyLimits(restart_ms=100, restart_most_ms=300)
    pauses = [0]
    for lived_ms in (0, 299, 300, 301, 5):
        pauses.append(pause_ms(limits, pauses[-1], lived_ms))
    assert pauses[1:] == [100, 200, 300, 100, 200]
