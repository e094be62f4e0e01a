"""A store in Redis is opened, or says why not; and never a password."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from msgspec.structs import replace

from saleroom_server.store import redis_fit
from saleroom_server.store.interface import Unavailable
from saleroom_server.store.redis import RedisStore
from saleroom_server.store.redis_fit import UnfitRedis
from saleroom_server.store.redis_lease import RedisInUse
from saleroom_server.store.redis_place import NoRedisUrl, Place
from tests.store.nodes import STEADY, Shared, shared

__all__ = ["shared"]

SECRET = "hush-hush"
HASTY = replace(STEADY, lease_ms=400, renew_ms=100)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("redis://redis.example", "redis://redis.example:6379, database 0"),
        (f"redis://:{SECRET}@redis.example:7000/3", "redis://redis.example:7000, database 3"),
        (f"rediss://me:{SECRET}@redis.example/1", "rediss://redis.example:6379, database 1"),
        (f"unix://me:{SECRET}@/run/redis.sock?db=2", "unix:///run/redis.sock, database 2"),
    ],
)
def test_a_redis_is_told_without_its_password(url: str, name: str) -> None:
    assert str(Place(url)) == repr(Place(url)) == name


@pytest.mark.parametrize(
    "url",
    [
        "",
        "redis",
        "localhost:6379",
        f"http://:{SECRET}@redis.example",
        f"redis://:{SECRET}@redis.example:port",
        f"redis://:{SECRET}@redis.example:7000/3?db=x",
        f"redis://:{SECRET}/@redis.example",
        f"redis://:{SECRET}@redis.example?never_heard_of=1",
        f"unix://me:{SECRET}@",
        "redis://[::1",
    ],
)
async def test_what_is_no_url_of_a_redis_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(NoRedisUrl, match="redis://HOST:PORT/DATABASE") as refused:
        await RedisStore.open(url, node="a")
    assert SECRET not in repr(refused.value)
    assert refused.value.__suppress_context__


@pytest.mark.parametrize("node", ["", "a node", "a\nb", "ä", "n" * 101])
async def test_a_name_that_could_be_misread_is_refused(node: str) -> None:
    with pytest.raises(ValueError, match="a node's name"):
        await RedisStore.open("redis://", node=node)


async def test_nobody_there_is_unavailable(shared: Shared) -> None:
    wire = await shared.wire()
    wire.unplug()
    with pytest.raises(
        Unavailable, match=f"redis://127.0.0.1:{wire.port}, database 0: "
    ) as refused:
        await shared.node("a", url=wire.url.replace("//", f"//:{SECRET}@"))
    assert SECRET not in str(refused.value)


async def test_one_that_does_not_answer_is_unavailable(shared: Shared) -> None:
    wire = await shared.wire()
    wire.freeze()
    with pytest.raises(Unavailable, match="no answer"):
        await shared.node("a", url=wire.url, limits=replace(STEADY, answer_ms=50))


async def test_a_password_that_is_wrong_is_not_repeated(shared: Shared) -> None:
    with pytest.raises(Unavailable) as refused:
        await shared.node("a", url=shared.server.url.replace("//", f"//me:{SECRET}@"))
    assert SECRET not in f"{refused.value!r} {refused.value.__cause__!r}"


@pytest.mark.parametrize(
    ("setting", "bad", "good", "advice"),
    [
        ("maxmemory-policy", "allkeys-lru", "noeviction", "set maxmemory-policy noeviction"),
        ("appendonly", "no", "yes", "set appendonly yes"),
    ],
)
async def test_a_redis_that_would_lose_what_it_is_given_is_refused(
    shared: Shared, setting: str, bad: str, good: str, advice: str
) -> None:
    with configured(shared, setting, bad, good), pytest.raises(UnfitRedis, match=advice):
        await shared.node("a")


async def test_a_replica_is_refused(shared: Shared) -> None:
    shared.direct.replicaof("127.0.0.1", "1")
    try:
        with pytest.raises(UnfitRedis, match="replica"):
            await shared.node("a")
    finally:
        shared.direct.replicaof("NO", "ONE")


async def test_a_redis_that_is_too_old_is_refused(
    shared: Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_fit, "VERSIONS", {"redis": 8, "valkey": 10})
    with pytest.raises(UnfitRedis, match=r"it is (redis 7|valkey 9)\.[\d.]+; version (8|10) or"):
        await shared.node("a")


async def test_one_that_may_lose_the_last_second_is_warned_of(
    shared: Shared, caplog: pytest.LogCaptureFixture
) -> None:
    with configured(shared, "appendfsync", "everysec", "always"):
        await shared.node("a")
    await shared.node("b")
    (record,) = caplog.records
    assert record.message == "redis_may_lose_last_second"
    assert vars(record)["problem"] == "appendfsync everysec"


async def test_one_that_says_nothing_of_its_configuration_is_warned_of(
    shared: Shared, caplog: pytest.LogCaptureFixture
) -> None:
    shared.direct.acl_setuser(
        "hosted",
        enabled=True,
        passwords=[f"+{SECRET}"],
        keys=["*"],
        channels=["*"],
        categories=["+@all"],
        commands=["-config"],
    )
    url = shared.server.url.replace("//", f"//hosted:{SECRET}@")
    store = await shared.node("a", url=url)
    await store.create("r", [], b"")
    await store.close()
    shared.direct.acl_deluser("hosted")
    (record,) = caplog.records
    assert vars(record)["problem"] == "appendfsync unknown"
    assert SECRET not in str(vars(record))


@contextmanager
def configured(shared: Shared, setting: str, value: str, before: str) -> Iterator[None]:
    shared.direct.config_set(setting, value)
    try:
        yield
    finally:
        shared.direct.config_set(setting, before)


# One node of a name.


async def test_a_node_that_has_just_died_is_waited_for(shared: Shared) -> None:
    await shared.node("a", limits=replace(STEADY, lease_ms=100))
    await shared.node("a", limits=HASTY)
    assert shared.living() == ["a"]


async def test_of_two_that_come_at_once_the_first_stays(shared: Shared) -> None:
    opened = await asyncio.gather(
        *(shared.node("a", limits=HASTY) for _ in "123"), return_exceptions=True
    )
    assert len([result for result in opened if isinstance(result, RedisInUse)]) == 2


async def test_of_a_name_there_is_one_node(shared: Shared) -> None:
    await shared.node("b", address="http://b.example:8000")
    await shared.node("a", limits=HASTY)
    with pytest.raises(
        RedisInUse, match=r"by node b at http://b\.example:8000: stop it"
    ) as refused:
        await shared.node("b", limits=HASTY)
    assert refused.value.node.name == "b"
    with pytest.raises(RedisInUse, match="an unknown address"):
        await shared.node("a", limits=HASTY)
