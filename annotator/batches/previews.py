"""Preview of a batch's plan: a hundred thousand images take seconds, so it is computed in the request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, Final

from django.db.models import QuerySet

from annotator.batches.assignments import InvalidBatch, picture_under, refuse_trained
from annotator.batches.checks import GAP_DAYS, checks_planned, judged_lately, known_left_out
from annotator.batches.designs import left_out_of
from annotator.batches.planning import Plan as MadePlan
from annotator.batches.planning.interleaving import WORK
from annotator.batches.releases import image_ids, planned_on
from annotator.batches.requests import BatchRequest, requested_drawing, requested_plan
from annotator.faces.gate import drawn_by, undecided_among, unlooked_among
from annotator.models import Assignment, Batch, Membership, Project
from annotator.models.counting import is_work
from scoring.service import get_protocol

LISTED: Final = 60
"""Images without a decision on faces that a preview names."""


def preview_of(project: Project, request: BatchRequest) -> dict[str, Any]:
    """Compute the plan of a request and return its facts; raises InvalidDesign."""
    basis = planned_on(project)
    drawing = requested_drawing(project, request)
    plan = requested_plan(project, request, drawing)
    people = project.memberships.filter(pk__in=request.people)
    ids = image_ids(project, plan.design)
    work = {ids[image.key] for image in plan.design.images}
    again, again_soon = _given_again(people, plan, request)
    return {
        "balance": plan.balance,
        "digest": plan.digest(),
        "images": len(plan.design.images),
        "shared": plan.design.overlap_count,
        "annotations": len(plan.placements),
        **({"draw": drawing} if drawing else {}),
        **faces_lacking(project, set(ids.values()), request.people, request.protocol),
        **_known(work, request.people),
        "unscored": unscored(plan, request.protocol),
        "checks": checks_planned(
            project, plan, protocol=request.protocol, anchors=request.anchors, repeats=request.repeats
        ),
        "familiar": 0 if drawing else known_left_out(project, people, request.selection, request.protocol),
        "out": {} if drawing else left_out_of(project, request.selection, request.protocol),
        "again": again,
        "again_soon": again_soon,
        "gap_days": GAP_DAYS,
        "basis": basis,
    }


def faces_lacking(
    project: Project, images: Collection[int], people: Sequence[int], protocol: str
) -> dict[str, Any]:
    """Return why images under a protocol that blurs faces cannot be released to these people; {} if they can.

    `faces` holds the number of `undecided` images, id and file name of the first `LISTED` of them as `open`,
    the number with proposals that are `unlooked` at, and by code how many images people have `marked`.
    """
    if picture_under(protocol) != Batch.Picture.FACES_BLURRED:
        return {}
    undecided = undecided_among(project, images)
    marked, unlooked = drawn_by(people, images), len(unlooked_among(images))
    if not undecided and not marked and not unlooked:
        return {}
    waiting = project.images.filter(pk__in=sorted(undecided)[:LISTED]).order_by("pk")
    first = [[str(public_id), name] for public_id, name in waiting.values_list("public_id", "source_name")]
    counts = {"undecided": len(undecided), "unlooked": unlooked}
    return {"faces": {**counts, "open": first, "marked": dict(marked)}}


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


def _known(images: Collection[int], people: Sequence[int]) -> dict[str, Any]:
    """Return why the release will be refused, if some of the annotators know some of the work."""
    try:
        refuse_trained(images, people)
    except InvalidBatch as refused:
        return {"known": str(refused), "known_code": refused.code}
    return {}
