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
from saleroom_rules.record import MAX_LINE_BYTES, MAX_RECORD_BYTES, Record, RecordError, read, write
from saleroom_rules.replay import replay, tell, verify, with_draws
from tests.golden import records
from tests.golden.files import RECORDS
from tests.golden.records import header, played
from tests.support.records import Lines, rewritten

GOLDEN = sorted(RECORDS.glob("*.jsonl"))
PLAYERS = ("p" + "a" * 16, "p" + "b" * 16, "p" + "c" * 16)
HEADER = header("kunstmarkt", 3, {}, 8)


def a_record() -> bytes:
    described, turns = played("kunstmarkt", 3, 3)
    return write_record(described, turns)


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


@pytest.mark.parametrize("data", [b"{}", a_record()[:-1], a_record()[:-5], a_record()[:700]])
def test_a_record_cut_off_within_a_line_says_so(data: bytes) -> None:
    assert problem(data) == "cut off: the last line has no end"


@pytest.mark.parametrize("lines", [1, 2, 40])
def test_a_record_cut_off_between_two_lines_says_so(lines: int) -> None:
    data = b"".join(a_record().splitlines(keepends=True)[:lines])
    assert problem(data) == "cut off: the last line is not a closing line"


@pytest.mark.parametrize("data", [b"", b"\n", b"hello\nworld\n", b"\x1f\x8b", b"\xef\xbb\xbf{}\n"])
def test_what_is_no_record_is_refused_at_its_first_line(data: bytes) -> None:
    assert problem(data) == "line 1: not a record: it does not begin with a JSON object"


def test_a_record_with_other_line_ends_says_so() -> None:
    assert "CR LF" in problem(a_record().replace(b"\n", b"\r\n"))


def test_a_closing_line_alone_is_no_record() -> None:
    assert problem(a_record().splitlines(keepends=True)[-1]).startswith("line 1: ")


@pytest.mark.parametrize("depth", [900, 979, 990, 995, 1_000, 5_000])
def test_no_depth_of_nesting_is_more_than_a_record_error(depth: int) -> None:
    deep = b'{"a":' * depth + b"1" + b"}" * depth
    lines = a_record().splitlines(keepends=True)
    for place, key in ((0, b'"options":{"hidden_cash":true}'), (FIRST, b'{"do":"draw_customer"}')):
        assert key in lines[place]
        inner = b'"options":{"hidden_cash":' + deep + b"}" if place == 0 else deep
        changed = [*lines]
        changed[place] = lines[place].replace(key, inner)
        assert f"line {place + 1}: " in problem(b"".join(changed)) or "digest" in problem(
            b"".join(changed)
        )


def test_a_line_that_is_too_long_is_refused_unread() -> None:
    long = b'{"type":"paused","note":"' + b"x" * MAX_LINE_BYTES + b'"}\n'
    lines = a_record().splitlines(keepends=True)
    lines.insert(2, long)
    assert problem(b"".join(lines)) == f"line 3: longer than {MAX_LINE_BYTES} bytes"


@given(st.integers(0, 10**6), st.binary(min_size=1, max_size=6))
def test_a_damaged_record_is_a_record_error(place: int, damage: bytes) -> None:
    data = a_record()
    place %= len(data)
    damaged = data[:place] + damage + data[place + len(damage) :]
    if damaged != data:
        with pytest.raises(RecordError):
            read(damaged)


def test_a_line_nested_too_deep_is_refused() -> None:
    deep = b'{"type":"acted","entry":1,"seq":1,"at":1,"seat":0,"by":"bot","action":{"do":'
    lines = a_record().splitlines(keepends=True)
    lines.insert(1, deep + b"[" * 20_000 + b"]" * 20_000 + b"}}\n")
    assert problem(b"".join(lines)) == "line 2: nested too deep"


def test_a_record_too_large_is_refused_before_it_is_read() -> None:
    assert problem(b"x" * (MAX_RECORD_BYTES + 1)) == f"larger than {MAX_RECORD_BYTES} bytes"


