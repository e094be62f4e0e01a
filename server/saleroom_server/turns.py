"""What comes in one instant, spread over turns of the loop.

All that is at hand is done in one turn. A thousand requests would make that turn so long that every
table noticed, and it takes but one address to send them. So only a few begin in each turn; the
others wait, and addresses take turns: who asks for one thing does not wait for another's thousand.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial

from starlette.types import ASGIApp, Receive, Scope, Send

from saleroom_server.addresses import payer_of


class Turn:
    """How much may still be done in this turn of the loop.

    Attributes:
        left: that much.
    """

    def __init__(self, most: int, renewed: Callable[[], None]) -> None:
        self.left = self._most = most
        self._renewed = renewed  # called in the turn after one in which something was done
        self._ends = False  # the loop will say so

    def take(self, done: int = 1) -> None:
        """Count what was done."""
        self.left -= done
        if not self._ends:
            self._ends = True
            asyncio.get_running_loop().call_soon(self._renew)

    def _renew(self) -> None:
        self.left, self._ends = self._most, False
        self._renewed()


class Turns:
    """Begins so much a turn."""

    def __init__(self, per_turn: int) -> None:
        self._turn = Turn(per_turn, self._go_on)
        self._waiting: dict[str, deque[Callable[[], None]]] = {}  # by address; the next one first

    def begin(self, address: str, work: Callable[[], None]) -> None:
        """Do something for an address, now or when it is its turn."""
        if self._turn.left:  # then nobody waits
            self._turn.take()
            work()
        else:
            self._waiting.setdefault(address, deque()).append(work)

    async def turn(self, address: str) -> None:
        """Wait until it is an address's turn."""
        if self._turn.left:  # then nobody waits
            self._turn.take()
            return
        begins = asyncio.get_running_loop().create_future()
        self.begin(address, partial(_settle, begins))
        await begins

    def _go_on(self) -> None:
        while self._waiting and self._turn.left:
            self._turn.take()
            self._next()()

    def _next(self) -> Callable[[], None]:
        address, works = next(iter(self._waiting.items()))
        del self._waiting[address]
        work = works.popleft()
        if works:
            self._waiting[address] = works  # behind the others
        return work


class InTurn:
    """ASGI middleware. What a request does after it has begun is its own business."""

    def __init__(self, app: ASGIApp, per_turn: int) -> None:
        self._app, self._turns = app, Turns(per_turn)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on when it is its turn."""
        if scope["type"] in ("http", "websocket"):
            await self._turns.turn(payer_of(scope.get("client")))
        await self._app(scope, receive, send)


def _settle(future: "asyncio.Future[None]") -> None:
    if not future.done():  # else its task was cancelled
        future.set_result(None)
