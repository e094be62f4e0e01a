"""Logs say where a fault is, and repeat nothing an exception says."""

import io
import logging

import pytest

from saleroom_server.logs import FORMAT, Discreet, configure


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


@pytest.mark.parametrize("level", ["debug", "info", "warning", "error"])
def test_no_level_writes_down_what_is_in_frames(
    level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)
    monkeypatch.setattr(logging, "captureWarnings", lambda _: None)
    configure(level)
    for name in ("uvicorn.error", "uvicorn", "websockets.client", "websockets.server"):
        assert not logging.getLogger(name).isEnabledFor(logging.DEBUG), name


def test_a_line_without_a_fault_is_as_usual() -> None:
    record = logging.LogRecord("saleroom", logging.INFO, "", 0, "room %s", ("r1",), None)
    assert Discreet(FORMAT).format(record).endswith("INFO saleroom: room r1")
