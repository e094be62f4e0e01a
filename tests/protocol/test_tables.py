"""Reasons and close codes: the tables agree with what the protocol binds everybody to."""

import pytest

from saleroom_protocol.document import RoomEvent
from saleroom_protocol.errors import CloseCode, ProtocolViolation, Reason
from saleroom_protocol.games import VOCABULARIES

REASONS = {
    "window_closed",
    "not_your_window",
    "already_answered",
    "game_over",
    "paused",
    "illegal_action",
    "window_needed",
    "not_joined",
    "not_seated",
    "not_host",
    "unknown_room",
    "unknown_field",
    "malformed",
    "room_full",
    "seat_taken",
    "wrong_status",
    "not_invited",
    "id_reused",
    "rate_limited",
    "busy",
    "unavailable",
    "muted",
    "full",
    "internal_error",
    "not_finished",
    "bad_token",
    "unknown_game",
    "bad_options",
}
STATUSES = {
    401: {"bad_token"},
    403: {"not_host", "not_invited"},
    404: {"unknown_room", "unknown_game"},
    409: {"room_full", "seat_taken", "wrong_status", "not_finished", "id_reused"},
    422: {"malformed", "unknown_field", "bad_options"},
    429: {"rate_limited"},
    500: {"internal_error"},
    503: {"busy", "unavailable", "full"},
}
RETRY = {1001, 1006, 1012}


def test_the_list_of_reasons_is_closed() -> None:
    assert sorted(Reason) == sorted(REASONS)


def test_every_reason_has_its_http_status() -> None:
    found = {
        status: {str(reason) for reason in Reason if reason.status == status} for status in STATUSES
    }
    assert found == STATUSES
    assert {reason.status for reason in Reason} == {0, *STATUSES}


def test_a_reason_and_a_code_have_a_meaning_in_one_sentence() -> None:
    for row in (*Reason, *CloseCode, *(why for game in VOCABULARIES.values() for why in game.why)):
        assert row.meaning[0].isupper()
        assert row.meaning.endswith(".")


@pytest.mark.parametrize("code", CloseCode, ids=lambda code: code.name.lower())
def test_whether_to_come_back_follows_from_the_code(code: CloseCode) -> None:
    if code >= 4000:
        assert code.retry == (4100 <= code < 4200)
    else:
        assert code.retry == (code in RETRY)


def test_the_numbers_of_the_close_codes_are_those_agreed() -> None:
    agreed = {
        "bad_token": 4000,
        "unsupported_version": 4001,
        "replaced": 4002,
        "protocol_violation": 4004,
        "too_slow": 4100,
        "moved": 4101,
        "idle": 4102,
        "rate_limited": 4103,
        "going_away": 1001,
        "restart": 1012,
        "connection_lost": 1006,
        "normal": 1000,
        "policy": 1008,
        "message_too_big": 1009,
    }
    assert {code.name.lower(): int(code) for code in CloseCode} == agreed


def test_a_violation_carries_its_code_and_what_to_tell_the_developer() -> None:
    violation = ProtocolViolation(CloseCode.IDLE, "no hello")
    assert (violation.code, violation.message, str(violation)) == (4102, "no hello", "no hello")


@pytest.mark.parametrize("key", VOCABULARIES)
def test_a_game_has_no_event_named_like_one_of_the_room(key: str) -> None:
    def tags(union: object) -> set[str]:
        return {kind.__struct_config__.tag for kind in union.__args__}  # type: ignore[attr-defined]

    assert not tags(RoomEvent) & tags(VOCABULARIES[key].event)


@pytest.mark.parametrize("key", VOCABULARIES)
def test_no_action_of_a_game_has_the_name_of_one_of_the_rooms(key: str) -> None:
    actions = {kind.__struct_config__.tag for kind in VOCABULARIES[key].action.__args__}
    assert not actions & {"resign", "come_back"}
