"""Rooms play the toy too, and of the longest game a short one."""

from tests.support.fixtures import _short, _toy

__all__ = ["_short", "_toy"]
