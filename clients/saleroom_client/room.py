"""A followed room: its document, its updates one by one, and what can be done in it."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import UNSET, UnsetType

from saleroom_client.errors import OutOfStep, Refused, RoomLeft, SaleroomError
from saleroom_client.forms import listed
from saleroom_client.mirror import Mirror, Plain, Update
from saleroom_client.requests import PASSING, REPEATS, Asked
from saleroom_protocol import messages
from saleroom_protocol.codec import MSGPACK
from saleroom_protocol.errors import Reason
from saleroom_protocol.messages import Accepted, Act, Join, Joined, Leave, Left, Said, Say, View

UNREAD = 1000  # updates kept for a reader; after more it is shown the newest state as a whole
HEARD = 64  # messages remembered so that none is told twice; more than `said_kept`
As: TypeAlias = Literal["player", "spectator"]
Heard: TypeAlias = Callable[[Said], None]
Streamed: TypeAlias = Joined | View | messages.Update | Said | Left


class Line(Protocol):
    """What a room needs of its connection."""

    url: str

    def next_id(self) -> str:
        """Return an id for a request."""

    def send(self, message: Join | Leave) -> bool:
        """Write to the socket of the moment; return false if there is none."""

    async def ask(self, message: Asked) -> Accepted:
        """Send a request, as often as it takes, and return its receipt."""

    def later(self, failures: int, facts: Mapping[str, Any], do: Callable[[], None]) -> None:
        """Do something after a pause that fits a refusal's facts and the number of failures."""

    def forget(self, room: "Room", error: SaleroomError) -> None:
        """Stop delivering to a room and give up its requests."""


