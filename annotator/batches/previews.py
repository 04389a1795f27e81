"""Preview of a batch's plan: a hundred thousand images take seconds, so it is computed in the request."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.db.models import QuerySet

from annotator.batches.assignments import InvalidBatch, refuse_unfit
from annotator.batches.checks import GAP_DAYS, checks_planned, judged_lately, known_left_out
from annotator.batches.designs import left_out_of
from annotator.batches.planning import Plan as MadePlan
from annotator.batches.planning.interleaving import WORK
from annotator.batches.releases import image_ids, planned_on
from annotator.batches.requests import BatchRequest, requested_drawing, requested_plan
from annotator.models import Assignment, Membership, Project
from annotator.models.counting import is_work
from scoring.service import get_protocol


def preview_of(project: Project, request: BatchRequest) -> dict[str, Any]:
    """Compute the plan of a request and return its facts; raises InvalidDesign."""
    basis = planned_on(project)
    drawing = requested_drawing(project, request)
    plan = requested_plan(project, request, drawing)
    people = project.memberships.filter(pk__in=request.people)
    again, again_soon = _given_again(people, plan, request)
    return {
        "balance": plan.balance,
        "digest": plan.digest(),
        "images": len(plan.design.images),
        "shared": plan.design.overlap_count,
        "annotations": len(plan.placements),
        **({"draw": drawing} if drawing else {}),
        "refused": _refused(project, request, plan),
        "unscored": unscored(plan, request.protocol),
        "checks": checks_planned(plan, request.anchors),
        "familiar": 0 if drawing else known_left_out(project, people, request.selection, request.protocol),
        "out": {} if drawing else left_out_of(project, request.selection, request.protocol),
        "again": again,
        "again_soon": again_soon,
        "gap_days": GAP_DAYS,
        "basis": basis,
    }


def _refused(project: Project, request: BatchRequest, plan: MadePlan) -> InvalidBatch | None:
    """Return why the release would be refused now."""
    ids = image_ids(project, plan.design)
    anchors = {ids[one.key] for one in plan.design.checks.anchors}
    try:
        work, standing = set(ids.values()) - anchors, request.needs_standing
        refuse_unfit(project, request.protocol, work, anchors, request.people, needs_standing=standing)
    except InvalidBatch as refused:
        return refused
    return None


def unscored(plan: MadePlan, protocol: str) -> int:
    """Return how many images of a plan have too few annotators for a score, if the protocol needs several."""
    fewest = get_protocol(protocol).scored_from
    if not fewest:
        return 0
    people = Counter(placement.image for placement in plan.placements if placement.purpose == WORK)
    return sum(people[image.key] < fewest for image in plan.design.images)


def _given_again(people: QuerySet[Membership], plan: MadePlan, request: BatchRequest) -> tuple[int, int]:
    """Count the assignments whose annotator has the same image from an earlier batch.

    The second number is that of those who have it under another protocol, which they are to judge still, or
    judged within `GAP_DAYS`: whoever has judged an image in one way remembers it in another.
    """
    work = {(one.image, one.annotator) for one in plan.placements if one.purpose == WORK}
    held = Assignment.objects.filter(is_work(), annotator__in=people, position__isnull=False).order_by()
    return _among(work, held), _among(work, judged_lately(people, request.protocol))


def _among(work: set[tuple[str, str]], held: QuerySet[Assignment]) -> int:
    pairs = held.values_list("image__sha256", "annotator__code").iterator(chunk_size=5000)
    return len(work.intersection(pairs))
