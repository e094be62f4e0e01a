"""`saleroom rules`, and the top of the command."""

import re
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from saleroom_cli import rules as command
from saleroom_cli.main import app
from saleroom_protocol.games import VOCABULARIES
from saleroom_rules.replay import verify
from tests.clients.test_record_command import run


def figures(text: str) -> str:
    """Return a report without what depends on the machine."""
    return re.sub(r", [\d,]+ actions/s", "", text)


@pytest.mark.parametrize("game", VOCABULARIES)
def test_every_game_is_explained_in_every_language_in_lines_that_fit(game: str) -> None:
    told = [run("rules", "show", game, "--language", tongue) for tongue in ("en", "de")]
    assert all(result.exit_code == 0 for result in told)
    english, german = (result.stdout.splitlines() for result in told)
    assert english[0].endswith(" in short")
    assert german[0].endswith(", kurz erklärt")
    assert max(map(len, [*english, *german])) < 80


def test_a_game_that_is_not_known_is_not_explained() -> None:
    result = run("rules", "show", "chess")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: no game is called 'chess'; there is kunstmarkt, ")


def test_a_simulation_reports_lengths_endings_and_places() -> None:
    result = run("rules", "simulate", "kunstmarkt", "--seats", "4", "--games", "30")
    assert result.exit_code == 0, result.output
    assert "4 seats: 30 games" in result.stdout
    assert result.stderr == "", "no progress where nobody watches"
    assert "Actions a game" in result.stdout
    assert "last_customer" in result.stdout
    shares = [line for line in result.stdout.splitlines() if re.match(r"│ +\d │", line)]
    assert len(shares) == 4
    for place in range(4):
        column = [float(re.findall(r"([\d.]+)%", line)[place]) for line in shares]
        assert sum(column) == pytest.approx(100, abs=15)


def test_the_same_seed_plays_the_same_games_and_another_does_not() -> None:
    reports = [
        figures(run("rules", "simulate", "kunstmarkt", "--games", "5", "--seed", seed).stdout)
        for seed in ("7", "7", "8")
    ]
    assert reports[0] == reports[1] != reports[2]


def test_without_a_number_of_seats_all_are_played() -> None:
    text = run("rules", "simulate", "kunstmarkt", "--games", "2").stdout
    assert re.findall(r", (\d) seats: 2 games", text) == ["3", "4", "5"]


def test_every_game_can_be_written_as_a_record_that_verifies(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "records"
    arguments = ("--seats", "3", "--games", "3", "--option", "hidden_cash=true")
    result = run("rules", "simulate", "kunstmarkt", *arguments, "--records", folder)
    assert result.exit_code == 0, result.output
    written = [verify(path.read_bytes()) for path in folder.iterdir()]
    assert [record.header.options for record in written] == [{"hidden_cash": True}] * 3
    assert len({record.header.server_seed for record in written}) == 3


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("chess",), "no game is called 'chess'; there is kunstmarkt"),
        (("kunstmarkt", "--seats", "6"), "is played with 3, 4 or 5 seats, not 6"),
        (("kunstmarkt", "--option", "hidden_cash"), "an option is NAME=VALUE, not 'hidden_cash'"),
        (("kunstmarkt", "--option", "hidden_cash=perhaps"), "hidden_cash=true|false"),
        (("kunstmarkt", "--option", "jokers=2"), "hidden_cash=true|false"),
        (("kunstmarkt", "--option", "hidden_cash=\udcff"), "hidden_cash=true|false"),
        (("kunstmarkt", "--records", "/dev/null/here"), "/dev/null/here: Not a directory"),
    ],
)
def test_what_cannot_be_simulated_is_said_in_one_line(
    arguments: tuple[str, ...], says: str
) -> None:
    result = run("rules", "simulate", *arguments)
    assert result.exit_code == (1 if "--records" in arguments else 2)
    assert says in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_record_that_cannot_be_written_is_said_in_one_line(tmp_path: Path) -> None:
    words = ("rules", "simulate", "kunstmarkt", "--seats", "3", "--games", "1")
    assert run(*words, "--records", tmp_path).exit_code == 0
    (made,) = tmp_path.iterdir()
    made.unlink()
    made.mkdir()
    again = run(*words, "--records", tmp_path)
    assert (again.exit_code, again.stderr) == (1, f"error: {made}: Is a directory\n")


@pytest.mark.parametrize("games", ["0", "-3", "many"])
def test_a_number_of_games_that_is_none_is_a_usage_error(games: str) -> None:
    assert run("rules", "simulate", "kunstmarkt", "--games", games).exit_code == 2


@pytest.mark.parametrize("played", [0, 2])
def test_a_simulation_that_is_stopped_reports_what_it_has(
    played: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(headers: Iterator[object], games: int, what: str) -> Iterator[object]:
        for _, header in zip(range(played), headers, strict=False):
            yield header
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "_progress", stopped)
    result = run("rules", "simulate", "kunstmarkt", "--seats", "3", "--games", "9")
    assert result.exit_code == 130
    assert f"stopped after {played} of 9 games" in result.stderr
    assert ("2 games" in result.stdout) == (played == 2)


def test_no_trace_of_a_fault_shows_what_a_variable_held() -> None:
    assert app.pretty_exceptions_show_locals is False


def test_one_game_is_one_game() -> None:
    result = run("rules", "simulate", "kunstmarkt", "--seats", "3", "--games", "1")
    assert "3 seats: 1 game, " in result.stdout


def test_the_command_says_which_version_it_is() -> None:
    assert run("--version").stdout == f"saleroom {version('saleroom')}\n"


@pytest.mark.parametrize("words", [(), ("record",), ("rules",)])
def test_without_a_command_the_help_is_shown(words: tuple[str, ...]) -> None:
    assert "Usage:" in run(*words).output


@pytest.mark.parametrize(
    "words", [(), ("record", "verify"), ("record", "show"), ("rules", "simulate")]
)
def test_every_command_explains_itself(words: tuple[str, ...]) -> None:
    result = run(*words, "--help")
    assert result.exit_code == 0
    assert "Usage:" in result.stdout
