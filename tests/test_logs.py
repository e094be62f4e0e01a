"""Logs say where a fault is, and repeat nothing an exception says."""

import inspect
import io
import json
import logging
import re
from collections.abc import Callable
from typing import Any, get_args

import pytest
from uvicorn.protocols.http import httptools_impl
from uvicorn.protocols.websockets import websockets_sansio_impl

from saleroom_protocol.errors import CloseCode, Reason
from saleroom_server.logs import FIELDS, PROVOKED, Demoting, Format, configure, formatter, logger

Says = Callable[[logging.Logger], None]
both = pytest.mark.parametrize("style", get_args(Format))


def logged(says: Says, style: Format = "console", *, name: str = "test", shown: bool = True) -> str:
    """Return the lines something logged has become."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter(style))
    handler.addFilter(Demoting(shown))
    log = logging.Logger(name)
    log.addHandler(handler)
    says(log)
    return stream.getvalue()


def a_fault(log: logging.Logger, message: str = "a room is at fault") -> None:
    """Log a fault whose cause and message name a card."""
    try:
        try:
            {"a": 1}["p07"]
        except KeyError as error:
            raise ValueError("p07") from error
    except ValueError as error:
        log.error(message, exc_info=error)


@both
def test_a_traceback_says_where_and_what_kind_but_not_what_the_exception_says(
    style: Format,
) -> None:
    told = logged(a_fault, style)
    assert "a room is at fault" in told
    assert "test_logs.py" in told
    assert told.index("builtins.KeyError") < told.index("builtins.ValueError")
    assert "('p07')" not in told
    assert "ValueError: p07" not in told


@both
def test_of_a_worker_each_line_has_its_number_also_those_of_others(style: Format) -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter(style, worker=3))
    for name in ("saleroom.server", "uvicorn.error"):
        handler.handle(logging.LogRecord(name, logging.INFO, "x.py", 1, "said", None, None))
    expected = '"worker": 3' if style == "json" else "worker=3"
    assert [expected in line for line in stream.getvalue().splitlines()] == [True, True]
    assert "worker" not in logged(lambda log: log.warning("said"), style)


@both
def test_what_a_task_nobody_waited_for_ran_into_is_told_without_its_words(style: Format) -> None:
    message = "Task exception was never retrieved\nfuture: <Task exception=ValueError('p07')>"
    told = logged(lambda log: a_fault(log, message), style, name="asyncio")
    assert "Task exception was never retrieved" in told
    assert "builtins.ValueError" in told
    assert "future" not in told
    slow = logged(lambda log: log.warning("%s took long", "<Task p07>"), style, name="asyncio")
    assert "p07" not in slow


@both
def test_a_value_that_is_not_plain_does_not_speak_for_itself(style: Format) -> None:
    class Hand:
        def __repr__(self) -> str:
            return "p07"

    told = logged(lambda log: log.info("odd", extra={"room": Hand(), "data": [Hand(), 1]}), style)
    assert told.count("Hand") == 2
    assert "p07" not in told


def test_no_field_is_one_of_the_records_own() -> None:
    own = {*vars(logging.makeLogRecord({})), "message", "asctime"}
    assert own & {*FIELDS} == set(), "it would raise where it is logged"


@both
def test_a_field_nobody_knows_is_not_written(style: Format) -> None:
    extra = {"hand": "p07", "color_message": "p07", "room": "r1"}
    told = logged(lambda log: log.info("odd", extra=extra), style)
    assert "r1" in told
    assert "p07" not in told


@pytest.mark.parametrize("level", ["debug", "info", "warning", "error"])
def test_no_level_writes_down_what_is_in_frames_or_queries(
    level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    configure(level)
    for name in ("uvicorn.error", "uvicorn", "websockets.client", "websockets.server"):
        assert not logging.getLogger(name).isEnabledFor(logging.INFO), name


def test_an_event_is_an_object_of_its_own_with_its_fields_as_they_are() -> None:
    fields: dict[str, Any] = {"room": "r1", "seats": 3, "reason": Reason.FULL, "changed": ["a"]}
    fields |= {"code": CloseCode.IDLE, "ms": 0.5, "data": None, "store": True}
    line = logged(lambda log: log.info("room_made", extra=fields), "json")
    told = json.loads(line)
    assert line.count("\n") == 1
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", told.pop("timestamp"))
    plain = {**fields, "reason": "full", "code": 4102}
    assert told == {"event": "room_made", "level": "info", "logger": "test", **plain}


def test_a_line_for_people_begins_with_when_how_bad_and_what() -> None:
    line = logged(lambda log: log.warning("room_made", extra={"room": "r1", "seats": 3}))
    assert re.match(r"\S+Z \[warning *\] room_made +\[test\] room=r1 seats=3\n$", line), line


@both
def test_a_fault_that_is_none_is_none(style: Format) -> None:
    told = logged(lambda log: log.error("odd", exc_info=True), style)
    assert told.count("\n") == 1


@both
def test_a_fault_is_a_field_of_its_line_or_stands_under_it(style: Format) -> None:
    told = logged(a_fault, style)
    if style == "json":
        assert json.loads(told)["exception"].endswith("builtins.ValueError")
    else:
        assert told.endswith("builtins.ValueError\n")


@pytest.mark.parametrize("message", sorted(PROVOKED))
def test_what_any_client_can_provoke_is_debugging_and_no_more(message: str) -> None:
    assert logged(lambda log: log.warning(message), shown=False) == ""
    assert "[debug" in logged(lambda log: log.error(message), shown=True)
    assert logged(lambda log: log.warning("something else"), shown=False) != ""


def test_what_clients_provoke_is_still_what_uvicorn_says() -> None:
    """Should uvicorn change its words, the log could be flooded again."""
    said = "".join(map(inspect.getsource, (httptools_impl, websockets_sansio_impl)))
    assert [message for message in PROVOKED if message not in said] == []


def test_the_servers_own_events_are_ordinary_records(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "saleroom")
    logger("rooms").info("room_made", room="r1")
    logger("rooms").debug("not_wanted", room="r1")
    (record,) = caplog.records
    assert (record.name, record.message, vars(record)["room"]) == (
        "saleroom.rooms",
        "room_made",
        "r1",
    )
