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

from saleroom_server.http.budgets import payer


class Turns:
    """Begins so much a turn."""

    def __init__(self, per_turn: int) -> None:
        self._per_turn = per_turn
        self._begun = 0  # in this turn
        self._waiting: dict[str, deque[Callable[[], None]]] = {}  # by address; the next one first
        self._turn_ends = False  # the loop will say so

    def begin(self, address: str, work: Callable[[], None]) -> None:
        """Do something for an address, now or when it is its turn."""
        self._waiting.setdefault(address, deque()).append(work)
        self._go_on()

    async def turn(self, address: str) -> None:
        """Wait until it is an address's turn."""
        if self._begun < self._per_turn:  # then nobody waits
            self._begin()
            return
        begins = asyncio.get_running_loop().create_future()
        self.begin(address, partial(_settle, begins))
        await begins

    def _begin(self) -> None:
        self._begun += 1
        if not self._turn_ends:
            self._turn_ends = True
            asyncio.get_running_loop().call_soon(self._next_turn)

    def _go_on(self) -> None:
        while self._waiting and self._begun < self._per_turn:
            self._begin()
            self._next()()

    def _next(self) -> Callable[[], None]:
        address, works = next(iter(self._waiting.items()))
        del self._waiting[address]
        work = works.popleft()
        if works:
            self._waiting[address] = works  # behind the others
        return work

    def _next_turn(self) -> None:
        self._begun, self._turn_ends = 0, False
        self._go_on()


class InTurn:
    """ASGI middleware. What a request does after it has begun is its own business."""

    def __init__(self, app: ASGIApp, per_turn: int) -> None:
        self._app, self._turns = app, Turns(per_turn)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on when it is its turn."""
        if scope["type"] in ("http", "websocket"):
            client = scope.get("client")
            await self._turns.turn(payer(client[0]) if client else "")
        await self._app(scope, receive, send)


def _settle(future: "asyncio.Future[None]") -> None:
    if not future.done():  # else its task was cancelled
        future.set_result(None)
