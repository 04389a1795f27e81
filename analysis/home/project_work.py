"""The work of projects and of their annotators, counted off an index.

The number of queries does not depend on the number of projects, batches or annotators.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any, Final

from django.db.models import Count, Exists, Max, Min, OuterRef, Q

from analysis.home.quality_lines import quality_lines_of
from annotator.models import Annotation, Assignment, Batch, Membership, Project
from annotator.models.counting import WorkCount, is_work

REACH: Final = 48
"""Places at the end of a queue among which the last submission is looked for: images are reopened, too."""
MOST_RANGES: Final = 500
"""Ends of queues that are read. SQLite allows 1,000 conditions in a query."""
_BEGUN: Final = (Annotation.Status.DRAFT, Annotation.Status.REOPENED)


@dataclass
class AnnotatorWork:
    """An annotator's work; the last of the images left was released at `since`.

    `batch` is that last open batch; `quality` is what the newest quality reports say of the annotator.
    `last_submitted` is known of those with images waiting, `last_saved` is that of their drafts.
    """

    member: Membership
    count: WorkCount = field(default_factory=WorkCount)
    since: datetime | None = None
    batch: int | None = None
    drafts: int = 0
    oldest_draft: datetime | None = None
    last_saved: datetime | None = None
    last_submitted: datetime | None = None
    quality: Sequence[Mapping[str, Any]] = ()

    @property
    def last_seen(self) -> datetime | None:
        """When they last saved or submitted something."""
        return max(filter(None, (self.last_submitted, self.last_saved)), default=None)


@dataclass
class ProjectWork:
    """A project's assignments; `batches` are those released that count."""

    count: WorkCount = field(default_factory=WorkCount)
    batches: int = 0
    annotators: list[AnnotatorWork] = field(default_factory=list)

    @property
    def released(self) -> bool:
        """Whether any batch that counts is released."""
        return self.batches > 0


def work_of(projects: Sequence[Project]) -> dict[int, ProjectWork]:
    """Return project → its work, in six queries."""
    held = Assignment.objects.filter(batch=OuterRef("pk")).order_by()
    released = Batch.objects.filter(project__in=projects)
    batches = {batch.pk: batch for batch in released.annotate(counts=Exists(held.filter(is_work())))}
    by_project = {project.pk: ProjectWork() for project in projects}
    for batch in batches.values():
        by_project[batch.project_id].batches += batch.counts
    work, ends = _counted(batches)
    _add_drafts(projects, work)
    _add_last_submitted(work, ends)
    quality = quality_lines_of(projects) if work else {}
    for own in work.values():
        own.quality = quality.get((own.member.project_id, own.member.code), ())
        of_project = by_project[own.member.project_id]
        of_project.annotators.append(own)
        of_project.count += own.count
    return by_project


def _counted(
    batches: Mapping[int, Batch],
) -> tuple[dict[int, AnnotatorWork], dict[int, list[tuple[int, int]]]]:
    """Return annotator → work, and annotator → batch and last place of what they submitted here."""
    held = Assignment.objects.filter(is_work(), batch__in=batches, position__isnull=False).order_by()
    # In the order of the queue's index, so that only the index is read.
    rows = held.values_list("annotator", "status", "batch").annotate(count=Count("*"), last=Max("position"))
    counts = list(rows)
    members = Membership.objects.select_related("user").in_bulk({row[0] for row in counts})
    work = {pk: AnnotatorWork(member) for pk, member in sorted(members.items(), key=lambda m: m[1].code)}
    ends: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for annotator, status, pk, count, last in counts:
        own, batch = work[annotator], batches[pk]
        own.count += WorkCount.of(status, count, batch)
        if status == Assignment.Status.OPEN and batch.status == Batch.Status.OPEN:
            own.since = max(filter(None, [own.since, batch.created_at, own.member.created_at]))
            own.batch = max(own.batch or 0, pk)
        if status == Assignment.Status.DONE and not batch.is_imported:
            ends[annotator].append((pk, last))
    return work, ends


def _add_drafts(projects: Sequence[Project], work: Mapping[int, AnnotatorWork]) -> None:
    # A query of its own, because SQLite would look for the few drafts among all assignments.
    begun = Annotation.objects.filter(status__in=_BEGUN).order_by()
    drafts = Annotation.objects.filter(
        is_work("assignment__"),
        pk__in=begun.values("pk"),
        assignment__status=Assignment.Status.OPEN,
        assignment__batch__project__in=projects,
        assignment__batch__status=Batch.Status.OPEN,
    ).order_by()
    grouped = drafts.values_list("assignment__annotator").annotate(
        count=Count("pk"), oldest=Min("saved_at"), last=Max("saved_at")
    )
    for annotator, count, oldest, last in grouped:
        if (own := work.get(annotator)) is not None:
            own.drafts, own.oldest_draft, own.last_saved = count, oldest, last


def _add_last_submitted(
    work: Mapping[int, AnnotatorWork], ends: Mapping[int, Sequence[tuple[int, int]]]
) -> None:
    """Add when those with images waiting last submitted one, from the end of their queues."""
    ranges = [
        Q(annotator=annotator, batch=batch, position__gt=last - REACH)
        for annotator, of_annotator in ends.items()
        if work[annotator].count.left
        for batch, last in of_annotator
    ]
    if not ranges:
        return
    done = Assignment.objects.filter(
        reduce(or_, ranges[-MOST_RANGES:]), is_work(), status=Assignment.Status.DONE
    ).order_by()
    for annotator, at in done.values_list("annotator").annotate(at=Max("annotation__submitted_at")):
        work[annotator].last_submitted = at
