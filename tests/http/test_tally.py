"""Requests are counted and logged by template, method and status; nothing of a path is kept."""

import logging
from typing import Any

import pytest
from starlette.routing import WebSocketRoute

from saleroom_server.http.limits import LobbyLimits
from saleroom_server.http.tally import OTHER, Tally
from saleroom_server.metrics import Metrics
from saleroom_server.settings import Settings
from tests.http.served import Served
from tests.support.hand_clock import HandClock
from tests.support.samples import samples

PLAY = WebSocketRoute("/v1/play", lambda websocket: None)


async def test_requests_count_by_template_method_and_status(served: Served) -> None:
    ada = await served.guest()
    made = await served.room(ada, visibility="private")
    await served.get(f"/v1/rooms/{made['room']}?watch={made['watch']}")
    await served.get("/v1/rooms/raaaaaaaaaaaa")
    await served.client.get("/v1/nowhere/raaaaaaaaaaaa")
    await served.client.request("BREW", "/v1/rooms")
    await served.client.request("OPTIONS", "/v1/rooms", headers={"Origin": "https://a.example"})
    read = samples(served.service.metrics.registry)
    assert read.by_name["saleroom_http_requests_total"] == {
        frozenset({("route", route), ("method", method), ("status", status)}): 1
        for route, method, status in (
            ("/v1/players", "POST", "201"),
            ("/v1/rooms", "POST", "201"),
            ("/v1/rooms/{room}", "GET", "200"),
            ("/v1/rooms/{room}", "GET", "404"),
            (OTHER, "GET", "404"),
            ("/v1/rooms", OTHER, "405"),
            ("/v1/rooms", "OPTIONS", "405"),
        )
    }


async def test_a_fault_of_ours_counts_as_500(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: Any) -> Any:
        raise KeyError("p07")

    monkeypatch.setattr(type(served.service.hall), "rooms", breaks)
    with pytest.raises(KeyError):
        await served.client.get("/v1/rooms")
    read = samples(served.service.metrics.registry)
    assert read.value("http_requests_total", route="/v1/rooms", status="500") == 1


UPGRADES = [
    ("websocket.accept", {}, "101"),
    ("websocket.http.response.start", {"status": 503}, "503"),
    ("websocket.close", {}, "403"),
]


@pytest.mark.parametrize(("kind", "fields", "status"), UPGRADES)
async def test_an_upgrade_counts_once_by_how_it_is_answered(
    kind: str, fields: dict[str, Any], status: str
) -> None:
    sent: list[Any] = []
    metrics = Metrics()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": kind, **fields})
        await send({"type": "websocket.send", "bytes": b""})
        await send({"type": "websocket.close"})

    async def send(message: Any) -> None:
        sent.append(message["type"])

    async def receive() -> Any: ...

    tally = Tally(app, metrics, HandClock())
    await tally({"type": "websocket", "route": PLAY}, receive, send)
    assert sent == [kind, "websocket.send", "websocket.close"]
    read = samples(metrics.registry)
    assert read.value("http_requests_total") == 1
    assert read.value("http_requests_total", route="/v1/play", method="GET", status=status) == 1


async def test_what_is_no_request_is_passed_on_and_counts_for_nothing() -> None:
    metrics, asked = Metrics(), []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        asked.append(scope["type"])

    async def nothing(*_: Any) -> Any: ...

    await Tally(app, metrics, HandClock())({"type": "lifespan"}, nothing, nothing)
    assert asked == ["lifespan"]
    assert samples(metrics.registry).value("http_requests_total") == 0


async def test_a_request_is_logged_when_debugging_without_its_path(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "saleroom.http")
    ada = await served.guest()
    made = await served.room(ada, visibility="private")
    caplog.clear()
    await served.get(f"/v1/rooms/{made['room']}?watch={made['watch']}")
    (record,) = caplog.records
    told = vars(record)
    assert record.message == "request_answered"
    assert (told["route"], told["method"], told["status"]) == ("/v1/rooms/{room}", "GET", 200)
    assert told["ms"] == 0
    assert made["watch"] not in repr(told)
    assert made["room"] not in repr(told)


async def test_budgets_that_are_used_up_are_named() -> None:
    limits = LobbyLimits(requests_at_once=5, guests_at_once=1, acts_at_once=1)
    served = await Served.open(Settings(lobby=limits))
    ada = await served.guest()
    await served.post("/v1/players", {"name": "Bob", "kind": "person"})
    await served.room(ada)
    await served.post("/v1/rooms", {"game": "kunstmarkt", "seats": 3}, by=ada)
    for _ in range(3):
        await served.get("/v1/games")
    read = samples(served.service.metrics.registry)
    counted = {
        name: read.value("rate_limited_total", budget=name)
        for name in ("guests", "acts", "requests")
    }
    assert counted == {"guests": 1, "acts": 1, "requests": 2}
    await served.close()
