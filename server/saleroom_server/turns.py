"""Requests that come in one instant, spread over turns of the loop.

All that is at hand is done in one turn. A thousand requests would make that turn so long that every
table noticed, and it takes but one address to send them. So only a few begin in each turn, sockets
that are opened among them; the others wait, first come, first served.
"""

import asyncio
from collections import deque

from starlette.types import ASGIApp, Receive, Scope, Send


class Turns:
    """ASGI middleware. What a request does after it has begun is its own business."""

    def __init__(self, app: ASGIApp, per_turn: int) -> None:
        self._app, self._per_turn = app, per_turn
        self._begun = 0  # in this turn
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._turn_ends = False  # the loop will say so

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on when it is its turn."""
        if scope["type"] in ("http", "websocket"):
            await self._turn()
        await self._app(scope, receive, send)

    async def _turn(self) -> None:
        loop = asyncio.get_running_loop()
        if not self._turn_ends:
            self._turn_ends = True
            loop.call_soon(self._next_turn)
        if self._begun < self._per_turn:
            self._begun += 1
        else:
            waiting = loop.create_future()
            self._waiting.append(waiting)
            await waiting

    def _next_turn(self) -> None:
        self._begun, self._turn_ends = 0, False
        while self._waiting and self._begun < self._per_turn:
            waiting = self._waiting.popleft()
            if not waiting.done():  # else its task was cancelled
                waiting.set_result(None)
                self._begun += 1
        if self._begun:
            self._turn_ends = True
            asyncio.get_running_loop().call_soon(self._next_turn)
