"""Sentinels, HAProxy and two nodes, by the files shown for them: the master is killed in mid-game.

Sentinel makes a replica the master, HAProxy leads the nodes there, and the game goes on with all
that was accepted; also when the old master is back.
"""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import redis

from saleroom_server.leash import leashed
from tests.golden.files import ROOT
from tests.support.redis_servers import SWIFT, RedisServer, program
from tests.support.servers import PATIENCE, ServerProcess, free_port
from tests.system.table import playing, until

FAILS_SOON = ("down-after-milliseconds saleroom 5000", "down-after-milliseconds saleroom 500")
NODE = {
    "SALEROOM_ROOM_START_DELAY_MS": "0",
    "SALEROOM_REDIS_SETTLING_MS": "0",
    "SALEROOM_REDIS_REPLICAS": "1",
}


def shown(name: str, *others: tuple[str, str]) -> str:
    """Return a file with other places in it; each must have been there."""
    text = (ROOT / "server" / name).read_text(encoding="utf-8")
    for place, other in others:
        assert place in text, f"{name} has no {place!r} any more"
        text = text.replace(place, other)
    return text


@contextmanager
def running(*command: str, log: Path) -> Iterator[None]:
    """Run a program until it is done with."""
    with log.open("w") as told:
        process = subprocess.Popen(leashed(command), stdout=told, stderr=told)
    try:
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)


@contextmanager
def three_redis(folder: Path) -> Iterator[dict[int, RedisServer]]:
    """Run a master and its two replicas; yield them by their ports, the master first."""
    with ExitStack() as up:
        ports = [free_port() for _ in range(3)]
        servers = {
            port: up.enter_context(
                RedisServer(folder / f"redis-{port}", "redis", port=port, more=SWIFT)
            )
            for port in ports
        }
        master, *replicas = servers.items()
        for _, replica in replicas:
            replica.follow(master[0])
        wait_until(lambda: master[1].replicas == 2)
        yield servers


@contextmanager
def sentinels(folder: Path, master: int) -> Iterator[None]:
    """Run three that look after a master."""
    with ExitStack() as up:
        ports = [free_port() for _ in range(3)]
        for port in ports:
            config = folder / f"sentinel-{port}.conf"
            places = ("port 26379", f"port {port}"), ("bind 10.0.0.1", "bind 127.0.0.1")
            monitored = ("10.0.0.1 6379", f"127.0.0.1 {master}")
            config.write_text(shown("ha/sentinel.conf", *places, monitored, FAILS_SOON))
            command = program("redis"), str(config), "--sentinel"
            up.enter_context(running(*command, log=config.with_suffix(".log")))
        wait_until(lambda: all(map(knows_the_others, ports)))
        yield


def knows_the_others(port: int) -> bool:
    """Tell whether a sentinel would find a majority, and replicas to choose from."""
    with redis.Redis(port=port, protocol=2, decode_responses=True) as sentinel:
        try:
            known: Any = sentinel.execute_command("SENTINEL", "MASTER", "saleroom")
        except redis.ConnectionError:
            return False
    told = dict(zip(known[::2], known[1::2], strict=True))
    return (told["num-other-sentinels"], told["num-slaves"]) == ("2", "2")


@contextmanager
def haproxy(folder: Path, servers: Iterable[int]) -> Iterator[str]:
    """Run one before three servers; yield the URL that leads to their master."""
    port, config = free_port(), folder / "haproxy-redis.cfg"
    addresses = ((f"10.0.0.{n}:6379", f"127.0.0.1:{at}") for n, at in enumerate(servers, 1))
    places = ("127.0.0.1:6380", f"127.0.0.1:{port}"), *addresses
    config.write_text(shown("proxies/haproxy-redis.cfg", *places))
    found = shutil.which("haproxy", path=os.environ["PATH"] + ":/usr/sbin")
    assert found is not None, "install haproxy: .ci/tools does, on Debian"
    subprocess.run([found, "-c", "-q", "-f", str(config)], check=True)
    with running(found, "-db", "-f", str(config), log=folder / "haproxy.log"):
        yield f"redis://127.0.0.1:{port}"


def wait_until(true: Callable[[], bool]) -> None:
    """Wait for what other programs do."""
    until = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < until, "it does not happen"
        time.sleep(0.02)


async def test_a_game_goes_on_when_the_master_is_killed_and_when_it_comes_back(
    tmp_path: Path,
) -> None:
    with ExitStack() as up:
        servers = up.enter_context(three_redis(tmp_path))
        (first, master), *others = servers.items()
        up.enter_context(sentinels(tmp_path, first))
        store = up.enter_context(haproxy(tmp_path, servers))
        wait_until(lambda: [role(store) for _ in servers] == ["master"] * len(servers))
        one, two = (
            up.enter_context(
                ServerProcess(tmp_path / name / "data", env=NODE | {"SALEROOM_STORE": store})
            )
            for name in ("one", "two")
        )
        check_health(one.url)
        async with playing(one.url, two.url, two.url) as room:
            await until(room, 5)
            await asyncio.to_thread(master.kill)
            await until(room, 12)
            assert [server.replicas for _, server in others].count(1) == 1, "one follows the other"
            await asyncio.to_thread(master.start)
        for node in (one, two):
            assert "[error" not in node.log()


def check_health(node: str) -> None:
    """What the image asks a server about its health finds it well."""
    (asked,) = re.findall(r"^ +CMD (\[.*\])$", shown("Dockerfile"), re.MULTILINE)
    _, *words = json.loads(asked.replace("http://127.0.0.1:8000", node))
    subprocess.run([sys.executable, *words], check=True)
    words[-1] = words[-1].replace("readyz", "nothing")
    assert subprocess.run([sys.executable, *words], capture_output=True, check=False).returncode


def role(url: str) -> str:
    """Return what the server is that one is led to; nothing if to none."""
    with redis.Redis.from_url(url) as asking:
        try:
            told: str = asking.info("replication")["role"]
        except redis.ConnectionError:
            return ""
        return told
