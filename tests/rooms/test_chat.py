"""What is said: who may, who hears it, what comes again after a join."""

from typing import Any

from saleroom_protocol.codec import JSON
from saleroom_protocol.errors import Reason
from saleroom_protocol.messages import Accepted, ResumeCursor
from saleroom_server.rooms.commands import GiveUpSeat, Mute
from saleroom_server.rooms.limits import RoomLimits
from tests.support.followers import Follower
from tests.support.founding import ANYBODY, PEOPLE, ROOM
from tests.support.rooms import STANDARD, HandRoom

HOST = PEOPLE[0]


class Table:
    """A room with two players, a spectator of either kind, and what they hear."""

    def __init__(self, limits: RoomLimits = STANDARD) -> None:
        self.hand = HandRoom("toy", autostart=False, limits=limits)
        self.hand.seats(0, 1, 2)
        self.players = [self.hand.joins(person) for person in range(3)]
        self.watching = self.hand.joins(3, "spectator", codec=JSON)
        self.anonymous = self.hand.joins(ANYBODY, "spectator")
        self.all = [*self.players, self.watching, self.anonymous]

    def hears(self, *command: Any) -> list[Follower]:
        """Say something; return who hears it."""
        before = [len(follower.told("said")) for follower in self.all]
        seq = self.hand.room.seq
        self.hand.says(*command)
        assert self.hand.room.seq == seq, "talking takes no seq"
        return [
            follower
            for follower, count in zip(self.all, before, strict=True)
            if len(follower.told("said")) > count
        ]


def texts(follower: Follower) -> list[str]:
    return [said["text"] for said in follower.told("said")]


def numbers(follower: Follower) -> list[int]:
    return [said["number"] for said in follower.told("said")]


def test_what_is_said_to_the_table_everybody_hears_and_then_comes_the_receipt() -> None:
    table = Table()
    speaker = table.players[1]
    assert table.hears(speaker, "table", "Guten Tag!") == table.all
    assert speaker.messages[-2:] == [
        {
            "type": "said",
            "room": ROOM,
            "number": 1,
            "from": {"seat": 1},
            "to": "table",
            "text": "Guten Tag!",
            "at": table.hand.now,
        },
        {"type": "accepted", "id": speaker.expects},
    ]


def test_spectators_speak_to_spectators_only() -> None:
    table = Table()
    assert table.hears(table.watching, "spectators") == table.all[3:]
    assert table.watching.told("said")[-1]["from"] == {"name": "Person d"}
    for to in ("table", 0):
        refused = table.hand.refuses(table.hand.say(table.watching, to))
        assert refused == (Reason.NOT_SEATED, {})


def test_a_player_may_speak_to_the_spectators_too() -> None:
    table = Table()
    assert table.hears(table.players[0], "spectators") == [table.players[0], *table.all[3:]]


def test_a_whisper_is_heard_by_two() -> None:
    table = Table()
    assert table.hears(table.players[0], 2) == [table.players[0], table.players[2]]
    assert table.hears(table.players[0], 0) == [table.players[0]]
    refused = table.hand.refuses(table.hand.say(table.players[0], 3))
    assert refused == (Reason.MALFORMED, {"field": "to"})


def test_nothing_can_be_whispered_to_a_seat_nobody_sits_in() -> None:
    table = Table()
    table.hand.does(GiveUpSeat(PEOPLE[2], 2))
    refused = table.hand.refuses(table.hand.say(table.players[0], 2, "for whoever comes next"))
    assert refused == (Reason.MALFORMED, {"field": "to"})


def test_whoever_has_no_token_may_not_speak() -> None:
    table = Table()
    refused = table.hand.refuses(table.hand.say(table.anonymous, "spectators"))
    assert refused == (Reason.BAD_TOKEN, {})


def test_one_must_follow_the_room_to_speak_in_it() -> None:
    table = Table()
    refused = table.hand.refuses(table.hand.say(table.hand.follower(3, "spectator")))
    assert refused == (Reason.NOT_JOINED, {})


