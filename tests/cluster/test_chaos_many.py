"""Games go on to their end whatever happens to the nodes: the same for the same number."""

from random import Random

import pytest

from tests.support.chaos import Chaos
from tests.support.clusters import Cluster


@pytest.mark.parametrize("number", range(4200, 4212))
async def test_whatever_happens_games_end_and_what_was_accepted_stands(number: int) -> None:
    cluster = await Cluster().starts("a", "b", "c")
    chaos = Chaos(cluster, Random(number))
    await chaos.begins(rooms=2)
    await chaos.goes_on(steps=200)
    await chaos.ends()
    chaos.check()
    await cluster.closes()
