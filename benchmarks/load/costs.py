"""The cost of one annotator, from measurements and assumptions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

BUSY: Final = 0.6
"""Average use of the processors; above it, requests queue."""

DAY_HOURS: Final = 8
DISPLAY_KB: Final = 100
ORIGINAL_KB: Final = 1_000
CODERS: Final = 2
MANY_ANNOTATORS: Final = 10_000
MANY_IMAGES: Final = 100_000_000
SERVING: Final = ("web", "postgres", "proxy")
"""Parts of the set whose work grows with the requests."""

_REPORT_MB: Final = 2_048


class Costs:
    """The measurements (`measured.json`), and the resulting cost of one annotator."""

    def __init__(self, measured: Mapping[str, Any]) -> None:
        self.measured = measured
        self.ms: Mapping[str, float] = measured["milliseconds"]
        self.saves: int = measured["saves_per_image"]

    @property
    def seconds(self) -> float:
        """Seconds per image: a pause before each draft and the submission."""
        think: float = self.measured["think_seconds"]
        return (self.saves + 1) * think

    @property
    def requests(self) -> int:
        """Requests per image: image, drafts, submission, in older runs also the state."""
        requests: int = self.measured["requests_per_image"]
        return requests

    @property
    def rate(self) -> float:
        """Requests per second of one annotator."""
        return self.requests / self.seconds

    @property
    def request_ms(self) -> float:
        """Processor milliseconds per request, in all parts that serve it."""
        return sum(self.ms[part] for part in SERVING)

    def requests_of(self, cores: int) -> float:
        """Return the requests per second that the cores serve."""
        return cores * 1000 * BUSY / self.request_ms

    def annotators_of(self, cores: int) -> int:
        """Return the annotators that the cores serve at the same moment."""
        return math.floor(self.requests_of(cores) / self.rate)

    def busy(self, annotators: int) -> float:
        """Return the number of cores that the annotators keep busy."""
        return annotators * self.rate * self.request_ms / 1000

    def cores_for(self, annotators: int) -> int:
        """Return an even number of cores, one of them for reports and imports, no busier than BUSY."""
        return max(2, 2 * math.ceil((self.busy(annotators) / BUSY + 1) / 2))

    def gigabytes(self, web_processes: int) -> int:
        """Return the memory: everything as measured, and a report of a million answers, twice, as it is sold.

        Half of it is for the database's cache.
        """
        sizes: Mapping[str, float] = self.measured["megabytes"]
        web = sizes["web"] / self.measured["web_workers"] * web_processes
        others = sum(size for part, size in sizes.items() if part != "web")
        return int(2 ** math.ceil(math.log2(2 * (web + others + _REPORT_MB) / 1024)))
