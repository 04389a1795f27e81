"""The work of projects and of their annotators: counts off an index, and a bounded sample of each annotator.

The number of queries does not depend on the number of projects, batches or annotators.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from functools import reduce
from operator import or_
from statistics import median
from typing import Final

from django.db.models import Count, Exists, Max, Min, OuterRef, Q
from django.db.models.fields.json import KeyTextTransform, KeyTransform

from analysis.home.quality_alarms import Alarm, alarms_of
from analysis.protocols.registry import numbers_of
from annotator.models import Annotation, Assignment, Batch, Membership, Project
from annotator.models.counting import is_work

SAMPLE: Final = 24
"""Annotations of each annotator that are examined: their last ones, in the order of the queue."""
MOST_SAMPLED: Final = 50
"""Annotators who are examined in this way; those with the most done."""

_BEGUN: Final = (Annotation.Status.DRAFT, Annotation.Status.REOPENED)


@dataclass(frozen=True)
class Sampled:
    """One of an annotator's last annotations; `active_ms` is None for imported ones."""

    image: int
    submitted_at: datetime
    active_ms: int | None
    no_errors: bool


@dataclass
class AnnotatorWork:
    """An annotator's work: `left` is open in open batches, `since` when the last such `batch` was released.

    `sample` are their last annotations, all in the batch `sampled_in`; `alarms` are those of the newest
    quality reports. An annotation below `fast_ms` is fast under the protocol of the sample.
    """

    member: Membership
    done: int = 0
    total: int = 0
    left: int = 0
    since: datetime | None = None
    batch: int | None = None
    drafts: int = 0
    oldest_draft: datetime | None = None
    last_saved: datetime | None = None
    sample: Sequence[Sampled] = ()
    sampled_in: int | None = None
    fast_ms: int = 5_000
    alarms: Sequence[Alarm] = ()

    @property
    def times(self) -> list[int]:
        """The known active times of the sample, in milliseconds."""
        return [one.active_ms for one in self.sample if one.active_ms is not None]

    @property
    def typical_ms(self) -> float | None:
        """The median active time per image, in milliseconds."""
        return median(self.times) if self.times else None

    @property
    def last_seen(self) -> datetime | None:
        """When they last saved something, as far as the sample tells."""
        moments = [one.submitted_at for one in self.sample]
        return max([*moments, *([self.last_saved] if self.last_saved else [])], default=None)


@dataclass
class ProjectWork:
    """A project's assignments: `done` are submitted or skipped, `left` open in open batches.

    `batches` are those released that count; `trained` is any for training.
    """

    done: int = 0
    total: int = 0
    left: int = 0
    batches: int = 0
    trained: bool = False
    annotators: list[AnnotatorWork] = field(default_factory=list)

    @property
    def released(self) -> bool:
        """Whether any batch that counts is released."""
        return self.batches > 0


def work_of(projects: Sequence[Project]) -> dict[int, ProjectWork]:
    """Return project → its work, in six queries."""
    held = Assignment.objects.filter(batch=OuterRef("pk")).order_by()
    released = Batch.objects.filter(project__in=projects).exclude(status=Batch.Status.PREPARING)
    batches = {
        batch.pk: batch
        for batch in released.annotate(
            counts=Exists(held.filter(is_work())),
            trains=Exists(held.filter(purpose=Assignment.Purpose.TRAINING)),
        )
    }
    found = {project.pk: ProjectWork() for project in projects}
    for batch in batches.values():
        found[batch.project_id].batches += batch.counts
        found[batch.project_id].trained |= batch.trains
    work, ends = _counted(batches)
    _add_drafts(projects, work)
    _add_samples(work, ends)
    alarms = alarms_of(projects) if work else {}
    for each in work.values():
        one = found[each.member.project_id]
        if each.sampled_in in batches:
            each.fast_ms = numbers_of(batches[each.sampled_in].protocol).fast_ms
        each.alarms = alarms.get((each.member.project_id, each.member.code), ())
        one.annotators.append(each)
        one.done += each.done
        one.total += each.total
        one.left += each.left
    return found


def _counted(batches: Mapping[int, Batch]) -> tuple[dict[int, AnnotatorWork], dict[int, tuple[int, int]]]:
    """Return annotator → work, and annotator → the batch and position of their last finished assignment."""
    held = Assignment.objects.filter(is_work(), batch__in=batches, position__isnull=False).order_by()
    # In the order of the queue's index, so that only the index is read.
    rows = held.values_list("annotator", "status", "batch").annotate(count=Count("*"), last=Max("position"))
    counts = list(rows)
    members = Membership.objects.select_related("user").in_bulk({row[0] for row in counts})
    work = {pk: AnnotatorWork(member) for pk, member in sorted(members.items(), key=lambda m: m[1].code)}
    ends: dict[int, tuple[int, int]] = {}
    for annotator, status, batch, count, last in counts:
        each = work[annotator]
        each.total += count
        if status != Assignment.Status.OPEN:
            each.done += count
        elif batches[batch].status == Batch.Status.OPEN:
            each.left += count
            each.since = max(filter(None, [each.since, batches[batch].created_at, each.member.created_at]))
            each.batch = max(each.batch or 0, batch)
        if status == Assignment.Status.DONE:
            ends[annotator] = max(ends.get(annotator, (0, 0)), (batch, last))
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
        assignment__image__goes_at=None,
    ).order_by()
    grouped = drafts.values_list("assignment__annotator").annotate(
        count=Count("pk"), oldest=Min("saved_at"), last=Max("saved_at")
    )
    for annotator, count, oldest, last in grouped:
        each = work.get(annotator)
        if each is not None:
            each.drafts, each.oldest_draft, each.last_saved = count, oldest, last


def _add_samples(work: Mapping[int, AnnotatorWork], ends: Mapping[int, tuple[int, int]]) -> None:
    busiest = sorted(ends, key=lambda annotator: -work[annotator].done)[:MOST_SAMPLED]
    if not busiest:
        return
    last = [
        Q(annotator=annotator, batch=ends[annotator][0], position__gt=ends[annotator][1] - SAMPLE)
        for annotator in busiest
    ]
    for annotator, rows in _sampled(reduce(or_, last)).items():
        work[annotator].sample = sorted(rows, key=lambda one: one.submitted_at)
        work[annotator].sampled_in = ends[annotator][0]


def _sampled(last: Q) -> dict[int, list[Sampled]]:
    done = Assignment.objects.filter(
        last, is_work(), status=Assignment.Status.DONE, annotation__submitted_at__isnull=False
    )
    # Imported annotations say nothing about how somebody works here.
    done = done.exclude(annotation__source__isnull=False, annotation__version=1)
    # The headline comes first in ratings, as an exact fraction.
    score = KeyTextTransform(2, KeyTransform(0, "annotation__ratings"))
    columns = ("annotator", "image", "annotation__submitted_at", "annotation__active_ms", score)
    found: dict[int, list[Sampled]] = defaultdict(list)
    for annotator, image, at, active, value in done.order_by().values_list(*columns):
        found[annotator].append(Sampled(image, at, active, value is not None and Fraction(value) == 0))
    return found


def silent_days(each: AnnotatorWork, now: datetime) -> int:
    """Return for how many days nothing was saved, of an annotator with work left; 0 without."""
    since = max(filter(None, [each.last_seen, each.since]), default=None)
    return (now - since).days if each.left and since is not None else 0
