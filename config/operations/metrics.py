"""Metrics in the Prometheus format. Labels name views as in urls.py, never URLs, people or projects.

Each web process counts in files of PROMETHEUS_MULTIPROC_DIR; a request for the metrics adds them up.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

# The library reads this folder on import.
if folder := os.environ.get("PROMETHEUS_MULTIPROC_DIR", ""):
    Path(folder).mkdir(parents=True, exist_ok=True)

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import REGISTRY, Collector

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
REQUESTS = Counter("anatomark_requests", "Requests served.", ["method", "view", "status"])
SECONDS = Histogram(
    "anatomark_request_seconds",
    "Response time in the web process.",
    ["view"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
)


def count_request(method: str, view: str, status: int, seconds: float) -> None:
    """Count one response; unknown methods are counted together."""
    REQUESTS.labels(method if method in _METHODS else "other", view, f"{status // 100}xx").inc()
    SECONDS.labels(view).observe(seconds)


def figures() -> bytes:
    """Return the counts of all web processes and the current health checks."""
    registry = CollectorRegistry()
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        counted = generate_latest(registry)
    else:
        counted = generate_latest(REGISTRY)
    now = CollectorRegistry()
    now.register(_Now())
    return counted + generate_latest(now)


class _Now(Collector):
    def collect(self) -> Iterator[GaugeMetricFamily]:
        from config.operations import heartbeats
        from config.operations.health_checks import RANKS, health_checks, queues

        up = GaugeMetricFamily("anatomark_light", "Health check: 0 good, 1 warning, 2 bad.", labels=["light"])
        for light in health_checks():
            up.add_metric([light.name.lower().replace(" ", "_")], RANKS[light.state])
        yield up
        waiting = GaugeMetricFamily("anatomark_queue_waiting", "Waiting rows.", labels=["queue"])
        oldest = GaugeMetricFamily(
            "anatomark_queue_oldest_seconds", "Age of the oldest row.", labels=["queue"]
        )
        for queue in queues():
            waiting.add_metric([queue.name], queue.waiting)
            oldest.add_metric([queue.name], queue.oldest_seconds)
        yield waiting
        yield oldest
        alive = sum(age < 60 for age in heartbeats.heard().values())
        yield GaugeMetricFamily("anatomark_workers", "Workers alive in the last minute.", value=alive)
