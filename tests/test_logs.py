"""Logs say where a fault is, and repeat nothing an exception says."""

import io
import logging

from saleroom_server.logs import FORMAT, Discreet


def logged(raising: type[BaseException]) -> str:
    """Log a fault whose cause and message name a card."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(Discreet(FORMAT))
    log = logging.Logger("test")
    log.addHandler(handler)
    try:
        try:
            {"a": 1}["p07"]
        except KeyError as error:
            raise raising("p07") from error
    except raising:
        log.exception("a room is at fault")
    return stream.getvalue()


def test_a_traceback_says_where_and_what_kind_but_not_what_the_exception_says() -> None:
    told = logged(ValueError)
    assert "a room is at fault" in told
    assert "test_logs.py" in told
    assert told.index("builtins.KeyError") < told.index("builtins.ValueError")
    assert "('p07')" not in told
    assert "ValueError: p07" not in told


def test_a_line_without_a_fault_is_as_usual() -> None:
    record = logging.LogRecord("saleroom", logging.INFO, "", 0, "room %s", ("r1",), None)
    assert Discreet(FORMAT).format(record).endswith("INFO saleroom: room r1")
