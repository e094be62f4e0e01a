"""Records: written, read, verified, told; and whatever does not hold together is refused."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from saleroom_protocol.games.record import (
    Acted,
    BotAdded,
    Closed,
    Contributed,
    Created,
    Entry,
    Expired,
    Finished,
    OutcomeLine,
    Paused,
    Resigned,
    Resumed,
    SeatLeft,
    SeatTaken,
    Started,
)
from saleroom_rules import record as record_module
from saleroom_rules.games import GAMES
from saleroom_rules.playout import deal, write_record
from saleroom_rules.record import MAX_RECORD_BYTES, Record, RecordError, read, write
from saleroom_rules.replay import replay, tell, verify, with_draws
from tests.golden import records
from tests.golden.files import RECORDS
from tests.golden.records import header, played

GOLDEN = sorted(RECORDS.glob("*.jsonl"))
HEADER = header("kunstmarkt", 3, {}, 8)
Lines = list[dict[str, Any]]


def a_record() -> bytes:
    described, turns = played("kunstmarkt", 3, 3)
    return write_record(described, turns)


def rewritten(data: bytes, change: Callable[[Lines], object]) -> bytes:
    """Change a record's lines and give it a digest that fits them."""
    lines: Lines = [json.loads(line) for line in data.splitlines()]
    change(lines)
    body = [json.dumps(line, separators=(",", ":"), ensure_ascii=False) for line in lines[:-1]]
    kept = [line for line in body if not line.startswith('{"type":"drawn"')]
    digest = hashlib.sha256("".join(line + "\n" for line in kept).encode()).hexdigest()
    closing = json.dumps({**lines[-1], "digest": digest}, separators=(",", ":"))
    return "".join(line + "\n" for line in (*body, closing)).encode()


def problem(data: bytes) -> str:
    with pytest.raises(RecordError) as refused:
        verify(data)
    return str(refused.value)


def is_true(data: bytes) -> None:
    assert verify(data) == read(data)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_golden_record_is_verified_and_ends_as_it_says(path: Any) -> None:
    record = verify(path.read_bytes())
    assert record.closing.outcome.scores
    assert 1 in (record.closing.outcome.places or {}).values()


def test_every_game_has_golden_records_for_every_number_of_seats() -> None:
    games = {
        (verify(path.read_bytes()).header.game, verify(path.read_bytes()).header.seats)
        for path in GOLDEN
    }
    assert games == {(key, seats) for key, rules in GAMES.items() for seats in rules.seats}


def test_a_record_that_was_only_written_again_is_still_true() -> None:
    assert rewritten(a_record(), lambda lines: None) == a_record()


def test_writing_what_was_read_gives_the_same_bytes() -> None:
    record = read(a_record())
    assert write(record.header, record.lines, record.closing.outcome) == a_record()


def test_a_game_that_is_not_over_has_no_record() -> None:
    described, turns = played("kunstmarkt", 3, 3)
    with pytest.raises(ValueError, match="not over"):
        write_record(described, turns[:-1])


def test_the_digest_is_of_all_lines_before_the_last() -> None:
    data = a_record()
    *body, last = data.splitlines(keepends=True)
    assert json.loads(last)["digest"] == hashlib.sha256(b"".join(body)).hexdigest()


def test_any_changed_byte_is_found() -> None:
    data = a_record()
    for place in range(0, len(data), 97):
        changed = bytes([data[place] ^ 1])
        with pytest.raises(RecordError):
            verify(data[:place] + changed + data[place + 1 :])


# Form


@pytest.mark.parametrize("data", [b"", b"\n", b"{}", b"{}\n", a_record()[:-1], a_record()[:-5]])
def test_a_record_that_is_cut_off_says_so(data: bytes) -> None:
    assert "cut off" in problem(data)


def test_a_record_cut_between_two_lines_is_not_taken_for_a_whole_one() -> None:
    data = b"".join(a_record().splitlines(keepends=True)[:40])
    assert problem(data).startswith("line 40: ")


