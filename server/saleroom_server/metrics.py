"""What one server counts, for Prometheus. `server/OBSERVING.md` says what each means.

A label's values are few and known beforehand: games, kinds of windows, reasons, codes, templates of
routes. Never a room, a player or an address: those are without number, and nobody's to read.
"""

from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.metrics import MetricWrapperBase

# Else there are twice as many samples, for a time nobody asks for.
disable_created_metrics()  # type: ignore[no-untyped-call]

M = TypeVar("M", bound=MetricWrapperBase)

# Upper bounds, in seconds.
APPEND = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
LATE = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)


class Family(dict[Hashable, M], Generic[M]):
    """A metric with labels; each of its children is looked up once.

    `family["ring"]` where there is one label, `family["kunstmarkt", "turn"]` where there are two.
    """

    def __init__(self, metric: M) -> None:
        super().__init__()
        self._metric = metric

    def __missing__(self, values: Hashable) -> M:
        """Make a child."""
        labels = values if isinstance(values, tuple) else (values,)
        child: M = self._metric.labels(*labels)
        self[values] = child
        return child


class Metrics:
    """The counters of one server, in a registry of their own.

    Each is written from the server's thread and read, whenever somebody scrapes, from another.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)

        # Rooms
        self.rooms = self._gauges("rooms", "Rooms that have a journal.", "game", "status")
        self.rooms_loaded = self._gauge("rooms_loaded", "Rooms in memory.")
        self.spectators = self._gauges("spectators", "Sockets that look on at a room.", "game")
        self.room_failures = self._counters("room_failures", "Rooms that failed.", "game")
        self.windows = self._counters(
            "windows",
            "Windows closed by an answer or by time; and acts that came after either.",
            "game",
            "kind",
            "outcome",
        )
        self.acts_accepted = self._counters("acts_accepted", "Acts carried out.", "game")
        self.acts_refused = self._counters("acts_refused", "Acts refused.", "reason")
        self.joins = self._counters("joins", "Joins that were granted.", "role")
        self.resumes = self._counters("resumes", "Joins with a cursor, by what was sent.", "kind")
        self.advice = self._counters(
            "advice", "What was to be advised, by what came of it.", "game", "outcome"
        )
        self.advice_seconds = self._histogram(
            "advice_seconds", "How long advice took, from question to answer.", LATE
        )
        self.bells_late = self._histogram("bell_late_seconds", "How late a room's bell rang.", LATE)

        # Sockets
        self.sockets = self._gauge("sockets", "Sockets that are open.")
        self.sockets_closed = self._counters("sockets_closed", "Sockets closed.", "code")
        self.spectators_behind = self._counter(
            "spectators_behind", "Times a spectator did not read and was spared updates."
        )

        # Connections
        self.connections_turned_away = self._counters(
            "connections_turned_away", "Connections hung up on.", "reason"
        )

        # HTTP
        self.requests = self._counters(
            "http_requests", "Requests answered, upgrades too.", "route", "method", "status"
        )
        self.rate_limited = self._counters(
            "rate_limited", "Requests refused because there were too many.", "budget"
        )

        # Store
        self.appends = self._histogram(
            "append_seconds", "How long an append took to be durable.", APPEND
        )
        self.store_failures = self._counters(
            "store_failures", "Calls the store did not carry out.", "reason"
        )

        # Other nodes
        self.nodes = self._gauge("nodes", "Nodes of the service that live, this one too.")
        self.relays = self._gauge("relays", "Rooms of other nodes that spectators here look on at.")
        self.errands = self._counters(
            "errands", "What other nodes were asked to do, by whether they answered.", "outcome"
        )
        self.doubts = self._counters(
            "doubts", "Times news of other nodes may have been lost, by how that showed.", "reason"
        )

        # The process
        self.loop_lag = self._histogram("loop_lag_seconds", "How late the event loop was.", LATE)
        self.full_collections = self._histogram(
            "full_collection_seconds", "How long full garbage collections took.", LATE
        )

    def _counter(self, name: str, meaning: str) -> Counter:
        return Counter(f"saleroom_{name}", meaning, registry=self.registry)

    def _counters(self, name: str, meaning: str, *labels: str) -> Family[Counter]:
        return Family(Counter(f"saleroom_{name}", meaning, labels, registry=self.registry))

    def _gauges(self, name: str, meaning: str, *labels: str) -> Family[Gauge]:
        return Family(Gauge(f"saleroom_{name}", meaning, labels, registry=self.registry))

    def _gauge(self, name: str, meaning: str) -> Gauge:
        return Gauge(f"saleroom_{name}", meaning, registry=self.registry)

    def _histogram(self, name: str, meaning: str, bounds: Sequence[float]) -> Histogram:
        return Histogram(f"saleroom_{name}", meaning, registry=self.registry, buckets=bounds)
