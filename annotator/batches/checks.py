"""Choose the anchors of a batch, and say what became of the shares of anchors and repeats asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from typing import Final

from django.db.models import Q, QuerySet
from django.utils import timezone

from annotator.batches.designs import Selection, images_of
from annotator.batches.planning import Checks, Design, InvalidDesign, Plan, PlanImage, Stream, sample
from annotator.models import Assignment, Image, Membership, Project, Reference
from annotator.models.counting import is_work
from scoring.service import get_protocol

SUGGESTED: Final = 5
KNOWN: Final = (Assignment.Purpose.ANCHOR, Assignment.Purpose.TRAINING, Assignment.Purpose.NORMING)
"""Purposes for which somebody has seen an image or its reference, and must not annotate it as work."""
MOST: Final = 50
"""Percentages of an annotator's images."""
GAP_DAYS: Final = 7
"""Days that should lie between judging an image under two protocols."""


def work_for(
    project: Project, people: Iterable[Membership], selection: Selection, protocol: str
) -> QuerySet[Image]:
    """Return the selected images without those that one of these people knows; the release refuses them."""
    return images_of(project, selection, protocol).exclude(pk__in=_known_to(people))


def judged_lately(people: Iterable[Membership], protocol: str) -> QuerySet[Assignment]:
    """Return these people's work under other protocols that is open, or was submitted within `GAP_DAYS`."""
    since = timezone.now() - timedelta(days=GAP_DAYS)
    recent = Q(annotation__submitted_at__gte=since, annotation__source__isnull=True)
    held = Assignment.objects.filter(is_work(), annotator__in=people, position__isnull=False)
    lately = held.filter(Q(status=Assignment.Status.OPEN) | recent)
    return lately.exclude(batch__protocol=protocol).order_by()


def known_left_out(
    project: Project, people: Iterable[Membership], selection: Selection, protocol: str
) -> int:
    """Return how many selected images `work_for` leaves out."""
    return images_of(project, selection, protocol).filter(pk__in=_known_to(people)).count()


def _known_to(people: Iterable[Membership]) -> QuerySet[Assignment, int]:
    held = Assignment.objects.filter(annotator__in=people, purpose__in=KNOWN)
    return held.order_by().values_list("image", flat=True)


def with_checks(
    project: Project,
    design: Design,
    people: Sequence[Membership],
    *,
    protocol: str,
    anchors: int,
    repeats: int,
) -> Design:
    """Return the design with `anchors` and `repeats`, percentages of an annotator's images.

    Anchors are drawn by the seed from the images with a reference that none of these people has had, except
    as an anchor: first from those outside the batch. Images of the batch that serve as anchors leave its
    work. Raises InvalidDesign for a protocol whose annotations cannot be compared.
    """
    if not design.annotators or not (anchors or repeats):
        return design
    if anchors and not get_protocol(protocol).compare:
        title = get_protocol(protocol).title
        raise InvalidDesign(
            {"anchors": [f"Annotations under “{title}” cannot be compared with a reference. Enter 0."]}
        )
    drawn: list[PlanImage] = []
    wanted = wanted_anchors(design, anchors)
    if wanted:
        work = {one.key for one in design.images}
        fresh = _fresh(project, people, protocol)
        stream = Stream(design.seed, "anchors")
        for some in (
            [one for one in fresh if one.key not in work],
            [one for one in fresh if one.key in work],
        ):
            count = min(wanted - len(drawn), len(some))
            drawn += stream.shuffled(sample(some, count, stream)) if count else []
    taken = {one.key for one in drawn}
    images = tuple(one for one in design.images if one.key not in taken)
    return replace(design, images=images, checks=Checks(tuple(drawn), Fraction(repeats, 100)))


def wanted_anchors(design: Design, anchors: int) -> int:
    """Return the number of anchors: the percentage of an even share of the work, rounded down."""
    return anchors * (design.annotations // max(1, len(design.annotators))) // 100


def checks_planned(plan: Plan, anchors: int) -> dict[str, int]:
    """Return the counts of a plan's anchors and repeats for its preview; `anchors` is the percentage asked.

    `anchors` of `anchors_wanted`, and `repeats` of `repeats_wanted` over all annotators; `added` is what both
    add to the work of all.
    """
    rows = plan.balance.workload
    got = len(plan.design.checks.anchors)
    return {
        "anchors": got,
        "anchors_wanted": max(got, wanted_anchors(plan.design, anchors)),
        "repeats": sum(row.repeats for row in rows),
        "repeats_wanted": sum(plan.design.checks.repeats_of(row.total) for row in rows),
        "added": sum(row.anchors + row.repeats for row in rows),
    }


def has_references(project: Project, protocol: str) -> bool:
    """Return whether a batch under a protocol could have anchors."""
    return _references(project, protocol).exists()


def _references(project: Project, protocol: str) -> QuerySet[Reference]:
    return Reference.objects.filter(
        image__project=project,
        protocol=protocol,
        status=Reference.Status.ACTIVE,
    )


def _fresh(project: Project, people: Sequence[Membership], protocol: str) -> list[PlanImage]:
    """Return the images with a reference that none of these people has had except as an anchor."""
    had = Assignment.objects.filter(annotator__in=[one.pk for one in people]).exclude(
        purpose=Assignment.Purpose.ANCHOR
    )
    found = _references(project, protocol).exclude(image__in=had.values("image"))
    rows = found.order_by("image__sha256").values_list("image__sha256", "image__generator", "image__prompt")
    return [PlanImage(*row) for row in rows]
