"""The process that searches, beside a real server: whatever happens to it, every room goes on."""

import json
import os
import signal
import urllib.request
from pathlib import Path
from random import Random

import msgspec

from saleroom_protocol.games import record
from saleroom_rules.pictura.game import MuseumPictura
from saleroom_rules.playout import decode
from saleroom_rules.replay import verify
from saleroom_server.owner.head import head_of
from saleroom_server.rooms.draft import Draft
from saleroom_server.rooms.journal import Journalled, encode
from saleroom_server.rooms.standing import found, open_window
from saleroom_server.store.sqlite import SqliteStore
from tests.support.founding import BEGINNING, PEOPLE, founding_of
from tests.support.samples import scraped
from tests.support.servers import (
    ServerProcess,
    children,
    comes_to_an_end,
    command_of,
    free_port,
)
from tests.system.test_workers import comes_true

RULES = MuseumPictura()
ROOMS, SEATS = ["raaaaaaaaaaaa", "raaaaaaaaaaab"], 2
SETTINGS = {
    "SALEROOM_OWNER_LOAD_PAUSE_MS": "5000",  # the second room asks when all is quiet again
    "SALEROOM_ROOM_SHORTENED_MS": "7000",  # what the last window takes if all have resigned
    "SALEROOM_ADVICE_ANSWER_MS": "3000",
    "SALEROOM_ADVICE_RESTART_MS": "50",
}


async def museums_to_arrange(data: Path) -> None:
    """Fill a store with rooms whose last window is open, and whose players have all resigned."""
    store = await SqliteStore.open(data)
    for room in ROOMS:
        created, draft = game_of(room)
        entries = [encode(one) for one in (created, *draft.decision().entries)]
        await store.create(room, entries, msgspec.msgpack.encode(head_of(draft.standing)))
    await store.close()


def game_of(room: str) -> tuple[Journalled, Draft]:
    """Play at random up to the last window; return how it began, and what came then."""
    founding, pick = founding_of("pictura", room=room, seats=SEATS), Random(room).choice
    created = Journalled(entry=record.Created(entry=1, seq=1, at=BEGINNING), founding=founding)
    draft = Draft(RULES, found(founding, created), 2, BEGINNING)
    for seat, one in enumerate(PEOPLE[:SEATS]):
        draft.add(record.SeatTaken, seat=seat, player=one.player, name=one.name, kind="person")
    draft.add(record.Started)
    while (window := open_window(RULES, draft.standing)) and window.kind != "arrange_final":
        state, seat = draft.standing.state, window.owing[0]
        action = decode(RULES, pick(RULES.legal(state, seat)), pick)
        draft.act(seat, "person", action, window=window.number)
    for seat in range(SEATS):
        draft.add(record.Resigned, seat=seat)
    return created, draft


def adviser(server: ServerProcess) -> int:
    """Return the process that searches; 0 if there is none."""
    searching = (pid for pid in children(server.pid) if "owner.advising" in command_of(pid))
    return next(searching, 0)


def body(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return bytes(answer.read())


def is_over(url: str) -> bool:
    return bool(json.loads(body(url))["status"] == "finished")


async def test_an_adviser_is_stopped_and_killed_and_no_room_stands_still(tmp_path: Path) -> None:
    await museums_to_arrange(tmp_path / "data")
    metrics = f"http://127.0.0.1:{(port := free_port())}/metrics"
    env = {**SETTINGS, "SALEROOM_METRICS_PORT": str(port)}

    def given(times: int) -> bool:
        return scraped(metrics).value("advice_total", outcome="given") >= times

    with ServerProcess(tmp_path / "data", env=env) as server:
        await comes_true(lambda: adviser(server) != 0)
        os.kill(adviser(server), signal.SIGSTOP)
        await comes_true(lambda: given(1))
        os.kill(adviser(server), signal.SIGKILL)
        await comes_true(lambda: given(3))
        urls = [f"{server.url}/v1/rooms/{room}" for room in ROOMS]
        await comes_true(lambda: all(map(is_over, urls)))
        for url in urls:
            verify(body(f"{url}/record"))
        assert scraped(metrics).value("advice_total") == len(ROOMS) * SEATS, "each came to an end"
        os.kill(left := adviser(server), signal.SIGSTOP)
        server.kill()
        assert comes_to_an_end(left)
        log = server.log()
    told = [log.count(event) for event in ("adviser_stuck", "adviser_ended", "[error")]
    assert told == [1, 2, 3]
