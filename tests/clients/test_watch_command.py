"""`saleroom watch`: a room told line by line, and what goes wrong."""

import asyncio
import logging
import re
from collections.abc import Iterator
from typing import cast

import pytest
from rich.color import ColorSystem

from saleroom_cli import online
from saleroom_cli.console import Language, out
from saleroom_cli.online import Ears, lobby_at, losses_told
from saleroom_cli.options import HERE
from saleroom_cli.telling import Teller
from saleroom_cli.watch import Watcher
from saleroom_client import Lobby, Room
from saleroom_protocol.messages import Said, Speaker
from saleroom_rules.games import GAMES
from tests.clients.test_record_command import run
from tests.support.commands import ScriptedRoom, quick_server
from tests.support.rooms import HandRoom
from tests.support.scripted_lobby import BROKEN, Answer, lobby_server, problem
from tests.support.servers import ServerProcess

ROOM = "rab2cd3ef4gh5"
HI = Said(room="r", number=1, from_=Speaker(seat=1), to="table", text="Hi!", at=0)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with quick_server(tmp_path_factory.mktemp("watch")) as running:
        yield running


def made(server: ServerProcess, visibility: str = "public") -> tuple[str, str]:
    """Let a game of house bots begin; return its room and the secret to watch it."""

    async def make() -> tuple[str, str]:
        lobby = Lobby(server.url)
        await lobby.register("Ada")
        bots = ["easy", "steady", "easy"]
        how = {"take_seat": False, "visibility": visibility}
        room = await lobby.create_room("kunstmarkt", 3, bots=bots, **how)  # type: ignore[arg-type]
        return room.room, room.watch

    return asyncio.run(make())


def test_a_game_is_told_to_its_end_with_table_and_places(server: ServerProcess) -> None:
    room, _ = made(server)
    told = run("watch", room, "--url", server.url)
    assert told.exit_code == 0, told.output
    lines = told.stdout.splitlines()
    assert lines[0] == f"Der Prestel Kunstmarkt · {room}"
    assert "  seat 1  Steady bot 1 · house bot" in lines
    assert lines[-4:-3] == [""]
    assert [line[:3] for line in lines[-3:]] == ["1. ", "2. ", "3. "]


def test_a_game_is_told_in_german_where_the_environment_speaks_it(server: ServerProcess) -> None:
    room, _ = made(server)
    assert "· Bot des Hauses" in run("watch", room, "--url", server.url, LANG="de_DE").stdout


def test_a_private_room_is_told_only_with_its_secret(server: ServerProcess) -> None:
    room, watch = made(server, "private")
    there = ("watch", room, "--url", server.url)
    assert run(*there, "--watch", watch).exit_code == 0
    for wrong in ((), ("--watch", "wrong")):
        refused = run(*there, *wrong)
        assert (refused.exit_code, refused.stderr) == (
            1,
            "error: There is no such room, or it is not for you to see.\n",
        )


def test_what_happens_who_is_asked_and_what_is_said_is_told_with_the_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def watched() -> None:
        hand = HandRoom()
        hand.seats(0, 1)
        ears = Ears()
        ears.heard(HI)
        room = ScriptedRoom(hand.document())
        hand.seats(2)
        for person in range(3):
            hand.joins(person)
        hand.waits(3_000)
        room.goes_on(hand.document(), {"event": "started"})
        room.goes_on(hand.document(), {"event": "presence", "seat": 2, "connected": True})
        room.goes_on(hand.document(), whole=True)
        room.ends()
        teller = Teller.of(GAMES["kunstmarkt"], Language.EN)
        await Watcher(cast("Room", room), teller, lambda: hand.now).watch(ears)

    asyncio.run(watched())
    told = re.sub(r"\d\d:\d\d:\d\d", "TIME", capsys.readouterr().out)
    assert "TIME  seat 1: “Hi!”" in told or "TIME  Person b (seat 1): “Hi!”" in told
    assert "The game begins when every seat is taken. At the table:\n  seat 0  Person a" in told
    assert "TIME  The game begins.\nTIME  … Person" in told
    assert told.count("has the turn") == 1
    assert told.count("Market\n") == 1, "what was missed is shown"


