"""A fault of ours in telling another node something, or in taking it, costs no more than that."""

from saleroom_server.cluster.messages import Body, GaveUp, Known
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


async def test_what_cannot_be_told_is_missed_where_it_was_meant_for_and_nowhere_else() -> None:
    lines = Lines()
    heard: list[str] = []

    def listening(node: str) -> Post:
        post = Post(node, lines.bus(node))
        post.listen(
            lambda sender, body: heard.append(f"{node} hears {sender}"),
            lambda sender: heard.append(f"{node} doubts {sender}"),
            lambda: None,
            lambda node: None,
        )
        return post

    sending, others = Post("a", lines.bus("a")), [listening("b"), listening("c")]
    with complaints() as found:
        sending.send("b", Known(1, "r1", object()))  # type: ignore[arg-type]
        sending.send("c", GaveUp("r1"))
        await quiet()
        sending.send("b", GaveUp("r1"))
        await quiet()
    assert heard == ["c hears a", "b doubts a"]
    assert [line.partition("\n")[0] for line in found] == ["bus_fault"]
    assert all(post.known() == {"a"} for post in others)
