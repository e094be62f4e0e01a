"""Generated files are what their generators make, and there are no others."""

from pathlib import Path

import pytest

from saleroom_rules.games import GAMES
from tests.golden.files import PLAYTHROUGHS, RECORDS, ROOT, generated, strays

GENERATED = generated()
RENEW = "run `python -m tests.golden --renew` and read the diff"


@pytest.mark.parametrize("path", list(GENERATED), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_generated_file_is_what_its_generator_makes(path: Path) -> None:
    assert path.read_bytes() == GENERATED[path], RENEW


def test_no_file_lies_beside_the_generated_ones() -> None:
    assert strays() == [], RENEW


@pytest.mark.parametrize("key", list(GAMES))
def test_every_game_has_golden_records_and_a_playthrough(key: str) -> None:
    assert list(RECORDS.glob(f"{key}-*.jsonl"))
    assert list(PLAYTHROUGHS.glob(f"{key}-*.jsonl"))
