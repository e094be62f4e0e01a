"""A real server in a process of its own: its start, its end, and what it survives."""

import asyncio
import json
import random
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from saleroom_client import Lobby
from tests.soak.crash import faults, play_and_kill
from tests.support.servers import ServerProcess, quiet_environment, ready

QUICK = {"SALEROOM_ROOM_HOUSE_BOT_MS": "1", "SALEROOM_ROOM_HOUSE_BOT_SPREAD_MS": "1"}
JSON = [Subprotocol("saleroom.v1.json")]
UPGRADE = (
    b"GET /v1/play HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nUpgrade: "
)
UPGRADE_WITHOUT_SUBPROTOCOL = UPGRADE + b"websocket\r\n\r\n"
UPGRADE_TO_NOTHING = UPGRADE + b"nothing\r\n\r\n"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path / "data", env=QUICK) as running:
        yield running


def saleroom(*words: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "saleroom_cli", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=quiet_environment({"COLUMNS": "100"} | (env or {})),
    )


def test_a_server_is_ready_and_ends_well_when_told_to(server: ServerProcess) -> None:
    assert ready(server.url)
    for nonsense in (b"nonsense\r\n\r\n", UPGRADE_WITHOUT_SUBPROTOCOL, UPGRADE_TO_NOTHING):
        answered(server.url, nonsense)
    assert server.stop() == 0
    assert re.findall(r"\] (\w+) ", server.log()) == [
        "rooms_loaded",
        "server_started",
        "server_stopping",
        "server_stopped",
    ], "and of nonsense, of which anybody can send any amount, not a line"


def answered(url: str, request: bytes) -> None:
    """Send bytes to a server, and wait until it hangs up or falls silent: it refuses them."""
    host, _, port = url.partition("//")[2].rpartition(":")
    heard = b""
    with socket.create_connection((host, int(port)), timeout=1) as line, suppress(TimeoutError):
        line.sendall(request)
        while more := line.recv(4096):
            heard += more
    assert heard.startswith(b"HTTP/1.1 4")


def test_a_server_says_how_it_is_run_without_telling_a_setting(tmp_path: Path) -> None:
    env = {"SALEROOM_ORIGINS": "https://secret.example", "SALEROOM_LOG_FORMAT": "json"}
    with ServerProcess(tmp_path / "data", env=env) as server:
        assert server.stop() == 0
        lines = [json.loads(line) for line in server.log().splitlines()]
    (started,) = (line for line in lines if line["event"] == "server_started")
    changed = ["SALEROOM_PORT", "SALEROOM_DATA", "SALEROOM_LOG_FORMAT", "SALEROOM_ORIGINS"]
    assert (started["url"], started["metrics"]) == (server.url, "")
    assert started["changed"] == changed
    assert "secret" not in server.log()


def test_a_second_server_on_the_same_data_is_refused_with_the_firsts_pid(
    server: ServerProcess, tmp_path: Path
) -> None:
    second = saleroom("serve", "--data", str(tmp_path / "data"), "--port", "0")
    assert second.returncode == 1
    assert str(server.pid) in second.stderr
    assert str(tmp_path / "data") in second.stderr.replace("\n", "")
    assert ready(server.url), "the first goes on"


def test_a_port_that_is_taken_is_named(server: ServerProcess, tmp_path: Path) -> None:
    port = server.url.rpartition(":")[2]
    second = saleroom("serve", "--data", str(tmp_path / "other"), "--port", port)
    assert second.returncode == 1
    assert second.stderr.startswith("error: ")
    assert port in second.stderr


def test_a_port_for_metrics_that_is_taken_is_named(server: ServerProcess, tmp_path: Path) -> None:
    port = server.url.rpartition(":")[2]
    other = str(tmp_path / "other")
    second = saleroom("serve", "--data", other, "--port", "0", "--metrics-port", port)
    assert second.returncode == 1
    assert second.stderr.startswith(f"error: cannot listen on 127.0.0.1, port {port}, for metrics")


def test_a_setting_that_is_none_is_refused_by_name(tmp_path: Path) -> None:
    refused = saleroom("serve", env={"SALEROOM_PRT": "1"})
    assert refused.returncode == 2
    assert "SALEROOM_PRT" in refused.stderr


