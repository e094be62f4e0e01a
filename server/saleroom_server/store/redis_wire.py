"""One connection to Redis, and all that is asked over it: what waits together goes out together.

Theory of operation. A task owns the connection; nobody else touches it, so no caller's cancellation
can leave half an answer behind. It takes all calls that wait, sends them in one go, and settles
each as its answer comes. Meanwhile the next ones gather: the slower Redis, the larger the groups,
and with `appendfsync always` Redis in its turn writes a group to disk at once.

When the connection breaks, nobody knows which of the calls without an answer were carried out. All
of them are sent again, in their order, over a new one, and say so (`Words`): scripts know their own
work again, the few plain commands may be carried out twice. A call that has waited too long for
that is `Unavailable`.

Redis forgets scripts when it starts, and when it is told to. They are loaded with every connection;
if one is missing all the same, it is loaded, and everything from that call on is sent again, so
that nothing overtakes.

A frozen Redis accepts connections and hangs up on nobody. So an idle connection is tried now and
then, and one that brings no answer in time is given up.

Replicas. A replica that takes its master's place knows what it was sent, and nothing else: not what
the master had just answered. So with `replicas` set a group ends in a `WAIT`, and none of it is
settled before so many of them have everything that was written there up to then, by whomever. What
was answered, to a read as to a write, then stands at any of them that becomes the master.

`WAIT` looks at what its own connection wrote last. On a new one, over which everything is sent
again and found done, that is nothing, and it would be content at once. So something goes before it
that reaches replicas in any case: a `PUBLISH` nobody hears, which takes neither memory nor disk.

With too few replicas nobody is answered: a master that they have left may no longer be the one. The
group is sent again as if the connection had broken, for as long, and is `Unavailable` then, which
is nothing new to anybody. It is not known whether it was written; so the room is dropped, and read
back before anything more is decided, over wires like this one. If the journal has the command by
then, it is answered so. The token it is read back with is known to the replicas too, so no failover
can make them forget who owns the room.

What a server answers that is no master, or has too few replicas to write, concerns no call but all:
they are asked again over a new connection, which may lead to the master there is now.
"""

import asyncio
from asyncio import Future, Task
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from msgspec import Struct
from redis.asyncio import Connection
from redis.exceptions import (
    MasterDownError,
    NoScriptError,
    ReadOnlyError,
    RedisError,
    ResponseError,
)

from saleroom_server.logs import logger
from saleroom_server.store.interface import Unavailable
from saleroom_server.store.redis_limits import RedisLimits
from saleroom_server.store.redis_place import Place
from saleroom_server.store.redis_scripts import Script, Word, Words, plain

T = TypeVar("T")
log = logger("store")

_PING = plain("PING")
_REPLICATED = "PUBLISH", "replicated", ""
_NO_REPLICAS = "NOREPLICAS"  # by `min-replicas-to-write`; redis-py knows no error of its own for it


class _TooFewReplicas(RedisError):
    """It is not known that enough replicas have what was written."""


class _Asked(Struct, frozen=True):
    """One call: its command, what its answer means, who waits for it and until when."""

    words: Words
    read: Callable[[Any], Any]
    future: "Future[Any]"
    until: float

    def settle(self, answer: Any) -> None:
        """Give the answer to who waits; an error of Redis' is one too."""
        try:
            result = self.read(answer)
        except Exception as error:  # whatever it is: without the task all would wait for ever
            self.fail(error)
        else:
            if not self.future.done():  # cancelled
                self.future.set_result(result)

    def fail(self, error: Exception) -> None:
        """Tell who waits that there is no answer."""
        if not self.future.done():
            self.future.set_exception(error)