def test_what_is_no_record_is_refused_at_its_first_line() -> None:
    assert problem(b"hello\nworld\n!\n").startswith("line 1: ")


def test_a_line_nested_too_deep_is_refused() -> None:
    deep = b'{"type":"acted","entry":1,"seq":1,"at":1,"seat":0,"by":"bot","action":{"do":'
    lines = a_record().splitlines(keepends=True)
    lines.insert(1, deep + b"[" * 100_000 + b"]" * 100_000 + b"}}\n")
    assert problem(b"".join(lines)).startswith("line 2: ")


def test_a_record_too_large_is_refused_before_it_is_read() -> None:
    assert problem(b"x" * (MAX_RECORD_BYTES + 1)) == f"larger than {MAX_RECORD_BYTES} bytes"


def test_a_record_with_too_many_entries_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_module, "MAX_ENTRIES", 10)
    assert problem(a_record()) == "more than 10 entries"


@given(st.binary(max_size=300))
def test_any_bytes_are_a_record_or_a_record_error(data: bytes) -> None:
    with pytest.raises(RecordError):
        read(data)


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("format", "saleroom-record/9", "format"),
        ("game", "chess", "unknown game 'chess'"),
        ("edition", 99, "edition 99 of kunstmarkt is not at hand"),
        ("seats", 6, "kunstmarkt is not played with 6 seats"),
        ("options", {"hidden_cash": 3}, "options: "),
        ("options", {"jokers": True}, "options: "),
        ("commitment", "00" * 32, "commitment"),
        ("commitment", "00" * 32 + "\n", "commitment"),
        ("server_seed", "00" * 31, "server_seed"),
        ("server_seed", "00" * 32, "commitment"),
        ("contributions", {}, "contributions"),
        ("contributions", {"0": "0g"}, "contributions"),
        ("contributions", {"0": "ab\n"}, "contributions"),
        ("contributions", {"x": "00"}, "contributions"),
        ("room", "rbbbbbbbbbbbb", "illegal action"),
    ],
)
def test_a_header_that_does_not_fit_is_refused(field: str, value: Any, says: str) -> None:
    assert says in problem(rewritten(a_record(), lambda lines: lines[0].update({field: value})))


# Entries


def change_entry(index: int, **fields: Any) -> Callable[[Lines], object]:
    return lambda lines: lines[index].update(fields)


def insert(index: int, **fields: Any) -> Callable[[Lines], object]:
    """Insert an entry and number those behind it anew."""

    def change(lines: Lines) -> None:
        lines.insert(index, {"entry": 0, "seq": lines[index].get("seq", 10**6), "at": 0, **fields})
        for number, line in enumerate(lines[1:-1], 1):
            line["entry"] = number

    return change


STARTED = 4  # the line, from 0: header, created, two contributions, started
FIRST = STARTED + 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (change_entry(7, entry=9), "line 8: entry 9 where 7 belongs"),
        (change_entry(7, seq=1), "line 8: seq fell from 6 to 1"),
        (change_entry(7, type="juggled"), "line 8: "),
        (change_entry(FIRST, window=2), "an answer to window 2 while 1 is open"),
        (change_entry(FIRST, seat=7), "no seat 7"),
        (change_entry(FIRST, seat=0), "illegal action of seat 0: not_asked"),
        (change_entry(FIRST, action={"do": "pass"}), "illegal action of seat 1: wrong_window"),
        (change_entry(FIRST, action={"do": "fly"}), "action: "),
        (change_entry(FIRST, action={"do": "buy"}), "action: "),
        (change_entry(FIRST, by="magic"), "line 6: "),
        (insert(FIRST, type="started"), "started twice"),
        (
            insert(STARTED, type="acted", seat=0, by="bot", action={"do": "pass"}),
            "before the start",
        ),
        (insert(STARTED, type="expired", window=1, answers={"0": {}}), "while none is open"),
        (insert(STARTED, type="finished"), "finished before the game was over"),
        (insert(FIRST, type="finished"), "finished before the game was over"),
        (insert(FIRST, type="closed", reason="abandoned"), "an entry after the end"),
        (insert(FIRST, type="expired", window=1, answers={}), "ran out but did not close"),
        (insert(-1, type="paused"), "an entry after the end"),
        (insert(STARTED, type="seat_left", seat=0), "contributions"),
    ],
)
def test_an_entry_that_does_not_fit_is_refused(
    change: Callable[[Lines], object], says: str
) -> None:
    assert says in problem(rewritten(a_record(), change))