def test_every_setting_is_listed_with_its_variable_and_default() -> None:
    listed = saleroom("serve", "--settings").stdout
    assert "SALEROOM_ROOM_GRACE_MS" in listed
    assert "SALEROOM_PORT" in listed


@pytest.mark.parametrize(("trusted", "expected"), [("127.0.0.0/8", 201), ("", 429)])
def test_behind_a_trusted_proxy_and_no_other_clients_are_told_apart(
    trusted: str, expected: int, tmp_path: Path
) -> None:
    env = {"SALEROOM_TRUST_PROXY": trusted, "SALEROOM_LOBBY_GUESTS_AT_ONCE": "1"}
    with ServerProcess(tmp_path / "data", env=env) as server:
        statuses = [registered(server.url, f"192.0.2.{number}") for number in (1, 2)]
    assert statuses == [201, expected]


def registered(url: str, client: str) -> int:
    """Become a guest through a proxy; return the status."""
    request = urllib.request.Request(
        f"{url}/v1/players",
        b'{"name": "Ada", "kind": "person"}',
        {"X-Forwarded-For": client, "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request) as answer:
            status: int = answer.status
    except urllib.error.HTTPError as error:
        status = error.code
    return status


async def test_who_is_connected_when_the_server_ends_is_told_when_to_come_back(
    server: ServerProcess,
) -> None:
    async with connect(server.url.replace("http", "ws") + "/v1/play", subprotocols=JSON) as socket:
        await socket.send('{"type": "hello", "client": "test/1"}')
        assert json.loads(await socket.recv())["type"] == "welcome"
        assert await asyncio.to_thread(server.stop) == 0
        closing = json.loads(await socket.recv())
        assert closing["type"] == "closing"
        assert closing["reason"] == "restart"
        assert closing["retry_after_ms"] <= 5_000
        with pytest.raises(ConnectionClosed) as closed:
            await socket.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012


async def test_a_token_and_a_waiting_room_outlive_the_server(server: ServerProcess) -> None:
    lobby = Lobby(server.url)
    await lobby.register("Ada")
    made = await lobby.create_room("kunstmarkt", 3, visibility="private")
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)
    again = await lobby.room(made.room)
    assert again.status == "waiting"
    assert again.commitment == made.commitment
    assert again.seats["0"].name == "Ada"


async def test_no_acknowledged_act_is_lost_or_doubled_when_the_server_is_killed(
    tmp_path: Path,
) -> None:
    luck = random.Random(1)
    played = await play_and_kill(
        tmp_path / "data", rooms=4, seats=3, kill_every=1.5, think=0.02, luck=luck
    )
    assert faults(played) == []
    assert len(played.records) == 4
    assert played.kills >= 2
    assert len(played.acknowledged) > 200


def test_health_needs_no_token(server: ServerProcess) -> None:
    with urllib.request.urlopen(server.url + "/healthz", timeout=5) as answer:
        assert answer.status == 200


def test_the_demo_plays_a_whole_game_and_verifies_it(tmp_path: Path) -> None:
    demo = saleroom(
        "demo", "--pause", "0", "--language", "en", "--record", str(tmp_path / "demo.jsonl")
    )
    assert demo.returncode == 0, demo.stderr
    assert "The game begins." in demo.stdout
    assert "verified" in demo.stdout
    checked = saleroom("record", "verify", str(tmp_path / "demo.jsonl"))
    assert checked.returncode == 0


async def test_bot_and_watch_meet_in_a_room(server: ServerProcess) -> None:
    lobby = Lobby(server.url)
    await lobby.register("Ada")
    made = await lobby.create_room("kunstmarkt", 3, take_seat=False, bots=["easy"])
    watching = asyncio.create_task(
        asyncio.to_thread(saleroom, "watch", made.room, "--url", server.url, "--language", "de")
    )
    bots = await asyncio.gather(
        *(
            asyncio.to_thread(saleroom, "bot", made.room, "--url", server.url, "--name", name)
            for name in ("Bo", "Cleo")
        )
    )
    assert [bot.returncode for bot in bots] == [0, 0], bots
    watched = await watching
    assert watched.returncode == 0, watched.stderr
    assert "Das Spiel ist aus." in watched.stdout
    assert "Cleo" in watched.stdout
