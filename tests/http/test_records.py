"""PROTOCOL.md, "Record": what is left of a room, for as long as there is a store."""

import asyncio
from hashlib import sha256
from threading import Event
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from saleroom_protocol.errors import Reason
from saleroom_protocol.games.record import Drawn
from saleroom_rules.games import GAMES
from saleroom_rules.replay import verify
from saleroom_server.http import replays
from saleroom_server.http.limits import LobbyLimits
from tests.http.games import Over
from tests.http.served import Guest, Served, refused, told


async def _record(served: Served, room: str, query: str = "", **how: Any) -> bytes:
    response = await served.get(f"/v1/rooms/{room}/record{query}", **how)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/jsonl"
    assert response.headers["content-disposition"] == f'attachment; filename="{room}.jsonl"'
    return response.content


async def _puts_away(served: Served) -> None:
    """Let more than an hour go by, and the rooms with it."""
    await served.clock.passes(61 * 60_000)
    for _ in range(2):
        served.service.hall.sweep()
        await served.clock.passes(0)
    assert not served.kept.rooms


async def test_before_the_end_there_is_none(served: Served, ada: Guest) -> None:
    room = (await served.room(ada, bots=[{"level": "easy"}] * 2))["room"]
    path = f"/v1/rooms/{room}/record"
    refused(await served.get(path), Reason.NOT_FINISHED, status="waiting")
    await served.clock.passes(2_000)
    refused(await served.get(path), Reason.NOT_FINISHED, status="running")
    await served.clock.passes(2 * 60_000)
    refused(await served.get(path), Reason.NOT_FINISHED, status="paused")


async def test_a_finished_game_can_be_verified(ended: tuple[Served, Over]) -> None:
    served, over = ended
    record = verify(await _record(served, over.public))
    assert record.header.room == over.public
    assert record.closing.outcome.scores
    assert not any(isinstance(line, Drawn) for line in record.lines)


async def test_so_can_its_draws(ended: tuple[Served, Over]) -> None:
    served, over = ended
    record = verify(await _record(served, over.public, "?draws=1"))
    assert any(isinstance(line, Drawn) for line in record.lines)
    assert await _record(served, over.public, "?draws=0") == await _record(served, over.public)


async def test_the_digest_is_that_of_the_lines_and_of_the_document(
    ended: tuple[Served, Over],
) -> None:
    served, over = ended
    lines = (await _record(served, over.public)).splitlines(keepends=True)
    digest = msgspec.json.decode(lines[-1])["digest"]
    assert digest == sha256(b"".join(lines[:-1])).hexdigest()
    assert (await served.standing(over.public)).result.digest == digest


async def test_the_commitment_was_made_before_the_cards_were_dealt(
    ended: tuple[Served, Over],
) -> None:
    served, over = ended
    header = verify(await _record(served, over.public)).header
    assert sha256(bytes.fromhex(header.server_seed)).hexdigest() == header.commitment
    assert (await served.summary(over.public))["commitment"] == header.commitment


async def test_a_closed_room_has_one_too(ended: tuple[Served, Over]) -> None:
    served, over = ended
    never = verify(await _record(served, over.closed))
    assert never.closing.outcome.reason == "not_started"
    left = verify(await _record(served, over.private, by=over.bob))
    assert left.closing.outcome.reason == "abandoned"
    drawn = verify(await _record(served, over.private, "?draws=1", by=over.bob))
    assert len(drawn.lines) > len(left.lines)


async def test_it_is_there_as_soon_as_the_game_is_over(served: Served, ada: Guest) -> None:
    room = (await served.room(ada, take_seat=False))["room"]
    await served.clock.passes(30 * 60_000)
    verify(await _record(served, room))


async def test_it_is_there_even_if_the_server_ended_in_between(
    ended: tuple[Served, Over],
) -> None:
    served, over = ended
    served.kept.archive.clear()
    await served.restart()
    verify(await _record(served, over.public))