class Wire:
    """A connection that is made anew as often as it breaks. Made by `open`; to be closed."""

    def __init__(
        self, place: Place, limits: RedisLimits, name: str, scripts: Sequence[Script]
    ) -> None:
        """Use `open` instead."""
        self._place, self._limits = place, limits
        self._connection = place.connection(limits, name)
        self._scripts = scripts
        self._patience = limits.answer_ms / 1000
        wait = ("WAIT", limits.replicas, limits.replicas_ms)
        self._seal: list[Sequence[Word]] = [_REPLICATED, wait] if limits.replicas else []
        self._well = True
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[_Asked] = deque()
        self._wanted = asyncio.Event()
        self._closed = False
        self._task: Task[None] | None = None

    @classmethod
    async def open(
        cls, place: Place, limits: RedisLimits, name: str, scripts: Sequence[Script] = ()
    ) -> "Wire":
        """Connect.

        Args:
            place: to which Redis.
            limits: how patiently.
            name: what Redis lists the connection under.
            scripts: that will be asked for.

        Raises:
            Unavailable: it cannot be reached, or lets nobody in.
        """
        wire = cls(place, limits, name, scripts)
        try:
            async with asyncio.timeout(wire._patience):
                await wire._connected()
        except (RedisError, OSError) as error:  # a TimeoutError is one of those
            await wire._hang_up()
            raise place.unavailable(error) from None
        wire._task = wire._loop.create_task(wire._run())
        return wire

    @property
    def works(self) -> bool:
        """Whether it is connected, as far as is known."""
        return bool(self._connection.is_connected)

    def ask(self, words: Words, read: Callable[[Any], T]) -> "Future[T]":
        """Have a command carried out.

        Args:
            words: the command.
            read: makes the result of the answer, or raises what the store would.

        Raises (in the future):
            Unavailable: there was no answer in time, or Redis answered with an error.
            StoreError: as `read` has it.
        """
        future: Future[T] = self._loop.create_future()
        until = self._loop.time() + self._limits.resend_ms / 1000
        self._waiting.append(_Asked(words, read, future, until))
        self._wanted.set()
        return future

    async def close(self) -> None:
        """Finish what was asked for, and hang up. Nothing may be asked any more."""
        self._closed = True
        self._wanted.set()
        if self._task is not None:
            await self._task

    async def _run(self) -> None:
        while group := await self._gather():
            await self._carry_out(group)
        await self._hang_up()

    async def _gather(self) -> deque[_Asked]:
        """Wait for calls and take those there are; a ping if none comes; none: it is the end."""
        if not self._waiting and not self._closed:
            self._wanted.clear()
            try:
                async with asyncio.timeout(self._limits.ping_ms / 1000):
                    await self._wanted.wait()
            except TimeoutError:
                return deque([self._ping()])
        taken = min(len(self._waiting), self._limits.batch_calls)
        return deque(self._waiting.popleft() for _ in range(taken))

    def _ping(self) -> _Asked:
        future = self._loop.create_future()
        future.add_done_callback(lambda done: done.exception())  # nobody else looks at it
        return _Asked(_PING, lambda answer: answer, future, until=0)

    async def _carry_out(self, group: deque[_Asked]) -> None:
        sent_before = False
        while group:
            try:
                async with asyncio.timeout(self._patience) as patience:
                    await self._exchange(group, sent_before, patience)
                self._goes_well()
            except Exception as error:  # whatever it is, as above
                await self._hang_up()
                self._failed(group, self._place.unavailable(error))
                if group:
                    await asyncio.sleep(self._limits.retry_ms / 1000)
            sent_before = True

    def _failed(self, group: deque[_Asked], error: Unavailable) -> None:
        """Fail the calls that have waited too long: the foremost, for all wait equally long."""
        if self._well:
            self._well = False
            log.warning("redis_connection_lost", problem=str(error))
        now = self._loop.time()
        while group and group[0].until <= now:
            group.popleft().fail(error)

    def _goes_well(self) -> None:
        if not self._well:
            self._well = True
            log.info("redis_connection_back", data=str(self._place))

    async def _exchange(
        self, group: deque[_Asked], sent_before: bool, patience: asyncio.Timeout
    ) -> None:
        """Send a group and take the answers; what is left of it has to be sent again."""
        connection = await self._connected()
        words = [asked.words(sent_before) for asked in group]
        await connection.send_packed_command(connection.pack_commands([*words, *self._seal]))
        answers: deque[Any] = deque()  # that are not settled yet
        complete = True
        for number in range(len(words)):
            if number % 100 == 0:
                patience.reschedule(self._loop.time() + self._patience)
            answer = await self._answer(connection)
            complete = complete and not isinstance(answer, NoScriptError)
            if complete:
                answers.append(answer)
            if not self._seal:
                self._settle(group, answers)
        if self._seal:
            await self._replicated(connection, patience)
            self._settle(group, answers)
        if not complete:
            await self._load(connection)

    async def _answer(self, connection: Connection) -> Any:
        """Return an answer, which may be an error that concerns one call alone."""
        try:
            return await connection.read_response(disable_decoding=True)
        except (ReadOnlyError, MasterDownError):  # of a replica: another connection may find more
            raise
        except ResponseError as error:
            if str(error).startswith(_NO_REPLICAS):
                raise
            return error

    async def _replicated(self, connection: Connection, patience: asyncio.Timeout) -> None:
        """Take the seal's answers: enough replicas have what was written before it, or it fails."""
        limits = self._limits
        patience.reschedule(self._loop.time() + self._patience + limits.replicas_ms / 1000)
        await connection.read_response()
        there = await connection.read_response()
        if there < limits.replicas:
            raise _TooFewReplicas(f"{there} of {limits.replicas} replicas have what was written")

    def _settle(self, group: deque[_Asked], answers: deque[Any]) -> None:
        """Settle the foremost calls of a group with the answers there are."""
        while answers:
            asked, answer = group.popleft(), answers.popleft()
            if isinstance(answer, ResponseError):
                asked.fail(self._place.unavailable(answer))
            else:
                asked.settle(answer)

    async def _connected(self) -> Connection:
        if not self._connection.is_connected:
            await self._connection.connect()  # type: ignore[no-untyped-call]
            await self._load(self._connection)
        return self._connection

    async def _load(self, connection: Connection) -> None:
        commands = [("SCRIPT", "LOAD", script.text) for script in self._scripts]
        await connection.send_packed_command(connection.pack_commands(commands))
        for _ in commands:
            await connection.read_response()

    async def _hang_up(self) -> None:
        await self._connection.disconnect(nowait=True)
