"""The current assignments of a batch as a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Final

from django.db.models import Count

from annotator.models import Assignment, Batch
from annotator.models.counting import is_work
from scoring.formula_guard import guarded

COLUMNS: Final = (
    "batch",
    "file",
    "sha256",
    "generator",
    "prompt",
    "number",
    "annotator",
    "position",
    "shared",
    "status",
)
_LINES: Final = 500


def plan_csv(batch: Batch) -> Iterator[str]:
    """Yield the file in pieces, sorted by annotator and position; withdrawn assignments have no position."""
    lines = [list(COLUMNS)]
    for line in _lines(batch):
        lines.append(line)
        if len(lines) >= _LINES:
            yield _written(lines)
            lines = []
    yield _written(lines)


def _lines(batch: Batch) -> Iterator[list[str]]:
    held = Assignment.objects.filter(is_work(), batch=batch, position__isnull=False).order_by()
    counted = held.values("image").annotate(people=Count("pk")).filter(people__gt=1)
    shared = set(counted.values_list("image", flat=True))
    rows = Assignment.objects.filter(is_work(), batch=batch, image__goes_at=None).order_by(
        "annotator__code", "position", "pk"
    )
    columns = ("image", "image__source_name", "image__sha256", "image__generator", "image__prompt")
    more = ("image__number", "annotator__code", "position", "status")
    for image, *facts, number, code, position, status in rows.values_list(*columns, *more).iterator(2000):
        text = [batch.name, *facts, number, code, position, "yes" if image in shared else "no", status]
        yield [guarded("" if value is None else str(value)) for value in text]


def _written(lines: list[list[str]]) -> str:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\r\n").writerows(lines)
    return buffer.getvalue()
