"""Whatever comes in whatever order: a room, its journal and its sockets agree at all times.

The checks are the driver's (`tests.support.rooms`): every update follows the one before, leads to
the room's own document, and comes before its receipt; a refusal changes nothing; a load leads to
the same standing. Who sits where is compared with a model beside it.
"""

from random import Random
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from saleroom_rules.games import GAMES
from saleroom_rules.replay import verify
from saleroom_server.rooms.commands import Act, AddBot, Close, Decision, GiveUpSeat, Refusal, Start
from tests.support.followers import Follower
from tests.support.founding import PEOPLE, picked
from tests.support.rooms import HandRoom
from tests.support.toy.room import ARRANGE, COME_BACK, RESIGN

PERSONS = st.integers(0, 3)
LUCK = st.integers(0, 2**16).map(Random)
PAUSES = st.sampled_from([0, 1, 700, 2_000, 5_000, 20_000, 20_251, 60_000, 120_000, 1_900_000])


class AnyOrder(RuleBasedStateMachine):
    """People, sockets, bells, time and crashes around one room."""

    def __init__(self) -> None:
        super().__init__()
        self.hand = HandRoom()
        self.seats: dict[int, str] = {}  # the model
        self.sent: list[Act] = []  # accepted

    @initialize(
        game=st.sampled_from(["toy", *GAMES]),
        pace=st.sampled_from(["standard", "quick", "untimed"]),
        autostart=st.booleans(),
        full=st.booleans(),
    )
    def a_room_is_made(self, game: str, pace: str, autostart: bool, full: bool) -> None:
        self.hand = HandRoom(game, pace=pace, autostart=autostart)
        if full:
            self.everybody_comes()
            self.starts(0)

    def tries(self, command: Any) -> Decision | None:
        """Carry a command out, or see it refused properly."""
        try:
            return self.hand.does(command)
        except Refusal:
            self.hand.refuses(command)
            return None

    # Seats

    @rule(person=PERSONS, entropy=st.booleans())
    def sits_down(self, person: int, entropy: bool) -> None:
        more: dict[str, Any] = {"entropy": f"{person:032x}"} if entropy else {}
        decision = self.tries(self.hand.seat(person, **more))
        if decision is not None:
            self.seats[decision.answer.seat] = PEOPLE[person].player or ""

    @rule()
    def a_house_bot_sits_down(self) -> None:
        host = next(one for one in PEOPLE if one.player == self.hand.standing.host)
        decision = self.tries(AddBot(host, "easy"))
        if decision is not None:
            self.seats[decision.answer.seat] = f"house{decision.answer.seat}"

    @rule(person=PERSONS, seat=st.integers(0, 2))
    def stands_up_or_is_sent_away(self, person: int, seat: int) -> None:
        if self.tries(GiveUpSeat(PEOPLE[person], seat)) is not None:
            self.seats.pop(seat, None)

    @rule(person=PERSONS)
    def starts(self, person: int) -> None:
        self.tries(Start(PEOPLE[person]))

    @rule()
    def everybody_comes(self) -> None:
        for person in range(3):
            self.sits_down(person, False)
        for person in range(3):
            self.joins(person, "player", True)

    # Sockets

    @rule(person=PERSONS, as_=st.sampled_from(["player", "spectator"]), checks=st.booleans())
    def joins(self, person: int, as_: Any, checks: bool) -> None:
        follower = self.hand.follower(person, as_, checks=checks)
        try:
            self.hand.rejoins(follower)
        except Refusal:
            del self.hand.followers[follower.session]

    @precondition(lambda self: self.hand.followers)
    @rule(luck=LUCK, resuming=st.booleans())
    def joins_again(self, luck: Random, resuming: bool) -> None:
        follower = luck.choice(list(self.hand.followers.values()))
        try:
            self.hand.resumes(follower) if resuming else self.hand.rejoins(follower)
        except Refusal:
            assert self.hand.standing.seat_of(follower.caller.player) is None

    @precondition(lambda self: self.hand.live)
    @rule(luck=LUCK, gone=st.booleans())
    def parts(self, luck: Random, gone: bool) -> None:
        follower = luck.choice(self.hand.live)
        self.hand.is_gone(follower) if gone else self.hand.leaves(follower)

    # Acting and talking

    @precondition(lambda self: self.hand.live)
    @rule(luck=LUCK, window=st.sampled_from([0, 0, 0, None, 1, 7]))
    def acts(self, luck: Random, window: int | None) -> None:
        follower = self._one_who_is_asked(luck)
        listed = follower.document.get("legal") or [ARRANGE, {"do": "pass"}]
        if window == 0 and self.hand.window is None:
            window = 3
        act = self.hand.act(follower, picked(luck.choice(listed), luck.choice), window)
        if self.tries(act) is not None:
            self.sent.append(act)

    @precondition(lambda self: self.hand.live)
    @rule(luck=LUCK, action=st.sampled_from([ARRANGE, ARRANGE, COME_BACK, COME_BACK, RESIGN]))
    def acts_outside_any_window(self, luck: Random, action: dict[str, Any]) -> None:
        act = self.hand.act(luck.choice(self.hand.live), action, None)
        if self.tries(act) is not None:
            self.sent.append(act)

    @precondition(lambda self: self.sent)
    @rule(luck=LUCK)
    def sends_again(self, luck: Random) -> None:
        act = luck.choice(self.sent[-64:])
        entries, seq = len(self.hand.journal), self.hand.room.seq
        self.hand.followers[act.session].expects = act.sent.id
        assert self.hand.does(act).answer.id == act.sent.id
        assert (len(self.hand.journal), self.hand.room.seq) == (entries, seq)

    @precondition(lambda self: self.hand.live)
    @rule(luck=LUCK, to=st.sampled_from(["table", "spectators", 0, 2]))
    def speaks(self, luck: Random, to: Any) -> None:
        say = self.hand.say(luck.choice(self.hand.live), to)
        try:
            self.hand.remarks(say)
        except Refusal:
            self.hand.refuses(say)

    # Time, crashes, the end

    @rule(milliseconds=PAUSES)
    def time_passes(self, milliseconds: int) -> None:
        self.hand.waits(milliseconds)

    @rule()
    def a_bell_rings(self) -> None:
        self.hand.rings()

    @rule()
    def the_server_crashes(self) -> None:
        self.hand.reloads()

    @rule(luck=LUCK)
    def an_operator_closes_it(self, luck: Random) -> None:
        if luck.random() < 0.02:
            self.tries(Close("by_operator"))

    @invariant()
    def the_model_agrees(self) -> None:
        sitters = self.hand.standing.sitters
        assert {seat: sitter.player for seat, sitter in sitters.items()} == self.seats
        assert [one.entry.entry for one in self.hand.journal] == [
            *range(1, len(self.hand.journal) + 1)
        ]

    @invariant()
    def a_seat_has_one_stream(self) -> None:
        followed = [one.viewer for one in self.hand.live if one.viewer is not None]
        assert len(followed) == len(set(followed))

    @invariant()
    def an_open_window_has_a_clock_that_is_set(self) -> None:
        window, hand = self.hand.window, self.hand
        if window is None:
            assert hand.status not in ("running", "paused")
            return
        assert hand.status in ("running", "paused")
        timed = "closes_at" in window or "left_ms" in window
        assert timed or hand.founding.pace == "untimed"
        assert ("left_ms" in window) <= (hand.status == "paused")

    def teardown(self) -> None:
        self.hand.reloads()
        if self.hand.standing.is_over:
            assert verify(self.hand.record()).closing.digest == self.hand.standing.digest

    def _one_who_is_asked(self, luck: Random) -> Follower:
        asked = [one for one in self.hand.live if "legal" in one.document]
        return luck.choice(asked or self.hand.live)


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(max_examples=40, stateful_step_count=50)
