"""The mirror of one room, against the server's side of the stream; no socket."""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from saleroom_client.errors import OutOfStep
from saleroom_client.mirror import PATIENCE, Mirror, Update
from saleroom_protocol import messages
from saleroom_protocol.messages import Join, Joined, ServerMessage, View
from tests.golden.files import ROOT
from tests.support.scripted_stream import ROOM, Table

Mangle = Callable[[int, ServerMessage], Sequence[ServerMessage | str]]
CUT = "cut"
FRAMES = 22  # of an undisturbed run, and some more


class Follower:
    """A mirror, what it has shown, and the frames on their way to it."""

    def __init__(self, table: Table, mangle: Mangle) -> None:
        self.table, self.mangle = table, mangle
        self.mirror = Mirror(ROOM)
        self.shown: list[Update] = []
        self.joins: list[Join] = []
        self.way: deque[ServerMessage] = deque()
        self.fed = 0

    def follow(self) -> None:
        """Join if need be, read what comes, until there is nothing left to do."""
        while self.mirror.needs_join or self.way:
            if self.mirror.needs_join:
                self._expect_cursor()
                join = Join(id="j", room=ROOM, as_="player", cursor=self.mirror.cursor)
                self.joins.append(join)
                self.mirror.asked()
                self.way.extend(self.table.join(join))
            else:
                self._feed(self.way.popleft())

    def _expect_cursor(self) -> None:
        """A cursor is always that of the newest state shown, never one further back."""
        cursor = self.mirror.cursor
        assert cursor is UNSET or cursor.seq == self.shown[-1].seq

    def _feed(self, message: ServerMessage) -> None:
        index, self.fed = self.fed, self.fed + 1
        for item in self.mangle(index, message):
            if isinstance(item, str):
                self.way.clear()
                self.mirror.cut()
                return
            update = self._take(item)
            if update is not None:
                assert update is self.mirror.latest
                self.shown.append(update)

    def _take(self, message: ServerMessage) -> Update | None:
        match message:
            case Joined():
                self.mirror.joined()
            case View():
                return self.mirror.view(message)
            case messages.Update():
                return self.mirror.update(message)
        return None


def straight(index: int, message: ServerMessage) -> Sequence[ServerMessage | str]:
    return [message]


def game(mangle: Mangle = straight) -> Follower:
    """Follow a game with single updates, bursts, and a load in the middle."""
    follower = Follower(Table(), mangle)
    table = follower.table
    follower.follow()
    for burst in (1, 3, 2):
        follower.way.extend(table.presence() for _ in range(burst))
        follower.follow()
    follower.way.append(table.load())
    follower.way.extend(table.step(lambda document: None) for _ in range(2))
    follower.follow()
    follower.way.extend(table.presence() for _ in range(3))
    follower.follow()
    # A receipt tells how far the stream has come: so even the last frame cannot be missed.
    follower.mirror.reached(table.seq)
    follower.follow()
    return follower


def assert_converged(follower: Follower) -> None:
    assert follower.mirror.latest.document == follower.table.document
    assert follower.mirror.latest.seq == follower.table.seq
    numbers = [update.seq for update in follower.shown]
    assert numbers == sorted(set(numbers))
    for former, update in zip(follower.shown, follower.shown[1:], strict=False):
        assert update.whole or update.seq == former.seq + 1
    for update in follower.shown:
        assert update.document == follower.table.states[update.seq]


def wrong(message: ServerMessage) -> ServerMessage:
    """Return the message with a check of another document."""
    if isinstance(message, View | messages.Update):
        assert message.check is not UNSET
        return msgspec.structs.replace(message, check=message.check ^ 1)
    return message


def test_an_undisturbed_stream_is_shown_whole_and_joined_once() -> None:
    follower = game()
    assert_converged(follower)
    assert len(follower.joins) == 1
    assert [update.seq for update in follower.shown] == list(range(10, 22))
    assert follower.fed < FRAMES


@pytest.mark.parametrize("lost", range(FRAMES))
def test_any_single_frame_may_be_lost(lost: int) -> None:
    follower = game(lambda index, message: [] if index == lost else [message])
    assert_converged(follower)
    if lost > 1:  # after the first view
        assert len(follower.shown) >= 11  # all but what a load may have swallowed


@pytest.mark.parametrize("place", range(FRAMES))
def test_the_line_may_be_cut_after_any_frame(place: int) -> None:
    follower = game(lambda index, message: [message, CUT] if index == place else [message])
    assert_converged(follower)
    assert all(join.cursor is not UNSET for join in follower.joins[1:] if place > 0)


@pytest.mark.parametrize("place", range(FRAMES))
def test_the_line_may_be_cut_before_any_frame(place: int) -> None:
    assert_converged(game(lambda index, message: [CUT] if index == place else [message]))


@pytest.mark.parametrize("second", range(4))
@pytest.mark.parametrize("place", range(FRAMES))
def test_the_line_may_be_cut_again_inside_the_resume(place: int, second: int) -> None:
    cuts = (place, place + 1 + second)
    follower = game(lambda index, message: [message, CUT] if index in cuts else [message])
    assert_converged(follower)


