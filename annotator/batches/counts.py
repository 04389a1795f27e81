"""Size and progress of batches, counted from indexes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count

from annotator.models import Assignment, Batch
from annotator.models.counting import is_work


@dataclass(frozen=True)
class BatchCounts:
    """Counts of one batch: `people` have assignments in it; `total` excludes withdrawn assignments."""

    images: int
    people: int
    done: int
    total: int


def counts_of(batches: Sequence[Batch]) -> dict[int, BatchCounts]:
    """Return batch → counts for the batches of one page, in two queries."""
    ids = [batch.pk for batch in batches]
    rows = Assignment.objects.filter(is_work(), batch__in=ids).order_by()
    there = rows.filter(image__goes_at=None)
    images = dict(there.values_list("batch").annotate(count=Count("image", distinct=True)))
    done: dict[int, int] = defaultdict(int)
    total: dict[int, int] = defaultdict(int)
    people: dict[int, set[int]] = defaultdict(set)
    # Grouped in the order of the queue's index, so that only the index is read.
    held = rows.exclude(status=Assignment.Status.WITHDRAWN)
    grouped = held.values_list("annotator", "status", "batch").annotate(count=Count("*"))
    for annotator, status, batch, count in grouped:
        total[batch] += count
        done[batch] += count if status != Assignment.Status.OPEN else 0
        people[batch].add(annotator)
    return {pk: BatchCounts(images.get(pk, 0), len(people[pk]), done[pk], total[pk]) for pk in ids}
