"""The benches run: how fast is nothing a test can tell, that they measure something is."""

from collections.abc import Iterator

import pytest

from tests.bench.__main__ import main

SMALL = "--rounds 1 --tables 2 --acts 2 --sockets 20 --spectators 10 --rooms 3 --crowd 20"


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
    assert main([bench, *SMALL.split()]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"{bench}: ")
    assert told.count("target ") == 2
    assert told.count("met") + told.count("MISSED") + told.count("VOID") == 2


def test_a_bench_that_there_is_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["fan"])
    assert "no such bench: fan" in capsys.readouterr().err
