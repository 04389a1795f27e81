"""Check that a stored batch matches its plan, for a large batch as a job."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from django.db.models import Q

from annotator.batches.planning import read_document, verify
from annotator.batches.planning.certificate import MALFORMED, annotators_first
from annotator.batches.planning.change.checks import checks_withdrawn
from annotator.batches.planning.change.design import read_change
from annotator.models import Assignment, Batch, Event, Image, Job, Plan
from annotator.models.counting import is_work
from annotator.work.jobs import JobRefused, Steps
from annotator.work.kinds import register

MOST_NAMED: Final = 10
INLINE_ASSIGNMENTS: Final = 20_000
"""A batch of up to this many is verified or changed in a second or two."""
INLINE_BYTES: Final = 8 * 1024 * 1024
INLINE_ROWS: Final = 200_000
"""Images, assignments and counts in the plans of a batch that are recomputed in a request."""
INLINE_ANNOTATORS: Final = 200
_PIECE: Final = 64 * 1024

IMAGE_DELETED: Final = "image_deleted"

Queues = dict[str, list[str]]
"""Annotator's code → images (by content) in queue order; anchors and repeats with their purpose behind."""

_CHECKS: Final = (Assignment.Purpose.ANCHOR, Assignment.Purpose.REPEAT)


def _entry(image: str, purpose: str) -> str:
    return image if purpose == Assignment.Purpose.WORK else f"{image} {purpose}"


def problems_of(batch: Batch) -> list[str]:
    """Return the problems of a batch's plan and its assignments; [] if there are none.

    The plan is recomputed from its own input, compared with its certificate, updated with every later change
    of annotators, and compared with the assignments. Images that were ever deleted are not compared: deleting
    removes their queue positions, and undoing it assigns new ones.
    """
    plans = list(batch.plans.order_by("pk"))
    release = next((plan for plan in plans if plan.kind == Plan.Kind.RELEASE), None)
    if release is None:
        return ["The batch has no plan: its assignments were imported or created directly."]
    found = _problems_of_release(batch, release) + _problems_of_changes(plans)
    if found:
        return _shortened(found)
    queues, without = planned_queues(release), ever_deleted(batch.project_id)
    checked = bool(read_document(document_of(release))[0].checks)
    for plan in plans:
        if plan.kind == Plan.Kind.CHANGE:
            found += _carry_on(queues, plan, without)
    return _shortened(found + list(_differences(queues, stored_queues(batch, checked=checked), without)))


def ever_deleted(project_id: int) -> set[str]:
    """Return the images, by content, that were ever deleted, according to Events."""
    asked = Event.objects.filter(project=project_id, verb=IMAGE_DELETED)
    return set(asked.values_list("data__sha256", flat=True))


def deleted_among(project_id: int) -> set[str]:
    """Return the images, by content, that are deleted now."""
    gone = ever_deleted(project_id)
    there = Image.objects.filter(project=project_id, sha256__in=gone)
    return gone - set(there.values_list("sha256", flat=True)) if gone else gone


def document_of(plan: Plan) -> bytes:
    """Return a plan's canonical text; raises ValueError if it cannot be decompressed."""
    try:
        return zlib.decompress(plan.document)
    except zlib.error as error:
        raise ValueError("The stored document of the plan is damaged.") from error


def pieces_of(plan: Plan) -> Iterator[bytes]:
    """Yield a plan's canonical text in pieces: a page reads only the beginning of several megabytes."""
    unpack = zlib.decompressobj()
    waiting = bytes(plan.document)
    while waiting:
        yield unpack.decompress(waiting, _PIECE)
        waiting = unpack.unconsumed_tail
    yield unpack.flush()


def held_in(batch: Batch) -> int:
    """Return the number of assignments with a place in a queue: what a change of annotators considers."""
    return Assignment.objects.filter(is_work(), batch=batch, position__isnull=False).count()


def fits_request(batch: Batch) -> bool:
    """Return whether a batch and its plans are small enough to be verified or changed in a request.

    A plan can have many more images and annotators than its batch, from which images were deleted.
    """
    if held_in(batch) > INLINE_ASSIGNMENTS:
        return False
    size = rows = 0
    try:
        for plan in batch.plans.order_by("pk").iterator(chunk_size=20):
            pieces = []
            for piece in pieces_of(plan):
                pieces.append(piece)
                size += len(piece)
                rows += piece.count(b"[") + piece.count(b"{")
                if size > INLINE_BYTES or rows > INLINE_ROWS:
                    return False
            if len(annotators_first(pieces)) > INLINE_ANNOTATORS:
                return False
    except (ValueError, zlib.error, *MALFORMED):
        return False
    return True


