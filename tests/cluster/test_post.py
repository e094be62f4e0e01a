"""What is sent to a node in one turn comes in one message; a fault in taking it costs no more."""

from saleroom_server.cluster.messages import Body, GaveUp
from saleroom_server.cluster.post import Post
from tests.support.hand_clock import quiet
from tests.support.logged import complaints
from tests.support.memory_bus import Lines


async def test_a_fault_in_taking_one_thing_keeps_nobody_from_what_came_with_it() -> None:
    lines = Lines()
    heard: list[tuple[str, Body]] = []

    def hear(sender: str, body: Body) -> None:
        heard.append((sender, body))
        if body == GaveUp("r1"):
            raise KeyError("r1")

    def doubt(node: str) -> None:
        raise AssertionError(node)

    sending, hearing = Post("a", lines.bus("a")), Post("b", lines.bus("b"))
    hearing.listen(hear, doubt, lambda: None, doubt)
    sent = [GaveUp("r1"), GaveUp("r2"), GaveUp("r3")]
    with complaints() as found:
        for body in sent[:2]:
            sending.send("b", body)
        await quiet()
        sending.send("b", sent[2])
        await quiet()
    assert heard == [("a", body) for body in sent]
    assert [line.partition("\n")[0] for line in found] == ["bus_fault"]
