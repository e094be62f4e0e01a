"""Workers are started, kept running, replaced one by one, and ended."""

import asyncio
from collections.abc import AsyncIterator
from signal import SIGINT, SIGKILL, SIGTERM

import pytest

from saleroom_server.workers.worker import NotStarted
from tests.workers.scripted import DRAIN_MS, LIMITS, Stage


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    """Two workers that serve."""
    made = Stage()
    await made.starts()
    yield made
    await made.ends()
    assert [life.runs for lives in made.lives for life in lives].count(True) == 0


def events(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.message for each in caplog.records]


async def test_all_are_started_at_once_and_it_has_begun_when_the_last_one_serves() -> None:
    stage = Stage()
    starting = asyncio.create_task(stage.crew.start())
    await stage.clock.passes(0)
    assert stage.counts == [1, 1]
    stage.newest(2).says()
    await stage.clock.passes(0)
    assert not starting.done()
    stage.newest(1).says()
    await starting
    await stage.crew.stop()


@pytest.mark.parametrize(
    ("code", "told", "said", "exits"),
    [
        (2, "SALEROOM_X is no setting", "SALEROOM_X is no setting", 2),
        (1, "the port is taken", "the port is taken", 1),
        (-11, "", "worker 2 ended at its start, with code -11", 1),
    ],
)
async def test_if_one_cannot_be_started_at_all_its_reason_ends_the_whole(
    code: int, told: str, said: str, exits: int
) -> None:
    stage = Stage()
    starting = asyncio.create_task(stage.crew.start())
    await stage.clock.passes(0)
    stage.newest(2).ends(code, told)
    with pytest.raises(NotStarted, match=f"^{said}$") as refused:
        await starting
    assert refused.value.code == exits
    await stage.crew.stop()
    assert not stage.newest(1).runs, "the other, which would have served, is ended too"


async def test_one_that_never_says_anything_is_ended_after_a_while() -> None:
    stage = Stage(1)
    starting = asyncio.create_task(stage.crew.start())
    await stage.clock.passes(LIMITS.start_ms)
    with pytest.raises(NotStarted, match="worker 1 does not serve after 1000 ms"):
        await starting
    assert stage.newest(1).signals == [SIGTERM]


async def test_one_that_ends_is_started_again_and_the_oftener_the_later(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    for pause_ms in (100, 200, 300):
        lives = stage.counts[0]
        stage.newest(1).ends(-9)
        await stage.clock.passes(pause_ms - 1)
        assert stage.counts == [lives, 1]
        await stage.clock.passes(1)
        assert stage.counts == [lives + 1, 1]
        stage.newest(1).says()
        await stage.clock.passes(0)
    assert events(caplog) == ["worker_ended"] * 3
    assert {(each.__dict__["worker"], each.__dict__["code"]) for each in caplog.records} == {
        (1, -9)
    }


async def test_one_that_cannot_be_started_again_is_tried_again_while_others_serve(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    stage.newest(1).ends(1)
    stage.reluctant = 1
    await stage.clock.passes(LIMITS.restart_ms)
    await stage.clock.passes(LIMITS.restart_most_ms)
    stage.newest(1).ends(2, "SALEROOM_X is no setting")
    await stage.clock.passes(LIMITS.restart_most_ms)
    stage.newest(1).says()
    await stage.clock.passes(0)
    assert [worker.serves for worker in stage.workers] == [True, True]
    problems = [each.__dict__["problem"] for each in caplog.records if "problem" in vars(each)]
    assert events(caplog) == ["worker_ended", "worker_not_started", "worker_not_started"]
    assert problems == ["Resource temporarily unavailable", "SALEROOM_X is no setting"]


async def test_if_none_serves_and_a_setting_cannot_be_the_whole_ends(stage: Stage) -> None:
    assert stage.running is not None
    for number in (1, 2):
        stage.newest(number).ends(1)
    await stage.clock.passes(LIMITS.restart_ms)
    stage.newest(1).ends(1, "the store is away")
    await stage.clock.passes(0)
    assert not stage.running.done(), "that may change"
    stage.newest(2).ends(2, "SALEROOM_X is no setting")
    with pytest.raises(NotStarted, match="SALEROOM_X") as ended:
        await stage.running
    assert ended.value.code == 2


# One after the other


async def test_a_worker_is_replaced_when_the_one_before_it_serves_again(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    stage.roll.set()
    await stage.clock.passes(0)
    assert (stage.lives[0][0].signals, stage.counts) == ([SIGTERM], [2, 1])
    await stage.clock.passes(LIMITS.start_ms - 1)
    assert stage.newest(2).signals == [], "the first is not there yet"
    stage.newest(1).says()
    await stage.clock.passes(0)
    assert (stage.lives[1][0].signals, stage.counts) == ([SIGTERM], [2, 2])
    stage.newest(2).says()
    await stage.clock.passes(0)
    starts = ["worker_started"] * 2
    assert events(caplog) == ["workers_rolling", *starts, "workers_rolled"]


async def test_if_the_new_one_does_not_serve_the_others_stay_as_they_are(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    stage.roll.set()
    await stage.clock.passes(0)
    stage.newest(1).ends(1, "a fault in the new program")
    await stage.clock.passes(0)
    assert events(caplog) == ["worker_not_started", "workers_not_rolled"]
    assert (stage.newest(2).runs, stage.newest(2).signals) == (True, [])
    await stage.clock.passes(LIMITS.restart_most_ms)
    stage.newest(1).says()
    await stage.clock.passes(0)
    stage.roll.set()
    await stage.clock.passes(0)
    assert stage.counts == [4, 1], "and when told once more it begins from the first again"


async def test_told_twice_it_goes_through_twice(stage: Stage) -> None:
    stage.roll.set()
    await stage.clock.passes(0)
    stage.roll.set()
    for number in (1, 2, 1, 2):
        stage.newest(number).says()
        await stage.clock.passes(0)
    assert stage.counts == [3, 3]


async def test_one_that_is_down_is_waited_for_before_the_next_is_replaced(stage: Stage) -> None:
    stage.newest(1).ends(1)
    await stage.clock.passes(0)
    stage.roll.set()
    await stage.clock.passes(LIMITS.restart_ms - 1)
    assert stage.newest(2).signals == []
    await stage.clock.passes(1)
    stage.newest(1).says()
    await stage.clock.passes(0)
    assert (stage.lives[1][0].signals, stage.counts) == ([SIGTERM], [2, 2])
    stage.newest(2).says()


async def test_one_that_does_not_end_is_killed(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    stage.newest(1).stubborn = True
    stage.roll.set()
    await stage.clock.passes(DRAIN_MS + LIMITS.stop_ms - 1)
    assert stage.newest(1).signals == [SIGTERM]
    await stage.clock.passes(1)
    assert stage.lives[0][0].signals == [SIGTERM, SIGKILL]
    stage.newest(1).says()
    await stage.clock.passes(0)
    assert events(caplog) == ["worker_killed"]


# The end


async def test_ending_leaves_no_worker_also_not_one_that_is_just_being_started(
    stage: Stage,
) -> None:
    stage.newest(1).ends(1)
    await stage.clock.passes(LIMITS.restart_ms)
    assert stage.newest(1).runs
    await stage.ends()
    assert not stage.newest(1).runs


async def test_all_are_told_what_the_one_that_keeps_them_is_told(stage: Stage) -> None:
    stage.crew.tell(SIGINT)
    assert [stage.newest(number).signals for number in (1, 2)] == [[SIGINT], [SIGINT]]
    Stage().crew.tell(SIGINT)  # before there are any, nobody is
