"""Release a plan: store its batch, input and assignments in one transaction."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from decimal import Decimal
from fractions import Fraction
from typing import Final
from uuid import UUID

from annotator.batches.assignments import (
    InvalidBatch,
    check_blinding,
    check_follows,
    check_settings,
    create_batch,
    record_release,
    refuse_unfit,
)
from annotator.batches.planning import ALGORITHM, Design, Placement
from annotator.batches.planning import Plan as MadePlan
from annotator.batches.planning.arms import arms
from annotator.batches.planning.interleaving import REPEAT, WORK
from annotator.batches.requests import BatchRequest, requested_plan
from annotator.database.transactions import write_transaction
from annotator.models import (
    Assignment,
    Batch,
    Image,
    Membership,
    Plan,
    Project,
    Suggestion,
    SuggestionRun,
    User,
)
from annotator.protocols.page import ALL_OF_THEM, SUGGESTIONS
from annotator.protocols.registry import page_of
from annotator.suggestions.runs import run_to_show

CHUNK: Final = 5000
"""Assignments per statement."""

_COLUMNS: Final = (
    "name",
    "protocol",
    "show_prompt",
    "show_generator",
    "guided",
    "score_shown",
    "needs_standing",
)
"""What a batch keeps of its request as it is."""

_KEYS_ASKED: Final = 900
"""Parameters per query that every database accepts."""


class NotAsPreviewed(InvalidBatch):
    """Images, annotators or other batches have changed since the plan was computed."""


def planned_on(project: Project) -> str:
    """Return a key of the project's current batches and plans, which every release changes.

    Taken before planning and passed to `release_plan`, it keeps two leads from assigning the same images
    concurrently.
    """
    last_plan = Plan.objects.filter(batch__project=project).order_by("-pk").values_list("pk", flat=True)
    last_batch = project.batches.order_by("-pk").values_list("pk", flat=True)
    return f"{last_batch.first() or 0}-{last_plan.first() or 0}"


def release_requested(
    *,
    project: Project,
    request: BatchRequest,
    digest: str,
    basis: str | None,
    request_key: UUID | None,
    actor: User | None = None,
) -> Batch:
    """Recompute the plan and release it if it has this `digest`, that of the preview.

    Raises NotAsPreviewed if it differs, InvalidBatch, InvalidDesign.
    """
    if (earlier := _released_by(project, request_key)) is not None:
        # Its images are assigned now, so the plan would differ.
        return earlier
    plan = requested_plan(project, request)
    if plan.digest() != digest:
        raise NotAsPreviewed("Images or annotators have changed since the preview. Check the balance again.")
    return release_plan(
        project=project, request=request, plan=plan, actor=actor, request_key=request_key, basis=basis
    )


def release_plan(
    *,
    project: Project,
    request: BatchRequest,
    plan: MadePlan,
    actor: User | None = None,
    request_key: UUID | None = None,
    basis: str | None = None,
) -> Batch:
    """Store the plan of a request as an open batch and return the batch.

    A repeated `request_key` returns the first batch. `basis` is the result of `planned_on` before planning.
    Assignments of a targeted draw are marked so. Raises InvalidBatch (NotAsPreviewed if images
    or annotators have changed), UnknownProtocol.
    """
    check_settings(request.name, request.protocol, request.own_settings)
    check_blinding(request.protocol, show_prompt=request.show_prompt, show_generator=request.show_generator)
    check_follows(request.protocol, request.draw.batch if request.draw else None)
    with write_transaction():
        # One release of a project at a time: the checks below stay valid until the end.
        held = Project.locked(project.pk)
        if held.goes_at is not None:
            raise InvalidBatch(
                "The project is being deleted. Undo the deletion before you release a batch.", "deleted"
            )
        if (earlier := _released_by(held, request_key)) is not None:
            return earlier
        if basis is not None and basis != planned_on(held):
            raise NotAsPreviewed(
                "Another batch was released or changed since the preview. Check the balance again."
            )
        return _store(held, request, plan, actor, request_key)


def _released_by(project: Project, request_key: UUID | None) -> Batch | None:
    """Return the batch that an earlier request with this key released."""
    plans = Plan.objects.select_related("batch")
    earlier = plans.filter(request_key=request_key).first() if request_key else None
    if earlier is None:
        return None
    if (earlier.batch.project_id, earlier.kind) != (project.pk, Plan.Kind.RELEASE):
        raise InvalidBatch("This form was already used for another batch. Reload the page.", "key-reused")
    return earlier.batch


def _store(
    project: Project, request: BatchRequest, plan: MadePlan, actor: User | None, request_key: UUID | None
) -> Batch:
    """Check the plan against the rows, and store batch, plan, assignments and Event."""
    design, protocol, draw = plan.design, request.protocol, request.draw
    if draw is not None and not project.batches.filter(pk=draw.batch).exists():
        raise NotAsPreviewed("The first-stage batch no longer exists. Choose another batch.")
    images = image_ids(project, design, check=True)
    members = _member_ids(project, design)
    anchors = {images[one.key] for one in design.checks.anchors}
    work = set(images.values()) - anchors
    standing = request.needs_standing
    refuse_unfit(project, protocol, work, anchors, members.values(), needs_standing=standing)
    batch = create_batch(
        project=project,
        overlap=_share(design),
        per_image=design.per_image,
        seed=design.seed,
        settings=dict(request.own_settings),
        follows_id=draw and draw.batch,
        suggestions=_run_for(project, protocol, request.own_settings),
        **{name: getattr(request, name) for name in _COLUMNS},
    )
    Plan.objects.create(
        batch=batch,
        kind=Plan.Kind.RELEASE,
        algorithm=ALGORITHM,
        annotators=[[one.code, one.capacity] for one in design.annotators],
        design=zlib.compress(plan.document()),
        request_key=request_key,
    )
    owed = Counter(placement.annotator for placement in plan.placements)
    made: dict[str, object] = {"images": len(design.images), "algorithm": ALGORITHM}
    if design.checks:
        counts = Counter(placement.purpose for placement in plan.placements)
        made |= {"anchors": len(anchors), "repeats": counts[REPEAT]}
    made |= {"follows": asdict(draw)} if draw else {}
    made |= {"suggestions": batch.suggestions_id} if batch.suggestions_id else {}
    record_release(batch, owed, actor, made)
    rows = _rows(batch, plan, images, members, targeted=bool(draw and draw.targeted))
    Assignment.objects.bulk_create(rows, batch_size=CHUNK)
    return batch


def _run_for(project: Project, protocol: str, own: Mapping[str, object]) -> SuggestionRun | None:
    """Return the run that a batch with these settings shows; None without suggestions."""
    if own.get(SUGGESTIONS.name, SUGGESTIONS.default) == SUGGESTIONS.default:
        return None
    suggested = page_of(protocol).suggested
    run = run_to_show(project, suggested.kind) if suggested else None
    if run is None:
        raise InvalidBatch(
            "There are no suggestions to show. Import some under Images, or choose none.", "no-run"
        )
    return run


def _arms(batch: Batch, plan: MadePlan, images: Mapping[str, int]) -> dict[int, str]:
    """Return the arm of each placement of work whose image has a suggestion, by its place in the plan."""
    if batch.suggestions_id is None:
        return {}
    rows = Suggestion.objects.filter(run=batch.suggestions_id).values_list("image", flat=True)
    suggested = set(rows.iterator(chunk_size=5000))
    generators = {image.key: image.generator for image in plan.design.images}
    cells = {
        place: (one.annotator, generators[one.image])
        for place, one in enumerate(plan.placements)
        if one.purpose == WORK and images[one.image] in suggested
    }
    share = Fraction(batch.settings[SUGGESTIONS.name], ALL_OF_THEM)
    drawn = arms(list(cells.values()), share, plan.design.seed)
    kinds = Assignment.Arm
    return {place: kinds.WITH if seen else kinds.WITHOUT for place, seen in zip(cells, drawn, strict=True)}


def _rows(
    batch: Batch, plan: MadePlan, images: Mapping[str, int], people: Mapping[str, int], *, targeted: bool
) -> list[Assignment]:
    """Return the assignments, in the plan's order; `images` are ids by key, `people` ids by code."""
    # What `mark_random` would find afterwards, without another statement over all rows.
    per_image = Counter(placement.image for placement in plan.placements if placement.purpose == WORK)
    seen = _arms(batch, plan, images)
    kinds = Assignment.Drawn

    def drawn(placement: Placement) -> str:
        if placement.purpose != WORK:
            return kinds.SINGLE
        several = per_image[placement.image] > 1
        return kinds.TARGETED if targeted else kinds.RANDOM if several else kinds.SINGLE

    return [
        Assignment(
            batch=batch,
            image_id=images[placement.image],
            annotator_id=people[placement.annotator],
            position=placement.position,
            drawn=drawn(placement),
            purpose=placement.purpose,
            pass_no=int(placement.purpose == REPEAT),
            arm=seen.get(place, Assignment.Arm.NONE),
        )
        for place, placement in enumerate(plan.placements)
    ]


