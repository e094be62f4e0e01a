"""A data directory is of one kind of store, and started as the other it says what to do."""

from pathlib import Path

import pytest

from saleroom_server.store.directory import HoldsOther, Kind, keep_to, kind_of
from saleroom_server.store.sqlite import SqliteStore
from saleroom_server.store.sqlite_lock import FILE, DirectoryLock
from saleroom_server.store.valkey import Valkey


def names_in(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


async def test_rooms_of_several_workers_are_not_hidden_from_one_server(tmp_path: Path) -> None:
    async with Valkey(tmp_path):
        pass
    before = names_in(tmp_path)
    with pytest.raises(HoldsOther, match=r"rooms of a server with workers: .* with --workers, 1"):
        await SqliteStore.open(tmp_path)
    DirectoryLock(tmp_path).release()
    assert names_in(tmp_path) == before


async def test_rooms_of_one_server_are_not_hidden_from_several_workers(tmp_path: Path) -> None:
    await (await SqliteStore.open(tmp_path)).close()
    with pytest.raises(HoldsOther, match=r"rooms of a server without .* without --w"):
        await Valkey(tmp_path).start()
    DirectoryLock(tmp_path).release()


@pytest.mark.parametrize("kind", Kind)
def test_an_empty_directory_may_become_of_any_kind(kind: Kind, tmp_path: Path) -> None:
    (tmp_path / FILE).touch()
    assert kind_of(tmp_path) is None
    keep_to(kind, tmp_path)
    (tmp_path / kind.value).touch()
    keep_to(kind, tmp_path)