@pytest.mark.parametrize("place", range(FRAMES))
def test_any_frame_may_come_twice(place: int) -> None:
    follower = game(lambda index, message: [message] * (2 if index == place else 1))
    assert_converged(follower)
    assert len(follower.joins) == 1


@pytest.mark.parametrize("place", range(FRAMES))
def test_a_frame_may_come_again_much_later(place: int) -> None:
    kept: list[ServerMessage] = []

    def mangle(index: int, message: ServerMessage) -> Sequence[ServerMessage | str]:
        if index == place:
            kept.append(message)
        again = kept if index == place + 2 and not isinstance(message, Joined) else []
        return [message, *again]

    assert_converged(game(mangle))


@pytest.mark.parametrize("place", range(FRAMES))
def test_a_check_that_does_not_fit_leads_to_a_join_without_cursor(place: int) -> None:
    touched: list[ServerMessage] = []

    def mangle(index: int, message: ServerMessage) -> Sequence[ServerMessage | str]:
        if index != place or wrong(message) is message:
            return [message]
        touched.append(message)
        return [wrong(message)]

    follower = game(mangle)
    assert_converged(follower)
    assert len(follower.joins) == 1 + len(touched)
    assert all(join.cursor is UNSET for join in follower.joins)


def test_a_cut_before_that_join_is_answered_does_not_bring_the_cursor_back() -> None:
    table = Table()
    follower = Follower(table, straight)
    follower.follow()
    assert follower.mirror.update(wrong_update(table)) is None
    follower.mirror.asked()
    follower.mirror.cut()
    assert follower.mirror.cursor is UNSET
    follower.follow()
    assert_converged(follower)


def wrong_update(table: Table) -> messages.Update:
    update = wrong(table.presence())
    assert isinstance(update, messages.Update)
    return update


def test_a_gap_leads_to_a_join_with_the_own_cursor() -> None:
    table = Table()
    follower = Follower(table, straight)
    follower.follow()
    table.presence()
    follower.way.extend([table.presence(), table.presence(), table.presence()])
    follower.follow()
    assert_converged(follower)
    cursor = follower.joins[1].cursor
    assert cursor is not UNSET
    assert (cursor.epoch, cursor.seq) == ("e1", 10)
    assert len(follower.joins) == 2  # the frames still under way ask for no third


def test_an_update_of_another_epoch_leads_to_a_join() -> None:
    table = Table()
    follower = Follower(table, straight)
    follower.follow()
    table.load()
    follower.way.append(table.presence())
    follower.follow()
    assert_converged(follower)
    assert [update.whole for update in follower.shown] == [True, True]


def test_a_view_replaces_everything_but_never_by_something_older() -> None:
    table = Table()
    follower = Follower(table, straight)
    follower.follow()
    old = table.view()
    follower.way.extend([table.presence(), table.presence()])
    follower.follow()
    assert follower.mirror.view(old) is None
    assert_converged(follower)
    table.presence()
    follower.way.append(table.view())
    follower.follow()
    assert_converged(follower)
    assert follower.shown[-1].whole


def test_a_view_of_the_same_state_shows_nothing_new() -> None:
    table = Table()
    follower = Follower(table, straight)
    follower.follow()
    follower.way.append(table.load())
    follower.follow()
    assert len(follower.shown) == 1
    cursor = follower.mirror.cursor
    assert cursor is not UNSET
    assert cursor.epoch == "e2"


def test_a_receipt_up_to_what_is_known_changes_nothing() -> None:
    follower = game()
    follower.mirror.reached(follower.table.seq)
    assert not follower.mirror.needs_join


def test_a_stream_that_never_fits_is_given_up() -> None:
    follower = Follower(Table(), lambda index, message: [wrong(message)])
    with pytest.raises(OutOfStep) as caught:
        follower.follow()
    assert caught.value.room == ROOM
    assert len(follower.joins) == PATIENCE + 1
    assert not follower.shown


def test_states_that_were_shown_are_never_changed() -> None:
    shown: list[tuple[Any, Any]] = []
    follower = game()
    for update in follower.shown:
        shown.append((update.document, follower.table.states[update.seq]))
    assert all(seen == state for seen, state in shown)


def test_the_mirror_follows_a_golden_playthrough() -> None:
    for path in sorted((ROOT / "seeds" / "playthroughs").glob("*.jsonl")):
        lines = [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
        for viewer, document in lines[0]["view"].items():
            mirror = Mirror(ROOM)
            mirror.asked()
            mirror.joined()
            mirror.view(View(room=ROOM, epoch="e", seq=0, at=0, document=document))
            for seq, line in enumerate(lines[1:], 1):
                patch, check = line["patch"][viewer], line["check"][viewer]
                update = messages.Update(
                    room=ROOM, epoch="e", seq=seq, at=0, patch=patch, check=check
                )
                assert mirror.update(update) is mirror.latest
            assert not mirror.needs_join
