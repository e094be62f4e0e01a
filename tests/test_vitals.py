"""How the process is, and where metrics are read."""

import asyncio
import gc
import socket

import pytest

from saleroom_server.metrics import Metrics
from saleroom_server.metrics_listener import metrics_listening
from saleroom_server.vitals import collections_timed, pulse
from tests.support.hand_clock import HandClock
from tests.support.samples import samples, scraped
from tests.support.servers import free_port


async def test_how_late_the_loop_is_is_looked_at_now_and_then() -> None:
    clock, metrics = HandClock(), Metrics()
    looking = asyncio.create_task(pulse(clock, 100, metrics.loop_lag))
    await clock.passes(1_000)
    read = samples(metrics.registry)
    assert (read.value("loop_lag_seconds_count"), read.value("loop_lag_seconds_sum")) == (10, 0)
    clock.lags(350)
    await clock.passes(0)
    assert samples(metrics.registry).value("loop_lag_seconds_sum") == 0.25
    looking.cancel()
    await asyncio.wait({looking})


def test_full_collections_are_timed_and_others_are_not() -> None:
    metrics, before = Metrics(), list(gc.callbacks)
    with collections_timed(metrics.full_collections):
        gc.collect(0)
        gc.collect(1)
        gc.collect()
    gc.collect()
    read = samples(metrics.registry)
    assert read.value("full_collection_seconds_count") == 1
    assert 0 < read.value("full_collection_seconds_sum") < 10
    assert gc.callbacks == before


# Reading them


async def test_metrics_are_read_at_a_listener_of_their_own() -> None:
    metrics, port = Metrics(), free_port()
    metrics.joins["player"].inc()
    async with metrics_listening("127.0.0.1", port, metrics.registry) as url:
        assert url == f"http://127.0.0.1:{port}/metrics"
        read = await asyncio.to_thread(scraped, url)
        assert read.value("joins_total", role="player") == 1
        with pytest.raises(OSError, match=f"127.0.0.1, port {port}, for metrics: .*in use"):
            await metrics_listening("127.0.0.1", port, metrics.registry).__aenter__()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), 1).close()


async def test_without_a_port_there_is_none() -> None:
    async with metrics_listening("127.0.0.1", 0, Metrics().registry) as url:
        assert url == ""


def test_two_servers_in_one_process_count_apart() -> None:
    one, other = Metrics(), Metrics()
    one.joins["player"].inc()
    assert samples(one.registry).value("joins_total") == 1
    assert samples(other.registry).value("joins_total") == 0
