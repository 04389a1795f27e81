"""The work of projects and of their annotators: counts off an index, and a bounded sample of each annotator.

The number of queries does not depend on the number of projects, batches or annotators.
"""

from __future__ import annotations

from collections import Counter, defaultdict
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

from analysis.home.quality_lines import QualityLine, quality_lines_of
from analysis.protocols.registry import numbers_of
from annotator.models import Annotation, Assignment, Batch, Membership, Project
from annotator.models.counting import is_work

SAMPLE: Final = 24
"""Annotations of each annotator and protocol that are examined: the last ones, in the order of the queue."""
REACH: Final = 2 * SAMPLE
"""Places of a queue among which they are looked for, because some images are skipped or reopened."""
MOST_SAMPLED: Final = 50
"""Annotators who are examined in this way; those with the most done."""
MOST_RANGES: Final = 500
"""Parts of queues that are read. SQLite allows 1,000 conditions in a query."""
FEWEST_TIMED: Final = 20
"""Annotations with a known time that a statement on speed needs."""

_BEGUN: Final = (Annotation.Status.DRAFT, Annotation.Status.REOPENED)


@dataclass(frozen=True)
class Sampled:
    """One of an annotator's last annotations; `active_ms` is None for imported ones.

    `place` is its batch and its position there.
    """

    image: int
    submitted_at: datetime
    active_ms: int | None
    no_errors: bool
    place: tuple[int, int]


@dataclass(frozen=True)
class Sample:
    """An annotator's last annotations under one `protocol`, of `done` in all; `batch` has the last of them.

    Other work leaves it as it is, so what it shows lasts until the annotator goes on under the protocol.
    """

    protocol: str
    batch: int
    done: int
    last: Sequence[Sampled]

    @property
    def fast_ms(self) -> int:
        """The time below which an annotation is fast under the protocol, in milliseconds."""
        return numbers_of(self.protocol).fast_ms

    @property
    def times(self) -> list[int]:
        """The known active times, in milliseconds."""
        return [one.active_ms for one in self.last if one.active_ms is not None]

    @property
    def typical_ms(self) -> float | None:
        """The median active time per image, in milliseconds."""
        return median(self.times) if self.times else None

    @property
    def is_fast(self) -> bool:
        """Whether the median of at least `FEWEST_TIMED` of them is fast."""
        return len(self.times) >= FEWEST_TIMED and (self.typical_ms or 0) < self.fast_ms

    @property
    def is_flat(self) -> bool:
        """Whether there are `SAMPLE` of them and none has an error: unlikely to be meant."""
        return len(self.last) == SAMPLE and all(one.no_errors for one in self.last)


@dataclass
class AnnotatorWork:
    """An annotator's work: `left` is open in open batches, `since` when the last such `batch` was released.

    `samples` are their last annotations under each protocol, the newest batch first; `quality` is what the
    newest quality reports say of them.
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
    samples: Sequence[Sample] = ()
    quality: Sequence[QualityLine] = ()

    @property
    def careless(self) -> Sample | None:
        """The first of `careless_samples`, a fast one first; None without one."""
        found = self.careless_samples
        return next((one for one in found if one.is_fast), found[0] if found else None)

    @property
    def careless_samples(self) -> list[Sample]:
        """The fast or flat samples under protocols of which no quality report says anything yet."""
        told = {line.protocol for line in self.quality}
        return [one for one in self.samples if (one.is_fast or one.is_flat) and one.protocol not in told]

    @property
    def has_enough(self) -> bool:
        """Whether there are enough annotations for a verdict, as in a quality report."""
        return any(len(one.times) >= FEWEST_TIMED or len(one.last) >= SAMPLE for one in self.samples)

    @property
    def is_watched(self) -> bool:
        """Whether anything done was annotated here, not imported."""
        return bool(self.quality) or any(sample.last for sample in self.samples)

    @property
    def last_seen(self) -> datetime | None:
        """When they last saved something, as far as the sample tells."""
        moments = [one.submitted_at for sample in self.samples for one in sample.last]
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
    work, done = _counted(batches)
    _add_drafts(projects, work)
    _add_samples(work, done, batches)
    quality = quality_lines_of(projects) if work else {}
    for each in work.values():
        one = found[each.member.project_id]
        each.quality = quality.get((each.member.project_id, each.member.code), ())
        one.annotators.append(each)
        one.done += each.done
        one.total += each.total
        one.left += each.left
    return found


@dataclass(frozen=True)
class _Done:
    """How much an annotator has done in a batch, up to which position."""

    batch: int
    count: int
    last: int


def _counted(batches: Mapping[int, Batch]) -> tuple[dict[int, AnnotatorWork], dict[int, list[_Done]]]:
    """Return annotator → work, and annotator → what they have done, the newest batch first."""
    held = Assignment.objects.filter(is_work(), batch__in=batches, position__isnull=False).order_by()
    # In the order of the queue's index, so that only the index is read.
    rows = held.values_list("annotator", "status", "batch").annotate(count=Count("*"), last=Max("position"))
    counts = list(rows)
    members = Membership.objects.select_related("user").in_bulk({row[0] for row in counts})
    work = {pk: AnnotatorWork(member) for pk, member in sorted(members.items(), key=lambda m: m[1].code)}
    done: dict[int, list[_Done]] = defaultdict(list)
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
            done[annotator].append(_Done(batch, count, last))
    for annotator in done:
        done[annotator].sort(key=lambda one: -one.batch)
    return work, done


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


def _add_samples(
    work: Mapping[int, AnnotatorWork], done: Mapping[int, Sequence[_Done]], batches: Mapping[int, Batch]
) -> None:
    busiest = sorted(done, key=lambda annotator: -work[annotator].done)[:MOST_SAMPLED]
    counts = Counter[tuple[int, str]]()
    newest: dict[tuple[int, str], int] = {}
    ranges = []
    for annotator in busiest:
        for one in done[annotator]:
            key = (annotator, batches[one.batch].protocol)
            newest.setdefault(key, one.batch)
            if counts[key] < SAMPLE:
                ranges.append(Q(annotator=annotator, batch=one.batch, position__gt=one.last - REACH))
            counts[key] += one.count
    if not ranges:
        return
    found = _sampled(reduce(or_, ranges[:MOST_RANGES]), batches)
    for (annotator, protocol), batch in newest.items():
        rows = sorted(found[annotator, protocol], key=lambda one: (one.submitted_at, one.place))
        sample = Sample(protocol, batch, counts[annotator, protocol], rows[-SAMPLE:])
        work[annotator].samples = [*work[annotator].samples, sample]


def _sampled(last: Q, batches: Mapping[int, Batch]) -> dict[tuple[int, str], list[Sampled]]:
    done = Assignment.objects.filter(
        last, is_work(), status=Assignment.Status.DONE, annotation__submitted_at__isnull=False
    )
    # Imported annotations say nothing about how somebody works here.
    done = done.exclude(annotation__source__isnull=False, annotation__version=1)
    # The headline comes first in ratings, as an exact fraction.
    score = KeyTextTransform(2, KeyTransform(0, "annotation__ratings"))
    columns = ("annotator", "batch", "position", "image", "annotation__submitted_at")
    rows = done.order_by().values_list(*columns, "annotation__active_ms", score)
    found: dict[tuple[int, str], list[Sampled]] = defaultdict(list)
    for annotator, batch, position, image, at, active, value in rows:
        none = value is not None and Fraction(value) == 0
        found[annotator, batches[batch].protocol].append(Sampled(image, at, active, none, (batch, position)))
    return found
