"""Requests that come in one instant: a few begin in each turn of the loop."""

import asyncio
from itertools import pairwise
from typing import Any

from saleroom_server.turns import InTurn


class App:
    """Notes what begins."""

    def __init__(self) -> None:
        self.begun: list[Any] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.begun.append(scope["number"])


def asked(
    turns: InTurn, number: int, kind: str = "http", address: str = "192.0.2.1"
) -> "asyncio.Task[None]":
    scope: Any = {"type": kind, "number": number, "client": (address, 1)}
    unused: Any = None
    return asyncio.create_task(turns(scope, unused, unused))


async def test_of_requests_that_come_together_a_few_begin_in_each_turn_in_order() -> None:
    app = App()
    turns = InTurn(app, per_turn=3)
    tasks = [asked(turns, number, ["http", "websocket"][number % 2]) for number in range(10)]
    had = [0]
    while not all(task.done() for task in tasks):
        await asyncio.sleep(0)
        had.append(len(app.begun))
    assert max(now - before for before, now in pairwise(had)) == 3
    assert app.begun == [*range(10)]


async def test_who_asks_for_one_thing_does_not_wait_for_anothers_thousand() -> None:
    app = App()
    turns = InTurn(app, per_turn=2)
    tasks = [asked(turns, number) for number in range(100)]
    tasks.append(asked(turns, 100, address="192.0.2.2"))
    tasks.append(asked(turns, 101, address="2001:db8::1"))
    tasks.append(asked(turns, 102, address="2001:db8::2"))
    await asyncio.gather(*tasks)
    assert [app.begun.index(number) for number in (100, 101)] == [3, 4]
    assert app.begun.index(102) == 6, "those of one network wait for each other"


async def test_who_has_hung_up_takes_nobodys_turn() -> None:
    app = App()
    turns = InTurn(app, per_turn=1)
    tasks = [asked(turns, number) for number in range(4)]
    await asyncio.sleep(0)
    for task in tasks[1:3]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert app.begun == [0, 3]


async def test_what_is_no_request_waits_for_no_turn() -> None:
    app = App()
    turns = InTurn(app, per_turn=1)
    tasks = [asked(turns, number, "lifespan") for number in range(5)]
    await asyncio.sleep(0)
    assert app.begun == [*range(5)]
    await asyncio.gather(*tasks)
