"""What one annotator costs, from what was measured, and what is assumed beside it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

BUSY: Final = 0.6
"""How busy processors may be on average: above it, those who wait wait for each other."""

DAY_HOURS: Final = 8
DISPLAY_KB: Final = 100
ORIGINAL_KB: Final = 1_000
CODERS: Final = 2
MANY_ANNOTATORS: Final = 10_000
MANY_IMAGES: Final = 100_000_000
SERVING: Final = ("web", "postgres", "proxy")
"""The parts of the set whose work grows with the requests."""

_REPORT_MB: Final = 2_048


class Costs:
    """What was measured (`measured.json`), and what follows for one annotator."""

    def __init__(self, measured: Mapping[str, Any]) -> None:
        self.measured = measured
        self.ms: Mapping[str, float] = measured["milliseconds"]
        self.saves: int = measured["saves_per_image"]

    @property
    def seconds(self) -> float:
        """Of an annotator at one image: a pause before each draft and the submission."""
        think: float = self.measured["think_seconds"]
        return (self.saves + 1) * think

    @property
    def requests(self) -> int:
        """Of one image: state, picture, drafts, submission."""
        return 2 + self.saves + 1

    @property
    def rate(self) -> float:
        """Requests a second of one annotator."""
        return self.requests / self.seconds

    @property
    def request_ms(self) -> float:
        """Of the processor, for one request, in all parts that serve it."""
        return sum(self.ms[part] for part in SERVING)

    def requests_of(self, cores: int) -> float:
        """Return how many requests a second so many cores serve."""
        return cores * 1000 * BUSY / self.request_ms

    def annotators_of(self, cores: int) -> int:
        """Return how many annotators so many cores serve at once."""
        return math.floor(self.requests_of(cores) / self.rate)

    def busy(self, annotators: int) -> float:
        """Return how many cores so many annotators keep busy."""
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