class Room:
    """One room as this program follows it. `Connection.join` makes it.

    Iterating yields an `Update` for the first view and for each update and view after it, in
    order, until one has the game's result. Reading takes nothing from `document`, which is
    always the newest. One reader at a time; who reads so slowly that more than 1,000 updates wait
    gets a single one with the newest state in place of them, marked `whole`.

    Attributes:
        room: its id.
        as_: `player` or `spectator`.
        seat: our own; None for a spectator.
    """

    def __init__(
        self, line: Line, room: str, as_: As, watch: str | UnsetType, heard: Heard | None
    ) -> None:
        self.room = room
        self.as_: As = as_
        self.seat: int | None = None
        self._line = line
        self._watch = watch
        self._heard = heard
        self._mirror = Mirror(room)
        self._unread: deque[Update] = deque()
        self._news = asyncio.Event()
        self._first: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._failure: SaleroomError | None = None
        self._abandoned = False  # by this program itself
        self._following = False  # whether the socket of the moment delivers this room
        self._join = ""  # the id of the last join
        self._refusals = 0  # of joins, in a row, for a passing trouble
        self._said: int | UnsetType = UNSET  # the number of the last
        self._heard_lately: deque[Said] = deque(maxlen=HEARD)

    @property
    def server(self) -> str:
        """The server's address, as it was given to `connect`."""
        return self._line.url

    @property
    def document(self) -> Plain:
        """What the viewer sees now: PROTOCOL.md, "The document". Only read it."""
        return self._mirror.latest.document

    @property
    def latest(self) -> Update:
        """The newest state, with its number and what led to it."""
        return self._mirror.latest

    @property
    def ended(self) -> bool:
        """Whether there is a result: the game is over, or the room was closed or has failed."""
        return "result" in self.document

    async def act(
        self, action: Mapping[str, Any], *, window: int | UnsetType | None = UNSET
    ) -> Accepted:
        """Take an action, exactly once whatever happens to the connection meanwhile.

        Args:
            action: an entry of `legal` or `you.anytime`, or a filling of one.
            window: the number of the window it answers; None for none. If left out: none for what
                `you.anytime` lists, else the one that is open now. Who has decided on an older
                state than `document` should name the window of that state.

        Returns:
            The receipt. `document` is at its `seq`, or later.

        Raises:
            Refused: see PROTOCOL.md, "Reasons".
            ValueError: it is larger than a message may be, and was not sent.
            RoomLeft, OutOfStep, ConnectionLost, VersionMismatch: no receipt came; it is not known
                whether the action was taken.
        """
        number = _window(self.document, action) if window is UNSET else window
        return await self._ask(
            Act(
                id=self._line.next_id(),
                room=self.room,
                window=UNSET if number is None else number,
                action=MSGPACK.raw(action),
            )
        )

    async def say(self, text: str, to: Literal["table", "spectators"] | int = "table") -> Accepted:
        """Say something to the table, the spectators or one seat; exactly once, as `act`.

        Raises:
            Refused: `muted`, `rate_limited`, `malformed` and others.
            RoomLeft, OutOfStep, ConnectionLost, VersionMismatch: no receipt came.
        """
        return await self._ask(Say(id=self._line.next_id(), room=self.room, to=to, text=text))

    async def leave(self) -> None:
        """Follow the room no longer; the seat is kept. Iterating ends. Harmless if it has ended.

        Raises:
            ConnectionLost, VersionMismatch: the connection has ended for good.
        """
        if not self._following:
            self.abandon()
            return
        with suppress(Refused, RoomLeft):  # either way it is not followed any more
            await self._ask(Leave(id=self._line.next_id(), room=self.room))
        self._abandoned = True
        self.fail(RoomLeft(self.room, "left"))

    def __aiter__(self) -> "Room":
        return self

    async def __anext__(self) -> Update:
        """Return the next state.

        Raises:
            StopAsyncIteration: the last one had the result, or the room was left with `leave`.
            RoomLeft: the stream ended before the game, `replaced` for example.
            Refused: joining again after a break was refused.
            OutOfStep, ConnectionLost, VersionMismatch: see there.
        """
        while not self._unread:
            if self.ended or self._abandoned:
                raise StopAsyncIteration
            if self._failure is not None:
                raise self._failure
            self._news.clear()
            await self._news.wait()
        return self._unread.popleft()

    # For the connection

    @property
    def following(self) -> bool:
        """Whether requests for this room may be written to the socket of the moment."""
        return self._following

    async def first_view(self) -> None:
        """Wait until there is a document."""
        await self._first

    def resume(self) -> None:
        """Join: there is a new socket, or the room is new."""
        self._join_if_needed()

    def cut(self) -> None:
        """Note that the socket is gone."""
        self._mirror.cut()
        self._following = False
        self._refusals = 0

    def take(self, message: Streamed) -> None:
        """Take a message of this room's stream."""
        self._following = not isinstance(message, Left)
        try:
            self._take(message)
        except OutOfStep as error:
            self.abandon(error)
        else:
            self._join_if_needed()

    def reached(self, seq: int) -> None:
        """Take from a receipt how far the stream has come."""
        try:
            self._mirror.reached(seq)
        except OutOfStep as error:
            self.abandon(error)
        else:
            self._join_if_needed()

    def refused(self, message: messages.Refused) -> bool:
        """Take a refusal; return whether it was one of this room's join."""
        if message.id != self._join:
            return False
        passing = message.reason in PASSING or message.reason == Reason.RATE_LIMITED
        if passing and self._refusals < REPEATS:
            self._line.later(self._refusals, message.facts, partial(self._join_again, message.id))
            self._refusals += 1
        else:
            self.fail(Refused(message.reason, message.facts, message.message))
        return True

    def abandon(self, error: OutOfStep | None = None) -> None:
        """Follow it no longer, for a reason or by the program's own wish, whatever is under way."""
        if self._failure is None:
            self._line.send(Leave(id=self._line.next_id(), room=self.room))
        self._abandoned = error is None
        self.fail(error or RoomLeft(self.room, "left"))

    def fail(self, error: SaleroomError) -> None:
        """End it: nothing more will come."""
        if self._failure is not None:
            return
        self._failure = error
        self._following = False
        self._line.forget(self, error)
        self._news.set()
        if not self._first.done():
            self._first.set_exception(error)

    # Within

    async def _ask(self, message: Asked) -> Accepted:
        if self._failure is not None:
            raise self._failure
        return await self._line.ask(message)

    def _take(self, message: Streamed) -> None:
        match message:
            case Joined():
                self._refusals = 0
                self.seat = None if message.viewer is UNSET else message.viewer
                self._mirror.joined()
            case View():
                if message.epoch != self._mirror.epoch:
                    self._said = UNSET  # numbers begin anew
                self._show(self._mirror.view(message))
            case messages.Update():
                self._show(self._mirror.update(message))
            case Said():
                self._hear(message)
            case Left(reason="seat_changed"):
                self._mirror.cut()
            case Left():
                self.fail(RoomLeft(self.room, message.reason))

    def _show(self, update: Update | None) -> None:
        if update is None:
            return
        if len(self._unread) >= UNREAD:
            self._unread.clear()
            update = Update(
                seq=update.seq, at=update.at, events=(), document=update.document, whole=True
            )
        self._unread.append(update)
        self._news.set()
        if not self._first.done():
            self._first.set_result(None)

    def _hear(self, message: Said) -> None:
        if message in self._heard_lately:
            return
        self._heard_lately.append(message)
        self._said = message.number  # it may be a smaller one: a room loaded anew counts anew
        if self._heard is not None:
            self._heard(message)

    def _join_again(self, refused: str) -> None:
        if self._join == refused:  # else another socket has joined meanwhile
            self._mirror.cut()
            self._join_if_needed()

    def _join_if_needed(self) -> None:
        if self._failure is not None or not self._mirror.needs_join:
            return
        self._join = self._line.next_id()
        join = Join(
            id=self._join,
            room=self.room,
            as_=self.as_,
            cursor=self._mirror.cursor,
            watch=self._watch,
            said_after=self._said,
        )
        if self._line.send(join):
            self._mirror.asked()


def _window(document: Plain, action: Mapping[str, Any]) -> int | None:
    """Return the number of the window an action answers, as far as the document tells."""
    if listed(document.get("you", {}).get("anytime", ()), action) and not listed(
        document.get("legal", ()), action
    ):
        return None
    number: int | None = document.get("window", {}).get("number")
    return number
