"""The files shown for several nodes: what can be known of them without the programs that run them.

Nothing here builds the image or starts its containers. The compose file is one by the
specification; it, the Dockerfile, the balancer's file and the unit agree, and with the server.
"""

import re
import shlex
import tomllib
from ipaddress import ip_address, ip_network
from typing import Any

from compose_spec import PyOptions, parse_duration

from saleroom_server import settings
from saleroom_server.serve import SPARE_FILES
from saleroom_server.settings import Settings
from saleroom_server.store.valkey_program import DURABLE
from tests.golden.files import ROOT

SERVER = ROOT / "server"
NUMBERS = Settings()


def text(name: str) -> str:
    return (SERVER / name).read_text(encoding="utf-8")


COMPOSE: dict[str, Any] = PyOptions(apply_merge=True).from_yaml(text("compose.yaml")).to_dict()
SERVICES: dict[str, Any] = COMPOSE["services"]
NODES = {name: service for name, service in SERVICES.items() if service["image"] == "saleroom"}
DOCKERFILE = text("Dockerfile")
BALANCER = text("proxies/haproxy-nodes.cfg")


def address(name: str) -> str:
    """Return where a container is."""
    found: str = SERVICES[name]["networks"]["inner"]["ipv4_address"]
    return found


def settings_of(name: str) -> Settings:
    """Return what a node is run with."""
    return settings.read(SERVICES[name]["environment"], {})


def test_the_compose_file_is_one_by_the_specification() -> None:
    PyOptions(apply_merge=True).from_yaml(text("compose.yaml")).validate()
    assert set(SERVICES) == {"balancer", "one", "two", "three", "valkey"}
    assert set(NODES) == {"one", "two", "three"}
    for service in SERVICES.values():
        assert set(service.get("depends_on", {})) <= set(SERVICES)


def test_nodes_differ_in_their_names_and_addresses_alone() -> None:
    own = ("hostname", "networks", "build")
    shared = [{k: v for k, v in node.items() if k not in own} for node in NODES.values()]
    assert shared[1:] == shared[:-1]
    assert [node["hostname"] for node in NODES.values()] == [*NODES]  # the default of a node's name


def test_what_containers_are_told_are_settings_that_can_be() -> None:
    for name in NODES:
        assert settings_of(name).store == "redis://valkey:6379/0"
    image = dict(re.findall(r"^ENV (SALEROOM_\w+)=(\S+)$", DOCKERFILE, re.MULTILINE))
    assert settings.read(image, {}).host == "0.0.0.0"


def test_the_balancer_leads_to_all_nodes_and_they_believe_it_and_nobody_else() -> None:
    servers = re.findall(r"^    server (\w+) ([\d.]+):(\d+) check", BALANCER, re.MULTILINE)
    assert servers == [(name, address(name), str(NUMBERS.port)) for name in NODES]
    assert {settings_of(name).trust_proxy for name in NODES} == {address("balancer")}
    (network,) = COMPOSE["networks"]["inner"]["ipam"]["config"]
    for name in ("balancer", *NODES):
        assert ip_address(address(name)) in ip_network(network["subnet"])
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["balancer"]


def test_the_balancers_file_is_the_one_for_a_single_server_but_for_the_servers() -> None:
    single, several = (
        {line.partition("#")[0].strip() for line in shown.splitlines()}
        for shown in (text("proxies/haproxy.cfg"), BALANCER)
    )
    left_out = {line.split(" ")[0] for line in single - several}
    put_in = {line.split(" ")[0] for line in several - single}
    assert left_out == {"user", "group", "chroot", "server"}
    assert put_in == {"option", "server"}


def test_what_containers_mount_is_there_or_is_to_be_put_there() -> None:
    mounted = [volume.split(":")[0] for s in SERVICES.values() for volume in s.get("volumes", ())]
    here = {source for source in mounted if source.startswith("./")}
    assert here == {"./proxies/haproxy-nodes.cfg", "./certificate"}
    assert (SERVER / "proxies" / "haproxy-nodes.cfg").is_file()
    assert {*mounted} - here == {*COMPOSE["volumes"]}


def test_valkey_keeps_what_it_acknowledges() -> None:
    program, *words = shlex.split(SERVICES["valkey"]["command"])
    told = dict(zip(words[::2], words[1::2], strict=True))
    assert program == "valkey-server"
    assert told == {f"--{name}": value for name, value in DURABLE.items()}
    assert any(volume.endswith(":/data") for volume in SERVICES["valkey"]["volumes"])


def test_a_node_has_the_time_and_the_files_it_wants() -> None:
    for node in NODES.values():
        grace_ms = 1000 * parse_duration(node["stop_grace_period"])
        assert grace_ms > NUMBERS.drain_ms + NUMBERS.socket.farewell_ms + NUMBERS.redis.resend_ms
        assert node["ulimits"]["nofile"] >= NUMBERS.socket.sockets + SPARE_FILES


def test_the_image_is_of_a_pinned_python_that_will_do_and_is_run_by_nobody_of_power() -> None:
    bases = re.findall(r"^FROM python:(3\.\d+)\.\d+-slim-\w+(?: AS built)?$", DOCKERFILE, re.M)
    assert len(bases) == len(re.findall("^FROM ", DOCKERFILE, re.M)) == 2
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {f">={base}" for base in bases} == {project["requires-python"]}
    assert re.findall(r"^USER (\w+)$", DOCKERFILE, re.M) == ["saleroom"]
    assert f"http://127.0.0.1:{NUMBERS.port}/readyz" in DOCKERFILE  # tried on a server elsewhere
    built = [node["build"] for node in NODES.values() if "build" in node]
    assert built == [{"context": "..", "dockerfile": "server/Dockerfile"}]


def test_the_unit_of_a_node_is_the_servers_but_for_its_port_and_settings_of_its_own() -> None:
    single, node = text("saleroom.service"), text("saleroom@.service")
    settings = "EnvironmentFile=-/etc/saleroom/settings\n"
    own = settings.replace("\n", "-%i\n")
    for of_node, of_server in ((f"{settings}{own}", settings), ("serve --port %i\n", "serve\n")):
        assert of_node in node
        node = node.replace(of_node, of_server)
    assert node.partition("\n[Service]\n")[2] == single.partition("\n[Service]\n")[2]
