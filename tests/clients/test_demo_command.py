"""`saleroom demo`: a whole game on a server of its own."""

import asyncio
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer import Exit

from saleroom_cli.demo import _check, _played
from saleroom_rules.replay import verify
from tests.clients.test_record_command import GOLDEN, run


def test_a_demo_tells_a_game_verifies_it_and_keeps_its_record(tmp_path: Path) -> None:
    kept = tmp_path / "demo.jsonl"
    told = run("demo", "--pause", "0", "--record", kept, "--language", "de")
    assert told.exit_code == 0, told.output
    assert "Das Spiel beginnt." in told.stdout
    assert "Ada (Platz 0)" in told.stdout
    assert "verified " in told.stdout
    assert told.stdout.endswith(f"  {verify(kept.read_bytes()).closing.digest}\n{kept}\n")
    assert told.stderr == ""


def test_another_game_can_be_shown() -> None:
    told = run("demo", "--game", "vernissage", "--pause", "0")
    assert told.exit_code == 0, told.output
    assert told.stdout.startswith("Vernissage · r")
    assert "rolls the fate die" in told.stdout
    assert "verified " in told.stdout


def test_a_bot_that_fails_ends_the_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(document: Any, catalogue: Any, pick: Any) -> Any:
        raise ArithmeticError("a fault of the bot's")

    monkeypatch.setattr("saleroom_cli.demo.strategy_for", lambda key, level: broken)
    told = run("demo", "--pause", "0")
    assert isinstance(told.exception, ArithmeticError)


def test_a_file_that_cannot_be_written_is_known_before_the_game(tmp_path: Path) -> None:
    refused = run("demo", "--record", tmp_path / "nowhere" / "demo.jsonl")
    assert refused.exit_code == 1
    assert refused.stdout == ""
    assert refused.stderr.endswith("No such file or directory\n")


def test_without_the_servers_packages_it_is_said_how_to_get_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "saleroom_server.serve", raising=False)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    refused = run("demo")
    assert refused.exit_code == 2
    assert refused.stderr == "error: uvicorn is not installed: pip install 'saleroom[server]'\n"


def test_a_record_that_is_wrong_fails_the_demo(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Exit) as ended:
        _check(GOLDEN.read_bytes().replace(b'"seat":1', b'"seat":2', 1), None)
    assert ended.value.exit_code == 1
    assert capsys.readouterr().err.startswith("error: the record is wrong: ")


async def test_a_server_that_is_told_to_end_ends_the_game(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stopped: list[bool] = []
    listens: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    listens.set_result(SimpleNamespace(stop=lambda: stopped.append(True)))
    server, game = asyncio.create_task(asyncio.sleep(0)), asyncio.create_task(for_ever())
    with pytest.raises(Exit) as ended:
        await _played(server, game, listens)
    assert (ended.value.exit_code, stopped, game.cancelled()) == (130, [True], True)
    assert capsys.readouterr().err == "\n"


async def test_a_server_that_cannot_begin_says_why() -> None:
    async def no_port() -> None:
        raise OSError(98, "Address already in use")

    listens: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    game = asyncio.create_task(for_ever())
    with pytest.raises(OSError, match="in use"):
        await _played(asyncio.create_task(no_port()), game, listens)
    assert game.cancelled()


async def for_ever() -> bytes:
    await asyncio.Event().wait()
    return b""
