"""Rooms that have ended, and nodes that begin again."""

from saleroom_protocol.http import HouseBot
from saleroom_server.rooms.commands import Close
from tests.support.hand_clock import quiet
from tests.support.nodes import Node

EASY = HouseBot(level="easy")


async def over(node: Node) -> str:
    """Make a room and end it."""
    made = await node.makes()
    await node.actor(made.room).ask(Close("enough"))
    await quiet()
    return made.room


async def finished(node: Node) -> str:
    """Let three house bots play a whole game."""
    made = await node.makes(take_seat=False, bots=(EASY, EASY, EASY))
    await node.clock.passes(30 * 60_000)
    assert node.hall.summary(made.room).status == "finished"
    return made.room


async def restarted(node: Node) -> Node:
    """Crash, and begin again with what is on disk; nothing is loaded yet."""
    return Node(await node.crashes(), node.clock, room=node.room_limits, owner=node.limits)