def image_ids(project: Project, design: Design, *, check: bool = False) -> dict[str, int]:
    """Return key → id of the design's images and anchors; raises NotAsPreviewed if one is gone or changed."""
    wanted = {
        image.key: (image.generator, image.prompt) for image in (*design.images, *design.checks.anchors)
    }
    keys = list(wanted)
    found: dict[str, int] = {}
    for start in range(0, len(keys), _KEYS_ASKED):
        rows = Image.objects.filter(project=project, sha256__in=keys[start : start + _KEYS_ASKED]).order_by()
        found |= {
            key: pk
            for pk, key, *stratum in rows.values_list("pk", "sha256", "generator", "prompt")
            if not check or wanted[key] == tuple(stratum)
        }
    if missing := len(wanted) - len(found):
        raise NotAsPreviewed(
            f"{missing} of the {len(wanted)} images were removed or have another generator or prompt. "
            "Check the balance again."
        )
    return found


def _member_ids(project: Project, design: Design) -> dict[str, int]:
    """Return code → id of the design's annotators; raises NotAsPreviewed if one is not active."""
    codes = [annotator.code for annotator in design.annotators]
    members = Membership.objects.filter(project=project, is_active=True, code__in=codes)
    found = dict(members.values_list("code", "pk"))
    if missing := [code for code in codes if code not in found]:
        raise NotAsPreviewed(f"No longer active in {project.slug}: {', '.join(missing)}.")
    return found


def _share(design: Design) -> Decimal:
    """Return the overlap as the share that the batch shows, to four decimals; the plan has the exact one."""
    whole = len(design.images) if isinstance(design.overlap, int) else 1
    return Decimal(round(Fraction(design.overlap) / max(1, whole) * 10_000)) / 10_000
