"""Rooms play the toy too."""

from collections.abc import Iterator

import pytest

from saleroom_rules.games import GAMES
from tests.support.games import TOY


@pytest.fixture(autouse=True, scope="package")
def _toy() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(GAMES, "toy", TOY)
        yield
