"""`saleroom play` against a real server: through a pipe, with a token, and what goes wrong."""

import asyncio
import re
from collections.abc import Iterator

import pytest

from saleroom_cli import play as play_command
from saleroom_cli.console import err
from saleroom_cli.keyboard import standard_input
from saleroom_client import ConnectionLost, Lobby
from tests.clients.test_record_command import run
from tests.support.commands import quick_server
from tests.support.servers import ServerProcess


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with quick_server(tmp_path_factory.mktemp("play")) as running:
        yield running


def test_a_whole_game_can_be_played_through_a_pipe(server: ServerProcess) -> None:
    typed = b"1\n" * 2_000
    result = run("play", "--url", server.url, "--seats", "3", "--level", "easy", stdin=typed)
    assert result.exit_code == 0, result.output
    assert "Der Prestel Kunstmarkt · r" in result.stdout
    assert "Guest draws a customer: " in result.stdout
    assert "  Guest (seat 0): cash " in result.stdout
    assert "\n3. " in result.stdout
    assert result.stderr.startswith("Room r")
    assert "To look on: saleroom watch r" in result.stderr
    assert "come back" not in result.stderr, "there is nothing to come back to"


def test_who_leaves_and_has_a_token_can_come_back(server: ServerProcess) -> None:
    async def made() -> tuple[str, str]:
        lobby = Lobby(server.url)
        await lobby.register("Ada", "person")
        room = await lobby.create_room("kunstmarkt", 3, bots=["easy", "easy"], pace="untimed")
        return room.room, lobby.token or ""

    room, token = asyncio.run(made())
    words = ("play", room, "--url", server.url, "--token", token, "--language", "de")
    for _ in range(2):
        left = run(*words, stdin=b"\nq\n")
        assert left.exit_code == 0, left.output
        assert "Sie sind Ada (Platz 0)." in left.stdout
        assert left.stderr == "Ihr Platz bleibt Ihnen.\n", "a token that was given is not printed"


@pytest.mark.parametrize("terminal", [True, False])
def test_the_token_of_a_new_guest_is_shown_to_a_person_and_not_to_a_log(
    terminal: bool, server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(err, "_force_terminal", terminal)
    left = run("play", "--url", server.url, "--name", "Bo", stdin=b"q\n")
    assert left.exit_code == 0, left.output
    assert ("SALEROOM_TOKEN=" in left.stderr) == terminal
    assert "Your seat is kept." in left.stderr
    if terminal:
        assert "saleroom play r" in left.stderr.rpartition("SALEROOM_TOKEN=")[2]


def test_how_to_come_back_is_told_when_the_connection_is_lost_for_good(
    server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lost(*_: object) -> bool:
        raise ConnectionLost("gone")

    monkeypatch.setattr(play_command, "_game", lost)
    ended = run("play", "--url", server.url)
    assert ended.exit_code == 1
    assert "Your seat is kept.\n" in ended.stderr
    assert ended.stderr.endswith("error: The server cannot be reached: gone.\n")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("play", "x"), 2, "x is no room's id"),
        (("play", ""), 2, "'' is no room's id"),
        (("play", "--name", ""), 2, "A name has 1 to 40"),
        (("play", "--name", "x" * 41), 2, "A name has 1 to 40"),
        (("play", "--name", "a\nb"), 2, "A name has 1 to 40"),
        (("play", "--name", "\udcff"), 2, "A name has 1 to 40"),
        (("play", "--name", "\u202e"), 1, "The server cannot take this: name."),
        (("play", "--token", "ä"), 2, "A token or secret has only"),
        (("play", "--invite", "\udcff", "rab2cd3ef4gh5"), 2, "A token or secret has only"),
        (("play", "--token", "wrong"), 1, "The server does not know you any more"),
        (("play", "rab2cd3ef4gh5"), 1, "There is no such room"),
        (
            ("play", "--game", "chess"),
            1,
            "no game chess here; there is: kunstmarkt, vernissage, pictura.",
        ),
        (("play", "--seats", "9"), 1, "Der Prestel Kunstmarkt is played with 3, 4, 5 seats."),
        (("play", "--seats", "2", "--game", "vernissage"), 1, "Vernissage is played with 3, 4, 5"),
        (("play", "--seats", "3", "--bots", "3"), 1, "seat"),
        (("play", "--option", "hidden_cash"), 2, "hidden_cash is no option; one looks like this"),
        (("play", "--option", "x=1"), 1, "Der Prestel Kunstmarkt has the options: hidden_cash."),
        (("play", "--option", "hidden_cash=yes"), 1, "cannot be played so: options.hidden_cash."),
    ],
)
def test_what_cannot_be_played_is_said_in_one_line(
    words: tuple[str, ...], code: int, says: str, server: ServerProcess
) -> None:
    refused = run(*words, "--url", server.url)
    assert refused.exit_code == code
    assert refused.stderr.startswith("error: ")
    assert says in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_a_room_can_be_made_with_options(server: ServerProcess) -> None:
    made = run("play", "--url", server.url, "--option", "hidden_cash=true", stdin=b"")
    [room] = re.findall(r"^Room (r\S+)$", made.stderr, re.MULTILINE)
    assert asyncio.run(Lobby(server.url).room(room)).options == {"hidden_cash": True}


