"""Which Redis: read from a URL that may hold a password, and told without it."""

from typing import Any
from urllib.parse import urlsplit

from redis.asyncio import Connection
from redis.asyncio.connection import parse_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from saleroom_server.store.interface import StoreError, Unavailable
from saleroom_server.store.redis_limits import RedisLimits

SCHEMES = ("redis", "rediss", "unix")


class NoRedisUrl(StoreError, ValueError):
    """A URL that is none of a Redis. It is not repeated, for it may hold a password."""

    def __init__(self) -> None:
        super().__init__("a Redis has a URL redis://HOST:PORT/DATABASE, rediss://… or unix://…")


class Place:
    """A database of a Redis, or a Valkey. Its `str` is for people and holds no secret."""

    def __init__(self, url: str) -> None:
        """Read a URL: `redis://`, `rediss://` (with TLS) or `unix://`, as redis-py has them.

        Raises:
            NoRedisUrl: it is none.
        """
        try:
            scheme, given = urlsplit(url).scheme, dict[str, Any](parse_url(url))
            self._class: Any = given.pop("connection_class", Connection)
            self._class(**given)
            if scheme not in SCHEMES or (scheme == "unix") != bool(given.get("path")):
                raise ValueError(scheme)
        except (ValueError, TypeError, RedisError):
            raise NoRedisUrl from None
        self._given = given
        where = given.get("path") or f"{given.get('host', 'localhost')}:{given.get('port', 6379)}"
        self._name = f"{scheme}://{where}, database {given.get('db', 0)}"

    def __str__(self) -> str:
        return self._name

    __repr__ = __str__

    def connection(self, limits: RedisLimits, name: str) -> Connection:
        """Return a connection that is not yet connected, and does nothing of its own accord.

        It neither tries again nor waits for ever; with protocol 2 nothing comes but answers.

        Args:
            limits: how long connecting may take.
            name: what Redis lists it under.
        """
        ours = {
            "protocol": 2,
            "client_name": name,
            "driver_info": None,
            "retry": Retry(NoBackoff(), 0),
            "retry_on_error": [],
            "health_check_interval": 0,
            "socket_timeout": None,
            "socket_connect_timeout": limits.answer_ms / 1000,
        }
        made: Connection = self._class(**{**self._given, **ours})
        return made

    def unavailable(self, error: Exception) -> Unavailable:
        """Return what the store raises for an error of the connection or of Redis itself."""
        told = "no answer" if isinstance(error, TimeoutError) else str(error)
        # Redis may repeat what it was sent, and that may be secret.
        return Unavailable(f"{self}: {told.partition(', with args')[0]}")
