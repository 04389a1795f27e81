"""The annotations of a batch's images, as far as the draw of a second stage depends on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import Count, F, Q, QuerySet

from annotator.annotations.unreadable import annotations_without_numbers
from annotator.batches.planning import PlanImage
from annotator.models import Annotation, Assignment, Batch, ImageSummary
from annotator.models.counting import is_work
from annotator.models.data_sets import is_excluded
from scoring.protocol import Protocol
from scoring.service import get_protocol

Ratings = Sequence[Sequence[Any]]

_READ = Q(annotation__status=Annotation.Status.SUBMITTED)
_DONE_WITH = _READ | Q(status=Assignment.Status.SKIPPED)


@dataclass(frozen=True, slots=True)
class Judged:
    """An image of a batch with a summary of its annotations.

    `people` have submitted, `waiting` have not. `marked`: the headline of some annotation is not 0; under a
    protocol that decides, that of the image, which may be `undecided`. `spread`
    measures disagreement: the number of components that differ or, under a protocol without components, the
    largest headline minus the smallest.
    """

    image: PlanImage
    people: int
    waiting: int
    flagged: bool
    marked: bool
    spread: Fraction
    undecided: bool = False


def ready_of(batch: Batch) -> dict[str, int]:
    """Count the `images` of a batch that can be drawn now, `total` and those `filtered` out by the data set.

    They have annotations and none outstanding; a closed batch has none outstanding.
    """
    held = _held(batch).order_by()
    images = (
        held.exclude(is_excluded("image"))
        .values("image")
        .annotate(held=Count("pk"), answers=Count("pk", filter=_READ), done=Count("pk", filter=_DONE_WITH))
    )
    ready = images.filter(answers__gt=0)
    if batch.status != Batch.Status.CLOSED:
        ready = ready.filter(done=F("held"))
    filtered = held.filter(is_excluded("image")).aggregate(images=Count("image", distinct=True))["images"]
    return {"images": ready.count(), "total": images.count(), "filtered": filtered}


def judged_of(batch: Batch) -> Iterator[Judged]:
    """Yield every assigned image of the batch, ordered by content.

    Unreadable annotations count as missing.
    """
    protocol = get_protocol(batch.protocol)
    unread = annotations_without_numbers(batch.project_id).filter(assignment__batch=batch)
    unreadable = set(unread.values_list("assignment", flat=True))
    decided: dict[str, float | None] = {}
    if protocol.decide:
        summaries = ImageSummary.objects.filter(project=batch.project_id, protocol=batch.protocol, code="")
        decided = dict(summaries.values_list("image__sha256", "score"))
    held_now = _held(batch).order_by("image__sha256", "pk")
    rows = held_now.values_list(
        *("image__sha256", "image__generator", "image__prompt", "pk", "status"),
        *("annotation__status", "annotation__flagged", "annotation__ratings"),
    )
    for stratum, group in groupby(rows.iterator(chunk_size=2000), key=itemgetter(0, 1, 2)):
        held = [row[3:] for row in group]
        answers = [
            (flagged, ratings)
            for pk, _, status, flagged, ratings in held
            if status == Annotation.Status.SUBMITTED and ratings is not None and pk not in unreadable
        ]
        waiting = sum(
            status != Assignment.Status.SKIPPED and answer != Annotation.Status.SUBMITTED
            for _, status, answer, _, _ in held
        )
        said = [ratings for _, ratings in answers]
        yield Judged(
            image=PlanImage(*stratum),
            people=len(answers),
            waiting=waiting,
            flagged=any(flagged for flagged, _ in answers),
            marked=bool(decided.get(stratum[0]))
            if protocol.decide
            else any(protocol.headline_of(ratings) for ratings in said),
            spread=spread_of(protocol, said),
            undecided=protocol.decide is not None and decided.get(stratum[0]) is None,
        )


def spread_of(protocol: Protocol, answers: Sequence[Ratings]) -> Fraction:
    """Return the spread of an image's annotations, see `Judged`; 0 for fewer than two."""
    if len(answers) < 2:
        return Fraction(0)
    names = {variable.name for variable in protocol.variables if variable.components}
    if not names:
        found = (protocol.headline_of(ratings) for ratings in answers)
        values = [value for value in found if value is not None]
        return max(values) - min(values) if values else Fraction(0)
    rated = [
        {(name, part): Fraction(value) for name, part, value in ratings if name in names}
        for ratings in answers
    ]
    parts = set().union(*rated)
    return Fraction(sum(len({one.get(part, Fraction(0)) for one in rated}) > 1 for part in parts))


def _held(batch: Batch) -> QuerySet[Assignment]:
    """Return the assignments that count: for work, and not withdrawn."""
    return Assignment.objects.filter(is_work(), batch=batch, position__isnull=False)
