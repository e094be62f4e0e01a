"""A connection that outlives its sockets: dials, says hello, resumes, hands out what is read.

Theory of operation. One task, `_live`, dials, and reads from the socket until it breaks; then it
decides by the close code whether and when to dial again. All that is written goes through the
link's queue, so nothing can overtake the hello and the joins that begin every socket. A request is
written when the socket delivers its room, and again, under its old id, on every later socket until
its receipt has come: `requests`. Each room knows by itself where to resume: `mirror`.

Nothing here awaits between reading a message and having done all that follows from it; so what a
program sees when it wakes up is always a whole step.
"""

import asyncio
import logging
from asyncio import Future, Task
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, Self

from msgspec import UNSET

from saleroom_client.errors import ConnectionLost, SaleroomError, VersionMismatch
from saleroom_client.link import Link
from saleroom_client.outside import Outside
from saleroom_client.redial import Redial
from saleroom_client.requests import Asked, Requests
from saleroom_client.room import As, Heard, Room, Streamed
from saleroom_client.websocket import Broken, socket_url
from saleroom_protocol import messages
from saleroom_protocol.bounds import scan_msgpack
from saleroom_protocol.codec import MSGPACK
from saleroom_protocol.errors import CloseCode, ProtocolViolation
from saleroom_protocol.http import Token
from saleroom_protocol.messages import Accepted, ClientPong, Hello, Join, Joined, Leave, Welcome

log = logging.getLogger("saleroom_client")

ATTEMPTS = 20  # dials in a row; with the pauses between them some four minutes
Renew = Callable[[], Awaitable[Token]]


def connect(
    url: str,
    token: str | None = None,
    *,
    client: str = "saleroom-python/1",
    checks: bool = False,
    renew: Renew | None = None,
    attempts: int = ATTEMPTS,
    outside: Outside | None = None,
) -> "Connection":
    """Return a connection, to be opened with `async with`.

    Args:
        url: the server's root, as `https://example.org`, or the WebSocket's address.
        token: of the player; without one a client may only watch.
        client: this program, "name/version".
        checks: let the server send a check with each state, and compare it.
        renew: called for a fresh token when the server finds the old one too old;
            `Lobby.renew` is made for it.
        attempts: how many dials in a row may fail before the connection is given up.
        outside: sockets, time and chance; for tests.

    Raises:
        ValueError: it is no address of a server.
    """
    hello = Hello(token=UNSET if token is None else token, client=client, checks=checks)
    return Connection(url, hello, renew, attempts, outside or Outside())


