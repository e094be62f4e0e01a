"""Metrics, read as whoever scrapes them would."""

import urllib.request
from collections.abc import Iterable

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families


class Samples:
    """The values metrics had at one moment; what there is no sample of is 0."""

    def __init__(self, metrics: Iterable[Metric]) -> None:
        self.by_name: dict[str, dict[frozenset[tuple[str, str]], float]] = {}
        for metric in metrics:
            for sample in metric.samples:
                labelled = self.by_name.setdefault(sample.name, {})
                labelled[frozenset(sample.labels.items())] = sample.value

    def value(self, name: str, **labels: str) -> float:
        """Return the sum of a metric's samples that have these labels, whatever others they have.

        The names are those of `saleroom_server.metrics`, a counter's with `_total`.
        """
        samples = self.by_name.get(f"saleroom_{name}", {})
        return sum(value for key, value in samples.items() if key >= labels.items())

    def labels(self, name: str, label: str) -> set[str]:
        """Return the values a label has."""
        samples = self.by_name.get(f"saleroom_{name}", {})
        return {value for key in samples for one, value in key if one == label}


def samples(registry: CollectorRegistry) -> Samples:
    """Read a registry of this process."""
    return Samples(registry.collect())


def scraped(url: str) -> Samples:
    """Read the metrics of a server that runs, at its `/metrics`."""
    with urllib.request.urlopen(url, timeout=10) as answer:
        return Samples(text_string_to_metric_families(answer.read().decode()))
