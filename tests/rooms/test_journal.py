"""The journal: what is played and what is replayed are the same; what does not fit is noticed."""

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from saleroom_protocol.games import record
from saleroom_rules.games import GAMES
from saleroom_rules.record import encode_line
from saleroom_rules.replay import verify
from saleroom_rules.rng import Rng
from saleroom_server.rooms.commands import Close, GiveUpSeat
from saleroom_server.rooms.journal import Journalled, StateSum, decode, encode
from saleroom_server.rooms.limits import RoomLimits
from saleroom_server.rooms.loading import UNSTORED, EditionRetired, JournalFault, seq_after_load
from tests.support.founding import INVITE, PEOPLE, SERVER_SEED, WATCH
from tests.support.replaying import load
from tests.support.rooms import HandRoom
from tests.support.toy.game import State, Toy
from tests.support.toy.room import BID

seeds = st.integers(0, 2**32)


def played(game: str, luck: Random, **fields: Any) -> HandRoom:
    """Play a game in which all sorts of things happen, loading it now and then."""
    hand = HandRoom(game, server_seed=luck.randbytes(32).hex(), autostart=False, **fields)
    hand.does(hand.seat(0, entropy=luck.randbytes(20).hex()))
    hand.seats(1)
    hand.does(GiveUpSeat(PEOPLE[1], 1))
    hand.begins(*range(luck.randint(1, 3)))
    while not hand.standing.is_over:
        for odds, happens in ((0.1, _load), (0.02, _come_or_go), (0.01, _resign)):
            if luck.random() < odds:
                happens(hand, luck)
        able = any("legal" in one.document for one in hand.live)
        if able and hand.status == "running" and luck.random() < 0.9:
            hand.moves(luck)
        elif hand.room.due() is None:
            hand.does(Close("stuck"))
        else:
            hand.to_the_next_bell()
    return hand


def _load(hand: HandRoom, luck: Random) -> None:
    hand.reloads()


def _come_or_go(hand: HandRoom, luck: Random) -> None:
    if hand.live:
        hand.is_gone(luck.choice(hand.live))
    else:
        hand.joins(0)


def _resign(hand: HandRoom, luck: Random) -> None:
    if hand.live and hand.status == "running" and not hand.standing.resigned:
        hand.resigns(hand.live[0])


@pytest.mark.parametrize("game", ["toy", *GAMES])
@pytest.mark.parametrize("pace", ["standard", "untimed"])
@given(seed=seeds)
@settings(max_examples=12)
def test_what_is_replayed_is_what_was_played_and_its_record_verifies(
    game: str, pace: Any, seed: int
) -> None:
    hand = played(game, Random(seed), pace=pace)
    hand.reloads()
    data = hand.record()
    assert verify(data).closing.digest == hand.standing.digest
    result = hand.document()["result"]
    assert result["digest"] == hand.standing.digest
    assert verify(data).closing.outcome == hand.standing.outcome
    lines = data.splitlines(keepends=True)
    assert lines[1:-1] == [encode_line(one.entry) for one in hand.journal]


def test_a_closed_room_has_a_record_too_whenever_it_was_closed() -> None:
    for moves in (None, 0, 3):
        hand = HandRoom("toy")
        hand.does(hand.seat(0, entropy="ab" * 16))
        if moves is not None:
            hand.begins(0, 1, 2)
            for _ in range(moves):
                hand.moves(Random(1))
        hand.does(Close("by_operator"))
        verified = verify(hand.record())
        assert verified.closing.digest == hand.standing.digest
        assert verified.closing.outcome.reason == "by_operator"


def test_an_entry_comes_back_from_the_store_as_it_went_there() -> None:
    hand = played("toy", Random(1))
    for journalled in hand.journal:
        again = decode(encode(journalled))
        assert again == journalled
        assert encode(again) == encode(journalled)


