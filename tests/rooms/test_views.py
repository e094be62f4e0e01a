"""Views: what viewers see, and that patches lead from one sight to the next exactly."""

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from saleroom_protocol.canonical import canonical
from saleroom_protocol.codec import CODECS, MSGPACK, Codec
from saleroom_protocol.document import ComeBack, Resign
from saleroom_protocol.games.kunstmarkt import DrawCustomer, Pass, PlayCustomer
from saleroom_protocol.messages import Update
from saleroom_protocol.patch import apply
from saleroom_rules.contract import heard
from saleroom_rules.rng import Rng
from saleroom_server.rooms.views import Change, Clock, Viewer, change, document, look
from tests.support.frames import epoch, frames
from tests.support.games import EVERY_VARIANT, Variant
from tests.support.kunstmarkt import RULES, Game, dealt, table
from tests.support.short import SHORT
from tests.support.toy.words import Bid

CLOCK = Clock(1_000, 46_000)
LATER = Clock(2_000, 22_000)
SHORTENED = [
    replace(variant, rules=SHORT) if variant.rules.key == SHORT.key else variant
    for variant in EVERY_VARIANT
]
every_variant = pytest.mark.parametrize("variant", SHORTENED, ids=str)


def decoded(frame: bytes, codec: Codec) -> Update:
    message = codec.read_told(frame)
    assert isinstance(message, Update)
    return message


def test_a_player_sees_the_table_the_window_and_the_own_part() -> None:
    state = table(pictures=(("p01",), ("p02",), ()), active=1)
    shown = document(look(RULES, state, 3, CLOCK), 1)
    assert shown.keys() == {"table", "window", "you", "legal"}
    assert shown["you"] == {
        "seat": 1,
        "cash": 25_000,
        "pictures": ["p02"],
        "customers": [],
        "anytime": [],
    }
    assert shown["window"] == {
        "number": 1,
        "kind": "turn",
        "sealed": False,
        "seats": [1],
        "answered": [],
        "opened_at": 1_000,
        "closes_at": 46_000,
        "facts": {},
    }
    assert {"do": "draw_customer"} in shown["legal"]


def test_only_a_seat_that_owes_an_answer_has_something_legal() -> None:
    sight = look(RULES, table(active=1), 3, CLOCK)
    assert [own.legal is UNSET for own in sight.own] == [True, False, True]
    assert "legal" not in document(sight, 0)


def test_a_spectator_sees_no_part_of_a_player() -> None:
    assert document(look(RULES, table(), 3, CLOCK), None).keys() == {"table", "window"}


def test_the_rooms_own_actions_come_first_in_anytime() -> None:
    state, toy = EVERY_VARIANT[-1].dealt(1), EVERY_VARIANT[-1].rules
    standing = ((), (Resign(),), (Resign(), ComeBack()))
    sight = look(toy, state, 3, CLOCK, standing)
    listed = [
        [entry["do"] for entry in document(sight, seat)["you"]["anytime"]] for seat in range(3)
    ]
    assert listed == [["arrange"], ["resign", "arrange"], ["resign", "come_back", "arrange"]]
    plain = look(toy, state, 3, CLOCK)
    assert change(plain, sight).own[0] == {}
    assert change(plain, sight).own[1].keys() == {"you"}


def test_after_the_end_there_is_no_window_and_a_patch_takes_it_away() -> None:
    game = Game(table(deck=1))
    before = look(RULES, game.state, 3, CLOCK)
    game.does(DrawCustomer())
    after = look(RULES, game.state, 3, LATER)
    assert document(after, None).keys() == {"table"}
    assert change(before, after).patch(None)["window"] is None
    assert change(before, after).patch(0)["legal"] is None


def test_a_sealed_window_shows_who_has_answered_and_to_a_seat_its_own_answer() -> None:
    toy = EVERY_VARIANT[-1].rules
    state = EVERY_VARIANT[-1].dealt(1)
    answer = Bid(state.hands[1][:1])
    sight = look(toy, toy.apply(state, 1, answer).state, 3, CLOCK)
    window = document(sight, None)["window"]
    assert (window["sealed"], window["seats"], window["answered"]) == (True, [0, 1, 2], [1])
    assert document(sight, 1)["you"]["answer"] == {"do": "bid", "cards": [*answer.cards]}
    assert "answer" not in document(sight, 0)["you"]
    assert "legal" in document(sight, 0)
    assert "legal" not in document(sight, 1)