def planned_queues(release: Plan) -> Queues:
    """Return all queues as released."""
    design, placements = read_document(document_of(release))
    queues: Queues = {one.code: [] for one in design.annotators}
    for placement in placements:
        queues[placement.annotator].append(_entry(placement.image, placement.purpose))
    return queues


def stored_queues(batch: Batch, *, checked: bool = False) -> Queues:
    """Return all queues as stored, without withdrawn assignments; `checked`: with anchors and repeats."""
    which = is_work() | Q(purpose__in=_CHECKS) if checked else is_work()
    placed = Assignment.objects.filter(which, batch=batch, position__isnull=False)
    queues: Queues = {}
    rows = placed.order_by("annotator", "position").values_list("annotator__code", "image__sha256", "purpose")
    for code, image, purpose in rows.iterator(chunk_size=5000):
        queues.setdefault(code, []).append(_entry(image, purpose))
    return queues


def _problems_of_release(batch: Batch, release: Plan) -> list[str]:
    try:
        document = document_of(release)
    except ValueError as error:
        return [str(error)]
    found = verify(document, release.certificate)
    if found:
        return found
    design, _ = read_document(document)
    told = {"the plan": release.seed, "the batch": batch.seed}
    return [
        f"The stored seed of {what} is {seed}, but the plan uses {design.seed}."
        for what, seed in told.items()
        if seed != design.seed
    ]


def _problems_of_changes(plans: Sequence[Plan]) -> list[str]:
    """Recompute every change of annotators from its own input."""
    found: list[str] = []
    for plan in plans:
        if plan.kind != Plan.Kind.CHANGE:
            continue
        try:
            problems = verify(document_of(plan), plan.certificate)
        except ValueError as error:
            problems = [str(error)]
        found += [f"Change of {plan.created_at:%Y-%m-%d %H:%M}: {problem}" for problem in problems]
    return found


def _carry_on(queues: Queues, plan: Plan, without: Collection[str]) -> list[str]:
    """Apply a change of annotators to the queues; return where they differ from its starting point."""
    design, withdraw, add = read_change(document_of(plan))
    held: Queues = {}
    for one in sorted((*design.held, *design.checked), key=lambda one: one.position or 0):
        held.setdefault(one.annotator, []).append(_entry(one.image, one.purpose))
    moment = f"Before the change of {plan.created_at:%Y-%m-%d %H:%M}"
    found = [f"{moment}: {difference}" for difference in _differences(queues, held, without)]
    gone = {*withdraw}
    gone |= {(_entry(one.image, one.purpose), one.annotator) for one in checks_withdrawn(design, withdraw)}
    for code, queue in queues.items():
        queue[:] = [image for image in queue if (image, code) not in gone]
    for placement in sorted(add, key=lambda one: (one.annotator, one.position)):
        queues.setdefault(placement.annotator, []).append(_entry(placement.image, placement.purpose))
    return found


def _differences(
    planned: Mapping[str, list[str]], stored: Mapping[str, list[str]], without: Collection[str]
) -> Iterator[str]:
    for code in sorted(planned.keys() | stored.keys()):
        wanted, has = (
            [image for image in queues.get(code, []) if image.partition(" ")[0] not in without]
            for queues in (planned, stored)
        )
        if wanted == has:
            continue
        missing, extra = set(wanted) - set(has), set(has) - set(wanted)
        for image in wanted:
            if image in missing:
                yield f"Annotator {code}: image {image[:12]} is planned, but not assigned."
        for image in has:
            if image in extra:
                yield f"Annotator {code}: image {image[:12]} is assigned, but not planned."
        if not missing and not extra:
            yield f"Annotator {code}: the images match the plan, but their order differs."


def _shortened(found: list[str]) -> list[str]:
    more = [f"… and {len(found) - MOST_NAMED} more."] if len(found) > MOST_NAMED else []
    return found[:MOST_NAMED] + more


VERIFY: Final = "verify_plan"
CHECKED: Final = "Plan verified: the seed reproduces it, and the stored assignments match."


def run_verify(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a job with the data `batch`: recompute its plan and compare."""
    batch = Batch.objects.filter(pk=job.data["batch"], project=job.project_id).first()
    if batch is None:
        raise JobRefused("The batch no longer exists.")
    problems = problems_of(batch)
    steps(1, 1)
    if problems:
        raise JobRefused(" ".join(problems))
    return {"words": CHECKED}


def register_kind() -> None:
    """Register the job that verifies plans."""
    register(VERIFY, run_verify, title="Plan verification")