def test_a_record_with_too_many_entries_or_lines_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entries = len(read(a_record()).lines)
    monkeypatch.setattr(record_module, "MAX_ENTRIES", entries)
    is_true(a_record())
    monkeypatch.setattr(record_module, "MAX_ENTRIES", entries - 1)
    assert problem(a_record()) == f"more than {entries - 1} entries"
    monkeypatch.setattr(record_module, "MAX_LINES", entries + 2)
    assert problem(a_record()) == f"more than {entries - 1} entries"
    monkeypatch.setattr(record_module, "MAX_LINES", entries + 1)
    assert problem(a_record()) == f"more than {entries + 1} lines"


def test_a_record_as_large_as_may_be_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_module, "MAX_RECORD_BYTES", len(a_record()))
    is_true(a_record())


def test_a_message_repeats_no_more_of_a_record_than_helps() -> None:
    data = rewritten(a_record(), lambda lines: lines[0].update(game="x" * 100_000))
    assert len(problem(data)) < 250


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
        ("edition", 0, "edition 0 of kunstmarkt is not at hand"),
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
        ("room", "rbbbbbbbbbbbb", "seat 1 may not"),
        ("room", "Saal 1", "room"),
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
        kind, seq = fields["type"], lines[index].get("seq", 10**6)
        lines.insert(index, {"type": kind, "entry": 0, "seq": seq, "at": 0, **fields})
        for number, line in enumerate(lines[1:-1], 1):
            line["entry"] = number

    return change


STARTED = 7  # the line, from 0: header, created, three bots, two contributions, started
FIRST = STARTED + 1


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (change_entry(9, entry=11), "line 10: entry 11 where 9 belongs"),
        (change_entry(9, seq=1), "line 10: seq fell from 8 to 1"),
        (change_entry(9, type="juggled"), "line 10: "),
        (change_entry(FIRST, window=2), "an answer to window 2 while 1 is open"),
        (change_entry(FIRST, seat=7), "no seat 7"),
        (change_entry(FIRST, seat=3), "no seat 3"),
        (change_entry(FIRST, seat=-1), "line 9: "),
        (change_entry(FIRST, seat=0), "seat 0 may not draw_customer here"),
        (change_entry(FIRST, action={"do": "pass"}), "seat 1 may not pass here"),
        (change_entry(FIRST, action={"do": "buy", "picture": "p99"}), "not_on_market"),
        (change_entry(FIRST, action={"do": "fly"}), "action: "),
        (change_entry(FIRST, action={"do": "buy"}), "action: "),
        (change_entry(FIRST, action={"do": "buy", "picture": "p" * 9_000}), "action: "),
        (change_entry(FIRST, by="magic"), "line 9: "),
        (change_entry(FIRST, note="psst"), "line 9: written otherwise"),
        (lambda lines: lines[FIRST].pop("window"), "seat 1 may not draw_customer here"),
        (lambda lines: lines[STARTED - 1].update(entropy="ab"), "line 7: "),
        (lambda lines: lines[1].update(type="paused"), "a journal begins with `created`"),
        (lambda lines: lines[0].update(pace="bogus"), "line 1: "),
        (insert(2, type="created"), "a journal begins with `created`"),
        (insert(FIRST, type="started"), "started after the start"),
        (insert(STARTED, type="acted", seat=0, by="bot", action={}), "acted before the start"),
        (insert(STARTED, type="expired", window=1, answers={}), "expired before the start"),
        (insert(STARTED, type="resigned", seat=0), "resigned before the start"),
        (insert(STARTED, type="paused"), "paused before the start"),
        (insert(STARTED, type="finished"), "finished before the game was over"),
        (insert(FIRST, type="finished"), "finished before the game was over"),
        (insert(FIRST, type="closed", reason="abandoned"), "an entry after the end"),
        (insert(-2, type="closed", reason="capital"), "closed after the game was over"),
        (insert(FIRST, type="closed", reason="won by 1"), "line 9: "),
        (insert(FIRST, type="expired", window=1, answers={}), "ran out but did not close"),
        (insert(FIRST, type="expired", window=9, answers={}), "window 9 while 1 is open"),
        (insert(-2, type="expired", window=9, answers={}), "expired after the game was over"),
        (insert(FIRST, type="resumed"), "paused or resumed twice"),
        (insert(-1, type="paused"), "an entry after the end"),
        (insert(STARTED, type="seat_left", seat=0), "started before every seat was taken"),
        (insert(2, type="seat_left", seat=0), "seat 0 was free"),
        (insert(2, type="contributed", seat=0, entropy="00" * 16), "seat 0 cannot contribute"),
        (lambda lines: lines[3].update(player=PLAYERS[0]), f"{PLAYERS[0]} sits there already"),
        (lambda lines: lines[3].update(player="Ada"), "line 4: "),
        (lambda lines: lines[3].update(name="x" * 41), "line 4: "),
        (insert(FIRST, type="seat_left", seat=1), "seat_left after the start"),
        (insert(FIRST, type="paused"), "line 10: acted while the room was paused"),
        (insert(-2, type="resigned", seat=0), "resigned after the game was over"),
        (insert(-2, type="paused"), "paused after the game was over"),
        (lambda lines: lines[0].update(options={}), "options: not all of them"),
        (change_entry(130, seq=128), "line 131: seq fell from 129 to 128"),
        (insert(STARTED, type="bot_added", seat=1, level="x"), "seat 1 was taken twice"),
        (insert(FIRST, type="bot_added", seat=1, level="x"), "bot_added after the start"),
        (
            insert(STARTED, type="contributed", seat=0, entropy="00" * 16),
            "seat 0 contributed twice",
        ),
        (insert(STARTED, type="contributed", seat=1, entropy="00" * 16), "contributions"),
        (
            insert(FIRST, type="contributed", seat=1, entropy="00" * 16),
            "contributed after the start",
        ),
    ],
)
def test_an_entry_that_does_not_fit_is_refused(
    change: Callable[[Lines], object], says: str
) -> None:
    assert says in problem(rewritten(a_record(), change))


