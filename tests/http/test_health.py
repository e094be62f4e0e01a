"""Whether the server is alive, and whether it can take on work."""

import asyncio

import pytest

from saleroom_protocol.errors import Reason
from saleroom_server.http.readiness import DOES_NOT_HEAR, DOES_NOT_WRITE, ENDS
from saleroom_server.settings import Settings
from saleroom_server.store.interface import Unavailable
from tests.golden.files import ROOT
from tests.http.documented import check_problem
from tests.http.served import Served, told
from tests.support.hand_clock import quiet


class Probes:
    """Counts how often a store is tried, and may keep the answer back."""

    def __init__(self, served: Served) -> None:
        self.count, self._store = 0, served.store
        self.answered = asyncio.Event()
        self.answered.set()
        served.store.probe = self.probe  # type: ignore[method-assign]

    async def probe(self) -> None:
        self.count += 1
        await self.answered.wait()
        if self._store.down:
            raise Unavailable("down")


async def _why_not(served: Served) -> str:
    why: str = (await served.client.get("/readyz")).json()["detail"]
    return why


async def _ready(served: Served) -> int:
    response = await served.client.get("/readyz")
    if response.status_code == 200:
        assert told(response, 200) == {"status": "ready"}
    else:
        assert check_problem(response) is Reason.UNAVAILABLE
        assert response.headers["retry-after"] == "1"
    return response.status_code


@pytest.fixture
async def probes(served: Served) -> Probes:
    return Probes(served)


async def test_a_server_is_alive_whatever_its_store_does(served: Served) -> None:
    served.store.down = True
    assert told(await served.client.get("/healthz"), 200) == {"status": "alive"}


async def test_it_is_ready_when_its_store_writes(served: Served) -> None:
    assert await _ready(served) == 200


async def test_it_is_not_while_its_store_fails_and_is_again_after(
    served: Served, probes: Probes
) -> None:
    served.store.down = True
    assert await _ready(served) == 503
    served.store.down = False
    await served.clock.passes(999)
    assert await _ready(served) == 503
    await served.clock.passes(1)
    assert await _ready(served) == 200


async def test_the_store_is_tried_once_a_second_at_most(served: Served, probes: Probes) -> None:
    for _ in range(30):
        await _ready(served)
        await served.clock.passes(100)
    assert probes.count == 3


async def test_who_asks_while_it_is_being_tried_gets_the_same_finding(
    served: Served, probes: Probes
) -> None:
    probes.answered.clear()
    asked = [asyncio.ensure_future(_ready(served)) for _ in range(20)]
    await quiet()
    served.store.down = True
    probes.answered.set()
    assert await asyncio.gather(*asked) == [503] * 20
    assert probes.count == 1


async def test_a_slow_try_counts_from_its_end(served: Served, probes: Probes) -> None:
    probes.answered.clear()
    asked = asyncio.ensure_future(_ready(served))
    await quiet()
    await served.clock.passes(5_000)
    probes.answered.set()
    assert await asked == 200
    assert await _ready(served) == 200
    assert probes.count == 1


async def test_who_goes_away_while_it_is_being_tried_spoils_nothing(
    served: Served, probes: Probes
) -> None:
    probes.answered.clear()
    asked = [asyncio.ensure_future(_ready(served)) for _ in range(2)]
    await quiet()
    asked[0].cancel()
    probes.answered.set()
    assert await asked[1] == 200


async def test_how_often_is_a_setting() -> None:
    served = await Served.open(Settings(probe_kept_ms=0))
    probes = Probes(served)
    for _ in range(5):
        await _ready(served)
    assert probes.count == 5
    await served.close()


async def test_after_a_fault_sockets_and_rooms_are_looked_after_again(
    served: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    swept = 0

    def breaks(_: object) -> None:
        nonlocal swept
        swept += 1
        raise KeyError("p07")

    monkeypatch.setattr(type(served.service.hall), "sweep", breaks)
    watching = asyncio.create_task(served.service.watch())
    await served.clock.passes(3_000)
    watching.cancel()
    assert swept == 3
    assert caplog.messages == ["sweep_fault"] * 3


async def test_a_server_that_is_about_to_end_is_not_ready(served: Served) -> None:
    assert await _ready(served) == 200
    served.service.gateway.drain()
    assert await _ready(served) == 503
    assert told(await served.client.get("/healthz"), 200) == {"status": "alive"}


async def test_why_it_is_not_ready_is_said_in_the_words_an_operator_knows(served: Served) -> None:
    served.store.down = True
    assert await _why_not(served) == "The store does not write."
    served.service.gateway.drain()
    assert await _why_not(served) == "The server is about to end."
    observing = (ROOT / "server/OBSERVING.md").read_text("utf-8")
    for why in (ENDS, DOES_NOT_WRITE, DOES_NOT_HEAR):
        assert f"| `{why}` |" in observing
