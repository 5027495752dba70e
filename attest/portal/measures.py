"""Counting requests in this process, for /metrics. Knows nothing of what they are about."""

from __future__ import annotations

import threading

BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"})

Key = tuple[str, str, int]  # view, method, status


def known_method(method: str | None) -> str:
    """Return a method as it is counted and logged: those that a stranger makes up are all the same."""
    return method if method in METHODS else "other"


class Requests:
    """How many requests each view answered, and within which time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[Key, list[int]] = {}
        self._seconds: dict[Key, float] = {}

    def add(self, key: Key, seconds: float) -> None:
        """Count one."""
        with self._lock:
            buckets = self._counts.setdefault(key, [0] * (len(BOUNDS) + 1))
            buckets[next((i for i, bound in enumerate(BOUNDS) if seconds <= bound), len(BOUNDS))] += 1
            self._seconds[key] = self._seconds.get(key, 0.0) + seconds

    def lines(self) -> list[str]:
        """Return them as Prometheus reads them."""
        name = "attest_request_seconds"
        found = [f"# HELP {name} How long requests took.", f"# TYPE {name} histogram"]
        with self._lock:
            for (view, method, status), buckets in sorted(self._counts.items()):
                labels = f'view="{view}",method="{method}",status="{status}"'
                total = 0
                for bound, number in zip((*map(str, BOUNDS), "+Inf"), buckets, strict=True):
                    total += number
                    found.append(f'{name}_bucket{{{labels},le="{bound}"}} {total}')
                found.append(f"{name}_sum{{{labels}}} {self._seconds[view, method, status]:.6f}")
                found.append(f"{name}_count{{{labels}}} {total}")
        return found


REQUESTS = Requests()
