"""Which assignments count, and counts per row within a query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass
from typing import Any, Final

from django.db.models import Count, F, IntegerField, Max, Min, Q, QuerySet, Subquery, Window
from django.db.models.functions import Coalesce

from annotator.models import Assignment, Batch

PLANNED: Final = (Assignment.Purpose.WORK, Assignment.Purpose.ANCHOR, Assignment.Purpose.REPEAT)
"""The purposes that a plan mixes in one queue; annotators must not be able to tell them apart."""


@dataclass(frozen=True, slots=True)
class WorkCount:
    """How many assignments are submitted, skipped and open, and how many annotations were imported.

    `left` are the open ones that can still be annotated, because their batch is open. Imports are no
    progress, because nobody had to make them here.
    """

    submitted: int = 0
    skipped: int = 0
    open: int = 0
    left: int = 0
    imported: int = 0

    @classmethod
    def of(cls, status: str, count: int, batch: Batch) -> WorkCount:
        """Return the count of assignments of one status and batch, none if withdrawn."""
        match status:
            case Assignment.Status.DONE:
                return cls(imported=count) if batch.is_imported else cls(submitted=count)
            case Assignment.Status.SKIPPED:
                return cls(skipped=count)
            case Assignment.Status.OPEN:
                return cls(open=count, left=count if batch.status == Batch.Status.OPEN else 0)
        return cls()

    def __add__(self, other: WorkCount) -> WorkCount:
        """Return the sum of both."""
        return WorkCount(*(count + more for count, more in zip(astuple(self), astuple(other), strict=True)))

    @property
    def total(self) -> int:
        """The assignments made here."""
        return self.submitted + self.skipped + self.open

    @property
    def closed(self) -> int:
        """The open assignments of closed batches."""
        return self.open - self.left

    @property
    def done(self) -> int:
        """The assignments with nothing left to do."""
        return self.submitted + self.skipped

    @property
    def there(self) -> int:
        """The annotations there are, imported ones included."""
        return self.submitted + self.imported

    @property
    def percent(self) -> int:
        """Whole percent submitted, never 100 before all is."""
        return self.submitted * 100 // self.total if self.total else 0

    @property
    def words(self) -> str:
        """The count in words: `47 of 48 submitted, 1 skipped, 12 imported`; empty without any."""
        parts = [
            f"{self.submitted:,} of {self.total:,} submitted" if self.total else "",
            f"{self.skipped:,} skipped" if self.skipped else "",
            f"{self.imported:,} imported" if self.imported else "",
        ]
        return ", ".join(filter(None, parts))


def work_counts(held: QuerySet[Assignment]) -> Iterator[tuple[int, Batch, WorkCount]]:
    """Yield annotator, batch and count of these assignments, one per status; two queries.

    Grouped in the order of the queue's index, so that only the index is read.
    """
    rows = list(held.order_by().values_list("annotator", "status", "batch").annotate(count=Count("*")))
    batches = Batch.objects.in_bulk({pk for _, _, pk, _ in rows})
    for annotator, status, pk, count in rows:
        yield annotator, batches[pk], WorkCount.of(status, count, batches[pk])


def is_work(assignment: str = "") -> Q:
    """Return the filter for assignments that count; `assignment` is the path to them: `assignment__`.

    Annotations for training, for comparison with a reference or repeated by the same annotator enter no
    score, agreement, progress or export unless requested. Annotators' queues contain them all.
    """
    return Q((f"{assignment}purpose", Assignment.Purpose.WORK))


def is_labelled_here(assignment: str = "") -> Q:
    """Return the filter for assignments of batches annotated here, not imported ones."""
    return Q((f"{assignment}batch__prompt_seen__in", (Batch.Seen.AS_SET, Batch.Seen.VARIED)))


def mark_random(batch: Batch) -> int:
    """Mark the multiply annotated images of a batch as drawn at random; return the number of changed rows.

    One statement, to run after assigning images of the batch. Targeted assignments stay as they are and, like
    repeats by the same annotator, do not make an image multiply annotated.

    Rows are found by their keys: of rows just added PostgreSQL has no statistics yet, and a lookup by the
    batch would read the whole batch for each of its rows.
    """
    drawn = Assignment.objects.filter(is_work(), batch=batch, position__isnull=False).exclude(
        drawn=Assignment.Drawn.TARGETED
    )
    people = drawn.order_by().annotate(
        lowest=Window(Min("annotator"), partition_by="image"),
        highest=Window(Max("annotator"), partition_by="image"),
    )
    several = people.filter(lowest__lt=F("highest")).values("pk")
    singles = Assignment.objects.filter(pk__in=several, drawn=Assignment.Drawn.SINGLE)
    return singles.update(drawn=Assignment.Drawn.RANDOM)


def per_row(grouped: QuerySet[Any, Any], count: Count) -> Coalesce:
    """Return the count of a correlated, grouped query as a column; 0 for rows without any.

    Uses one subquery per count, because joins would multiply the counts.
    """
    counted = grouped.annotate(count=count).values("count")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)
