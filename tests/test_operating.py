"""The operator's guide, and the files beside it, name what there is and agree with the server."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from saleroom_cli.main import app
from saleroom_server import settings
from saleroom_server.listening import listen
from saleroom_server.serve import SPARE_FILES
from saleroom_server.settings import Settings
from saleroom_server.store.directory import HoldsOther, Kind
from saleroom_server.store.redis_fit import _WANTED
from saleroom_server.store.redis_lease import Node, RedisInUse
from saleroom_server.store.redis_place import Place
from saleroom_server.store.sqlite_lock import DirectoryInUse
from saleroom_server.store.sqlite_schema import NewerSchema
from saleroom_server.store.valkey_program import NoValkey
from tests.golden.files import OPERATING, ROOT

SERVER = ROOT / "server"
GUIDE = OPERATING.read_text(encoding="utf-8")
NGINX = (SERVER / "proxies" / "nginx.conf").read_text(encoding="utf-8")
HAPROXY = (SERVER / "proxies" / "haproxy.cfg").read_text(encoding="utf-8")
UNIT = (SERVER / "saleroom.service").read_text(encoding="utf-8")
BLOCKS = "\n".join(re.findall(r"^```\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL))
SHOWN = {".cfg", ".conf", ".service", ".yaml"}
COMMANDS = re.findall(r"(?:^|/|`|uv run )saleroom ((?:serve|admin|demo)\b[^\n`]*)", GUIDE)
VARIABLES = {setting.variable for setting in settings.known()}
NUMBERS = Settings()


def test_every_setting_that_is_named_exists() -> None:
    beside = [path for path in SERVER.rglob("*.*") if path.suffix in SHOWN]
    for text in (GUIDE, *(path.read_text(encoding="utf-8") for path in beside)):
        assert set(re.findall(r"SALEROOM_[A-Z_]+[A-Z]", text)) <= VARIABLES


def test_the_guide_has_every_setting() -> None:
    listed = set(re.findall(r"^\| `(SALEROOM_[A-Z_]+)` \|", GUIDE, re.MULTILINE))
    assert listed == VARIABLES


@pytest.mark.parametrize("command", sorted(set(COMMANDS)))
def test_a_command_has_all_the_options_it_is_shown_with(command: str) -> None:
    words = shlex.split(command)
    named = words[: 2 if words[0] == "admin" else 1]
    shown = CliRunner().invoke(app, [*named, "--help"], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    for option in (word for word in words if word.startswith("--")):
        assert option in shown.output


def test_the_commands_were_found() -> None:
    assert {command.split()[0] for command in COMMANDS} == {"serve", "admin", "demo"}
    assert len(re.findall(r"saleroom admin (?:backup|restore)", BLOCKS)) == 3


def test_the_files_the_guide_speaks_of_are_there() -> None:
    named = set(re.findall(r"\]\(((?:proxies/|ha/|saleroom|compose|Docker)[^)]+)\)", GUIDE))
    beside = {
        *(SERVER / "proxies").iterdir(),
        *(SERVER / "ha").iterdir(),
        *SERVER.glob("saleroom*.service"),
        SERVER / "compose.yaml",
        SERVER / "Dockerfile",
    }
    assert {SERVER / name for name in named} == beside


def seconds(text: str, name: str) -> list[int]:
    """Return what a time is set to, wherever it is."""
    return [int(number) for number in re.findall(rf"{name}[ =](\d+)s", text)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (NGINX, "proxy_read_timeout"),
        (NGINX, "proxy_send_timeout"),
        (HAPROXY, "timeout tunnel"),
        (HAPROXY, "timeout client"),
        (HAPROXY, "timeout server"),
    ],
)
def test_a_proxy_is_more_patient_than_the_server(text: str, name: str) -> None:
    found = seconds(text, name)
    assert found
    assert min(found) * 1000 > NUMBERS.socket.silence_ms


def test_a_proxy_lets_a_body_pass_that_the_server_itself_refuses() -> None:
    (nginx,) = re.findall(r"client_max_body_size (\d+)k", NGINX)
    (haproxy,) = re.findall(r"content-length\) gt (\d+)", HAPROXY)
    assert int(nginx) * 1024 == int(haproxy) > 2 * NUMBERS.message.client_message_bytes


def test_a_proxy_says_where_a_client_is_and_passes_on_no_claim() -> None:
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in NGINX
    assert "http-request set-header X-Forwarded-For %[src]" in HAPROXY
    assert "$proxy_add_x_forwarded_for" not in NGINX
    assert "option forwardfor" not in HAPROXY


def test_the_unit_leaves_a_server_the_time_and_the_files_it_wants() -> None:
    assert seconds(UNIT, "TimeoutStopSec")[0] * 1000 > NUMBERS.drain_ms + NUMBERS.socket.farewell_ms
    (files,) = re.findall(r"LimitNOFILE=(\d+)", UNIT)
    assert int(files) >= NUMBERS.socket.sockets + SPARE_FILES
    assert NUMBERS.worker.stop_ms > NUMBERS.socket.farewell_ms
    of_workers = NUMBERS.drain_ms + NUMBERS.worker.stop_ms + NUMBERS.valkey.stop_ms
    assert seconds(UNIT, "TimeoutStopSec")[0] * 1000 > of_workers
    assert "\nExecStart=/opt/saleroom/bin/saleroom serve\n" in UNIT
    assert "\nExecReload=/bin/kill -HUP $MAINPID\n" in UNIT


def told(phrase: str) -> re.Pattern[str]:
    """Return a phrase of the guide as a pattern: what is left out may be anything."""
    assert re.search(rf"^\| .*`{re.escape(phrase)}`.* \|", GUIDE, re.MULTILINE), phrase
    return re.compile(".*".join(map(re.escape, phrase.split("…"))))


def test_what_a_server_says_when_it_cannot_start_is_as_the_guide_has_it() -> None:
    directory = Path("/srv/data")
    in_use, newer = DirectoryInUse(directory, "17"), NewerSchema(directory / "x", 7, 3)
    assert told("the data directory … is in use by process …").match(str(in_use))
    assert told("… has schema version …, this program knows versions up to …").match(str(newer))
    for kind, phrase in (
        (Kind.SQLITE, "the data directory … holds rooms of a server without workers: …"),
        (Kind.VALKEY, "… with workers: …"),
    ):
        assert told(phrase).search(str(HoldsOther(directory, kind)))
    assert told("there is no Valkey to be run (…): …").match(str(NoValkey("gone")))
    place = Place("redis://:hush@redis.example/1")
    used = RedisInUse(place, Node("one", "0", "http://one.example:8000", 1, 1))
    assert told("… is in use by node … at …: stop it, …").match(str(used))
    assert told("redis://…, database …: …").match(str(place.unavailable(OSError("gone"))))
    advice = " ".join(problem for *_, problem in _WANTED)
    assert told("… would lose what it acknowledged; set appendonly yes").search(advice)
    assert "; set maxmemory-policy noeviction" in advice
    with listen("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        says = told("cannot listen on …, port …: Address already in use")
        with pytest.raises(OSError, match=says):
            listen("127.0.0.1", port)