async def test_it_stays_when_the_room_is_put_away(ended: tuple[Served, Over]) -> None:
    served, over = ended
    before = await _record(served, over.public)
    await _puts_away(served)
    refused(await served.get(f"/v1/rooms/{over.public}"), Reason.UNKNOWN_ROOM)
    assert await _record(served, over.public) == before
    await served.restart()
    assert await _record(served, over.public) == before
    verify(await _record(served, over.public, "?draws=1"))


async def test_one_of_which_nobody_can_tell_who_may_see_it_is_shown_to_nobody(
    ended: tuple[Served, Over],
) -> None:
    served, over = ended
    await _puts_away(served)
    kept = served.kept.archive[over.public]
    served.kept.archive[over.public] = replace(kept, head=b"\xc1")
    refused(await served.get(f"/v1/rooms/{over.public}/record"), Reason.UNKNOWN_ROOM)


async def test_while_the_store_is_down_nobody_knows(ended: tuple[Served, Over]) -> None:
    served, over = ended
    served.store.down = True
    response = await served.get(f"/v1/rooms/{over.public}/record")
    refused(response, Reason.UNAVAILABLE, retry_after_ms=1_000)
    served.store.down = False
    verify(await _record(served, over.public))


async def test_a_room_that_has_failed_has_none(
    ended: tuple[Served, Over], caplog: pytest.LogCaptureFixture
) -> None:
    served, over = ended
    served.kept.archive.clear()
    await served.close()
    del served.kept.rooms[over.public].entries[20]
    await served.start()
    response = await served.get(f"/v1/rooms/{over.public}/record")
    refused(response, Reason.NOT_FINISHED, status="failed")
    assert {"journal_unreadable", "room_failed"} <= {*caplog.messages}


async def test_the_draws_of_an_edition_no_longer_at_hand_are_unknown(
    ended: tuple[Served, Over], monkeypatch: pytest.MonkeyPatch
) -> None:
    served, over = ended
    await _puts_away(served)
    monkeypatch.setattr(type(GAMES["kunstmarkt"]), "edition", 2)
    await _record(served, over.public)
    response = await served.get(f"/v1/rooms/{over.public}/record?draws=1")
    refused(response, Reason.UNKNOWN_GAME, game="kunstmarkt")


async def test_draws_are_worked_out_one_record_at_a_time_and_so_many_wait(
    ended: tuple[Served, Over], monkeypatch: pytest.MonkeyPatch
) -> None:
    served, over = ended
    under_way, most, all_asked = 0, 0, Event()
    plain = replays._with_draws

    def counted(body: bytes) -> bytes:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        all_asked.wait()
        found = plain(body)
        under_way -= 1
        return found

    monkeypatch.setattr(replays, "_with_draws", counted)
    path = f"/v1/rooms/{over.public}/record?draws=1"
    waiting = LobbyLimits().replays
    asking = [asyncio.create_task(served.get(path)) for _ in range(waiting + 5)]
    await asyncio.wait(asking[waiting + 1 :])
    all_asked.set()
    answers = await asyncio.gather(*asking)
    statuses = [answer.status_code for answer in answers]
    assert statuses == [200] * (waiting + 1) + [503] * 4
    refused(answers[-1], Reason.BUSY, retry_after_ms=1_000)
    assert (most, under_way) == (1, 0)
    assert (await served.get(path)).status_code == 200


async def test_it_may_be_asked_for_its_length_alone(ended: tuple[Served, Over]) -> None:
    served, over = ended
    whole = await _record(served, over.public)
    head = await served.client.head(f"/v1/rooms/{over.public}/record")
    assert (head.status_code, int(head.headers["content-length"])) == (200, len(whole))


async def test_a_record_tells_no_invitation_and_no_word(ended: tuple[Served, Over]) -> None:
    served, over = ended
    text = (await _record(served, over.private, by=over.ada)).decode()
    assert over.watch not in text
    assert "invite" not in text
    told(await served.get(f"/v1/rooms/{over.private}?watch={over.watch}"), 200)
