"""Rooms play the toy too."""

from tests.support.fixtures import _toy

__all__ = ["_toy"]
