"""How lines are printed: at a terminal between words, elsewhere as they are."""

import pytest
from rich.console import Console
from rich.text import Text

from saleroom_cli import console
from saleroom_cli.console import tell, wrapped

LONG = Text.assemble("  ", ("Ada: ", "bold"), "draws " * 20)


def test_a_line_that_is_too_long_goes_on_further_in_between_words() -> None:
    lines = [line.plain for line in wrapped(LONG, 60)]
    assert len(lines) == 3
    assert max(map(len, lines)) <= 60
    assert all(line.startswith("      draws ") for line in lines[1:])
    assert "".join(lines).split() == LONG.plain.split()


def test_what_fits_is_left_as_it_is() -> None:
    assert wrapped(Text("  free     free  "), 17) == [Text("  free     free  ")]


def test_what_has_no_words_is_broken_anywhere_even_where_there_is_no_room() -> None:
    for width in (1, 7, 20):
        lines = wrapped(Text("x" * 50), width)
        assert "".join(line.plain.strip() for line in lines) == "x" * 50


@pytest.mark.parametrize("terminal", [True, False])
def test_only_a_terminal_has_its_lines_broken(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = Console(force_terminal=terminal, width=60, no_color=True, highlight=False)
    monkeypatch.setattr(console, "out", out)
    tell("draws " * 20)
    assert capsys.readouterr().out.count("\n") == (3 if terminal else 1)
