"""Whatever nodes have to tell each other arrives as it was."""

from typing import Any, get_args

import msgspec
import pytest
from msgspec import UNSET, Raw

from saleroom_protocol import messages as client
from saleroom_protocol.errors import Reason
from saleroom_server.cluster import messages
from saleroom_server.cluster.messages import (
    Before,
    Do,
    Done,
    GaveUp,
    Known,
    LookOn,
    Message,
    NotHere,
    Nothing,
    Refused,
    Told,
    decode,
    encode,
)
from saleroom_server.owner.elsewhere import Errand
from saleroom_server.owner.keeping import Keep
from saleroom_server.rooms import commands
from saleroom_server.rooms.commands import Effect, Group, PassedOn
from saleroom_server.rooms.seating import Seated
from saleroom_server.rooms.updates import Parts
from saleroom_server.store import interface as stores
from tests.support.founding import PEOPLE, ROOM

WHO = PEOPLE[0]
SEAT: Group = (0, "saleroom.v1.msgpack", True)
LOOKING: Group = (None, "sse", False)
CURSOR = client.Cursor(epoch="1-0", seq=7)

JOIN = client.Join(
    id="a", room=ROOM, as_="player", cursor=client.ResumeCursor(epoch="1-0", seq=7), said_after=3
)
COMMANDS: list[PassedOn] = [
    commands.Join(5, WHO, JOIN, "saleroom.v1.json", True),
    commands.Join(
        5, commands.Caller(), client.Join(id="b", room=ROOM, as_="spectator"), "sse", False
    ),
    commands.Leave(5, WHO),
    commands.Gone(5),
    commands.Attach(3, ()),
    commands.Attach(
        0, (commands.Member(5, SEAT, WHO.player, 17), commands.Member(6, LOOKING, None, 18))
    ),
    commands.act_of(
        5,
        WHO,
        client.Act(id="c", room=ROOM, window=4, action=msgspec.Raw()),
        {"do": "place", "spaces": {"a": 1, "b": [None, True, 1.5, b"bytes"]}},
    ),
    commands.act_of(
        5, WHO, client.Act(id="d", room=ROOM, window=UNSET, action=msgspec.Raw()), {"do": "resign"}
    ),
    commands.Say(5, WHO, client.Say(id="e", room=ROOM, to="table", text="Grüß Gott")),
    commands.Say(5, WHO, client.Say(id="f", room=ROOM, to=1, text="psst")),
    commands.Say(5, WHO, client.Say(id="f", room=ROOM, to=1, text="psst"), looks_on=True),
    commands.Watch(7, 100),
    commands.Mute(WHO, "p" * 17, muted=True),
    commands.TakeSeat(WHO),
    commands.TakeSeat(WHO, 2, "entropy", "invite", "watch"),
    commands.GiveUpSeat(WHO, 1),
    commands.AddBot(WHO, "easy"),
    commands.AddBot(WHO, "easy", 2),
    commands.Start(WHO),
]

RAW = Raw(b"\x82\xa1a\x01\xa1b\xc0")
PARTS = Parts(12, 9, {"table": RAW, "gone": Raw(b"\xc0")}, {}, (RAW,), {}, {}, {None: 12})
SAID = client.Said(
    room=ROOM, number=1, from_=client.Speaker(name="A"), to="table", text="Hello", at=9
)

EFFECTS: list[Effect] = [
    commands.Tell(5, client.Accepted(id="a", seq=3)),
    commands.Tell(
        5, client.Joined(id="a", room=ROOM, viewer=0, cursor=CURSOR, resumed=True, now=9)
    ),
    commands.Tell(5, client.Left(room=ROOM, reason="seat_changed")),
    commands.Deliver(5, b"\x00\xffany bytes"),
    commands.Enter(5, SEAT),
    commands.Enter(6, LOOKING),
    commands.Exit(5),
    commands.Publish(((SEAT, b"one"), (LOOKING, b"other"))),
    commands.Publish((), PARTS),
    commands.Share(7, "e1", 12, 9, RAW, None, (), ()),
    commands.Share(7, "e1", 12, 9, RAW, 12, (PARTS, PARTS), (SAID, SAID)),
    commands.Unshare(7, "closed"),
    commands.Broadcast(None, client.Left(room=ROOM, reason="closed")),
    commands.Broadcast(0, SAID),
]

ANSWERS: list[messages.Answer] = [
    client.Accepted(id="a", seq=3),
    Seated(2, new=True),
    Nothing(),
    Before(stores.Answer("p", "key", b"\x00request", 201, b"{}", 10**13)),
    Refused(Reason.BUSY, {"retry_after_ms": 50}),
    NotHere(),
]

KEEP = Keep(WHO.player or "", "key", b"\x00request", 10**13, "seat")


def there(body: messages.Body) -> messages.Body:
    """Return what arrives of something that is sent."""
    message = decode(encode(Message("a:1", 7, (body,))))
    assert (message.sender, message.number) == ("a:1", 7)
    (arrived,) = message.bodies
    return arrived


def kinds(values: list[Any]) -> set[type]:
    return {type(value) for value in values}


def test_nothing_that_nodes_ask_or_answer_is_left_out_here() -> None:
    assert kinds(COMMANDS) == set(get_args(PassedOn))
    assert kinds(EFFECTS) == set(get_args(Effect))
    assert kinds(ANSWERS) == set(get_args(messages.Answer))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: type(command).__name__)
def test_a_command_arrives_as_it_was(command: PassedOn) -> None:
    for keep in (None, KEEP):
        errand = Do(Errand(3, ROOM, command, keep))
        assert there(errand) == errand


@pytest.mark.parametrize("effect", EFFECTS, ids=lambda effect: type(effect).__name__)
def test_an_effect_arrives_as_it_was(effect: Effect) -> None:
    assert there(Told(ROOM, (effect,))) == Told(ROOM, (effect,))


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: type(answer).__name__)
def test_an_answer_arrives_as_it_was(answer: messages.Answer) -> None:
    assert there(Done(3, answer)) == Done(3, answer)


def test_news_of_rooms_arrive_as_they_were() -> None:
    for body in (Known(3, ROOM, b"\x00head"), GaveUp(ROOM), LookOn(ROOM, 100, 7)):
        assert there(body) == body


def test_many_bodies_arrive_in_order_and_a_beat_has_none() -> None:
    bodies = (GaveUp("a"), GaveUp("b"), Done(1, Nothing()))
    assert decode(encode(Message("a:1", 1, bodies))).bodies == bodies
    assert decode(encode(Message("a:1", 1, ()))).bodies == ()


@pytest.mark.parametrize(
    "plain",
    [
        ["a:1", 1],
        ["a:1", 1, [{"type": "unheard_of"}]],
        ["a:1", 1, [{"type": "gave_up"}]],
        ["a:1", 1, [{"type": "done", "number": 1, "answer": {"type": "unheard_of"}}]],
        {"sender": "a:1"},
    ],
)
def test_a_message_of_another_release_is_refused(plain: Any) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode(msgspec.msgpack.encode(plain))
