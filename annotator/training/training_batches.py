"""Training batches: images with references, in a fixed order, for named annotators.

Nothing made in training counts: the assignments have the purpose `training`, which no score, report, export
or progress contains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

from django.db.models import Max, QuerySet

from annotator.batches.assignments import (
    InvalidBatch,
    assign_in_order,
    check_settings,
    create_batch,
    record_release,
    refuse_faces,
)
from annotator.database.transactions import write_transaction
from annotator.models import Annotation, Assignment, Batch, Membership, Project, User
from annotator.people.standings import begin_training
from annotator.training.references import active_references

MOST_IMAGES: Final = 30
FEW_IMAGES: Final = 5
"""With fewer images, training teaches little; the page says so."""


def training_among(batches: Iterable[Batch]) -> set[int]:
    """Return which of these batches are for training only; one query."""
    ids = [batch.pk for batch in batches]
    held = Assignment.objects.filter(batch__in=ids).order_by()
    purposes = set(held.values_list("batch", "purpose").distinct())
    others = {batch for batch, purpose in purposes if purpose != Assignment.Purpose.TRAINING}
    return {batch for batch, _ in purposes} - others


def training_ahead(member: Membership) -> dict[str, Any] | None:
    """Return a member's training in the latest passes of open batches; None without any. One query.

    It has images `done` of `total`, and the `upcoming` assignment by id, if any.
    """
    held = _training_of(member).filter(batch__status=Batch.Status.OPEN).order_by("batch", "position")
    rows = list(held.values_list("pk", "batch", "pass_no", "status"))
    # A later pass has later positions.
    latest = {batch: pass_no for _, batch, pass_no, _ in rows}
    passes = [(pk, status) for pk, batch, pass_no, status in rows if pass_no == latest[batch]]
    to_do = [pk for pk, status in passes if status == Assignment.Status.OPEN]
    if not passes:
        return None
    return {"done": len(passes) - len(to_do), "total": len(passes), "upcoming": next(iter(to_do), None)}


def _training_of(member: Membership) -> QuerySet[Assignment]:
    """Return a member's training images, without those taken away."""
    purpose = Assignment.Purpose.TRAINING
    return Assignment.objects.filter(annotator=member, purpose=purpose, position__isnull=False)


def release_training(
    *,
    project: Project,
    name: str,
    protocol: str,
    references: Sequence[int],
    people: Sequence[Membership],
    actor: User,
) -> Batch:
    """Store a training batch and return it: every person gets every image, in the order of `references`.

    `references` are ids of references in use. Raises InvalidBatch, for example if an image is work of one of
    the people: they would be told its answer.
    """
    check_settings(name, protocol)
    with write_transaction():
        Project.locked(project.pk)
        images = reference_images(project, protocol, references, most=MOST_IMAGES)
        members = active_members(project, people)
        _refuse_work(images, members)
        batch = release_to_all(project, name, protocol, members, images, Assignment.Purpose.TRAINING, actor)
        begin_training(members, protocol, actor)
    return batch


def release_to_all(
    project: Project,
    name: str,
    protocol: str,
    members: Sequence[Membership],
    images: Sequence[int],
    purpose: Assignment.Purpose,
    actor: User,
) -> Batch:
    """Store a batch in which every member gets every image, in this order; raises InvalidBatch.

    The transaction that calls it has locked the project.
    """
    refuse_faces(project, protocol, images, [member.pk for member in members])
    batch = create_batch(project=project, name=name, protocol=protocol, per_image=len(members))
    assign_in_order(batch, members, images, purpose)
    owed = {member.code: len(images) for member in members}
    record_release(batch, owed, actor, {"images": len(images), "purpose": str(purpose)})
    return batch


def trained_under(project: Project, protocol: str) -> QuerySet[Assignment, int]:
    """Return the members who have training images under a protocol, by id."""
    held = Assignment.objects.filter(
        batch__project=project, batch__protocol=protocol, purpose=Assignment.Purpose.TRAINING
    )
    return held.order_by().values_list("annotator", flat=True).distinct()


def trained_last(member: Membership, protocol: str) -> Assignment | None:
    """Return the last image of a member's latest finished training that can be repeated; one query."""
    own = _training_of(member).filter(batch__protocol=protocol)
    unfinished = own.filter(status=Assignment.Status.OPEN).values("batch")
    able = own.filter(batch__status=Batch.Status.OPEN, annotation__status=Annotation.Status.SUBMITTED)
    return able.exclude(batch__in=unfinished).order_by("-batch", "-position").first()


def repeat_training(batch: Batch, member: Membership) -> bool:
    """Give a member the images of a finished training batch again; return False if it is not finished.

    Images without a reference in use are left out.
    """
    with write_transaction():
        held = Batch.objects.select_for_update(no_key=True).get(pk=batch.pk)
        own = _training_of(member).filter(batch=held)
        unfinished = own.filter(status=Assignment.Status.OPEN).exists()
        if held.status != Batch.Status.OPEN or unfinished:
            return False
        first = own.filter(pass_no=0).order_by("position").values_list("image", flat=True)
        active = active_references(held.project, held.protocol)
        known = set(active.filter(image__in=first).values_list("image", flat=True))
        behind = own.aggregate(after=Max("position", default=0), pass_no=Max("pass_no", default=0) + 1)
        images = [image for image in first if image in known]
        assign_in_order(held, [member], images, Assignment.Purpose.TRAINING, **behind)
    return bool(images)


def reference_images(
    project: Project, protocol: str, references: Sequence[int], *, most: int | None = None
) -> list[int]:
    """Return the images of references, by id, in their order; raises InvalidBatch if one is not in use."""
    if not references:
        raise InvalidBatch("Choose at least one image with a reference.", "no-references")
    if most is not None and len(references) > most:
        raise InvalidBatch(f"Choose at most {most} images, not {len(references)}.", "too-many")
    known = active_references(project, protocol).filter(pk__in=references)
    images = dict(known.values_list("pk", "image"))
    if missing := set(references) - set(images):
        raise InvalidBatch(
            f"References that are retired or of another protocol: {len(missing)}. Choose again.", "retired"
        )
    return [images[pk] for pk in dict.fromkeys(references)]


def active_members(project: Project, people: Sequence[Membership]) -> list[Membership]:
    """Return these annotators as stored, by code; raises InvalidBatch for none, or for one not active."""
    asked = {person.pk: person.code for person in people}
    if not asked:
        raise InvalidBatch("Choose at least one annotator.", "nobody")
    active = project.memberships.filter(is_active=True, role=Membership.Role.ANNOTATOR, pk__in=asked)
    members = list(active.order_by("code"))
    if missing := sorted(asked[pk] for pk in asked.keys() - {member.pk for member in members}):
        raise InvalidBatch(f"Not an active annotator of this project: {', '.join(missing)}.", "left")
    return members


def _refuse_work(images: Sequence[int], members: Sequence[Membership]) -> None:
    """Refuse images that one of the people has, or had, to judge as work."""
    work = Assignment.objects.filter(image__in=images, annotator__in=members).exclude(
        purpose=Assignment.Purpose.TRAINING
    )
    per_person = Counter(work.order_by().values_list("annotator__code", flat=True))
    if per_person:
        named = ", ".join(f"{code} ({count})" for code, count in sorted(per_person.items()))
        raise InvalidBatch(
            "Training shows the references of its images, so they cannot also be work for the same "
            f"annotator. Choose other images or annotators. Images that are work: {named}.",
            "is-work",
        )