class Connection:
    """One player's, or one spectator's, line to a server, for any number of rooms.

    Attributes:
        url: the address it was made for.
        welcome: what the server last said of itself and of this player; after opening.
    """

    welcome: Welcome

    def __init__(
        self, url: str, hello: Hello, renew: Renew | None, attempts: int, outside: Outside
    ) -> None:
        self.url = url
        self._address = socket_url(url)
        self._hello = hello
        self._renew = renew
        self._redial = Redial(attempts, outside)
        self._outside = outside
        self._rooms: dict[str, Room] = {}
        self._requests = Requests()
        self._link: Link | None = None
        self._life: Task[None] | None = None
        self._pauses: set[Task[None]] = set()
        self._failure: SaleroomError | None = None
        self._renewed = False  # since the last welcome
        self._ahead = 0.0  # how far the server's clock is, in ms, ahead of ours

    async def __aenter__(self) -> Self:
        """Open it and wait for the server's welcome.

        Raises:
            ConnectionLost: there is no server, or it does not want this client.
            VersionMismatch: it speaks another version.
        """
        self._welcomed: Future[None] = asyncio.get_running_loop().create_future()
        self._life = asyncio.create_task(self._live())
        self._life.add_done_callback(self._ended)
        try:
            await self._welcomed
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close it. Whoever waits for it gets `ConnectionLost` with the reason `closed`."""
        tasks = [task for task in (self._life, *self._pauses) if task is not None]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def join(
        self,
        room: str,
        as_: As = "player",
        *,
        watch: str | None = None,
        heard: Heard | None = None,
    ) -> Room:
        """Follow a room; return it once its document is there. PROTOCOL.md, `join`.

        Args:
            room: its id.
            as_: `player` for the seat one holds, or `spectator`.
            watch: the secret of a private room one only watches.
            heard: called with each `said`, once; it must not raise.

        Raises:
            Refused: `unknown_room`, `not_seated` and others.
            ConnectionLost, VersionMismatch: the connection has ended for good.
            ValueError: this connection follows the room already.
        """
        if self._failure is not None:
            raise self._failure
        if room in self._rooms:
            raise ValueError(f"{room} is followed already")
        followed = Room(self, room, as_, UNSET if watch is None else watch, heard)
        self._rooms[room] = followed
        followed.resume()
        try:
            await followed.first_view()
        except asyncio.CancelledError:
            followed.abandon()
            raise
        return followed

    def server_time(self) -> int:
        """Return the server's clock, in milliseconds since 1970 UTC: count deadlines by it."""
        return round(self._outside.clock() * 1000 + self._ahead)

    # For rooms

    def next_id(self) -> str:
        """Return an id for a request."""
        return self._requests.next_id()

    def send(self, message: Join | Leave) -> bool:
        """Write to the socket of the moment; return false if there is none."""
        if self._link is None:
            return False
        self._link.send(message)
        return True

    async def ask(self, message: Asked) -> Accepted:
        """Send a request, as often as it takes, and return its receipt.

        Raises:
            ValueError: it is out of bounds; sent, it would cost the whole connection.
        """
        scan_msgpack(MSGPACK.encode(message), self.welcome.limits)
        receipt: Future[Accepted] = asyncio.get_running_loop().create_future()
        self._requests.add(message, receipt)
        self._flush(message.room)
        try:
            return await receipt
        finally:
            self._requests.drop(message.id)

    def later(self, failures: int, facts: Mapping[str, Any], do: Callable[[], None]) -> None:
        """Do something after a pause that fits a refusal's facts and the number of failures."""
        told = facts.get("retry_after_ms")
        wait = told / 1000 if isinstance(told, int) else self._outside.backoff(failures)
        task = asyncio.create_task(self._pause(wait, do))
        self._pauses.add(task)
        task.add_done_callback(self._pauses.discard)

    def forget(self, room: Room, error: SaleroomError) -> None:
        """Stop delivering to a room and give up its requests."""
        if self._rooms.get(room.room) is room:
            del self._rooms[room.room]
        self._requests.fail(error, room.room)

    # Its life

    async def _live(self) -> None:
        while True:
            try:
                await self._one_socket()
            except Broken as broken:
                wait = await self._after(broken)
            log.info("connection lost; dialling again in %.1f s", wait)
            await self._outside.sleep(wait)

    async def _one_socket(self) -> None:
        """Serve one socket, from dialling it to its end, which is a `Broken`."""
        self._redial.dialling()
        link = Link(await self._outside.dial(self._address))
        async with link:
            self._link = link
            link.send(self._hello)
            for room in list(self._rooms.values()):
                room.resume()
            try:
                while True:
                    self._take(await link.recv())
            except ProtocolViolation as error:
                raise VersionMismatch(f"cannot read what the server sent: {error}") from error
            finally:
                self._link = None
                for room in self._rooms.values():
                    room.cut()

    async def _after(self, broken: Broken) -> float:
        """Get a fresh token if that is what is needed; return the seconds to wait.

        Raises:
            ConnectionLost, VersionMismatch: it is not to be dialled again.
        """
        if broken.code != CloseCode.BAD_TOKEN or self._renew is None or self._renewed:
            return self._redial.pause(broken)
        self._renewed = True
        token = (await self._renew()).token
        self._hello = Hello(token=token, client=self._hello.client, checks=self._hello.checks)
        return 0.0

    def _ended(self, life: Task[None]) -> None:
        """Tell everybody who waits that there is nothing to wait for."""
        problem = None if life.cancelled() else life.exception()
        if problem is None:
            error: SaleroomError = ConnectionLost("closed by this program", reason="closed")
        elif isinstance(problem, SaleroomError):
            error = problem
        else:
            error = ConnectionLost(f"it has failed: {problem!r}")
            error.__cause__ = problem
        self._failure = error
        for room in list(self._rooms.values()):
            room.fail(error)
        self._requests.fail(error)
        if not self._welcomed.done():
            self._welcomed.set_exception(error)

    # What is read

    def _take(self, message: messages.ServerMessage | None) -> None:
        """Do what follows from a message; a farewell the link keeps, nothing here pings."""
        match message:
            case Welcome():
                self._greeted(message)
            case Joined() | messages.View() | messages.Update() | messages.Said() | messages.Left():
                self._deliver(message)
            case Accepted():
                self._accepted(message)
            case messages.Refused():
                self._refused(message)
            case messages.ServerPing():
                self._answer_ping(message)

    def _greeted(self, message: Welcome) -> None:
        self.welcome = message
        self._redial.welcomed()
        self._renewed = False
        self._set_clock(message.now)
        if not self._welcomed.done():
            self._welcomed.set_result(None)

    def _deliver(self, message: Streamed) -> None:
        if isinstance(message, Joined):
            self._set_clock(message.now)
        room = self._rooms.get(message.room)
        if room is not None:
            room.take(message)
            self._flush(message.room)

    def _accepted(self, message: Accepted) -> None:
        room = self._rooms.get(self._requests.accepted(message) or "")
        if room is not None and message.seq is not UNSET:
            room.reached(message.seq)

    def _refused(self, message: messages.Refused) -> None:
        if any(room.refused(message) for room in list(self._rooms.values())):
            return
        again = self._requests.refused(message)
        if again is not None:
            link = self._link

            def repeat() -> None:
                if again.sent_on is link:  # else another socket has it already
                    again.sent_on = None
                    self._flush(again.message.room)

            self.later(again.repeats - 1, message.facts, repeat)

    def _answer_ping(self, message: messages.ServerPing) -> None:
        self._set_clock(message.now)
        if self._link is not None:
            self._link.send(ClientPong())

    def _flush(self, name: str) -> None:
        """Write the requests of a room that this socket has not got, if it delivers the room."""
        room = self._rooms.get(name)
        if self._link is not None and room is not None and room.following:
            for message in self._requests.unsent(name, self._link):
                self._link.send(message)

    def _set_clock(self, now: int) -> None:
        self._ahead = now - self._outside.clock() * 1000

    async def _pause(self, seconds: float, do: Callable[[], None]) -> None:
        await self._outside.sleep(seconds)
        do()