def test_an_event_only_some_may_hear_is_left_out_for_others() -> None:
    step = RULES.setup(3, RULES.options(), Rng(b"deal"))
    sight = look(RULES, step.state, 3, CLOCK)
    heard_by = {
        viewer: [event["event"] for event in decoded(frame, MSGPACK).events or ()]
        for viewer, frame in frames(RULES, step.events, change(sight, sight))
    }
    public = ["market_opened", "start_drawn"]
    assert heard_by == {None: public} | {seat: ["hand_dealt", *public] for seat in range(3)}
    trailing = (*step.events[-2:], step.events[0])
    told = dict(frames(RULES, trailing, change(sight, sight)))
    assert len(decoded(told[0], MSGPACK).events or ()) == 3


def test_a_form_stands_in_legal_as_it_goes_over_the_wire() -> None:
    state = table(pictures=(("p01", "p02", "p03", "p04"), (), ()))
    shown = document(look(RULES, state, 3, CLOCK), 0)
    assert {
        "do": "buy",
        "picture": "p05",
        "choose": {"discard": {"one_of": ["p01", "p02", "p03", "p04"]}},
    } in shown["legal"]


def test_a_paused_window_shows_what_is_left_of_it() -> None:
    shown = document(look(RULES, table(), 3, Clock(1_000, UNSET, 500)), None)
    assert shown["window"]["left_ms"] == 500
    assert "closes_at" not in shown["window"]


def test_a_pass_changes_nothing_but_window_and_legal() -> None:
    game = Game(table(customers=(("c01",), (), ())))
    game.does(PlayCustomer("c01"))
    before = look(RULES, game.state, 3, CLOCK)
    game.does(Pass())
    changed = change(before, look(RULES, game.state, 3, LATER))
    assert changed.face == {
        "window": {"number": 3, "seats": (2,), "opened_at": 2_000, "closes_at": 22_000}
    }
    assert changed.own == ({}, {"legal": None}, {"legal": (Pass(),)})


def test_a_step_that_changes_nothing_has_an_empty_patch_and_an_update_without_one() -> None:
    sight = look(RULES, dealt(), 3, CLOCK)
    changed = change(sight, look(RULES, dealt(), 3, CLOCK))
    assert changed == Change({}, ({}, {}, {}))
    ((viewer, frame),) = frames(RULES, (), Change({}, ()), seq=5, at=6)
    assert viewer is None
    assert msgspec.msgpack.decode(frame) == {
        "type": "update",
        "room": "raaaaaaaaaaaa",
        "epoch": "eNone",
        "seq": 5,
        "at": 6,
    }


@every_variant
@pytest.mark.parametrize("codec", CODECS.values(), ids=lambda codec: codec.subprotocol)
@given(seed=st.integers(0, 2**32), luck=st.integers(0, 2**32))
@settings(max_examples=4, deadline=None)
def test_patches_lead_from_every_document_to_the_next_for_every_viewer(
    variant: Variant, codec: Codec, seed: int, luck: int
) -> None:
    rules, seats = variant.rules, variant.seats
    viewers: tuple[Viewer, ...] = (*range(seats), None)
    before = look(rules, variant.dealt(seed), seats, CLOCK)
    mirrors: dict[Viewer, Any] = {viewer: document(before, viewer) for viewer in viewers}
    for seq, (_, turn) in enumerate(variant.turns(seed, luck)):
        clock = Clock(seq * 1000, seq * 1000 + Random(seq).randrange(1000))
        after = look(rules, turn.step.state, seats, clock)
        changed, events = change(before, after), turn.step.events
        told_by = dict(frames(rules, events, changed, codec, seq=seq))
        assert tuple(told_by) == viewers
        for viewer, frame in told_by.items():
            update = decoded(frame, codec)
            assert (update.epoch, update.seq) == (epoch(viewer), seq)
            mirrors[viewer] = apply(mirrors[viewer], update.patch or {})
            assert canonical(mirrors[viewer]) == canonical(document(after, viewer))
            told = heard(rules, events, viewer)
            assert canonical(update.events or ()) == canonical(told)
        before = after


def test_a_masked_event_is_told_whole_to_the_one_it_concerns_alone() -> None:
    game = Game(table())
    before = look(RULES, game.state, 3, CLOCK)
    events = game.does(DrawCustomer())
    changed = change(before, look(RULES, game.state, 3, LATER))
    told = {
        viewer: decoded(frame, MSGPACK).events for viewer, frame in frames(RULES, events, changed)
    }
    public = ({"event": "customer_drawn", "seat": 0},)
    assert told == {
        0: ({"event": "customer_drawn", "seat": 0, "customer": "c01"},),
        1: public,
        2: public,
        None: public,
    }
