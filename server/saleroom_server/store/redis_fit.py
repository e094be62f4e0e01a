"""Whether a Redis can be trusted with what must not be lost.

Asked over a connection of its own, which waits for no replicas: so that what is wrong with them is
said at once, and in words.
"""

import re
from collections.abc import Mapping

from msgspec.structs import replace

from saleroom_server.logs import logger
from saleroom_server.store.interface import StoreError, Unavailable
from saleroom_server.store.redis_limits import RedisLimits
from saleroom_server.store.redis_place import Place
from saleroom_server.store.redis_scripts import plain
from saleroom_server.store.redis_wire import Wire

log = logger("store")

VERSIONS = {"redis": 7, "valkey": 8}  # the least of each

# What INFO says, what it has to say, and what to do if it does not.
_WANTED = (
    ("cluster_enabled", "0", "it is a Redis Cluster; give it one master"),
    ("role", "master", "it is a replica; name its master"),
    ("maxmemory_policy", "noeviction", "it may throw rooms away; set maxmemory-policy noeviction"),
    ("aof_enabled", "1", "it would lose what it acknowledged; set appendonly yes"),
)


class UnfitRedis(StoreError):
    """The server is too old, or set to lose what it is given."""

    def __init__(self, place: Place, problem: str) -> None:
        super().__init__(f"{place}: {problem}")


async def check(place: Place, limits: RedisLimits) -> None:
    """See that a server keeps what it is given; warn of how it may lose some of it all the same.

    With fewer replicas than are to be waited for a node would start and then answer nobody. It is
    refused, so that whoever runs it is told why; by systemd, say, it is started again until they
    are there. That a master takes in what no replica gets costs no acknowledged action, and is
    warned of.

    Raises:
        UnfitRedis: it does not, has too few replicas, or is too old.
        Unavailable: it cannot be reached, or does not answer, or not to INFO.
    """
    wire = await Wire.open(place, replace(limits, replicas=0), "fit")
    try:
        told = await wire.ask(plain("INFO"), _lines)
        _check_itself(told, place)
        _check_replicas(told, place, limits.replicas)
        await _check_disk(wire, place)
    finally:
        await wire.close()


def _check_itself(told: Mapping[str, str], place: Place) -> None:
    product = told.get("server_name", "redis")
    version = told.get(f"{product}_version", told["redis_version"])
    least = VERSIONS.get(product, VERSIONS["redis"])
    if int(version.partition(".")[0]) < least:
        raise UnfitRedis(place, f"it is {product} {version}; version {least} or newer is needed")
    for name, wanted, problem in _WANTED:
        if told.get(name, wanted) != wanted:
            raise UnfitRedis(place, problem)


def _check_replicas(told: Mapping[str, str], place: Place, wanted: int) -> None:
    replicas = (value for name, value in told.items() if re.fullmatch(r"slave\d+", name))
    there = sum("state=online" in replica for replica in replicas)
    if there < wanted:
        problem = f"{there} of {wanted} replicas are connected; connect them, or wait for less"
        raise UnfitRedis(place, f"{problem}: SALEROOM_REDIS_REPLICAS")
    if there > 0 == wanted:
        log.warning("redis_replicas_not_waited_for", data=str(place), problem=f"{there} replicas")
    if wanted and "min_slaves_good_slaves" not in told:
        log.warning(
            "redis_writes_alone", data=str(place), problem=f"set min-replicas-to-write {wanted}"
        )


async def _check_disk(wire: Wire, place: Place) -> None:
    try:
        synced = await wire.ask(plain("CONFIG", "GET", "appendfsync"), lambda found: found[1])
    except Unavailable:  # a hosted one says nothing of itself
        synced = b"unknown"
    if synced != b"always":
        problem = f"appendfsync {synced.decode()}"
        log.warning("redis_may_lose_last_second", data=str(place), problem=problem)


def _lines(answer: bytes) -> Mapping[str, str]:
    return dict(re.findall(r"^(\w+):(.*?)\r?$", answer.decode(), re.MULTILINE))
