"""Whether a Redis can be trusted with what must not be lost."""

import re
from collections.abc import Mapping

from saleroom_server.logs import logger
from saleroom_server.store.interface import StoreError, Unavailable
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


async def check(wire: Wire, place: Place) -> None:
    """See that a server keeps what it is given; warn if it may lose the last second of it.

    Raises:
        UnfitRedis: it does not, or is too old.
        Unavailable: it does not answer, or not to INFO.
    """
    told = await wire.ask(plain("INFO"), _lines)
    product = told.get("server_name", "redis")
    version = told.get(f"{product}_version", told["redis_version"])
    least = VERSIONS.get(product, VERSIONS["redis"])
    if int(version.partition(".")[0]) < least:
        raise UnfitRedis(place, f"it is {product} {version}; version {least} or newer is needed")
    for name, wanted, problem in _WANTED:
        if told.get(name, wanted) != wanted:
            raise UnfitRedis(place, problem)
    try:
        synced = await wire.ask(plain("CONFIG", "GET", "appendfsync"), lambda found: found[1])
    except Unavailable:  # a hosted one says nothing of itself
        synced = b"unknown"
    if synced != b"always":
        problem = f"appendfsync {synced.decode()}"
        log.warning("redis_may_lose_last_second", data=str(place), problem=problem)


def _lines(answer: bytes) -> Mapping[str, str]:
    return dict(re.findall(r"^(\w+):(.*?)\r?$", answer.decode(), re.MULTILINE))
