"""What any HTTP client may expect: paths, methods, HEAD, CORS, and a fault of the server."""

import pytest
from httpx import ASGITransport, AsyncClient, Response

from saleroom_protocol.errors import Reason
from saleroom_server.app import application
from saleroom_server.http.routes import ROUTES
from saleroom_server.settings import Settings
from tests.http.documented import check_of_http_itself
from tests.http.served import Guest, Served, refused

ORIGIN = {"Origin": "https://play.example"}
ALLOWED, OTHER = "https://play.example", "https://other.example"


@pytest.mark.parametrize(
    "path",
    ["/", "/v1", "/v1/", "/v2/rooms", "/v1/rooms/", "/v1/players/me", "/v1//rooms", "/V1/rooms"],
)
async def test_a_path_nobody_knows_is_a_problem(served: Served, path: str) -> None:
    assert (await served.client.head(path)).status_code == 404
    for method in ("GET", "POST", "DELETE", "OPTIONS"):
        response = await served.client.request(method, path)
        assert response.status_code == 404
        check_of_http_itself(response)


@pytest.mark.parametrize("path", sorted({path for _, path, _ in ROUTES}))
async def test_a_method_a_path_does_not_have_is_a_problem_that_tells_those_it_has(
    served: Served, path: str
) -> None:
    known = {method for method, other, _ in ROUTES if other == path}
    if "GET" in known:
        known.add("HEAD")
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"} - known:
        response = await served.client.request(method, path)
        assert response.status_code == 405
        check_of_http_itself(response)
        assert set(response.headers["allow"].split(", ")) == known


async def test_what_can_be_got_can_be_asked_for_its_head(served: Served, ada: Guest) -> None:
    room = (await served.room(ada))["room"]
    names = {"room": room, "game": "kunstmarkt", "edition": "1", "name": "http"}
    for method, path, _ in ROUTES:
        if method == "GET" and path != "/v1/rooms/{room}/stream":  # which would not end
            got = await served.client.get(path.format(**names))
            head = await served.client.head(path.format(**names))
            assert head.status_code == got.status_code
            assert head.headers.multi_items() == got.headers.multi_items()


async def test_a_page_of_any_origin_may_read_unless_some_are_listed(served: Served) -> None:
    for path, status in (("/v1/rooms", 200), ("/v1/rooms/r", 404), ("/v1/nothing", 404)):
        response = await served.client.get(path, headers=ORIGIN)
        assert response.status_code == status
        assert response.headers["access-control-allow-origin"] == "*"
        assert "access-control-allow-credentials" not in response.headers
    exposed = response.headers["access-control-expose-headers"].split(", ")
    assert {"Retry-After", "ETag"} <= set(exposed)


def _preflight(method: str, origin: str = ALLOWED) -> dict[str, str]:
    return {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization, content-type, idempotency-key",
    }


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_a_preflight_lets_everything_of_the_lobby_through(
    served: Served, method: str
) -> None:
    response = await served.client.options("/v1/rooms", headers=_preflight(method))
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == "*"
    assert method in response.headers["access-control-allow-methods"]
    allowed = response.headers["access-control-allow-headers"].lower()
    for name in ("authorization", "content-type", "idempotency-key", "last-event-id"):
        assert name in allowed


async def _from(served: Served, origins: str, origin: str) -> tuple[Response, Response]:
    """Ask a server that lists origins: the preflight, then the request."""
    app = application(served.service, Settings(origins=origins))
    async with AsyncClient(transport=ASGITransport(app), base_url="http://saleroom") as client:
        asked = await client.options("/v1/rooms", headers=_preflight("POST", origin))
        return asked, await client.get("/v1/rooms", headers={"Origin": origin})


@pytest.mark.parametrize("origins", [ALLOWED, f"https://a.example, {ALLOWED}"])
async def test_a_listed_origin_may_read(served: Served, origins: str) -> None:
    for response in await _from(served, origins, ALLOWED):
        assert response.status_code == 200
        assert response.headers["access-control-allow-origin"] == ALLOWED
        assert "Origin" in response.headers["vary"]


@pytest.mark.parametrize("origins", [ALLOWED, ""])
async def test_any_other_may_not(served: Served, origins: str) -> None:
    for response in await _from(served, origins, OTHER):
        assert "access-control-allow-origin" not in response.headers


async def test_a_fault_of_the_server_tells_nothing_of_itself(
    served: Served, ada: Guest, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = (await served.room(ada))["room"]

    def fault(_: object) -> None:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(served.service.hall, "summary", fault)
    app = application(served.service, served.settings)
    transport = ASGITransport(app, raise_app_exceptions=False)
    async with AsyncClient(transport=transport, base_url="http://saleroom") as client:
        response = await client.get(f"/v1/rooms/{room}")
    refused(response, Reason.INTERNAL_ERROR)
    assert "secret" not in response.text
    assert "ZeroDivision" not in response.text