def test_every_sixteenth_entry_carries_a_sum_of_the_state() -> None:
    hand = played("kunstmarkt", Random(7))
    numbers = [one.entry.entry for one in hand.journal if one.sum is not UNSET]
    started = hand.entries.index("started") + 1
    assert numbers == [
        number for number in range(16, len(hand.journal) + 1, 16) if number >= started
    ]
    assert len(numbers) > 2


class DealsOtherCards(Toy):
    """A later version that has forgotten to raise its edition."""

    def setup(self, seats: int, options: Any, rng: Rng) -> Any:
        return super().setup(seats, options, Rng(b"other" + rng.seed))


class LaidOutAnew(State, frozen=True, kw_only=True):
    """The same state with a field more."""

    more: int = 0


class HasAnotherLayout(Toy):
    """A later version whose states look otherwise; the game is the same."""

    state_type = LaidOutAnew


def long_toy() -> HandRoom:
    hand = HandRoom("toy")
    hand.begins(0, 1, 2)
    for time in range(16):
        shelf = {"a": 1 + time % 2, "b": 3}
        hand.acts(hand.playing(0), {"do": "arrange", "shelf": shelf}, None)
    return hand


def test_a_replay_that_goes_another_way_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = [encode(one) for one in long_toy().journal]
    monkeypatch.setitem(GAMES, "toy", DealsOtherCards())
    with pytest.raises(JournalFault) as caught:
        load(bodies)
    assert caught.value.standing is not None
    assert caught.value.standing.entry == 15
    assert str(caught.value) == "entry 16: ValueError"


