"""Outside metrics of a project's images: read from a file, stored, and loaded for the comparison.

A file has the columns `metric` and `score`, and a row for each image and metric. Only `load_metrics` imports
the numeric stack.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from analysis.models import ImageMetric
from annotator.database.slices import slices
from annotator.database.transactions import write_transaction
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.image_rows import CheckedRows, ImageRow, RowReader
from annotator.inputs.numbers import decimal
from annotator.inputs.refusal import WrongCell
from annotator.models import Project

if TYPE_CHECKING:
    from analysis.stats.generic.outside import OutsideMetric

MOST_METRICS: Final = 20
"""Metrics of a project."""
LONGEST_NAME: Final = 80
MOST: Final = 1e12
_CHUNK: Final = 2000

Metrics = Mapping[str, Mapping[int, float]]
"""Metric → image id → value."""


def check_metrics(path: Path, project: Project) -> CheckedRows[Metrics]:
    """Read a file and check every row; raises as the reader, and StudyRefused for too many metrics."""
    reader = RowReader.of_file(path, project, required=("metric", "score"), texts=("metric",))
    scores: dict[str, dict[int, float]] = defaultdict(dict)
    rows: dict[tuple[str, int], int] = {}

    def take(row: ImageRow) -> None:
        metric, score = _metric(row), _score(row)
        number = rows.setdefault((metric, row.image.pk), row.number)
        if number != row.number:
            raise WrongCell("metric", f"the image already has this metric in row {number}; keep one of them")
        scores[metric][row.image.pk] = score

    reader.read(take)
    _check_number(project, scores)
    images = {image for values in scores.values() for image in values}
    counts = {
        "Values": sum(map(len, scores.values())),
        "Images": len(images),
        "Images without a row": project.images.count() - len(images),
        **{f"Values of {metric}": len(values) for metric, values in sorted(scores.items())},
    }
    return reader.checked(scores, counts)


def _check_number(project: Project, found: Metrics) -> None:
    there = set(ImageMetric.objects.filter(project=project).values_list("metric", flat=True).distinct())
    if len(there | found.keys()) > MOST_METRICS:
        raise StudyRefused(
            f"The file would give the project {len(there | found.keys())} metrics; at most {MOST_METRICS} "
            "can be compared with people. Remove some rows.",
            code="too_many",
        )


def _metric(row: ImageRow) -> str:
    name = " ".join(row.values.get("metric", "").split())
    if not name:
        raise WrongCell("metric", "empty; this column names the metric")
    if len(name) > LONGEST_NAME:
        raise WrongCell("metric", f"longer than {LONGEST_NAME} characters")
    return name


def _score(row: ImageRow) -> float:
    text = row.values.get("score", "").strip()
    score = decimal(text)
    if score is None or abs(score) > MOST:
        raise WrongCell("score", f"“{text[:40]}” is not a finite number")
    return score


def store_metrics(project: Project, found: Metrics) -> int:
    """Store the values, replacing those of the same image and metric; return how many.

    In short transactions: after a crash, storing the file again completes it. Raises StudyRefused if another
    file has brought too many metrics since this one was read.
    """
    rows = [
        ImageMetric(project=project, image_id=image, metric=metric, value=value)
        for metric, values in found.items()
        for image, value in values.items()
    ]
    for chunk in slices(rows, _CHUNK):
        with write_transaction():
            Project.locked(project.pk)
            _check_number(project, found)
            ImageMetric.objects.bulk_create(
                chunk, update_conflicts=True, unique_fields=("image", "metric"), update_fields=("value",)
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

    scores: dict[str, dict[int, float]] = defaultdict(dict)
    rows = ImageMetric.objects.filter(project=project).order_by("metric")
    for metric, image, value in rows.values_list("metric", "image_id", "value"):
        scores[metric][image] = value
    return [OutsideMetric(name, values) for name, values in scores.items()]
