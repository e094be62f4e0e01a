"""What is done to a server that nobody should do, by name."""

from tests.soak.attacks import connections, lobby, sockets
from tests.soak.attacks.attacker import Attack

ATTACKS: dict[str, Attack] = {
    attack.__name__: attack for attack in [*connections.ATTACKS, *lobby.ATTACKS, *sockets.ATTACKS]
}
