"""A process that advises, as it is."""

import os
import pickle
import sys
import time
from collections.abc import AsyncIterator
from functools import partial
from io import BytesIO
from random import Random
from typing import Any

import pytest

from saleroom_rules.pictura.arrange_final import Puzzle
from saleroom_rules.pictura.board import PLACES
from saleroom_rules.pictura.cards import PAINTINGS
from saleroom_rules.pictura.game import MuseumPictura
from saleroom_server.owner.adviser import Adviser, AdviserGone
from saleroom_server.owner.advising import SIZE_BYTES, Fault, advise

RULES = MuseumPictura()
MUSEUM = Puzzle(dict(zip(PAINTINGS, Random(1).sample(PLACES, 9), strict=False)))


@pytest.fixture
async def adviser() -> AsyncIterator[Adviser]:
    here = Adviser()
    await here.start()
    yield here
    await here.close()


async def answer(adviser: Adviser, work: Any) -> Any:
    return pickle.loads(await adviser.solve(pickle.dumps(work)))


async def test_it_answers_as_this_process_would_one_thing_after_the_other(
    adviser: Adviser,
) -> None:
    work = partial(RULES.advise, MUSEUM)
    assert [await answer(adviser, work) for _ in range(2)] == [work()] * 2
    assert await answer(adviser, os.getpid) != os.getpid()
    assert await answer(adviser, partial(os.nice, 0)) == min(os.nice(0) + 10, 19)


async def test_when_it_ends_that_is_noticed_and_another_one_starts(
    adviser: Adviser, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(AdviserGone):
        await answer(adviser, partial(os._exit, 3))
    told = [one for one in caplog.records if one.name == "saleroom.rooms"]
    assert [(one.message, one.__dict__["code"]) for one in told] == [("adviser_ended", 3)]
    await adviser.start()
    assert await answer(adviser, partial(pow, 2, 3)) == 8


async def test_one_that_ended_while_it_had_nothing_to_do_is_told_of_and_replaced(
    adviser: Adviser, caplog: pytest.LogCaptureFixture
) -> None:
    process = adviser._process
    assert process is not None
    adviser.kill()
    await process.wait()
    assert not adviser.runs
    await adviser.start()
    assert await answer(adviser, partial(pow, 2, 3)) == 8
    assert [(one.message, one.__dict__["code"]) for one in caplog.records] == [
        ("adviser_ended", -9)
    ]


async def test_that_its_input_is_closed_is_as_good_as_its_end(adviser: Adviser) -> None:
    process = adviser._process
    assert process is not None
    assert process.stdin is not None
    process.stdin.close()
    with pytest.raises(AdviserGone):
        await answer(adviser, partial(pow, 2, 3))


async def test_it_can_be_killed_in_the_middle(adviser: Adviser) -> None:
    process = adviser._process
    assert process is not None
    process.kill()
    with pytest.raises(AdviserGone):
        await answer(adviser, partial(time.sleep, 60))
    adviser.kill()  # there is none


async def test_that_there_is_no_process_to_be_had_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere")
    with pytest.raises(AdviserGone):
        await Adviser().start()
    told = [one for one in caplog.records if one.name == "saleroom.rooms"]
    assert [(one.message, one.__dict__["problem"]) for one in told] == [
        ("adviser_not_started", "ENOENT")
    ]


def test_it_works_until_its_input_ends() -> None:
    given, told = BytesIO(), BytesIO()
    for work in (partial(pow, 2, 3), partial(int, "n03")):
        pickle.dump(work, given)
    given.seek(0)
    advise(given, told)
    told.seek(0)
    answers = []
    while size := told.read(SIZE_BYTES):
        answers.append(pickle.loads(told.read(int.from_bytes(size))))
    assert answers[0] == 8
    assert isinstance(answers[1], Fault)
    assert answers[1].problem.startswith("ValueError at saleroom_server.owner.advising:")
