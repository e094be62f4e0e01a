"""News between nodes by publish and subscribe: Redis 7.0 or later, or Valkey 8 or later.

Each node subscribes to one channel and is told everything there, so there are as many channels as
nodes. Redis forgets what nobody hears, and tells nobody what a line that broke did not bring.
"""

import asyncio
import contextlib
from asyncio import Future
from collections.abc import Callable
from secrets import token_bytes
from typing import Self

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.maint_notifications import MaintNotificationsConfig

from saleroom_server.cluster.bus import Bus, Doubt, Take, Unheard
from saleroom_server.cluster.bus_limits import BusLimits
from saleroom_server.cluster.outgoing import Message, Outgoing
from saleroom_server.cluster.stamps import Stamps
from saleroom_server.cluster.subscription import Subscription
from saleroom_server.cluster.trouble import Trouble
from saleroom_server.logs import logger
from saleroom_server.store.interface import Unavailable

NONCE_BYTES = 16
log = logger("bus")


class RedisBus(Bus):
    """See `Bus`. One connection hears, another one sends."""

    def __init__(self, client: Redis, node: str, limits: BusLimits) -> None:
        self._client, self._node, self._limits = client, node, limits
        self._outgoing, self._stamps = Outgoing(limits), Stamps(limits.senders)
        self._take: Take | None = None
        self._doubt: Doubt | None = None
        self._unheard: Unheard | None = None
        self._probes: dict[bytes, Future[None]] = {}  # by what was sent to oneself
        self._subscription = Subscription(
            client, _channel(node), limits, self._came, self._missed_some
        )
        self._sending = asyncio.create_task(self._send())
        self._hearing = asyncio.create_task(self._subscription.run())

    @classmethod
    async def open(cls, url: str, node: str, limits: BusLimits) -> Self:
        """Be a node of the service that has this Redis.

        Raises:
            ValueError: the URL is none; it is not repeated, for there may be a password in it.
            Unavailable: Redis cannot be reached.
        """
        bus = cls(_client(url, limits), node, limits)
        try:
            await bus.probe()
        except BaseException:
            await bus.close()
            raise
        return bus

    def send(self, node: str, body: bytes) -> None:
        """See `Bus.send`."""
        self._outgoing.put(node, self._stamps.stamp(body))

    def listen(self, take: Take, doubt: Doubt, unheard: Unheard = lambda node: None) -> None:
        """See `Bus.listen`."""
        self._take, self._doubt, self._unheard = take, doubt, unheard

    async def probe(self) -> None:
        """See `Bus.probe`."""
        try:
            async with asyncio.timeout(self._limits.probe_ms / 1000):
                await self._subscription.holds.wait()
                await self._there_and_back()
        except TimeoutError:
            raise Unavailable("what is sent through Redis does not come back") from None

    async def close(self) -> None:
        """See `Bus.close`."""
        self._outgoing.close()
        await asyncio.wait([self._sending], timeout=self._limits.flush_ms / 1000)
        self._sending.cancel()
        self._hearing.cancel()
        await asyncio.gather(self._sending, self._hearing, return_exceptions=True)
        with contextlib.suppress(RedisError):
            await self._client.aclose()

    async def _there_and_back(self) -> None:
        nonce, returned = token_bytes(NONCE_BYTES), asyncio.get_running_loop().create_future()
        self._probes[nonce] = returned
        try:
            self._outgoing.put(self._node, self._stamps.stamp(nonce, probe=True))
            await returned
        finally:
            del self._probes[nonce]

    async def _send(self) -> None:
        trouble = Trouble("sending", self._limits)
        while group := await self._outgoing.group():
            try:
                await self._publish(group)
                trouble.works()
            except Exception as error:  # whatever it is: else the node would be mute for ever
                # Nobody knows how much of it was sent, so none of it is sent again.
                await asyncio.sleep(trouble.failed(error))

    async def _publish(self, group: list[Message]) -> None:
        pipeline = self._client.pipeline(transaction=False)
        for node, message in group:
            pipeline.execute_command("PUBLISH", _channel(node), message)
        for (node, _), heard in zip(group, await pipeline.execute(), strict=True):
            if not heard:
                _guarded(self._unheard, node)

    def _came(self, message: bytes) -> None:
        heard = self._stamps.read(message)
        if heard is None:
            return
        if not heard.probe:
            _guarded(self._take, heard.body)
        elif (returned := self._probes.get(heard.body)) and not returned.done():
            returned.set_result(None)

    def _missed_some(self) -> None:
        _guarded(self._doubt)


def _client(url: str, limits: BusLimits) -> Redis:
    answer = limits.answer_ms / 1000
    try:
        return Redis.from_url(
            url,
            protocol=3,
            socket_timeout=answer,
            socket_connect_timeout=answer,
            retry=Retry(NoBackoff(), 0),
            maint_notifications_config=MaintNotificationsConfig(enabled=False),
        )
    except ValueError:
        raise ValueError("no URL of Redis: redis://, rediss:// or unix://") from None


def _channel(node: str) -> str:
    return f"n:{node}"


def _guarded(call: Callable[..., None] | None, *arguments: bytes | str) -> None:
    """Call whoever listens; their faults are not the line's."""
    if call is None:
        return
    try:
        call(*arguments)
    except Exception:
        log.exception("bus_fault")
