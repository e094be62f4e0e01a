"""`python -m tests.system.proxies`: a server behind nginx and HAProxy, by the files shown for them.

Only ports, the certificate and where logs go are others. A tool that is missing is a failure, for
then nothing was checked: `.ci/tools` installs them.
"""

import asyncio
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from email.message import Message
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from saleroom_bots.registry import strategy_for
from saleroom_client import Lobby, connect, play
from tests.golden.files import ROOT
from tests.support.commands import QUICK
from tests.support.servers import PATIENCE, ServerProcess

TOOLS = ("nginx", "haproxy", "openssl", "systemd-analyze")
CERTIFY = (
    "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    " -subj /CN=localhost -addext subjectAltName=DNS:localhost"
)
SERVER = ROOT / "server"
ADDRESS = "127.0.0.2"  # a client's
GUESTS = 3  # of one address at once


class Around(NamedTuple):
    """What a proxy of a test has around it."""

    folder: Path
    server: int  # port
    plain: int  # port of HTTP
    secure: int  # port of HTTPS


class Answer(NamedTuple):
    """What a request was answered with."""

    status: int
    headers: Message
    body: bytes


def main() -> int:
    ArgumentParser(prog="python -m tests.system.proxies", description=__doc__).parse_args()
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        print(f"not found: {', '.join(missing)}. `.ci/tools` installs what is needed.")
        return 1
    with TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o755)  # nginx and HAProxy work as users of their own
        certify(folder)
        for unit in ("saleroom.service", "saleroom@.service"):
            check_unit(folder, unit)
        check_haproxy(folder, "haproxy-nodes.cfg")
        for proxy in (nginx, haproxy):
            print(f"behind {proxy.__name__}", flush=True)
            check(proxy, folder)
    return 0


def check(proxy: Callable[[Around], list[str]], folder: Path) -> None:
    """Play through a proxy, and try what it must not let through."""
    env = QUICK | {
        "SALEROOM_TRUST_PROXY": "127.0.0.1",
        "SALEROOM_LOBBY_GUESTS_AT_ONCE": str(GUESTS),
    }
    with ServerProcess(folder / f"data-{proxy.__name__}", env=env) as server:
        plain, secure = free_ports()
        around = Around(folder, int(server.url.rpartition(":")[2]), plain, secure)
        with running(proxy(around), secure):
            url = f"https://localhost:{secure}"
            room = asyncio.run(played(url))
            check_addresses(around)
            check_answers(around)
            check_stream(around, room)
        assert server.stop() == 0
        assert "error" not in server.log().lower(), server.log()


# The proxies, by their files.


def nginx(around: Around) -> list[str]:
    """Return the command that runs nginx; its file is checked by itself first."""
    folder = around.folder
    config = configured(
        around,
        SERVER / "proxies" / "nginx.conf",
        ("/etc/ssl/saleroom/", f"{folder}/"),
        ("/run/nginx.pid", f"{folder}/nginx.pid"),
        ("/var/log/nginx/", f"{folder}/"),
        ("listen 80;", f"listen {around.plain};"),
        ("listen 443 ssl;", f"listen {around.secure} ssl;"),
        ("listen [::]:80;", ""),  # there need not be any IPv6
        ("listen [::]:443 ssl;", ""),
        ("worker_rlimit_nofile 65536;", ""),  # what this machine allows may be less
        ("worker_connections 32768;", "worker_connections 100;"),
    )
    command = ["nginx", "-e", "stderr", "-c", str(config)]
    subprocess.run([*command, "-t", "-q"], check=True)
    return [*command, "-g", "daemon off;"]


def haproxy(around: Around) -> list[str]:
    """Return the command that runs HAProxy; its file is checked by itself first."""
    config = configured(
        around,
        SERVER / "proxies" / "haproxy.cfg",
        ("/etc/ssl/saleroom/", f"{around.folder}/"),
        ("bind :80\n", f"bind :{around.plain}\n"),
        ("bind :443 ", f"bind :{around.secure} "),
        ("maxconn 20000 ", "maxconn 100 "),  # what this machine allows may be less
    )
    command = ["haproxy", "-f", str(config)]
    subprocess.run([*command, "-c", "-q"], check=True)
    return [*command, "-db"]


def configured(around: Around, shown: Path, *others: tuple[str, str]) -> Path:
    """Write a proxy's file with other places in it; each must have been there."""
    text = shown.read_text(encoding="utf-8")
    for place, other in (("127.0.0.1:8000", f"127.0.0.1:{around.server}"), *others):
        assert place in text, f"{shown.name} has no {place!r} any more"
        text = text.replace(place, other)
    if os.getuid():  # only root may become somebody else
        text = re.sub(r"^\s*(user|group|chroot) .*$", "", text, flags=re.MULTILINE)
    config = around.folder / shown.name
    config.write_text(text)
    return config


@contextmanager
def running(command: list[str], port: int) -> Iterator[None]:
    """Run a proxy until it is done with."""
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            listens(process, port)
            yield
        finally:
            process.terminate()
            process.wait(PATIENCE)


def listens(process: "subprocess.Popen[str]", port: int) -> None:
    """Wait until a process listens."""
    until = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < until:
        with socket.socket() as trying:
            if trying.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    process.kill()
    raise AssertionError(f"nobody listens on port {port}: {process.communicate()[1]}")


