"""The current assignments of a batch as a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Final

from django.db.models import Count

from annotator.models import Assignment, Batch
from annotator.models.counting import is_work
from scoring.formula_guard import guarded

COLUMNS: Final = (
    *("batch", "file", "sha256", "generator", "prompt", "number"),
    *("annotator", "position", "shared", "status"),
)
_LINES: Final = 500


def plan_csv(batch: Batch) -> Iterator[str]:
    """Yield the file in pieces, sorted by annotator and position; withdrawn assignments have no position.

    Anchors and repeats are left out; a batch without work, such as a training, has all its images.
    """
    lines = chain([COLUMNS], _lines(batch))
    while piece := list(islice(lines, _LINES)):
        buffer = io.StringIO(newline="")
        csv.writer(buffer, lineterminator="\r\n").writerows(piece)
        yield buffer.getvalue()


def _lines(batch: Batch) -> Iterator[Sequence[str]]:
    of_batch = Assignment.objects.filter(batch=batch).order_by()
    work = of_batch.filter(is_work())
    listed = work if work.exists() else of_batch
    current = listed.filter(position__isnull=False).values("image")
    counted = current.annotate(people=Count("pk")).filter(people__gt=1)
    shared = set(counted.values_list("image", flat=True))
    rows = listed.filter(image__goes_at=None).order_by("annotator__code", "position", "pk")
    columns = ("image", "image__source_name", "image__sha256", "image__generator", "image__prompt")
    more = ("image__number", "annotator__code", "position", "status")
    for image, *facts, number, code, position, status in rows.values_list(*columns, *more).iterator(2000):
        text = [batch.name, *facts, number, code, position, "yes" if image in shared else "no", status]
        yield [guarded("" if value is None else str(value)) for value in text]
