"""`saleroom admin nodes` and `drain`: the nodes of a service, and how one is ended."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import Struct
from rich.progress import Progress
from rich.table import Table

from saleroom_cli.admin import HERE, Data, Yes, told
from saleroom_cli.console import err, fail, out, shown, tell
from saleroom_cli.service import NOBODY, Json, OfStore, redis_needed, tell_json

if TYPE_CHECKING:
    from saleroom_server.store.redis_lease import Node
    from saleroom_server.store.redis_survey import Survey

LOOK_SECONDS = 0.25  # between two looks whether a node is still there

ToDrain = Annotated[
    str, typer.Argument(metavar="NODE", help="Its name, or NAME:INCARNATION, as `nodes` has it.")
]
Patience = Annotated[
    int, typer.Option("--timeout", min=1, metavar="SECONDS", help="How long to wait for it.")
]


class NodeLine(Struct, frozen=True):
    """A node as `--json` has it; `since` in milliseconds."""

    name: str
    incarnation: str
    address: str
    since: int
    rooms: int
    draining: bool


def nodes_command(store: OfStore = None, data: Data = HERE, as_json: Json = False) -> None:
    """List the nodes of a service on a Redis, and the rooms each has; the longest there first.

    Workers are nodes too: of those name the data directory.
    """
    with told():
        asyncio.run(_nodes(redis_needed(store, data), as_json))


async def _nodes(url: str, as_json: bool) -> None:
    from saleroom_server.store.redis_survey import Survey

    async with Survey.open(url) as survey:
        nodes, owned, now = await survey.nodes(), await survey.owned(), await survey.now()
    lines = [
        NodeLine(
            node.name,
            node.incarnation,
            node.address,
            node.since,
            owned[node.owner],
            node.draining,
        )
        for node in nodes
    ]
    if as_json:
        tell_json(lines)
    elif lines:
        out.print(_table(lines, now))
    else:
        tell("no nodes")
    if owned[""]:
        err.print(f"rooms of {NOBODY}: {owned['']:,}", soft_wrap=True)


def _table(lines: Sequence[NodeLine], now: int) -> Table:
    table = Table(box=None, pad_edge=False)  # else an address is folded at 80 columns
    for name in ("node", "incarnation", "address"):
        table.add_column(name, overflow="fold")
    table.add_column("here for", justify="right")
    table.add_column("rooms", justify="right")
    table.add_column("state")
    for line in lines:
        here = timedelta(seconds=max(0, now - line.since) // 1000)
        words = (line.name, line.incarnation, line.address)
        state = "draining" if line.draining else "serving"
        table.add_row(*map(shown, words), str(here), f"{line.rooms:,}", state)
    return table


def drain_command(
    node: ToDrain,
    store: OfStore = None,
    data: Data = HERE,
    timeout: Patience = 60,
    yes: Yes = False,
) -> None:
    """Have a node of a service on a Redis end, as SIGTERM would, and wait until it has.

    It takes no more connections and sends its sockets to other nodes, which take its rooms over.
    """
    with told():
        asyncio.run(_drain(redis_needed(store, data), node, timeout, yes))


async def _drain(url: str, name: str, patience: int, yes: bool) -> None:
    from saleroom_server.store.redis_survey import Survey

    async with Survey.open(url) as survey:
        nodes = await survey.nodes()
        node = _named(nodes, name)
        if len(nodes) == 1 and not yes:
            _confirm_last()
        rooms = [room async for page in survey.owned_by(node) for room in page]
        await survey.drain(node, patience * 1000)
        try:
            async with asyncio.timeout(patience):
                await _ended(survey, node, rooms)
        except TimeoutError:
            fail(f"{node.owner} has not ended within {patience} seconds")
    tell(shown(f"{node.owner} has ended; rooms it had: {len(rooms):,}"))


def _named(nodes: Sequence["Node"], name: str) -> "Node":
    for node in nodes:
        if name in {node.name, node.owner}:
            return node
    living = ", ".join(node.owner for node in nodes) or "none"
    fail(f"no node {name} is alive; there are: {living}")


def _confirm_last() -> None:
    question = "It is the last node: nobody plays until there is another. Go on?"
    if not typer.confirm(question, err=True):
        raise typer.Exit(1)


async def _ended(survey: "Survey", node: "Node", rooms: Sequence[str]) -> None:
    with _progress(len(rooms)) as report:
        while node.owner in {living.owner for living in await survey.nodes()}:
            owners = await survey.owners(rooms)
            report(len(rooms) - owners.count(node.owner))
            await asyncio.sleep(LOOK_SECONDS)


@contextmanager
def _progress(rooms: int) -> Iterator[Callable[[int], None]]:
    """Show how many rooms have been given up, to somebody who sits at a terminal."""
    with Progress(console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("Draining", total=rooms)
        yield lambda done: bar.update(task, completed=done)
