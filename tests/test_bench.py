"""The benches run: how fast is nothing a test can tell, that they measure something is."""

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.bench import cluster
from tests.bench.__main__ import main
from tests.bench.cluster import Nodes
from tests.bench.stock import Stock

SMALL = "--rounds 1 --tables 2 --acts 2 --sockets 20 --spectators 10 --rooms 3 --crowd 20 --owned 3"


@pytest.fixture(scope="module", autouse=True)
def _compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A bench starts many processes: they need not all compile the same."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PYTHONDONTWRITEBYTECODE", "")
        patched.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("compiled")))
        yield


@pytest.mark.parametrize("bench", ["fanout", "actions", "connections", "recovery", "bystander"])
def test_a_bench_of_a_real_server_reports_a_figure_for_every_target(
    bench: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _reports(bench, capsys)


def test_so_do_the_benches_of_several_nodes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Nodes(tmp_path, Stock(game="vernissage", seats=3), rooms=4) as nodes:
        monkeypatch.setattr(cluster, "up", lambda stock, rooms: nullcontext(nodes))
        for bench in ("across", "spread", "failover", "rolling"):
            _reports(bench, capsys)


def _reports(bench: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([bench, *SMALL.split()]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"{bench}: ")
    assert told.count("target ") == 2
    assert told.count("met") + told.count("MISSED") + told.count("VOID") == 2


def test_a_bench_that_there_is_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["fan"])
    assert "no such bench: fan" in capsys.readouterr().err
