"""`saleroom bot`: a strategy plays a seat."""

from collections.abc import Iterator
from typing import Any

import pytest
from typer import Exit

from saleroom_cli import bot as bot_command
from saleroom_cli.console import Language
from tests.clients.test_record_command import run
from tests.support.commands import quick_server
from tests.support.servers import ServerProcess


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with quick_server(tmp_path_factory.mktemp("bot")) as running:
        yield running


@pytest.mark.parametrize(("level", "language"), [("easy", "en"), ("steady", "de")])
def test_a_bot_plays_with_house_bots_to_the_end(
    level: str, language: str, server: ServerProcess
) -> None:
    words = ("--level", level, "--house", "easy", "--seats", "3", "--name", "Sketch")
    played = run("bot", *words, "--url", server.url, "--language", language)
    assert played.exit_code == 0, played.output
    assert [line[:3] for line in played.stdout.splitlines()[-3:]] == ["1. ", "2. ", "3. "]
    assert "Sketch" in played.stdout
    assert "saleroom watch r" in played.stderr
    assert played.stderr.count("\n") == 2, "the room, and how to look on"


def test_a_bot_without_others_says_that_it_waits_and_how_to_join_it(
    server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nobody_comes(*_: Any) -> None:
        """Wait no longer."""

    monkeypatch.setattr(bot_command, "_game", nobody_comes)
    waited = run("bot", "--url", server.url)
    assert waited.exit_code == 0, waited.output
    _, sitting, looking, waits = waited.stderr.splitlines()
    assert sitting.startswith("To sit down: saleroom play r")
    assert looking.startswith("To look on: saleroom watch r")
    assert waits == "Waiting for others to sit down."


@pytest.mark.parametrize(
    "words", [("--level", "best"), ("--house", "best"), ("--seats", "0"), ("--language", "fr")]
)
def test_words_that_make_no_sense_are_a_usage_error(words: tuple[str, ...]) -> None:
    refused = run("bot", *words)
    assert refused.exit_code == 2
    assert words[0] in refused.stderr


def test_a_level_a_game_does_not_have_is_said_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(Exit) as ended:
        bot_command._strategy("toy", "steady", Language.EN)
    assert ended.value.exit_code == 2
    assert capsys.readouterr().err == "error: No bot plays toy at the level steady.\n"


def test_a_room_that_is_not_there_is_said_in_one_line(server: ServerProcess) -> None:
    refused = run("bot", "rab2cd3ef4gh5", "--url", server.url, "--language", "de")
    assert refused.exit_code == 1
    assert refused.stderr.startswith("Fehler: Diesen Raum gibt es nicht")
