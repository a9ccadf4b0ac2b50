"""Metrics for Prometheus: requests by route and status, and their duration."""

from __future__ import annotations

from fastapi import Request
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

BUCKETS = (0.005, 0.01, 0.02, 0.04, 0.08, 0.12, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """The metrics of one application."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "porism_requests", "Requests answered", ("route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "porism_request_seconds",
            "Duration of requests in seconds",
            ("route",),
            buckets=BUCKETS,
            registry=self._registry,
        )

    def count(self, request: Request, status: int, seconds: float) -> None:
        """Count a request under its route; there is no bound on the number of addresses."""
        route = getattr(request.scope.get("route"), "path", "other")
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> str:
        """All metrics in the format of Prometheus."""
        return generate_latest(self._registry).decode()
