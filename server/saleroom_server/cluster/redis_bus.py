"""News between nodes by publish and subscribe: Redis 7.0 or later, or Valkey 8 or later.

Each node subscribes to one channel and is told everything there, so there are as many channels as
nodes. Redis forgets what nobody hears, and tells nobody of what a line that broke did not bring;
so after a line was down there is doubt.
"""

import asyncio
import contextlib
from asyncio import Future
from collections.abc import Callable
from typing import Any, Self

from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.maint_notifications import MaintNotificationsConfig

from saleroom_server.cluster.bus import Bus, Doubt, Take
from saleroom_server.cluster.bus_limits import BusLimits
from saleroom_server.cluster.outgoing import Message, Outgoing
from saleroom_server.cluster.stamps import Stamps
from saleroom_server.cluster.trouble import Trouble
from saleroom_server.logs import logger
from saleroom_server.store.interface import Unavailable

log = logger("bus")


class RedisBus(Bus):
    """See `Bus`. One connection is told what comes, another one sends."""

    def __init__(self, client: Redis, node: str, limits: BusLimits) -> None:
        self._client, self._node, self._limits = client, node, limits
        self._outgoing, self._stamps = Outgoing(limits), Stamps(limits.senders)
        self._take: Take | None = None
        self._doubt: Doubt | None = None
        self._probes: dict[int, Future[None]] = {}  # by the number of what was sent to oneself
        self._hears = asyncio.Event()  # set while it is subscribed
        self._subscribed = False  # whether it ever was
        self._hearing = asyncio.create_task(self._hear())
        self._sending = asyncio.create_task(self._send())

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

    def listen(self, take: Take, doubt: Doubt) -> None:
        """See `Bus.listen`."""
        self._take, self._doubt = take, doubt

    async def probe(self) -> None:
        """See `Bus.probe`."""
        try:
            async with asyncio.timeout(self._limits.probe_ms / 1000):
                await self._hears.wait()
                await self._hears_itself()
        except TimeoutError:
            raise Unavailable("what is sent through Redis does not come back") from None

    async def close(self) -> None:
        """See `Bus.close`."""
        self._outgoing.close()
        await asyncio.wait([self._sending], timeout=self._limits.flush_ms / 1000)
        for task in (self._hearing, self._sending):
            task.cancel()
        await asyncio.gather(self._hearing, self._sending, return_exceptions=True)
        with contextlib.suppress(RedisError):
            await self._client.aclose()

    async def _hears_itself(self) -> None:
        returned = asyncio.get_running_loop().create_future()
        self.send(self._node, b"")
        number = self._stamps.sent
        self._probes[number] = returned
        try:
            await returned
        finally:
            del self._probes[number]

    # Sending

    async def _send(self) -> None:
        trouble = Trouble("sending", self._limits)
        while group := await self._outgoing.group():
            try:
                await self._publish(group)
                trouble.works()
            except Exception as error:
                # Nobody knows what of it was sent, so it is not sent again.
                await asyncio.sleep(trouble.failed(error))

    async def _publish(self, group: list[Message]) -> None:
        pipeline = self._client.pipeline(transaction=False)
        for node, body in group:
            pipeline.execute_command("PUBLISH", _channel(node), body)
        await pipeline.execute()

    # Hearing

    async def _hear(self) -> None:
        trouble = Trouble("hearing", self._limits)
        while True:
            try:
                await self._follow(trouble.works)
            except Exception as error:  # whatever it is: else the node would be deaf for ever
                pause = trouble.failed(error)
            self._hears.clear()
            await asyncio.sleep(pause)

    async def _follow(self, works: Callable[[], None]) -> None:
        """Subscribe, and take what comes until the line fails.

        redis-py does that again by itself, and says nothing: but a subscription is confirmed.
        """
        async with self._client.pubsub(push_handler_func=_as_it_is) as line:
            await line.subscribe(_channel(self._node))
            while True:
                for _ in range(self._limits.messages_per_turn):
                    match await self._next(line):
                        case {"type": "message", "data": data}:
                            self._came(data)
                        case {"type": "subscribe"}:
                            works()
                            self._confirmed()
                await asyncio.sleep(0)

    async def _next(self, line: PubSub) -> dict[str, Any]:
        """Return what comes next; if nothing does, ask whether anybody is there.

        What counts is how long was waited, not how late it has become: a node that was busy has not
        looked yet at what came meanwhile.

        Raises:
            TimeoutError: nothing has come for too long.
        """
        left_ms = self._limits.silence_ms
        while left_ms > 0:
            wait_ms = min(self._limits.ping_ms, left_ms)
            came: dict[str, Any] | None = await line.get_message(timeout=wait_ms / 1000)
            if came is not None:
                return came
            left_ms -= wait_ms
            await line.ping()
        raise TimeoutError

    def _confirmed(self) -> None:
        if self._subscribed and self._doubt is not None:
            _guarded(self._doubt)
        self._subscribed = True
        self._hears.set()

    def _came(self, message: bytes) -> None:
        heard = self._stamps.read(message)
        if heard is None:
            return
        probe = self._probes.get(heard.number) if heard.own else None
        if probe is not None:
            _settle(probe)
        elif self._take is not None:
            _guarded(self._take, heard.body)


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


async def _as_it_is(pushed: list[Any]) -> list[Any]:
    """Leave what Redis pushes alone; by default redis-py writes a log of all of it."""
    return pushed


def _guarded(call: Callable[..., None], *arguments: bytes) -> None:
    """Call somebody whose faults are not the line's."""
    try:
        call(*arguments)
    except Exception:
        log.exception("bus_fault")


def _settle(future: Future[None]) -> None:
    if not future.done():  # else who waits has given up in this very moment
        future.set_result(None)
