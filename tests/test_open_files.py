"""How many connections a server takes is what the system lets it open."""

import resource

import pytest

from saleroom_server.serve import LEAST_CONNECTIONS, SPARE_FILES, _within_open_files
from saleroom_server.settings import Settings

SETTINGS = Settings()
SOCKETS, BESIDE = SETTINGS.socket.sockets, SETTINGS.door.connections_beside
ALL = SOCKETS + BESIDE + SPARE_FILES


@pytest.mark.parametrize(
    ("soft", "hard", "raised", "sockets", "beside"),
    [
        (1_024, resource.RLIM_INFINITY, ALL, SOCKETS, BESIDE),
        (1_024, ALL + 1, ALL, SOCKETS, BESIDE),
        (ALL + 5, ALL + 9, None, SOCKETS, BESIDE),
        (1_024, 4_096, 4_096, 4_096 - SPARE_FILES - 1_000, 1_000),
        (1_024, 1_024, None, 720, 240),
    ],
)
def test_the_limit_is_raised_and_no_more_are_taken_than_fit(
    soft: int,
    hard: int,
    raised: int | None,
    sockets: int,
    beside: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: told.append(limits))
    settings = _within_open_files(SETTINGS)
    assert told == ([] if raised is None else [(raised, hard)])
    assert (settings.socket.sockets, settings.door.connections_beside) == (sockets, beside)
    assert sockets + beside + SPARE_FILES <= max(soft, raised or 0)


def test_a_server_that_could_take_hardly_anybody_does_not_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    least = SPARE_FILES + LEAST_CONNECTIONS
    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)
    monkeypatch.setattr(resource, "getrlimit", lambda _: (least, least))
    settings = _within_open_files(SETTINGS)
    assert settings.socket.sockets > 0 < settings.door.connections_beside
    monkeypatch.setattr(resource, "getrlimit", lambda _: (least - 1, least - 1))
    with pytest.raises(OSError, match=rf"open files is {least - 1}, and .* {least} at"):
        _within_open_files(SETTINGS)