def test_an_outcome_that_the_game_did_not_have_is_refused() -> None:
    def change(lines: Lines) -> None:
        lines[-1]["outcome"]["scores"]["0"] += 1000

    assert "another outcome" in problem(rewritten(a_record(), change))


def test_a_record_without_its_end_is_refused() -> None:
    assert "another outcome" in problem(rewritten(a_record(), lambda lines: lines.pop(-2)))


# What a room writes and a playout does not


class Journal:
    """Writes entries one after the other, as a room would."""

    def __init__(self) -> None:
        self.lines: list[Any] = []

    def add(self, entry_type: type[Entry], **fields: Any) -> None:
        number = len(self.lines) + 1
        self.lines.append(entry_type(entry=number, seq=number, at=number, **fields))

    def begin(self) -> None:
        """Sit down, change one's mind, contribute, start."""
        self.add(Created, player="paaaaaaaaaaaaaaaa")
        for seat in (0, 1):
            self.add(SeatTaken, seat=seat, player="p", name="Ada", kind="person")
        self.add(BotAdded, seat=2, level="easy")
        for place, share in HEADER.contributions.items():
            self.add(Contributed, seat=int(place), entropy=share)
        self.add(Started)

    def record(self, outcome: OutcomeLine) -> bytes:
        return write(HEADER, self.lines, outcome)


def expire_all(journal: Journal) -> Any:
    """Let every window run out until the game is over; return the last state."""
    rules, state = GAMES["kunstmarkt"], deal(HEADER)
    while (window := rules.window(state)) is not None:
        seat = window.seats[0]
        action = rules.default(state, seat)
        answers = {str(seat): msgspec.to_builtins(action)}
        journal.add(Expired, window=window.number, answers=answers)
        state = rules.apply(state, seat, action).state
    return state


def test_a_game_in_which_every_window_ran_out_replays() -> None:
    journal = Journal()
    journal.begin()
    state = expire_all(journal)
    journal.add(Finished)
    outcome = GAMES["kunstmarkt"].outcome(state)
    assert outcome is not None
    is_true(journal.record(record_module.outcome_line(outcome)))


def test_a_seat_that_resigned_ranks_last_in_the_record() -> None:
    journal = Journal()
    journal.begin()
    journal.add(Resigned, seat=1)
    state = expire_all(journal)
    journal.add(Finished)
    outcome = GAMES["kunstmarkt"].outcome(state)
    assert outcome is not None
    honest = record_module.outcome_line(outcome.demoting({1}))
    assert (honest.places or {})["1"] == 3
    is_true(journal.record(honest))
    assert outcome.demoting({1}) != outcome.demoting({0})
    with pytest.raises(RecordError):
        verify(journal.record(record_module.outcome_line(outcome.demoting({0}))))


def test_nobody_resigns_before_the_start() -> None:
    journal = Journal()
    journal.add(Resigned, seat=1)
    assert "before the start" in problem(journal.record(OutcomeLine(reason="x")))


def test_a_closed_room_has_a_record_with_a_reason_only() -> None:
    journal = Journal()
    journal.begin()
    journal.add(Paused)
    journal.add(Resumed)
    journal.add(Closed, reason="abandoned")
    is_true(journal.record(OutcomeLine(reason="abandoned")))
    assert "another outcome" in problem(journal.record(OutcomeLine(reason="bored")))