def free_ports() -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def certify(folder: Path) -> None:
    """Make a certificate that this process trusts."""
    certificate, key = folder / "fullchain.pem", folder / "key.pem"
    subprocess.run(
        [*CERTIFY.split(), "-keyout", str(key), "-out", str(certificate)],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    (folder / "haproxy.pem").write_text(certificate.read_text() + key.read_text())
    os.environ["SSL_CERT_FILE"] = str(certificate)


# What must be so behind any of them.


async def played(url: str) -> str:
    """Play a game with two house bots over wss; return a room that waits for players."""
    lobby = Lobby(url)
    await lobby.register("Ada")
    made = await lobby.create_room("kunstmarkt", 3, bots=["easy", "easy"])
    async with connect(url, lobby.token, checks=True) as line:
        result = await play(await line.join(made.room), strategy_for("kunstmarkt", "easy"))
    assert len(result["places"]) == 3
    return (await lobby.create_room("kunstmarkt", 3)).room


def check_addresses(around: Around) -> None:
    """Each client has its own budget, by the address it has, whatever it claims."""
    own = [register(around, ADDRESS) for _ in range(GUESTS + 6)]
    assert own[:GUESTS] == [201] * GUESTS, own
    assert 429 in own, "an address may register as many guests as it likes"
    claimed = [register(around, ADDRESS, f"192.0.2.{number}") for number in range(6)]
    assert claimed.count(429) >= 3, f"a claimed address counts: {claimed}"
    assert register(around, "127.0.0.3") == 201, "two addresses are not told apart"


def register(around: Around, address: str, claimed: str = "") -> int:
    forged = {"X-Forwarded-For": claimed, "Forwarded": f"for={claimed}"} if claimed else {}
    headers = {"Content-Type": "application/json", **forged}
    body = b'{"name": "Bo", "kind": "person"}'
    with closing(secure(around, address)) as connection:
        connection.request("POST", "/v1/players", body, headers)
        return connection.getresponse().status


def check_answers(around: Around) -> None:
    """What is answered by the server, what by the proxy, and what over plain HTTP."""
    assert asked(around, "/readyz").status == 200
    assert asked(around, "/metrics").status == 404
    told = asked(around, "/v1/games")
    assert told.headers["Strict-Transport-Security"].startswith("max-age=")
    large = asked(around, "/v1/players", b"", {"Content-Length": "100000"})
    assert large.status == 413, large.status
    refused = asked(around, "/v1/players", b"x" * 20_000)  # by the server, which says why
    assert (refused.status, refused.headers["Content-Type"]) == (422, "application/problem+json")
    plain = HTTPConnection("127.0.0.1", around.plain, timeout=PATIENCE)
    with closing(plain):
        plain.request("GET", "/v1/games", headers={"Host": "localhost"})
        redirected = plain.getresponse()
    assert redirected.status == 301
    assert redirected.headers["Location"] == "https://localhost/v1/games"


def check_stream(around: Around, room: str) -> None:
    """Events of a stream come when they happen, not when a buffer is full."""
    paths = json.loads(asked(around, "/v1/openapi.json").body)["paths"]
    if "/v1/rooms/{room}/stream" not in paths:
        print("this server has no streams of events")
        return
    with closing(secure(around)) as connection:
        connection.request("GET", f"/v1/rooms/{room}/stream")
        stream = connection.getresponse()
        assert stream.status == 200
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        kinds = (line for line in iter(stream.readline, b"") if line.startswith(b"event:"))
        assert next(kinds) == b"event: view\n"


def asked(
    around: Around, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
) -> Answer:
    with closing(secure(around)) as connection:
        connection.request("GET" if body is None else "POST", path, body, headers or {})
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read())


def secure(around: Around, address: str = "127.0.0.1") -> HTTPSConnection:
    """Return a connection over TLS from one of this machine's addresses."""
    trusting = ssl.create_default_context()
    return HTTPSConnection(
        "localhost",
        around.secure,
        timeout=PATIENCE,
        source_address=(address, 0),
        context=trusting,
    )


# What is not run here.


def check_haproxy(folder: Path, name: str) -> None:
    """HAProxy understands its file; the certificate is elsewhere."""
    text = (SERVER / "proxies" / name).read_text(encoding="utf-8")
    config = folder / name
    less = text.replace("maxconn 20000 ", "maxconn 100 ")  # what this machine allows may be less
    config.write_text(less.replace("/etc/ssl/saleroom/", f"{folder}/"))
    subprocess.run(["haproxy", "-c", "-q", "-f", str(config)], check=True)


def check_unit(folder: Path, name: str) -> None:
    """systemd understands a unit; the command is where this one is."""
    command = shutil.which("saleroom", path=str(Path(sys.executable).parent))
    assert command is not None
    text = (SERVER / name).read_text(encoding="utf-8")
    unit = folder / name
    unit.write_text(text.replace("/opt/saleroom/bin/saleroom", command))
    told = subprocess.run(
        ["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert (told.returncode, told.stderr) == (0, ""), told.stderr


if __name__ == "__main__":
    sys.exit(main())