def test_a_new_layout_of_the_state_is_no_other_way(monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = [encode(one) for one in long_toy().journal]
    monkeypatch.setitem(GAMES, "toy", HasAnotherLayout())
    assert load(bodies).standing.entry == len(bodies)


def test_a_sum_that_was_tampered_with_is_noticed() -> None:
    journal = long_toy().journal
    sum_ = journal[15].sum
    assert isinstance(sum_, StateSum)
    journal[15] = replace(journal[15], sum=replace(sum_, crc=sum_.crc ^ 1))
    with pytest.raises(JournalFault, match="entry 16"):
        load([encode(one) for one in journal])


def journal_of(*entries: record.AnyEntry) -> list[bytes]:
    """Return a journal of a toy with all its players, and these entries after the start."""
    hand = HandRoom("toy")
    hand.begins(0, 1, 2)
    more = [
        Journalled(entry=replace(entry, entry=len(hand.journal) + 1 + place))
        for place, entry in enumerate(entries)
    ]
    return [encode(one) for one in (*hand.journal, *more)]


@pytest.mark.parametrize(
    "entry",
    [
        record.Created(entry=0, seq=9, at=1),
        record.Finished(entry=0, seq=9, at=1),
        record.SeatLeft(entry=0, seq=9, at=1, seat=7),
        record.Acted(entry=0, seq=9, at=1, seat=0, by="person", window=1, action={"do": "dance"}),
        record.Acted(entry=0, seq=9, at=1, seat=0, by="person", window=1, action={"do": "insist"}),
        record.Expired(entry=0, seq=9, at=1, window=1, answers={"0": {"do": "insist"}}),
    ],
)
def test_an_entry_that_does_not_fit_is_a_fault_with_the_standing_before_it(entry: Any) -> None:
    bodies = journal_of(entry)
    with pytest.raises(JournalFault) as caught:
        load(bodies)
    assert caught.value.standing is not None
    assert caught.value.standing.entry == len(bodies) - 1
    assert caught.value.standing.status == "running"


def test_a_window_expired_after_the_end_is_a_fault() -> None:
    hand = HandRoom("toy", options={"short": True})
    hand.begins(0, 1, 2)
    while hand.status == "running":
        hand.expires()
    late = record.Expired(entry=len(hand.journal), seq=99, at=1, window=9, answers={"0": BID})
    bodies = [encode(one) for one in (*hand.journal[:-1], Journalled(entry=late))]
    with pytest.raises(JournalFault):
        load(bodies)


@pytest.mark.parametrize("gap", [1, 2, 4, -1])
def test_a_gap_is_a_fault(gap: int) -> None:
    bodies = [encode(one) for one in long_toy().journal]
    del bodies[gap if gap > 0 else gap - 1]
    with pytest.raises(JournalFault):
        load(bodies)


def test_a_journal_begins_at_its_beginning_with_a_game_there_is() -> None:
    journal = long_toy().journal
    bodies = [encode(one) for one in journal]
    founding = journal[0].founding
    assert not isinstance(founding, msgspec.UnsetType)
    broken = [
        [],
        bodies[1:],
        [encode(replace(journal[0], founding=UNSET)), *bodies[1:]],
        [encode(replace(journal[0], entry=replace(journal[0].entry, entry=2))), *bodies[1:]],
    ]
    for wrong in broken:
        with pytest.raises(JournalFault) as caught:
            load(wrong)
        assert caught.value.standing is None
        assert str(caught.value).startswith("entry 1: ")


@pytest.mark.parametrize("other", [{"game": "chess"}, {"edition": 2}])
def test_a_journal_by_other_rules_is_followed_without_the_game(other: dict[str, Any]) -> None:
    hand = long_toy()
    first, *rest = hand.journal
    founding = first.founding
    assert not isinstance(founding, msgspec.UnsetType)
    strange = replace(first, founding=replace(founding, **other))
    with pytest.raises(EditionRetired) as caught:
        load([*map(encode, (strange, *rest))])
    standing = caught.value.standing
    assert standing.state is None
    assert standing.status == hand.standing.status
    assert standing.sitters == hand.standing.sitters
    assert standing.entry == hand.standing.entry
    assert standing.digest == UNSET or standing.digest != hand.standing.digest


@given(garbage=st.binary(max_size=60), place=st.integers(0, 20))
@settings(max_examples=40)
def test_garbage_is_a_fault_with_the_standing_before_it(garbage: bytes, place: int) -> None:
    bodies = [encode(one) for one in long_toy().journal]
    bodies[place] = garbage
    with pytest.raises(JournalFault) as caught:
        load(bodies)
    standing = caught.value.standing
    assert (standing.entry if standing is not None else 0) == place


@given(luck=seeds)
@settings(max_examples=40)
def test_a_fault_names_no_secret(luck: int) -> None:
    dice = Random(luck)
    bodies = [encode(one) for one in long_toy().journal]
    body = bytearray(bodies[dice.randrange(len(bodies))])
    for _ in range(3):
        body[dice.randrange(len(body))] = dice.randrange(256)
    bodies[dice.randrange(len(bodies))] = bytes(body)
    try:
        load(bodies)
    except JournalFault as fault:
        told = repr(fault) + str(fault) + repr(fault.standing)
        assert not [secret for secret in (SERVER_SEED, INVITE, WATCH) if secret in told]


def test_a_room_whose_journal_grows_too_long_is_closed() -> None:
    hand = HandRoom("toy", limits=RoomLimits(entries=30, anytime_ms=0))
    hand.begins(0, 1, 2)
    for time in range(30 - len(hand.journal)):
        shelf = {"a": 1 + time % 2, "b": 3}
        assert hand.status == "running"
        hand.acts(hand.playing(0), {"do": "arrange", "shelf": shelf}, None)
    assert hand.room.due() == 0
    hand.waits(0)
    assert hand.document()["result"]["reason"] == "too_long"
    assert hand.entries[-1] == "closed"
    assert len(hand.entries) == 31
    assert hand.room.due() is None
    verify(hand.record())


def test_after_a_load_seq_goes_on_above_everything_that_was_sent() -> None:
    standing = HandRoom().standing
    assert seq_after_load(standing, 0, 30_000) == 30_000
    assert seq_after_load(standing, 30_007, 30_000) == 30_007
    ahead = replace(standing, seq=50_000)  # by a clock put back since, or another node's
    assert seq_after_load(ahead, 30_007, 30_000) == 50_000 + UNSTORED
    assert 9_900 < RoomLimits().entries + 1 <= 10_000
