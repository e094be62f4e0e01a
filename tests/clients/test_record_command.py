"""`saleroom record`: what a user sees of a good record and of a bad one."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from saleroom_cli import record as record_command
from saleroom_cli.console import Language, err, out, shown, spoken
from saleroom_cli.main import app
from saleroom_cli.record import _date, _ending
from saleroom_protocol.games.record import OutcomeLine
from saleroom_rules.record import MAX_RECORD_BYTES
from tests.golden.files import RECORDS
from tests.support.records import rewritten

GOLDEN = RECORDS / "kunstmarkt-3.jsonl"


def run(*arguments: str | Path, stdin: bytes = b"", **environment: str) -> Result:
    plain = {"NO_COLOR": "1", "COLUMNS": "100", "LANG": "C", "LC_ALL": ""}
    words = [str(argument) for argument in arguments]
    return CliRunner().invoke(app, words, input=stdin, env=plain | environment)


@pytest.mark.parametrize("path", sorted(RECORDS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_golden_record_is_verified_and_summed_up(path: Path) -> None:
    result = run("record", "verify", path)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(f"verified {path}")
    closing = json.loads(path.read_text("utf-8").splitlines()[-1])
    assert closing["digest"] in result.stdout
    winner = min(closing["outcome"]["places"], key=closing["outcome"]["places"].get)
    assert f"won by seat {winner}" in result.stdout


def test_a_record_may_come_from_standard_input() -> None:
    assert run("record", "verify", "-", stdin=GOLDEN.read_bytes()).exit_code == 0


def test_a_record_that_is_not_true_fails_with_the_first_thing_that_is_not(tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(GOLDEN.read_bytes().replace(b'"seat":1', b'"seat":2', 1))
    result = run("record", "verify", bad)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith(f"error: {bad}: line ")


def test_a_file_that_is_not_there_is_an_error_in_one_line(tmp_path: Path) -> None:
    for command in ("verify", "show"):
        result = run("record", command, tmp_path / "nothing.jsonl")
        assert result.exit_code == 1
        assert result.stderr.count("\n") == 1
        assert "No such file" in result.stderr


def test_a_huge_file_fails_without_being_read_whole(tmp_path: Path) -> None:
    huge = tmp_path / "huge.jsonl"
    with huge.open("wb") as file:
        file.truncate(200 * MAX_RECORD_BYTES)
    result = run("record", "verify", huge)
    assert result.exit_code == 1
    assert "larger than" in result.stderr


def test_a_records_own_text_cannot_play_tricks_with_the_terminal(tmp_path: Path) -> None:
    nasty = "[bold]\\[/x]\x1b[2J]\u202e\r\n:bomb:"
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(rewritten(GOLDEN.read_bytes(), lambda lines: lines[0].update(game=nasty)))
    for command in ("verify", "show"):
        result = run("record", command, bad)
        assert result.exit_code == 1
        assert "\x1b" not in result.stderr
        assert "\u202e" not in result.stderr
        assert r"unknown game '[bold]\\[/x]\x1b[2J]\u202e\r\n:bomb:'" in result.stderr
        assert result.stderr.count("\n") == 1


def test_a_file_name_cannot_either(tmp_path: Path) -> None:
    result = run("record", "verify", tmp_path / "[bold]\\[/x]\nverified: yes")
    assert result.exit_code == 1
    assert "[bold]\\[/x]\ufffdverified: yes: No such file" in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_record_whose_digest_fits_but_whose_game_was_not_played_is_refused(
    tmp_path: Path,
) -> None:
    cheated = tmp_path / "cheated.jsonl"
    cheat = rewritten(GOLDEN.read_bytes(), lambda lines: lines[8].update(action={"do": "pass"}))
    cheated.write_bytes(cheat)
    for command in ("verify", "show"):
        result = run("record", command, cheated)
        assert result.exit_code == 1
        assert "line 9: seat 1 may not pass here" in result.stderr


def test_of_several_records_each_is_judged_and_one_bad_one_is_enough(tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(b"{}\n")
    result = run("record", "verify", GOLDEN, bad, RECORDS / "kunstmarkt-4.jsonl")
    assert result.exit_code == 1
    assert result.stdout.count("verified") == 2
    assert result.stderr.count("error:") == 1


def test_an_endless_file_ends_all_the_same() -> None:
    assert "larger than" in run("record", "verify", "/dev/zero").stderr


def test_a_closed_standard_input_is_an_error_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_command, "_stdin", lambda: None)
    result = run("record", "verify", "-")
    assert (result.exit_code, result.stderr) == (1, "error: -: standard input is closed\n")


def test_the_digest_can_be_copied_from_a_narrow_terminal() -> None:
    folded = run("record", "verify", GOLDEN, COLUMNS="40").stdout
    digest = json.loads(GOLDEN.read_text("utf-8").splitlines()[-1])["digest"]
    assert digest in "".join(folded.split())


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_what_a_terminal_cannot_show_is_replaced_and_not_an_error(encoding: str) -> None:
    arguments = ("record", "show", str(GOLDEN), "--language", "de")
    told = subprocess.run(
        [sys.executable, "-c", "from saleroom_cli.main import run; run()", *arguments],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=True,
    )
    assert b"Traceback" not in told.stderr
    assert b"zieht einen Kunden" in told.stdout


def test_what_the_system_refuses_ends_in_one_line() -> None:
    arguments = ("record", "show", str(GOLDEN))
    with Path("/dev/full").open("wb") as full:
        told = subprocess.run(
            [sys.executable, "-c", "from saleroom_cli.main import run; run()", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
        )
    assert told.returncode == 1
    assert b"Traceback" not in told.stderr
    assert b"error: No space left on device" in told.stderr


def lines_shown(*arguments: str | Path, **environment: str) -> list[str]:
    result = run("record", "show", *arguments, stdin=b"", **environment)
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def test_a_spectator_is_told_no_customer_that_was_drawn() -> None:
    drawn = [line for line in lines_shown(GOLDEN) if "draws a customer" in line]
    assert drawn
    assert all(line.endswith("draws a customer.") for line in drawn)


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_seat_is_told_its_own_customers_and_nobody_elses(seat: int) -> None:
    drawn = [line for line in lines_shown(GOLDEN, "--as", str(seat)) if "draws a customer" in line]
    own = [line for line in drawn if f"Seat {seat} draws" in line]
    assert own
    assert all(re.search(r"\(c\d\d\)\.$", line) for line in own)
    assert not any(re.search(r"\(c\d\d\)", line) for line in drawn if line not in own)


def test_the_telling_has_heading_events_and_result() -> None:
    lines = lines_shown(GOLDEN)
    assert lines[0] == "Der Prestel Kunstmarkt, 3 seats, told to a spectator"
    assert "reconstructed" in lines[1]
    assert any("The lot falls on seat 1." in line for line in lines)
    assert lines[-3:] == ["1. seat 0 with 76,000", "2. seat 2 with 46,000", "3. seat 1 with 15,000"]


def test_what_the_scores_are_made_of_is_told_before_the_places() -> None:
    lines = lines_shown(RECORDS / "pictura-2.jsonl")
    totals = [line.rpartition(": ")[2] for line in lines if line.startswith("    Points ")]
    places = {line.rpartition(" with ")[2] for line in lines[-2:]}
    assert {total.removesuffix(".") for total in totals} == places


def test_reconstructed_cards_are_marked_and_facts_are_not() -> None:
    told = "\n".join(lines_shown(RECORDS / "kunstmarkt-5.jsonl", "--as", "2"))
    assert "Rembrandt, “Kreuzabnahme” ~ (p26)" in told


def test_the_game_is_told_in_german_where_the_environment_speaks_it() -> None:
    assert "3 Plätze" in lines_shown(GOLDEN, LANG="de_DE.UTF-8")[0]
    assert "3 Plätze" in lines_shown(GOLDEN, "--language", "de")[0]
    assert "3 seats" in lines_shown(GOLDEN, "--language", "en", LANG="de_DE.UTF-8")[0]
    assert lines_shown(GOLDEN, "--language", "de")[-1] == "3. Platz 1 mit 15.000"


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, Language.EN),
        ({"LANG": "de_AT.UTF-8"}, Language.DE),
        ({"LANG": "de_AT.UTF-8", "LC_ALL": "en_GB"}, Language.EN),
        ({"LANG": "fr_FR", "LC_MESSAGES": "de_CH", "LC_ALL": ""}, Language.DE),
        ({"LC_MESSAGES": "de_CH", "LC_ALL": "en_GB"}, Language.EN),
        ({"LANG": "fr_FR"}, Language.EN),
    ],
)
def test_the_language_is_the_environments(environment: dict[str, str], language: Language) -> None:
    assert spoken(environment) is language


@pytest.mark.parametrize("seat", ["-1", "3", "99"])
def test_a_seat_that_was_not_at_the_table_is_an_error(seat: str) -> None:
    result = run("record", "show", GOLDEN, "--as", seat)
    assert result.exit_code == 1
    assert f"no seat {seat}: seats are 0 to 2" in result.stderr


def test_a_seat_that_is_not_a_number_is_a_usage_error() -> None:
    assert run("record", "show", GOLDEN, "--as", "Ada").exit_code == 2


@pytest.mark.parametrize("columns", ["0", "²", "-7", "x"])
def test_a_width_that_is_none_is_left_to_the_terminal(columns: str) -> None:
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            "from saleroom_cli.main import run; run()",
            "record",
            "verify",
            GOLDEN,
        ],
        env={**os.environ, "COLUMNS": columns},
        capture_output=True,
        check=True,
    )
    assert told.stdout.startswith(b"verified")


@pytest.mark.parametrize("char", ["\x7f", "\x9b", "\x1b", "\u202e", "\u2028", "\n", "\r", "\ud800"])
def test_no_character_that_does_something_is_printed(char: str) -> None:
    assert shown(f"a{char}b") == "a\ufffdb"


def test_nothing_is_markup_or_an_emoji() -> None:
    for console in (out, err):
        with console.capture() as captured:
            console.print("[bold]:bomb:[/nope]")
        assert captured.get() == "[bold]:bomb:[/nope]\n"


def test_dates_beyond_the_calendar_are_shown_as_numbers() -> None:
    assert _date(0) == "1970-01-01 00:00:00 UTC"
    assert _date(2**53 - 1) == f"{2**53 - 1} ms after 1970"


def test_a_shared_victory_and_a_closed_room_are_summed_up() -> None:
    tie = OutcomeLine(reason="capital", scores={"0": 1, "1": 1}, places={"1": 1, "0": 1})
    assert _ending(tie) == "capital, won by seat 0 and seat 1"
    assert _ending(OutcomeLine(reason="abandoned")) == "closed without a result: abandoned"
