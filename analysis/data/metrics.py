"""Outside metrics of a project's images: read from a file, stored, and loaded for the comparison.

A file has the columns `file` or `sha256`, `metric` and `score`, and a row for each image and metric. A row
that cannot be used refuses the whole file. Only `load_metrics` imports the numeric stack.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from analysis.models import ImageMetric
from annotator.data_sets.detections import DetectionsRefused, KnownImages, WrongRow, table_of_images
from annotator.database.transactions import write_transaction
from annotator.exchange.formats.csv_tables import Record
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.models import Project

if TYPE_CHECKING:
    from analysis.stats.generic.outside import OutsideMetric

LISTED: Final = 20
MOST_METRICS: Final = 20
"""Metrics of a project."""
LONGEST_NAME: Final = 80
MOST: Final = 1e12
_CHUNK: Final = 2000

Metrics = Mapping[str, Mapping[int, float]]
"""Metric → image id → value."""


def read_metrics(path: Path, project: Project) -> Metrics:
    """Return the values of a file by metric and image.

    Raise StudyRefused if it is not such a table or has too many metrics, OSError if no process can be started
    to read it, and DetectionsRefused naming the rows that are wrong: an image that is not in the project, a
    metric without a name, a score that is no finite number, or two rows for one image and metric.
    """
    table = table_of_images(path, required=("metric", "score"), optional=())
    known = KnownImages(project)
    found: dict[str, dict[int, float]] = defaultdict(dict)
    rows: dict[tuple[str, int], int] = {}
    notes: list[RowNote] = []
    for record in table.records:
        try:
            image, metric, score = known.image(record), _metric(record), _score(record)
            if (metric, image) in rows:
                reason = f"the image already has this metric in row {rows[metric, image]}; keep one of them"
                raise WrongRow("metric", record, reason)
            rows[metric, image] = record.number
            found[metric][image] = score
        except WrongRow as wrong:
            notes.append(wrong.note)
    if notes:
        raise DetectionsRefused(path.name, notes[:LISTED], len(notes))
    _check_number(project, found)
    return found


def _check_number(project: Project, found: Metrics) -> None:
    there = set(ImageMetric.objects.filter(project=project).values_list("metric", flat=True).distinct())
    if len(there | found.keys()) > MOST_METRICS:
        raise StudyRefused(
            f"The file would give the project {len(there | found.keys())} metrics; at most {MOST_METRICS} "
            "can be compared with people. Remove some rows.",
            code="too_many",
        )


def _metric(record: Record) -> str:
    name = " ".join(record.values.get("metric", "").split())
    if not name:
        raise WrongRow("metric", record, "empty; this column names the metric")
    if len(name) > LONGEST_NAME:
        raise WrongRow("metric", record, f"longer than {LONGEST_NAME} characters")
    return name


def _score(record: Record) -> float:
    text = record.values.get("score", "").strip()
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or abs(value) > MOST:
        raise WrongRow("score", record, f"“{text[:40]}” is not a finite number")
    return value


def store_metrics(project: Project, found: Metrics) -> int:
    """Store the values in one transaction, replacing those of the same image and metric; return how many.

    Raises StudyRefused if another file has brought too many metrics since this one was read.
    """
    rows = [
        ImageMetric(project=project, image_id=image, metric=metric, value=value)
        for metric, values in found.items()
        for image, value in values.items()
    ]
    with write_transaction():
        Project.locked(project.pk)
        _check_number(project, found)
        ImageMetric.objects.bulk_create(
            rows,
            batch_size=_CHUNK,
            update_conflicts=True,
            unique_fields=("image", "metric"),
            update_fields=("value",),
        )
    return len(rows)


def remove_metric(project: Project, metric: str) -> int:
    """Remove a metric of a project; return how many values it had."""
    with write_transaction():
        return ImageMetric.objects.filter(project=project, metric=metric).delete()[0]


def metrics_digest(project: Project) -> str:
    """Return a digest of a project's metrics; empty without any."""
    rows = ImageMetric.objects.filter(project=project).order_by("metric", "image_id")
    digest, count = hashlib.sha256(), 0
    for row in rows.values_list("metric", "image_id", "value").iterator(chunk_size=_CHUNK):
        digest.update(repr(row).encode())
        count += 1
    return digest.hexdigest() if count else ""


def load_metrics(project: Project) -> list[OutsideMetric]:
    """Return a project's metrics by name."""
    from analysis.stats.generic.outside import OutsideMetric

    found: dict[str, dict[int, float]] = defaultdict(dict)
    rows = ImageMetric.objects.filter(project=project, image__goes_at=None).order_by("metric")
    for metric, image, value in rows.values_list("metric", "image_id", "value"):
        found[metric][image] = value
    return [OutsideMetric(name, values) for name, values in found.items()]