def test_a_room_can_be_made_for_friends(server: ServerProcess) -> None:
    made = run(
        "play", "--url", server.url, "--private", "--bots", "1", "--seats", "3", stdin=b"q\n"
    )
    assert made.exit_code == 0, made.output
    [sitting] = re.findall(r"^To sit down: saleroom (play r.*)$", made.stderr, re.MULTILINE)
    [looking] = re.findall(r"^To look on: saleroom (watch r.*)$", made.stderr, re.MULTILINE)
    friend = run(*sitting.split(), "--name", "Bo", stdin=b"q\n")
    assert friend.exit_code == 0, friend.output
    assert "You are Bo (seat 2)." in friend.stdout
    assert ("--invite" in sitting, "--watch" in looking) == (True, True)
    room = sitting.split()[1]
    assert room not in run("rooms", "--url", server.url).stdout, "strangers do not see it"
    stranger = run("play", room, "--url", server.url)
    assert "There is no such room" in stranger.stderr


def test_what_is_printed_to_be_typed_runs_where_it_is_printed(
    server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_RUN_RECURSION_DEPTH", "1")
    made = run("play", "--url", server.url, stdin=b"q\n")
    assert "To look on: uv run saleroom watch r" in made.stderr


def test_an_open_room_waits_in_the_list_for_others(server: ServerProcess) -> None:
    made = run("play", "--url", server.url, "--bots", "0", "--name", "Cy", stdin=b"q\n")
    [room] = re.findall(r"^To sit down: saleroom play (\w+) --url \S+$", made.stderr, re.MULTILINE)
    listed = run("rooms", "--url", server.url, "--status", "waiting", "--language", "de")
    assert f"{room}  kunstmarkt  1 von 4 Plätzen  wartet  normal  am Tisch: Cy\n" in listed.stdout
    newest = run("rooms", "--url", server.url, "--most", "1")
    told = f"{room}  kunstmarkt  1 of 4 seats  waiting  standard  at the table: Cy\n"
    assert newest.stdout == told
    nothing = run("rooms", "--url", server.url, "--game", "kunstmarkt", "--status", "failed")
    assert nothing.stdout == "No such room here; `saleroom play` makes one.\n"


def test_a_private_room_needs_its_invitation_and_a_full_one_takes_nobody(
    server: ServerProcess,
) -> None:
    async def made() -> tuple[str, str]:
        lobby = Lobby(server.url)
        await lobby.register("Ada", "person")
        room = await lobby.create_room(
            "kunstmarkt", 4, bots=["easy", "easy"], visibility="private", autostart=False
        )
        return room.room, room.invite

    room, invite = asyncio.run(made())
    there = ("play", room, "--url", server.url)
    assert "There is no such room" in run(*there).stderr
    assert "There is no such room" in run(*there, "--invite", "wrong").stderr
    assert run(*there, "--invite", invite, stdin=b"q\n").exit_code == 0
    full = run(*there, "--invite", invite)
    assert (full.exit_code, full.stderr.count("\n")) == (1, 1)


def test_somebody_has_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    assert standard_input() is not None
    monkeypatch.setattr(play_command, "standard_input", lambda: None)
    ended = run("play", "--language", "de")
    assert (ended.exit_code, ended.stderr.count("\n")) == (1, 1)
    assert "Standardeingabe" in ended.stderr
