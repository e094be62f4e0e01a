"""The tests' wire to Redis fails as networks do: cut, unplugged, frozen one way or both."""

import asyncio
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.cut_wire import CutWire, Way

SOON = 0.05  # seconds within which what passes has passed


class Client:
    """Asks in plain words."""

    def __init__(self, reader: StreamReader, writer: StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def asks(self, line: str) -> str:
        self.writer.write(f"{line}\n".encode())
        return await self.hears()

    async def hears(self, seconds: float = 20) -> str:
        async with asyncio.timeout(seconds):
            return (await self.reader.readline()).decode().rstrip()


class Echo:
    """A server that answers what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        async for line in reader:
            self.asked.append(line.decode().rstrip())
            writer.write(line)
        writer.close()


@pytest.fixture
def echo() -> Echo:
    return Echo()


@pytest.fixture
async def wire(echo: Echo, tmp_path: Path) -> AsyncIterator[CutWire]:
    path = tmp_path / "socket"
    server = await asyncio.start_unix_server(echo.serve, path)
    async with CutWire(path) as made:
        yield made
    server.close()
    await server.wait_closed()


@pytest.fixture
async def clients(wire: CutWire) -> AsyncIterator[list[Client]]:
    opened = [Client(*await asyncio.open_connection("127.0.0.1", wire.port)) for _ in range(2)]
    yield opened
    for client in opened:
        client.writer.transport.abort()


async def test_what_is_asked_passes_and_so_do_answers(clients: list[Client]) -> None:
    assert [await client.asks("a") for client in clients] == ["a", "a"]


async def test_a_cut_ends_every_connection_and_new_ones_may_come(
    wire: CutWire, clients: list[Client]
) -> None:
    assert await clients[0].asks("a") == "a"
    wire.cut()
    for client in clients:
        with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
            await client.reader.readexactly(1)
    again = Client(*await asyncio.open_connection("127.0.0.1", wire.port))
    assert await again.asks("b") == "b"
    again.writer.close()


async def test_unplugged_it_refuses_until_it_is_plugged_in_at_the_same_port(
    wire: CutWire,
) -> None:
    port = wire.port
    wire.unplug()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)
    await wire.plug()
    again = Client(*await asyncio.open_connection("127.0.0.1", port))
    assert await again.asks("b") == "b"
    again.writer.close()


@pytest.mark.parametrize(("ways", "asked"), [((), []), (("there",), []), (("back",), ["a"])])
async def test_frozen_nothing_passes_and_nothing_closes_until_it_thaws(
    wire: CutWire, clients: list[Client], echo: Echo, ways: tuple[Way, ...], asked: list[str]
) -> None:
    wire.freeze(*ways)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(SOON):
            await clients[0].asks("a")
    assert (echo.asked, clients[0].reader.at_eof()) == (asked, False)
    wire.thaw()
    assert await clients[0].hears() == "a"


async def test_cut_while_it_is_frozen_the_answer_is_lost(
    wire: CutWire, clients: list[Client], echo: Echo
) -> None:
    wire.freeze("back")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(SOON):
            await clients[0].asks("a")
    wire.cut()
    wire.thaw()
    assert (await clients[0].reader.read(), echo.asked) == (b"", ["a"])


async def test_led_elsewhere_it_takes_new_connections_there_and_leaves_the_old_ones(
    wire: CutWire, clients: list[Client], echo: Echo, tmp_path: Path
) -> None:
    wire.lead(tmp_path / "nobody")
    reader, writer = await asyncio.open_connection("127.0.0.1", wire.port)
    assert await reader.read() == b""
    writer.close()
    await clients[0].asks("a")
    assert echo.asked == ["a"]


async def test_without_a_server_it_hangs_up(tmp_path: Path) -> None:
    async with CutWire(tmp_path / "nobody") as wire:
        reader, writer = await asyncio.open_connection("127.0.0.1", wire.port)
        assert await reader.read() == b""
        writer.close()
