"""A store put back to an older state: those who saw what is now undone are not misled."""

from copy import deepcopy

from tests.owner.lives import restarted
from tests.support.hand_clock import quiet
from tests.support.nodes import PEOPLE, Node


async def test_who_saw_what_is_undone_gets_a_view_of_another_epoch(node: Node) -> None:
    table = await node.plays()
    backup, owed = deepcopy(node.store.kept), table.document["window"]
    await table.moves(3)
    again = await restarted(node)  # with what the backup knows nothing of
    await again.opens()
    await again.clock.passes(1_000)
    seen = again.joined(table.room, PEOPLE[0]).followed(table.room)
    await again.crashes()

    restored = await Node(backup, node.clock).opens()
    await restored.clock.passes(1_000)
    socket = restored.greeted(PEOPLE[0], checks=True)
    request = socket.joins(table.room, cursor={"epoch": seen.epoch, "seq": seen.seq})
    await quiet()
    assert socket.answer(request)["resumed"] is False
    now = socket.followed(table.room)
    assert now.epoch != seen.epoch
    assert now.seq >= seen.seq
    assert now.document["window"]["number"] == owed["number"] < seen.document["window"]["number"]
    await restored.closes()
