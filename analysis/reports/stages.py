"""Two-stage reports: annotations of the same images under two protocols.

Only `stages_result` imports the numeric stack, because web processes import this module too.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Final

from django.db.models import QuerySet

from analysis.data.counting import (
    ANSWERED_AGAIN,
    NOTHING_READ,
    OTHER_PROTOCOL,
    REAL_PICTURE,
    Counting,
)
from analysis.data.ratings_table import NoAnnotations, input_digest, left_out, load_as, submitted
from analysis.models import Report
from analysis.protocols.generic import RATED_ANEW
from annotator.models import Annotation, Assignment, Batch, Event, Project
from annotator.models.counting import is_work
from annotator.projects.protocols import protocols_of
from annotator.work.execution import WorkRefused
from scoring.service import get_protocol

if TYPE_CHECKING:
    from analysis.stats.generic.values import ValuesFrame

UNMARKED_AS_ZERO: Final = "unmarked_as_zero"
NO_STAGES: Final = (
    "No batch under “{title}” follows another. Draw a second stage on the page of the first batch."
)
OF_A_PROTOCOL: Final = (REAL_PICTURE, NOTHING_READ, ANSWERED_AGAIN)
NOTHING_SHARED: Final = "No image has annotations in both stages yet."


def first_stage_of(project: Project | int, protocol: str) -> str | None:
    """Return the protocol of the first stage for the newest batch under `protocol`.

    If no batch follows another, return a protocol of the project that converts to it or from it, or None. A
    stage that decides its images is reported by its own protocol: here, an image would count as marked as
    soon as one annotation marks it.
    """
    following = _following(project, protocol).order_by("-pk")
    followed = following.values_list("follows__protocol", flat=True).first()
    if followed is not None:
        return None if get_protocol(followed).decide else followed
    related = [
        slug
        for slug in protocols_of(project)
        if slug in get_protocol(protocol).shown_as or {protocol} & get_protocol(slug).shown_as.keys()
    ]
    return related[0] if related else None


def has_both_stages(project: Project, protocol: str) -> bool:
    """Return whether an image is annotated under `protocol` and in its first stage."""
    first = first_stage_of(project, protocol)
    if first is None:
        return False
    images = submitted(project, protocol).order_by().values("assignment__image")
    return submitted(project, first).filter(assignment__image__in=images).exists()


def stages_digest(report: Report) -> str:
    """Return a digest that changes whenever the report would; raise WorkRefused."""
    first = _first_stage(report)
    held = _second(report).order_by("pk").values_list("pk", "image", "position", "status", "drawn")
    digest = hashlib.sha256(json.dumps(report.settings, sort_keys=True).encode())
    for protocol in (first, report.protocol):
        digest.update(input_digest(report.project, protocol).encode())
    for row in held.iterator(chunk_size=2000):
        digest.update(repr(row).encode())
    return digest.hexdigest()


def stages_result(report: Report, steps: Callable[[int, int], None]) -> tuple[dict[str, Any], int]:
    """Compute the report; return its result and the number of annotations used.

    Raise WorkRefused without two stages or without an image annotated in both.
    """
    from analysis.stats.generic.consistency import shared_ids
    from analysis.stats.generic.stages import Stages, stages

    project, second = report.project, report.protocol
    first = _first_stage(report)
    try:
        (one, counted), (other, counted_too) = (
            _values(project, protocol, protocol) for protocol in (first, second)
        )
    except NoAnnotations as error:
        raise WorkRefused(str(error)) from error
    if not len(shared_ids(one, other)):
        raise WorkRefused(NOTHING_SHARED)
    held = _second(report)
    answered = held.filter(annotation__status=Annotation.Status.SUBMITTED)
    both = Stages(
        one,
        other,
        alike=_alike(project, first, second, (one, other)),
        waiting=_images(held) - _images(answered),
        targeted=_images(held.filter(drawn=Assignment.Drawn.TARGETED)),
        combed=_combed(report),
        unmarked_as_zero=bool(report.settings.get(UNMARKED_AS_ZERO)),
    )
    named = {"first": named_protocol(first), "second": named_protocol(second)}
    counting = counted_together(project, (first, second), (counted, counted_too))
    about = {"stages": named, "answers": counting.as_json()}
    return {**about, **stages(both, steps)}, len(one) + len(other)


def _first_stage(report: Report) -> str:
    first = first_stage_of(report.project, report.protocol)
    if first is None:
        raise WorkRefused(NO_STAGES.format(title=get_protocol(report.protocol).title))
    return first


def _following(project: Project | int, protocol: str) -> QuerySet[Batch]:
    return Batch.objects.filter(project=project, protocol=protocol, follows__isnull=False)


def _values(project: Project, source: str, shown: str) -> tuple[ValuesFrame, Counting]:
    from analysis.stats.generic.values import ValuesFrame

    frame, counting = load_as(project, shown, source, RATED_ANEW)
    assert isinstance(frame, ValuesFrame)
    return frame, counting


def _alike(
    project: Project, first: str, second: str, frames: tuple[ValuesFrame, ValuesFrame]
) -> tuple[ValuesFrame, ValuesFrame] | None:
    """Return both stages under one protocol if one of the two converts to the other."""
    one, other = frames
    if second in get_protocol(first).shown_as:
        return one, _values(project, second, first)[0]
    if first in get_protocol(second).shown_as:
        return _values(project, first, second)[0], other
    return None


def _second(report: Report) -> QuerySet[Assignment]:
    """Return the second-stage assignments that count, annotated or not."""
    return Assignment.objects.filter(
        is_work(),
        batch__project=report.project,
        batch__protocol=report.protocol,
        position__isnull=False,
    )


def _images(assignments: QuerySet[Assignment]) -> frozenset[int]:
    return frozenset(assignments.order_by().values_list("image", flat=True))


def _combed(report: Report) -> frozenset[int]:
    """Return the images of batches that left out unmarked images except for a control sample."""
    followed = dict(_following(report.project, report.protocol).values_list("pk", "follows"))
    released = Event.objects.filter(project=report.project, verb="batch_released")
    draws = released.values_list("data__batch", "data__follows__control")
    chosen = {followed[batch] for batch, control in draws if batch in followed and control is not None}
    return _images(Assignment.objects.filter(batch__in=chosen, position__isnull=False))


def counted_together(
    project: Project, protocols: Collection[str], countings: Collection[Counting]
) -> Counting:
    """Add up the counts of several protocols; project-wide reasons are counted once."""
    reasons: Counter[str] = Counter()
    for counting in countings:
        reasons.update({name: n for name, n in counting.not_counted.items() if name in OF_A_PROTOCOL})
    whole = left_out(project, next(iter(protocols)))
    reasons.update({name: n for name, n in whole.items() if name not in (*OF_A_PROTOCOL, OTHER_PROTOCOL)})
    others = Annotation.objects.filter(
        is_work("assignment__"), assignment__batch__project=project, status=Annotation.Status.SUBMITTED
    ).exclude(assignment__batch__protocol__in=protocols)
    reasons[OTHER_PROTOCOL] = others.count()
    return Counting(sum(counting.counted for counting in countings), reasons)


def named_protocol(slug: str) -> dict[str, str]:
    """Return what a result says of a protocol."""
    protocol = get_protocol(slug)
    return {"slug": slug, "title": protocol.title, "headline": protocol.headline.title}
