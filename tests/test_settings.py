"""Every setting of a server: where it may come from, what it may be, and what it is for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from typer.testing import CliRunner

from saleroom_cli.main import app
from saleroom_protocol.limits import Limits
from saleroom_server import settings
from saleroom_server.settings import BadSetting, Setting, Settings, environment, known, read

EVERY = list(known())
NUMBERS = [setting for setting in EVERY if isinstance(setting.default, int)]
# Told to clients, and set for rooms and sockets.
TOLD = {
    "said_kept": "room",
    "rooms_per_socket": "socket",
    "requests_per_second": "socket",
    "requests_at_once": "socket",
    "says_per_second": "socket",
    "says_at_once": "socket",
    "anytime_ms": "room",
    "anytime_acts": "room",
}
# Told to clients, but the same on every server.
FIXED = {
    *(f"SALEROOM_MESSAGE_{name.upper()}" for name in TOLD),
    "SALEROOM_MESSAGE_ID_CHARS",
    "SALEROOM_MESSAGE_TEXT_CHARS",
    "SALEROOM_MESSAGE_REMEMBERED_IDS",
}


def _called(setting: Setting) -> str:
    return setting.variable


def _value(chosen: Any, setting: Setting) -> Any:
    for name in setting.path:
        chosen = getattr(chosen, name)
    return chosen


def _fields(group: Struct, prefix: str) -> Iterator[str]:
    for name in group.__struct_fields__:
        value, variable = getattr(group, name), f"{prefix}_{name.upper()}"
        if isinstance(value, Struct):
            yield from _fields(value, variable)
        else:
            yield variable


def test_every_limit_is_a_setting_but_for_the_protocols_own() -> None:
    variables = [setting.variable for setting in EVERY]
    assert len(set(variables)) == len(variables)
    assert set(variables) == set(_fields(Settings(), "SALEROOM")) - FIXED


@pytest.mark.parametrize("setting", EVERY, ids=_called)
def test_every_setting_says_in_a_line_what_it_is_for(setting: Setting) -> None:
    assert 5 < len(setting.meaning) < 80
    assert "\n" not in setting.meaning


def test_no_meaning_is_of_nothing() -> None:
    assert set(settings._TABLE) == {".".join(setting.path) for setting in EVERY}


def test_with_nothing_set_everything_is_as_it_is_by_default() -> None:
    assert read({}, {}) == Settings()
    assert read({"PATH": "/bin", "SALE": "1"}, {"host": None, "port": None}) == Settings()


@pytest.mark.parametrize("setting", EVERY, ids=_called)
def test_a_default_is_one_that_might_be_set(setting: Setting) -> None:
    chosen = read({setting.variable: str(setting.default)}, {})
    assert _value(chosen, setting) == setting.default == _value(Settings(), setting)


@pytest.mark.parametrize("setting", NUMBERS, ids=_called)
def test_every_number_can_be_set_by_its_variable(setting: Setting) -> None:
    for value in (setting.least, setting.least + 17, setting.most):
        given = {"SALEROOM_STORE": "redis://redis", setting.variable: str(value)}
        assert _value(read(given, {}), setting) == value


@pytest.mark.parametrize("setting", NUMBERS, ids=_called)
def test_what_is_no_number_is_refused_by_name(setting: Setting) -> None:
    for text in ("", "x", "1.5", "1e3", "0x10", "ten", "9" * 5_000):
        with pytest.raises(BadSetting, match=f"^{setting.variable} is a whole number, not "):
            read({setting.variable: text}, {})


@pytest.mark.parametrize("setting", NUMBERS, ids=_called)
def test_a_number_has_its_bounds(setting: Setting) -> None:
    for value in (setting.least - 1, setting.most + 1):
        with pytest.raises(BadSetting, match=f"^{setting.variable} is between .* not {value}$"):
            read({setting.variable: str(value)}, {})


def test_a_port_is_a_port() -> None:
    assert read({"SALEROOM_PORT": "65535"}, {}).port == 65_535
    with pytest.raises(BadSetting, match="SALEROOM_PORT is between 0 and 65535, not 65536"):
        read({"SALEROOM_PORT": "65536"}, {})


def test_texts_are_taken_as_they_are() -> None:
    origins = "https://a.example, https://b.example"
    chosen = read({"SALEROOM_DATA": "/srv/sale room", "SALEROOM_ORIGINS": origins}, {})
    assert (chosen.directory, chosen.origins) == (Path("/srv/sale room"), origins)
    assert read({"SALEROOM_ORIGINS": ""}, {}).origins == ""


@pytest.mark.parametrize("variable", ["SALEROOM_DATA", "SALEROOM_HOST"])
def test_a_text_that_is_needed_is_not_empty(variable: str) -> None:
    with pytest.raises(BadSetting, match=f"^{variable} is empty$"):
        read({variable: ""}, {})


@pytest.mark.parametrize("level", ["", "loud", "INFO"])
def test_a_level_is_one_of_four(level: str) -> None:
    with pytest.raises(BadSetting, match="SALEROOM_LOG_LEVEL is one of debug, info, warning, err"):
        read({"SALEROOM_LOG_LEVEL": level}, {})
    assert read({"SALEROOM_LOG_LEVEL": "debug"}, {}).log_level == "debug"


def test_flags_come_before_variables_and_those_before_defaults() -> None:
    environment = {
        "SALEROOM_PORT": "9000",
        "SALEROOM_HOST": "0.0.0.0",
        "SALEROOM_ROOM_GRACE_MS": "9",
    }
    chosen = read(environment, {"port": 9001, "host": None, "data": "elsewhere"})
    assert (chosen.port, chosen.host, chosen.data) == (9001, "0.0.0.0", "elsewhere")
    assert (chosen.room.grace_ms, chosen.room.presence_ms) == (9, Settings().room.presence_ms)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"port": 70_000}, "--port is between 0 and 65535, not 70000"),
        ({"log_level": "loud"}, "--log-level is one of debug, info, warning, error, not 'loud'"),
        ({"data": ""}, "--data is empty"),
    ],
)
def test_a_flag_that_cannot_be_is_refused_by_its_name(flags: dict[str, Any], message: str) -> None:
    with pytest.raises(BadSetting, match=f"^{message}$"):
        read({}, flags)


@pytest.mark.parametrize(
    "variable", ["SALEROOM_PROT", "SALEROOM_", "SALEROOM_ROOM", *sorted(FIXED)]
)
def test_an_unknown_variable_is_refused_by_name(variable: str) -> None:
    with pytest.raises(BadSetting, match=f"^{variable} is no setting$"):
        read({variable: "1"}, {})


def test_variables_of_the_clients_are_left_alone() -> None:
    others = {"SALEROOM_URL": "http://x", "SALEROOM_TOKEN": "t", "SALEROOM_STRANGER": "s"}
    assert read(others, {}) == Settings()


@pytest.mark.parametrize("name", TOLD)
def test_welcome_tells_what_is_set_for_rooms_and_sockets(name: str) -> None:
    group = TOLD[name]
    chosen = read({f"SALEROOM_{group}_{name}".upper(): "7"}, {})
    assert getattr(getattr(chosen, group), name) == getattr(chosen.message, name) == 7
    assert getattr(read({}, {}).message, name) == getattr(Limits(), name)


def test_the_command_lists_every_setting_with_its_default_and_its_meaning() -> None:
    shown = CliRunner().invoke(app, ["serve", "--settings"], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    lines = shown.output.splitlines()
    for setting in EVERY:
        place = lines.index(f"{setting.variable}={setting.default}")
        assert lines[place - 1] == f"# {setting.meaning}"


def test_the_command_refuses_what_cannot_be_set() -> None:
    shown = CliRunner().invoke(app, ["serve", "--log-level", "loud"])
    assert (shown.exit_code, "--log-level is one of" in shown.output) == (2, True)
    shown = CliRunner().invoke(app, ["serve"], env={"SALEROOM_PROT": "1"})
    assert (shown.exit_code, "SALEROOM_PROT is no setting" in shown.output) == (2, True)


@pytest.mark.parametrize("listed", ["10.0.0.1", "10.0.0.0/8, 2001:db8::/32", "*", ""])
def test_proxies_are_trusted_by_address_or_network(listed: str) -> None:
    assert read({"SALEROOM_TRUST_PROXY": listed}, {}).trust_proxy == listed


@pytest.mark.parametrize("listed", ["proxy.example", "10.0.0.0/8, x", "10.0.0.1/8"])
def test_what_is_neither_an_address_nor_a_network_is_no_proxy(listed: str) -> None:
    with pytest.raises(BadSetting, match=r"^--trust-proxy lists .* is neither"):
        read({}, {"trust_proxy": listed})
    with pytest.raises(BadSetting, match=r"^SALEROOM_TRUST_PROXY lists .* is neither"):
        read({"SALEROOM_TRUST_PROXY": listed}, {})


@pytest.mark.parametrize("name", ["two", "b.example:8_0-1", "n" * 100, ""])
def test_a_node_is_named_in_plain_letters(name: str) -> None:
    assert read({"SALEROOM_NODE": name}, {}).node == name


@pytest.mark.parametrize("name", ["a b", "Käthe", "a\n", "n" * 101])
def test_what_cannot_name_a_node_is_refused(name: str) -> None:
    with pytest.raises(BadSetting, match=r"^SALEROOM_NODE is up to 100 letters, digits"):
        read({"SALEROOM_NODE": name}, {})


def test_the_variables_made_of_settings_are_read_as_the_same() -> None:
    chosen = read({"SALEROOM_ROOM_GRACE_MS": "7", "SALEROOM_STORE": "redis://:pw@h/1"}, {"port": 0})
    assert environment(chosen) == {
        "SALEROOM_PORT": "0",
        "SALEROOM_STORE": "redis://:pw@h/1",
        "SALEROOM_ROOM_GRACE_MS": "7",
    }
    assert read(environment(chosen), {}) == chosen


@pytest.mark.parametrize(("port", "workers"), [(65_535, 1), (65_534, 2), (0, 256)])
def test_each_worker_has_a_port_for_metrics(port: int, workers: int) -> None:
    assert read({}, {"metrics_port": port, "workers": workers}).workers == workers
    if port:
        with pytest.raises(BadSetting, match="each worker has a port for metrics"):
            read({}, {"metrics_port": port, "workers": workers + 1})


def test_replicas_can_be_waited_for_where_there_is_a_redis_that_has_some() -> None:
    replicas = {"SALEROOM_REDIS_REPLICAS": "1"}
    assert read({**replicas, "SALEROOM_STORE": "redis://redis"}, {}).redis.replicas == 1
    for workers in ("0", "2"):
        with pytest.raises(BadSetting, match=r"SALEROOM_REDIS_REPLICAS .* --store"):
            read({**replicas, "SALEROOM_WORKERS": workers}, {})
