"""Opening a WebSocket, and what its end means."""

import asyncio
from http import HTTPStatus
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

import saleroom_client
from saleroom_client import ConnectionLost, SaleroomError, VersionMismatch
from saleroom_client.outside import Outside
from saleroom_client.websocket import SUBPROTOCOL, Broken, comes_back, dial, socket_url
from saleroom_protocol.errors import CloseCode


@pytest.mark.parametrize("code", list(CloseCode))
def test_a_close_code_means_what_the_table_says(code: CloseCode) -> None:
    assert comes_back(code) is code.retry
    final = Broken(code).final()
    if code is CloseCode.UNSUPPORTED_VERSION:
        assert isinstance(final, VersionMismatch)
    else:
        assert isinstance(final, ConnectionLost)
        assert (final.code, final.reason) == (code, code.name.lower())


@pytest.mark.parametrize(
    ("code", "back"),
    [
        (1002, False),
        (1005, True),
        (1007, False),
        (1011, True),
        (1013, True),
        (3999, False),
        (4003, False),
        (4099, False),
        (4104, True),
        (4199, True),
        (4200, False),
    ],
)
def test_another_code_means_what_its_range_says(code: int, back: bool) -> None:
    assert comes_back(code) is back
    final = Broken(code).final()
    assert isinstance(final, ConnectionLost)
    assert final.reason == f"close_{code}"


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://example.org", "wss://example.org/v1/play"),
        ("http://localhost:8000/", "ws://localhost:8000/v1/play"),
        ("https://example.org/saleroom", "wss://example.org/saleroom/v1/play"),
        ("ws://localhost:8000/v1/play", "ws://localhost:8000/v1/play"),
    ],
)
def test_the_address_of_the_socket_follows_from_the_root(url: str, address: str) -> None:
    assert socket_url(url) == address


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://example.org", "https:///v1/play"])
def test_anything_else_is_no_address(url: str) -> None:
    with pytest.raises(ValueError, match="not the address of a server"):
        socket_url(url)


def test_pauses_are_drawn_from_nothing_up_to_twice_as_long_each_time() -> None:
    longest = Outside(random=lambda: 1.0)
    assert [longest.backoff(n) for n in range(8)] == [0.5, 1, 2, 4, 8, 16, 30, 30]
    assert longest.backoff(10_000) == 30
    assert Outside(random=lambda: 0.0).backoff(9) == 0


async def answered(status: int, headers: dict[str, str] | None = None, **options: Any) -> str:
    """Dial a server that answers the upgrade with a status; return what is raised."""

    def process(connection: ServerConnection, request: object) -> Any:
        response = connection.respond(HTTPStatus(status), "Scripted.")
        response.headers.update(headers or {})
        return response

    async def nobody(socket: ServerConnection) -> None:
        """Never called."""

    async with (
        asyncio.timeout(20),
        serve(nobody, "127.0.0.1", 0, process_request=process) as server,
    ):
        port = next(iter(server.sockets)).getsockname()[1]
        try:
            await dial(f"ws://127.0.0.1:{port}/v1/play")
        except Broken as broken:
            return f"{'again' if broken.retry else 'final'} {broken.wait} {broken.reason}"
        except VersionMismatch:
            return "version"
    return "opened"


@pytest.mark.parametrize(
    ("status", "headers", "outcome"),
    [
        (400, {}, "version"),
        (401, {}, "final None HTTP 401"),
        (404, {}, "final None HTTP 404"),
        (429, {"Retry-After": "9"}, "again 9.0 HTTP 429"),
        (503, {"Retry-After": "soon"}, "again None HTTP 503"),
        (502, {}, "again None HTTP 502"),
    ],
)
async def test_an_upgrade_that_is_turned_away_is_tried_again_or_not(
    status: int, headers: dict[str, str], outcome: str
) -> None:
    assert await answered(status, headers) == outcome


async def test_a_server_without_the_subprotocol_is_of_another_version() -> None:
    async def idle(socket: ServerConnection) -> None:
        await socket.wait_closed()

    async with asyncio.timeout(20), serve(idle, "127.0.0.1", 0) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        with pytest.raises(VersionMismatch, match=SUBPROTOCOL):
            await dial(f"ws://127.0.0.1:{port}/v1/play")


async def test_where_nobody_listens_one_may_try_again() -> None:
    async with asyncio.timeout(20):
        with pytest.raises(Broken) as caught:
            await dial("ws://127.0.0.1:1/v1/play")
    assert caught.value.retry


async def test_a_server_that_hangs_up_or_babbles_may_be_tried_again() -> None:
    async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 mail.example.org\r\n\r\n")
        writer.close()

    async with asyncio.timeout(20), await asyncio.start_server(babble, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(Broken) as caught:
            await dial(f"ws://127.0.0.1:{port}/v1/play")
    assert caught.value.retry


async def test_a_handshake_that_makes_no_sense_is_final() -> None:
    async def wrong(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: soup\r\n\r\n")
        writer.close()

    async with asyncio.timeout(20), await asyncio.start_server(wrong, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(Broken) as caught:
            await dial(f"ws://127.0.0.1:{port}/v1/play")
    assert not caught.value.retry


def test_everything_the_package_offers_is_there_and_raises_one_kind_of_error() -> None:
    names = saleroom_client.__all__
    assert names == sorted(names)
    offered = [getattr(saleroom_client, name) for name in names]
    errors = [kind for kind in offered if isinstance(kind, type) and issubclass(kind, Exception)]
    assert len(errors) == 6
    assert all(issubclass(kind, SaleroomError) for kind in errors)
