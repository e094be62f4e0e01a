"""A node for each test, which leaves nothing running; and the toy may be played."""

from tests.support.fixtures import _toy, node

__all__ = ["_toy", "node"]
