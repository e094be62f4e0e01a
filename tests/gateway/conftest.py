"""A node for each test, which leaves nothing running; the toy is played, the longest game short."""

from tests.support.fixtures import _short, _toy, node

__all__ = ["_short", "_toy", "node"]
