"""A line that fails is told of once, and left alone for longer and longer."""

import pytest

from saleroom_server.cluster import trouble
from saleroom_server.cluster.bus_limits import BusLimits
from saleroom_server.cluster.trouble import Trouble

LIMITS = BusLimits(retry_ms=50, retry_most_ms=1_000)


class Hours:
    """A clock moved by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds = 1_000.0
        monkeypatch.setattr(trouble, "monotonic", lambda: self.seconds)
        monkeypatch.setattr(trouble, "uniform", lambda least, most: most)


@pytest.fixture
def hours(monkeypatch: pytest.MonkeyPatch) -> Hours:
    return Hours(monkeypatch)


def fails(line: Trouble, hours: Hours, times: int) -> list[float]:
    """Let it fail as often as it is tried; return the pauses."""
    pauses = []
    for _ in range(times):
        pauses.append(line.failed(OSError()))
        hours.seconds += pauses[-1]
    return pauses


def test_each_pause_is_twice_the_last_up_to_the_longest(hours: Hours) -> None:
    pauses = fails(Trouble("sending", LIMITS), hours, 7)
    assert pauses == pytest.approx([0.05, 0.1, 0.2, 0.4, 0.8, 1, 1])


def test_it_begins_anew_when_the_line_has_held_and_not_before(hours: Hours) -> None:
    line = Trouble("sending", LIMITS)
    fails(line, hours, 5)
    line.works()
    assert fails(line, hours, 1) == [1], "a line that breaks at once does not work"
    line.works()
    hours.seconds += 2
    assert fails(line, hours, 1) == [0.05]


def test_not_all_come_back_in_the_same_instant() -> None:
    pauses = {Trouble("sending", LIMITS).failed(OSError()) for _ in range(20)}
    assert len(pauses) > 1
    assert all(0.025 <= pause <= 0.05 for pause in pauses)


def test_it_is_told_when_it_begins_and_when_it_is_over(
    hours: Hours, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    line = Trouble("hearing", LIMITS)
    line.works()
    fails(line, hours, 3)
    line.works()
    line.works()
    told = [(record.msg, record.__dict__["line"]) for record in caplog.records]
    assert told == [("bus_failed", "hearing"), ("bus_works_again", "hearing")]
    assert caplog.records[0].__dict__["problem"] == "OSError"
    assert caplog.records[1].__dict__["ms"] == 350
