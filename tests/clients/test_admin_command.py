"""`saleroom admin`: what an operator is told; what it does to the data is the store's tests'."""

import asyncio
import sys
from pathlib import Path

import pytest

from saleroom_cli import admin
from saleroom_server.settings import Settings
from saleroom_server.store.sqlite import SqliteStore
from tests.clients.test_record_command import run
from tests.store.test_sqlite_backup import written
from tests.store.test_valkey_backup import key_of as valkey_key_of
from tests.store.test_valkey_backup import write


@pytest.fixture
def data(tmp_path: Path) -> Path:
    asyncio.run(written(tmp_path / "data"))
    return tmp_path / "data"


def key_of(data: Path) -> bytes:
    async def read() -> bytes:
        store = await SqliteStore.open(data)
        key = await store.secret("token", b"another")
        await store.close()
        return key

    return asyncio.run(read())


def test_a_backup_is_made_and_restored(data: Path, tmp_path: Path) -> None:
    backup, new = tmp_path / "backup", tmp_path / "new"
    made = run("admin", "backup", backup, "--data", data)
    assert (made.exit_code, made.stderr) == (0, "")
    assert made.stdout == f"{backup}: {backup.stat().st_size:,} bytes\n"
    restored = run("admin", "restore", backup, SALEROOM_DATA=str(new))
    assert (restored.exit_code, restored.stdout) == (0, f"{new}: restored\n")
    assert key_of(new) == b"key"


def test_likewise_of_a_server_with_workers(tmp_path: Path) -> None:
    data, backup, new = (tmp_path / name for name in ("data", "backup", "new"))
    asyncio.run(write(data))
    made = run("admin", "backup", backup, "--data", data)
    assert (made.exit_code, made.stderr) == (0, "")
    assert made.stdout == f"{backup}: {backup.stat().st_size:,} bytes\n"
    restored = run("admin", "restore", backup, "--data", new)
    assert (restored.exit_code, restored.stderr) == (0, "")
    assert restored.stdout == f"{new}: restored\n"
    renewed = run("admin", "new-key", "--data", new, "--yes")
    assert (renewed.exit_code, renewed.stderr) == (0, "")
    assert asyncio.run(valkey_key_of(new)) == b"another"
    assert asyncio.run(valkey_key_of(data)) == b"key"


def test_a_servers_usual_data_directory_is_the_usual_one_here() -> None:
    assert Settings().directory == admin.HERE


def test_what_cannot_be_done_is_said_in_one_line(data: Path, tmp_path: Path) -> None:
    (tmp_path / "there").touch()
    for words, says in (
        (("backup", tmp_path / "there"), f"{tmp_path / 'there'}: File exists"),
        (("backup", tmp_path / "no" / "file"), "No such file or directory"),
        (("restore", tmp_path / "nothing"), f"there is no file {tmp_path / 'nothing'}"),
        (("restore", tmp_path / "there"), f"{data} is not empty"),
    ):
        refused = run("admin", *words, "--data", data)
        assert (refused.exit_code, refused.stderr.count("\n")) == (1, 1), refused.output
        assert says in refused.stderr


def test_a_new_key_is_made_only_if_that_is_meant(data: Path) -> None:
    asked = run("admin", "new-key", "--data", data, stdin=b"n\n")
    assert asked.exit_code == 1
    assert "Every player loses their seats" in asked.stderr
    assert key_of(data) == b"key"
    meant = run("admin", "new-key", "--data", data, "--yes")
    assert (meant.exit_code, meant.stdout) == (0, f"{data}: the next start makes a new key\n")
    assert key_of(data) == b"another"


def test_data_is_looked_after_without_the_servers_packages(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("starlette", "uvicorn", "itsdangerous"):
        monkeypatch.setitem(sys.modules, package, None)
    for module in [name for name in sys.modules if name.startswith("saleroom_server")]:
        monkeypatch.delitem(sys.modules, module)
    assert run("admin", "backup", tmp_path / "backup", "--data", data).exit_code == 0