def test_a_contribution_goes_with_the_seat_that_is_given_up() -> None:
    journal = Journal()
    journal.add(Created)
    journal.add(Contributed, seat=1, entropy="00" * 16)
    journal.add(SeatLeft, seat=1)
    for seat, share in HEADER.contributions.items():
        journal.add(Contributed, seat=int(seat), entropy=share)
    journal.add(Started)
    journal.add(Closed, reason="abandoned")
    is_true(journal.record(OutcomeLine(reason="abandoned")))


def test_coming_back_is_in_the_record_and_the_rules_know_nothing_of_it() -> None:
    journal = Journal()
    journal.begin()
    journal.add(Acted, seat=0, by="person", action={"do": "come_back"})
    journal.add(Closed, reason="abandoned")
    is_true(journal.record(OutcomeLine(reason="abandoned")))


def test_any_other_action_without_a_window_is_one_of_the_game() -> None:
    journal = Journal()
    journal.begin()
    journal.add(Acted, seat=0, by="person", action={"do": "moonwalk"})
    assert "action: " in problem(journal.record(OutcomeLine(reason="x")))


# Telling


@pytest.mark.parametrize("viewer", [None, 0, 1, 2])
def test_a_game_is_told_as_one_viewer_heard_it(viewer: int | None) -> None:
    _, turns = played("kunstmarkt", 3, 3)
    rules = GAMES["kunstmarkt"]
    told = [event for _, events in tell(read(a_record()), viewer) for event in events][1:]
    heard = [rules.tell(event, viewer) for turn in turns for event in turn.step.events]
    assert told == heard


def test_an_event_a_viewer_may_not_hear_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GAMES["kunstmarkt"], "tell", lambda event, viewer: None)
    assert all(events == () for _, events in tell(read(a_record()), None))


@pytest.mark.parametrize("seat", [-1, 3])
def test_a_game_cannot_be_told_as_a_seat_there_is_not(seat: int) -> None:
    with pytest.raises(RecordError, match=f"no seat {seat}: seats are 0 to 2"):
        list(tell(read(a_record()), seat))


# Draws


def test_draws_stand_after_the_entry_that_made_them_and_leave_the_digest_alone() -> None:
    plain = read(a_record())
    drawn = read(with_draws(plain))
    assert drawn.closing == plain.closing
    lines = [msgspec.to_builtins(line) for line in drawn.lines]
    kinds = [line["type"] for line in lines]
    assert kinds[STARTED] == "drawn"
    domains = [line["domain"] for line in lines if line["type"] == "drawn"]
    assert domains == ["pictures"] * 47 + ["customers"] * 27 + ["start"]
    assert verify(with_draws(plain)) == drawn


@pytest.mark.parametrize(
    "change",
    [
        change_entry(STARTED + 1, value=0),
        change_entry(STARTED + 1, n=1),
        lambda lines: lines.insert(STARTED, lines.pop(STARTED + 1)),
        lambda lines: lines.pop(STARTED + 1),
    ],
    ids=["value", "number", "place", "one missing"],
)
def test_draws_that_were_not_made_are_refused(change: Callable[[Lines], object]) -> None:
    data = rewritten(with_draws(read(a_record())), change)
    assert problem(data) == "the draws are not those of this game"


def test_drawing_again_what_has_draws_changes_nothing() -> None:
    once = with_draws(read(a_record()))
    assert with_draws(read(once)) == once


def test_replay_yields_the_entries_with_their_lines() -> None:
    record: Record = read(with_draws(read(a_record())))
    lines = [msgspec.json.decode(line) for line in with_draws(record).splitlines()]
    for step in replay(record):
        assert lines[step.line - 1]["entry"] == step.entry.entry


def test_golden_games_use_every_option() -> None:
    options = [records.played(*game)[0].options for game in records.golden_games()]
    assert {tuple(option.items()) for option in options} == {
        (("hidden_cash", False),),
        (("hidden_cash", True),),
    }


def test_a_record_of_another_edition_can_be_read_though_not_replayed() -> None:
    record = read(a_record())
    other = replace(record.header, edition=7)
    assert read(write(other, record.lines, record.closing.outcome)).header.edition == 7
