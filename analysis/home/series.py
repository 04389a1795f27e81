"""Read a project's days: the progress, and the headline numbers over time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from analysis.home.charts import LineChart, Point, ProgressLine, line_chart, progress_line
from analysis.home.machine_needs import FEWEST_IMAGES
from analysis.home.project_work import ProjectWork
from analysis.models import ProjectDay
from annotator.models import GuidelineVersion, Project

SHOWN: Final = timedelta(days=120)
VERSIONS: Final = 12
"""Guideline versions drawn in a chart, the latest ones."""
ACCEPTABLE: Final = 0.667
"""Krippendorff's lowest conceivable limit for tentative conclusions."""


@dataclass(frozen=True)
class Progress:
    """Annotations `done` of `total`, and by day; `left` are open. Without days there is no chart."""

    done: int
    total: int
    left: int
    days: Sequence[tuple[date, int]]
    chart: ProgressLine | None

    @property
    def percent(self) -> int:
        """Whole percent done, never 100 before all is."""
        return self.done * 100 // self.total if self.total else 0


@dataclass(frozen=True)
class Series:
    """A headline number over time. Below `FEWEST_IMAGES` images there is no chart; `images` says how many.

    `updating` if annotations are newer than the report that it comes from.
    """

    points: Sequence[Point]
    images: int
    chart: LineChart | None
    needed: int = FEWEST_IMAGES
    updating: bool = False


def days_of(project: Project, now: datetime) -> list[ProjectDay]:
    """Return the days of the last months, oldest first, in one query."""
    since = (now - SHOWN).date()
    return list(ProjectDay.objects.filter(project=project, day__gte=since).order_by("day", "protocol"))


def progress_of(work: ProjectWork, rows: Sequence[ProjectDay], now: datetime) -> Progress:
    """Return a project's progress; the counts are current, those by day as of the last report."""
    today = now.astimezone(UTC).date()
    every = Counter[date]()
    for row in rows:
        every[row.day] += row.labelled + row.imported
    days = _cumulative(every, work.done, today)
    return Progress(
        done=work.done,
        total=work.total,
        left=work.left,
        days=days,
        chart=progress_line(days, work.total) if len(days) > 1 else None,
    )


def versions_of(project: Project, protocol: str, now: datetime) -> dict[date, str]:
    """Return day → the guideline version published last on it, of the last months, in one query."""
    published = GuidelineVersion.objects.filter(
        guideline__project=project, guideline__protocol=protocol, published_at__gte=now - SHOWN
    )
    rows = published.order_by("-pk").only("major", "minor", "published_at")[:VERSIONS]
    return {row.published_at.astimezone(UTC).date(): row.number for row in reversed(rows)}


def agreement_of(
    rows: Sequence[ProjectDay], protocol: str, versions: Mapping[date, str] | None = None
) -> Series:
    """Return alpha of the protocol's headline over time, with the guideline's versions."""
    days = [(row.day, row.agreement) for row in _under(rows)[protocol]]
    return _series(days, 0, 1, ACCEPTABLE, versions)


def score_of(rows: Sequence[ProjectDay], protocol: str, versions: Mapping[date, str] | None = None) -> Series:
    """Return the mean headline of all images over time, with the guideline's versions."""
    return _series([(row.day, row.score) for row in _under(rows)[protocol]], 0, 0.1, versions=versions)


def _under(rows: Sequence[ProjectDay]) -> Mapping[str, list[ProjectDay]]:
    """Return protocol → its days."""
    found: dict[str, list[ProjectDay]] = defaultdict(list)
    for row in rows:
        found[row.protocol].append(row)
    return found


def _series(
    stored: Sequence[tuple[date, Mapping[str, Any] | None]],
    low: float,
    high: float,
    dashed: float | None = None,
    versions: Mapping[date, str] | None = None,
) -> Series:
    known = [(day, found) for day, found in stored if found is not None]
    shown = [
        Point(day, found["value"], found["low"], found["high"], found["images"])
        for day, found in known
        if found["images"] >= FEWEST_IMAGES and found["low"] is not None
    ]
    images = known[-1][1]["images"] if known else 0
    if not shown:
        return Series(shown, images, None)
    return Series(shown, images, line_chart(shown, low=low, high=high, dashed=dashed, changes=versions))


def _cumulative(every: Mapping[date, int], done: int, today: date) -> list[tuple[date, int]]:
    """Return what was done by the end of each day; today it is `done`, which is current."""
    count = max(done - sum(every.values()), 0)
    found: list[tuple[date, int]] = []
    for day in sorted(every):
        if not found:
            found.append((day - timedelta(days=1), count))
        count += every[day]
        if day < today:
            found.append((day, min(count, done)))
    return [*found, (today, done)] if found else []