@pytest.mark.parametrize(
    ("url", "code", "says"),
    [
        ("foo", 2, "foo is no server's address"),
        ("", 2, "'' is no server's address"),
        ("http://", 2, "is no server's address"),
        ("ftp://example.org", 2, "is no server's address"),
        ("http://127.0.0.1:99999", 2, "is no server's address"),
        ("http://127.0.0.1:8000x", 2, "is no server's address"),
        ("http://[::1", 2, "is no server's address"),
        ("http://127.0.0.1/\udcff", 2, "is no server's address"),
    ],
)
def test_an_address_that_is_none_is_said_in_one_line(url: str, code: int, says: str) -> None:
    refused = run("watch", ROOM, "--url", url)
    assert refused.exit_code == code
    assert says in refused.stderr
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ([problem(404, "unknown_room")], "There is no such room"),
        ([Answer(404)], "What answers there is no Saleroom server"),
        ([BROKEN] * 5, "The server cannot be reached: "),
        ([Answer(200, "odd")], "The server speaks another version of the protocol"),
    ],
)
def test_what_a_server_answers_instead_is_said_in_one_line(
    answers: list[Answer], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("saleroom_client.outside.LONGEST_WAIT", 0.0)
    with lobby_server() as lobby:
        lobby.answers = answers
        refused = run("watch", ROOM, "--url", lobby.url)
    assert refused.exit_code == 1
    assert says in refused.stderr
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [(("watch", "x"), "x is no room's id"), (("watch", ROOM, "--watch", "ö"), "A token or secret")],
)
def test_words_that_make_no_sense_are_said_in_one_line(words: tuple[str, ...], says: str) -> None:
    refused = run(*words)
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert says in refused.stderr


def test_who_interrupts_ends_it_without_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(work: object) -> None:
        getattr(work, "close")()  # noqa: B009
        raise KeyboardInterrupt

    monkeypatch.setattr("saleroom_cli.online.asyncio.run", interrupted)
    ended = run("watch", ROOM)
    assert (ended.exit_code, ended.stderr) == (130, "\n")


def test_that_the_connection_is_lost_is_told_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = logging.getLogger("saleroom_client")
    with losses_told(Language.EN):
        log.info("connection lost; dialling again in %.1f s", 0.5)
        log.info("connection lost; dialling again in %.1f s", 0.7)
        assert capsys.readouterr().err == "The connection is lost; trying again.\n"
        monkeypatch.setattr(online, "REMINDER", 0.0)
        log.info("connection lost; dialling again in %.1f s", 0.9)
        assert capsys.readouterr().err == "The connection is lost; trying again.\n"
    log.info("connection lost; dialling again in %.1f s", 0.9)
    assert capsys.readouterr().err == ""


def test_the_usual_address_is_left_out_of_what_is_to_be_typed() -> None:
    assert online.again("watch", ROOM, HERE) == f"saleroom watch {ROOM}"
    there = online.again("play", ROOM, "http://example.org/it's")
    assert there == f"saleroom play {ROOM} --url 'http://example.org/it'\"'\"'s'"
    assert lobby_at("wss://example.org", Language.EN).token is None


def test_nothing_is_said_by_colour_alone(
    server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, _ = made(server)
    plain = run("watch", room, "--url", server.url)
    monkeypatch.setattr(out, "_force_terminal", True)
    monkeypatch.setattr(out, "_color_system", ColorSystem.STANDARD)
    coloured = run("watch", room, "--url", server.url)
    assert "\x1b[" in coloured.stdout
    assert "\x1b[" not in plain.stdout
    bare = re.sub(r"\x1b\[[0-9;]*m", "", coloured.stdout)
    assert bare.splitlines()[-3:] == plain.stdout.splitlines()[-3:]