def test_each_viewer_counts_by_itself_so_that_whispers_leave_no_gap() -> None:
    table = Table()
    one, two, three = table.players
    for to in ("table", 1, 1, "table", 2, "spectators"):
        table.hand.says(one, to)
    assert numbers(one) == [1, 2, 3, 4, 5, 6]
    assert numbers(two) == [1, 2, 3, 4]
    assert numbers(three) == [1, 2, 3]
    assert numbers(table.watching) == [1, 2, 3]


def test_after_a_join_come_the_last_thirty() -> None:
    table = Table()
    for number in range(1, 41):
        table.hand.says(table.players[0], "table", f"{number}")
    late = table.hand.joins(4, "spectator")
    assert numbers(late) == list(range(11, 41))
    assert late.messages[-1]["type"] == "said"
    assert [told["type"] for told in late.messages[:2]] == ["joined", "view"]


def test_or_those_after_the_last_one_heard() -> None:
    table = Table()
    for number in range(1, 41):
        table.hand.says(table.players[0], "table", f"{number}")
    for after, expected in ((38, [39, 40]), (40, []), (3, list(range(11, 41))), (0, None)):
        late = table.hand.joins(4, "spectator", said_after=after)
        assert numbers(late) == (expected if expected is not None else list(range(11, 41)))


def test_a_number_never_given_is_from_before_a_load() -> None:
    table = Table()
    table.hand.says(table.players[0], "table", "before")
    table.hand.reloads()
    table.hand.says(table.players[0], "table", "after")
    assert numbers(table.hand.joins(4, "spectator", said_after=7)) == [1]


def test_a_number_beside_a_cursor_of_another_epoch_is_from_before_a_load_too() -> None:
    table = Table()
    table.hand.says(table.players[0], "table", "before")
    former = ResumeCursor(**table.watching.cursor)
    table.hand.reloads()
    table.hand.says(table.players[0], "table", "after")
    late = table.hand.joins(3, "spectator", cursor=former, said_after=1)
    assert numbers(late) == [1]
    assert numbers(table.hand.resumes(late, said_after=1)) == [1], "not once more"


def test_the_same_id_again_is_heard_by_nobody_and_gets_the_same_receipt() -> None:
    table = Table()
    speaker = table.players[0]
    table.hears(speaker, "table", "Hello", "mine")
    assert table.hears(speaker, "table", "Hello", "mine") == []
    assert speaker.last == {"type": "accepted", "id": "mine"}
    elsewhere = table.hand.follower(0)
    assert table.hears(elsewhere, "table", "Hello", "mine") == [], "though it has not joined"
    assert elsewhere.last == {"type": "accepted", "id": "mine"}
    for to, text in (("table", "Goodbye"), (1, "Hello")):
        refused = table.hand.refuses(table.hand.say(speaker, to, text, "mine"))
        assert refused == (Reason.ID_REUSED, {})


def test_says_and_acts_do_not_share_their_ids() -> None:
    table = Table()
    table.hand.begins()
    assert table.hears(table.players[0], "table", "Hello", "mine") == table.all
    table.hand.acts(table.players[0], {"do": "bid", "cards": []}, 0, "mine")
    assert table.hand.entries[-1] == "acted"
    assert table.hears(table.players[0], "table", "Hello", "mine") == []


def test_the_last_sixty_four_says_are_remembered() -> None:
    table = Table()
    for number in range(64):
        table.hand.says(table.players[0], "table", "Hello", f"id-{number}")
    assert table.hears(table.players[0], "table", "Hello", "id-0") == []
    table.hand.says(table.players[0], "table", "Hello", "id-64")
    assert table.hears(table.players[0], "table", "Hello", "id-0") == table.all
    assert table.hears(table.players[0], "table", "Hello", "id-2") == []
    assert table.hears(table.players[1], "table", "Hello", "id-2") == table.all