def test_an_outcome_that_the_game_did_not_have_is_refused() -> None:
    def change(lines: Lines) -> None:
        lines[-1]["outcome"]["scores"]["0"] += 1000

    lines = len(a_record().splitlines())
    says = f"line {lines}: the closing line claims another outcome"
    assert problem(rewritten(a_record(), change)) == says


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
        """Sit down, contribute, start."""
        self.add(Created, player=PLAYERS[0])
        for seat in (0, 2):
            self.add(SeatTaken, seat=seat, player=PLAYERS[seat], name="Ada", kind="person")
        self.add(BotAdded, seat=1, level="easy")
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


def test_several_who_resigned_rank_behind_the_others_as_they_were() -> None:
    journal = Journal()
    journal.begin()
    journal.add(Resigned, seat=1)
    journal.add(Resigned, seat=0)
    state = expire_all(journal)
    journal.add(Finished)
    outcome = GAMES["kunstmarkt"].outcome(state)
    assert outcome is not None
    is_true(journal.record(record_module.outcome_line(outcome.demoting({0, 1}))))


def test_in_a_room_without_a_clock_only_who_resigned_can_run_out_of_time() -> None:
    journal = Journal()
    journal.begin()
    expire_all(journal)
    journal.add(Finished)
    untimed = write(replace(HEADER, pace="untimed"), journal.lines, OutcomeLine(reason="x"))
    assert "expired in a room without a clock" in problem(untimed)


def test_nothing_runs_out_while_the_clock_stands_still() -> None:
    journal = Journal()
    journal.begin()
    journal.add(Paused)
    journal.add(Expired, window=1, answers={"1": {"do": "draw_customer"}})
    assert "expired while the room was paused" in problem(journal.record(OutcomeLine(reason="x")))


