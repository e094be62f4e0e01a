"""What must not be guessed is drawn in full, anew each time, from nothing that can be known."""

import random
import secrets

import pytest

from saleroom_protocol.http import NewRoom
from saleroom_rules.rng import seed_of
from saleroom_server.owner.founding import found_room
from tests.support.nodes import PEOPLE

ROOMS = 64


def drawn_at_one_moment() -> list[tuple[bytes, bytes, bytes, bytes]]:
    """Make rooms that are alike in everything; return seed, game seed, invitation, watchword."""
    made = []
    for _ in range(ROOMS):
        random.seed(1)  # a server that draws from this would repeat itself
        asked = NewRoom(game="kunstmarkt", seats=3, take_seat=False)
        founding = found_room(asked, PEOPLE[0], frozenset(), 1_790_000_000_000).founding
        _, game_seed = seed_of(founding.server_seed, "the same room", 3, {})
        made.append(
            (
                bytes.fromhex(founding.server_seed),
                game_seed,
                founding.invite.encode(),
                founding.watch.encode(),
            )
        )
    return made


def test_of_rooms_made_at_one_moment_no_two_have_a_secret_in_common() -> None:
    made = drawn_at_one_moment()
    for alike in zip(*made, strict=True):
        assert len(set(alike)) == ROOMS


def test_a_seed_has_thirty_two_bytes_and_every_one_of_them_is_drawn() -> None:
    for seeds in [*zip(*drawn_at_one_moment(), strict=True)][:2]:
        assert {len(seed) for seed in seeds} == {32}
        # Of 64 draws of a byte some 57 differ; that not even 32 do will never be seen.
        places = [*zip(*seeds, strict=True)]
        assert all(len(set(values)) >= 32 for values in places)
        assert len(set(places)) == 32, "none repeats another"


def test_a_seed_is_what_the_machine_gave_and_nothing_stretched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given, token_bytes = set[bytes](), secrets.token_bytes

    def noted(count: int) -> bytes:
        drawn = token_bytes(count)
        given.add(drawn)
        return drawn

    monkeypatch.setattr(secrets, "token_bytes", noted)
    asked = NewRoom(game="kunstmarkt", seats=3, take_seat=False)
    founding = found_room(asked, PEOPLE[0], frozenset(), 0).founding
    assert bytes.fromhex(founding.server_seed) in given