def test_of_very_many_who_speak_those_who_spoke_last_are_remembered() -> None:
    table = Table(limits=RoomLimits(speakers=2))
    for person, id_ in ((0, "by-0"), (1, "by-1"), (0, "again"), (2, "by-2")):
        table.hears(table.players[person], "table", "Hello", id_)
    remembered = [
        table.hand.room.remembers(PEOPLE[person].player, f"by-{person}") for person in range(3)
    ]
    assert remembered == [True, False, True]
    assert len(table.hand.room._chat._receipts) == 2


def test_a_refused_say_is_not_remembered() -> None:
    table = Table()
    speaker = table.players[1]
    table.hand.remarks(Mute(HOST, PEOPLE[1].player or "", True))
    table.hand.refuses(table.hand.say(speaker, "table", "Hello", "mine"))
    table.hand.remarks(Mute(HOST, PEOPLE[1].player or "", False))
    assert table.hears(speaker, "table", "Hello", "mine") == table.all


def test_whom_the_host_has_muted_nobody_hears() -> None:
    table = Table()
    for muted, follower in ((PEOPLE[1], table.players[1]), (PEOPLE[3], table.watching)):
        player = muted.player or ""
        table.hears(follower, "spectators", "Hello", "before")
        table.hand.remarks(Mute(HOST, player, True))
        refused = table.hand.refuses(table.hand.say(follower, "spectators"))
        assert refused == (Reason.MUTED, {})
        assert table.hears(follower, "spectators", "Hello", "before") == []
        table.hand.remarks(Mute(HOST, player, False))
        table.hand.remarks(Mute(HOST, player, False))
        assert table.hears(follower, "spectators")


def test_only_the_host_mutes() -> None:
    table = Table()
    for caller in (PEOPLE[1], PEOPLE[3], ANYBODY):
        mute = Mute(caller, PEOPLE[0].player or "", True)
        assert table.hand.refuses(mute) == (Reason.NOT_HOST, {})


def test_who_takes_a_seat_hears_nothing_that_was_whispered_there_before() -> None:
    table = Table()
    table.hand.says(table.players[0], 1, "a secret")
    table.hand.does(GiveUpSeat(PEOPLE[1], 1))
    table.hand.seats(4)
    newcomer = table.hand.joins(4)
    assert texts(newcomer) == []
    table.hand.says(table.players[0], 1, "welcome")
    assert texts(newcomer) == ["welcome"]


def test_a_receipt_for_what_was_said_names_no_update() -> None:
    table = Table()
    effects = table.hand.room.say(table.hand.say(table.players[0]), table.hand.now)
    receipt = effects[-1]
    assert receipt.message == Accepted(id=table.players[0].expects)  # type: ignore[union-attr]


def test_of_too_many_who_are_muted_the_first_is_heard_again() -> None:
    table = Table(limits=RoomLimits(muted=2))
    for player in (PEOPLE[1].player, PEOPLE[3].player, "p" + "z" * 16):
        table.hand.remarks(Mute(HOST, player or "", True))
    assert table.hears(table.players[1], "table")
    assert table.hand.refuses(table.hand.say(table.watching, "spectators")) == (Reason.MUTED, {})


def test_a_say_that_was_accepted_is_remembered_by_its_id() -> None:
    table = Table()
    table.hears(table.players[1], "table", "Hello", "mine")
    player = PEOPLE[1].player
    assert table.hand.room.remembers(player, "mine")
    assert not table.hand.room.remembers(player, "other")
    assert not table.hand.room.remembers(None, "mine")


def test_spectators_together_say_only_so_much_and_players_are_not_counted_with_them() -> None:
    table = Table(RoomLimits(watchers_say_per_second=2, watchers_say_at_once=3))
    another = table.hand.joins(4, "spectator")
    for speaker in (table.watching, another, another):
        assert table.hears(speaker, "spectators")
    refused = table.hand.refuses(table.hand.say(table.watching, "spectators"))
    assert refused == (Reason.RATE_LIMITED, {"retry_after_ms": 500})
    assert table.hears(table.players[0], "spectators")
    table.hand.waits(500)
    assert table.hears(table.watching, "spectators")
