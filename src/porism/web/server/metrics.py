"""What the service has done, for Prometheus: requests by route and status, and their times."""

from __future__ import annotations

from fastapi import Request
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

BUCKETS = (0.005, 0.01, 0.02, 0.04, 0.08, 0.12, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """Counters of one application; another in the same process has its own."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "porism_requests", "Requests answered", ("route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "porism_request_seconds",
            "Seconds that requests took",
            ("route",),
            buckets=BUCKETS,
            registry=self._registry,
        )

    def count(self, request: Request, status: int, seconds: float) -> None:
        """Note a request under its route, not its address: those are without number."""
        route = getattr(request.scope.get("route"), "path", "other")
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> str:
        """All of it in Prometheus's own format."""
        return generate_latest(self._registry).decode()