def test_nobody_resigns_twice() -> None:
    journal = Journal()
    journal.begin()
    journal.add(Resigned, seat=1)
    journal.add(Resigned, seat=1)
    assert "seat 1 resigned twice" in problem(journal.record(OutcomeLine(reason="x")))


def test_the_game_may_be_paused_and_resumed_again_and_again() -> None:
    journal = Journal()
    journal.begin()
    for _ in range(2):
        journal.add(Paused)
        journal.add(Resumed)
    journal.add(Closed, reason="abandoned")
    is_true(journal.record(OutcomeLine(reason="abandoned")))
    journal.lines.insert(-1, Paused(entry=len(journal.lines), seq=99, at=1))
    journal.lines[-1] = replace(journal.lines[-1], entry=len(journal.lines), seq=99)
    is_true(journal.record(OutcomeLine(reason="abandoned")))


def test_a_room_closed_before_the_start_has_a_record_with_a_true_commitment() -> None:
    journal = Journal()
    journal.add(Created)
    journal.add(Closed, reason="abandoned")
    plain = replace(HEADER, contributions={})
    closed = OutcomeLine(reason="abandoned")
    is_true(write(plain, journal.lines, closed))
    assert "commitment" in problem(
        write(replace(plain, commitment="0" * 64), journal.lines, closed)
    )
    assert "contributions" in problem(journal.record(closed))


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
    journal.add(SeatTaken, seat=1, player=PLAYERS[1], name="Bo", kind="bot")
    journal.add(Contributed, seat=1, entropy="00" * 16)
    journal.add(SeatLeft, seat=1)
    journal.add(Closed, reason="abandoned")
    plain = replace(HEADER, contributions={})
    is_true(write(plain, journal.lines, OutcomeLine(reason="abandoned")))


def test_coming_back_is_in_the_record_and_the_rules_know_nothing_of_it() -> None:
    journal = Journal()
    journal.begin()
    journal.add(Acted, seat=0, by="person", action={"do": "come_back"})
    journal.add(Closed, reason="abandoned")
    is_true(journal.record(OutcomeLine(reason="abandoned")))


def test_coming_back_says_nothing_else() -> None:
    journal = Journal()
    journal.begin()
    journal.add(Acted, seat=0, by="person", action={"do": "come_back", "note": "psst"})
    assert "action: " in problem(journal.record(OutcomeLine(reason="x")))


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
    told = [
        event
        for entry, events in tell(read(a_record()), viewer)
        if isinstance(entry, Acted)
        for event in events
    ]
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


@pytest.mark.parametrize("more", [b',"note":"cheat"}', b',"value":1}', b" }"])
def test_nothing_rides_along_in_a_line_that_does_not_count_for_the_digest(more: bytes) -> None:
    lines = with_draws(read(a_record())).splitlines(keepends=True)
    for place in (STARTED + 1, -1):
        changed = [*lines]
        changed[place] = changed[place].rstrip(b"}\n") + b"}" * (place == -1) + more + b"\n"
        assert "line " in problem(b"".join(changed))


def test_drawing_again_what_has_draws_changes_nothing() -> None:
    once = with_draws(read(a_record()))
    assert with_draws(read(once)) == once


def test_replay_yields_the_entries_with_their_lines() -> None:
    record: Record = read(with_draws(read(a_record())))
    lines = [msgspec.json.decode(line) for line in with_draws(record).splitlines()]
    for step in replay(record):
        assert lines[step.line - 1]["entry"] == step.entry.entry


def test_golden_games_use_every_option() -> None:
    played: dict[str, set[tuple[Any, ...]]] = {}
    for game in records.golden_games():
        header = records.played(*game)[0]
        played.setdefault(header.game, set()).add(tuple(header.options.values()))
    switches = {key: len(msgspec.structs.fields(rules.options)) for key, rules in GAMES.items()}
    expected = {key: {(False,) * many, (True,) * many} for key, many in switches.items()}
    assert played == expected
